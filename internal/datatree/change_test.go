package datatree_test

import (
	"slices"
	"testing"

	gpb "github.com/openconfig/gnmi/proto/gnmi"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/datatree"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/oc"
)

func TestChangesAreTheLeavesThatTwoTreesDoNotHaveInCommon(t *testing.T) {
	tree := func(json string) *datatree.Node {
		n := datatree.New(oc.Model)
		if err := n.Decode([]byte(json)); err != nil {
			t.Fatal(err)
		}
		return n
	}
	before := tree(`{"openconfig-interfaces:interfaces":{"interface":[
		{"name":"a","config":{"name":"a","description":"old","mtu":1500}},
		{"name":"b","config":{"name":"b"}}]}}`)
	after := tree(`{"openconfig-interfaces:interfaces":{"interface":[
		{"name":"a","config":{"name":"a","description":"new","mtu":1500,"enabled":true}},
		{"name":"c","config":{"name":"c","enabled":false}}]}}`)
	var got []string
	changes := datatree.Changes(&gpb.Path{}, before, after)
	for _, c := range changes {
		got = append(got, datatree.PathText(c.Path()))
		if !slices.Equal(c.In(before), c.Before) && c.Before != nil || !slices.Equal(c.In(after), c.After) && c.After != nil {
			t.Errorf("%v is not found again in the trees", c)
		}
	}
	want := []string{
		"/interfaces/interface[name=a]/config/description",
		"/interfaces/interface[name=b]/config/name",
		"/interfaces/interface[name=c]/config/enabled",
		"/interfaces/interface[name=c]/config/name",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q; enabled of a has its default, true", got, want)
	}
	if c := datatree.Changes(&gpb.Path{}, nil, nil); c != nil {
		t.Errorf("nothing differs from nothing in %v", c)
	}
}

func TestVLANsAreTheSameHoweverTheyAreCut(t *testing.T) {
	trunk := func(json string) *datatree.Node {
		n := datatree.New(oc.Model)
		if err := n.Decode([]byte(`{"openconfig-interfaces:interfaces":{"interface":[{"name":"a","config":{"name":"a"},"openconfig-if-aggregate:aggregation":{
			"openconfig-vlan:switched-vlan":{"config":{"trunk-vlans":` + json + `}}}}]}}`)); err != nil {
			t.Fatal(err)
		}
		return n
	}
	whole := trunk(`[10,"20..22"]`)
	for json, same := range map[string]bool{
		`[20,21,22,10]`: true, `["10..10","20..21",22]`: true, `[10,"20..23"]`: false, `[10,20,22]`: false,
	} {
		other := trunk(json)
		if whole.Covers(other) != same || len(datatree.Changes(&gpb.Path{}, whole, other)) == 0 != same {
			t.Errorf("%s: the same is %v", json, !same)
		}
	}
}
