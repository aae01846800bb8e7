package simulator

import (
	"testing"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/oc"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/schema"
)

func TestEveryLeafrefOfTheModelIsChecked(t *testing.T) {
	refs := 0
	var walk func(*def)
	walk = func(d *def) {
		if d.isLeaf() && d.Type.Base == schema.LeafRef {
			refs++
			if d.ref == nil {
				t.Errorf("%s: the reference %s leads out of the model", d.path, d.Type.Path)
			}
		}
		for _, c := range d.children {
			walk(c)
		}
	}
	walk(newModel(oc.Model))
	if refs == 0 {
		t.Error("the model has no leafrefs")
	}
}

func TestNamesWithNumbersAreInTheirNaturalOrder(t *testing.T) {
	order := []string{"", "9a", "10", "Ethernet1/2", "Ethernet1/10", "Ethernet2/1", "Ethernet02", "lo0"}
	for i, a := range order {
		for j, b := range order {
			if got, want := natural(a, b), i < j; got != want {
				t.Errorf("natural(%q, %q) is %v", a, b, got)
			}
		}
	}
}
