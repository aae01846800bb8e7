package device_test

import (
	"testing"

	gpb "github.com/openconfig/gnmi/proto/gnmi"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/changeset"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/datatree"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/simulator"
)

// forgetful runs a device whose second Get finds nothing, and the fourth and on,
// and lets the first one pass.
func forgetful(t *testing.T) *simulator.Target {
	t.Helper()
	target := simulate(t, "false_empty_every=2")
	if _, err := connect(t, target.Addr()).Read(t.Context(), interfacePath("Ethernet1/1")); err != nil {
		t.Fatal(err)
	}
	return target
}

func TestAnEntryIsNotTakenAsAbsentBecauseOfOneEmptyAnswer(t *testing.T) {
	target := forgetful(t)
	if entry, err := connect(t, target.Addr()).Find(t.Context(), interfacePath("Ethernet1/1")); err != nil || entry == nil {
		t.Errorf("got %v, %v", entry, err)
	}
	if n := target.Stats().Gets; n != 3 {
		t.Errorf("there were %d Gets", n)
	}
}

func TestAnEntryThatTwoReadsDoNotFindIsAbsent(t *testing.T) {
	target := simulate(t)
	if entry, err := connect(t, target.Addr()).Find(t.Context(), interfacePath("Ethernet9/9")); err != nil || entry != nil {
		t.Errorf("got %v, %v", entry, err)
	}
	if n := target.Stats().Gets; n != 2 {
		t.Errorf("there were %d Gets", n)
	}
}

func TestAStepChangesAnEntryThatTheFirstReadDidNotFind(t *testing.T) {
	d := connect(t, forgetful(t).Addr())
	change := setting(interfacePath("Ethernet1/1"), lag("x"))
	change.Step.Operation = devicelock.Update
	found := false
	change.Decide = func(entry *datatree.Node, p *gpb.Path) (*gpb.SetRequest, error) {
		found = entry != nil
		return changeset.Delete(datatree.Join(p, &gpb.PathElem{Name: "config"}, &gpb.PathElem{Name: "mtu"})), nil
	}
	if err := d.Apply(t.Context(), change); err != nil || !found {
		t.Errorf("found: %v, %v", found, err)
	}
}
