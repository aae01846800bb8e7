package datatree_test

import (
	"slices"
	"testing"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/datatree"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/oc"
)

const instance = "/network-instances/network-instance[name=DEFAULT]"

func root(t *testing.T, json string) *datatree.Node {
	t.Helper()
	n := datatree.New(oc.Model)
	if err := n.Decode([]byte(json)); err != nil {
		t.Fatal(err)
	}
	return n
}

func at(t *testing.T, n *datatree.Node, text string) *datatree.Node {
	t.Helper()
	p, err := datatree.ParsePath(text)
	if err != nil {
		t.Fatal(err)
	}
	return n.At(p.GetElem())
}

func leafOf(t *testing.T, n *datatree.Node, container, leaf string) string {
	t.Helper()
	v, _ := at(t, n, container).Leaf(leaf)
	return v
}

func TestRepliesOfManyKindsAreReadAlike(t *testing.T) {
	for name, json := range map[string]string{
		"with prefixes":    `{"openconfig-interfaces:interfaces":{"interface":[{"name":"e1","config":{"name":"e1","mtu":9000,"type":"iana-if-type:ethernetCsmacd"}}]}}`,
		"without prefixes": `{"interfaces":{"interface":[{"name":"e1","config":{"name":"e1","mtu":9000,"type":"ethernetCsmacd"}}]}}`,
		"number as string": `{"interfaces":{"interface":[{"name":"e1","config":{"mtu":"9000","type":"ethernetCsmacd"}}]}}`,
		"with state":       `{"interfaces":{"interface":[{"name":"e1","state":{"mtu":1},"config":{"mtu":9000,"type":"ethernetCsmacd"}}]}}`,
		"foreign augment":  `{"interfaces":{"interface":[{"name":"e1","config":{"mtu":9000,"type":"ethernetCsmacd","acme:colour":"red"},"acme:extra":{"x":[1]}}]}}`,
	} {
		n := root(t, json)
		if got := leafOf(t, n, "/interfaces/interface[name=e1]/config", "mtu"); got != "9000" {
			t.Errorf("%s: mtu is %q", name, got)
		}
		if got := leafOf(t, n, "/interfaces/interface[name=e1]/config", "type"); got != "ethernetCsmacd" {
			t.Errorf("%s: type is %q", name, got)
		}
	}
}

func TestAValueThatTheModelLacksCostsOnlyItself(t *testing.T) {
	n := root(t, `{"interfaces":{"interface":[{"name":"e1","config":{"type":"acme:hologram","mtu":9000}}]}}`)
	if _, ok := at(t, n, "/interfaces/interface[name=e1]/config").Leaf("type"); ok {
		t.Error("a type that the model does not have was kept")
	}
	if got := leafOf(t, n, "/interfaces/interface[name=e1]/config", "mtu"); got != "9000" {
		t.Errorf("mtu is %q", got)
	}
}

func TestWhatIsNoScalarIsNoValueOfALeaf(t *testing.T) {
	n := root(t, `{"interfaces":{"interface":[{"name":"e1","config":{"description":{"text":"x"},"mtu":9000}},{"name":"e2","config":{"description":["x"]}}]}}`)
	for _, name := range []string{"e1", "e2"} {
		if v, ok := at(t, n, "/interfaces/interface[name="+name+"]/config").Leaf("description"); ok {
			t.Errorf("the description is %q", v)
		}
	}
	if got := leafOf(t, n, "/interfaces/interface[name=e1]/config", "mtu"); got != "9000" {
		t.Errorf("mtu is %q", got)
	}
	for _, key := range []string{`{}`, `["e1"]`, `null`} {
		json := `{"interfaces":{"interface":[{"name":` + key + `,"config":{"mtu":9000}}]}}`
		if n := root(t, json); !n.Empty() {
			t.Errorf("%s is taken for a key", key)
		}
	}
}

func TestWhatHasAnotherShapeThanTheModelsCostsOnlyItself(t *testing.T) {
	for _, odd := range []string{
		`{"config":{"mtu":1}}`, `null`, `7`, `"e2"`, `{"name":"e2","hold-time":"none"}`, `{"name":"e2","subinterfaces":{"subinterface":"none"}}`,
	} {
		n := root(t, `{"interfaces":{"interface":[`+odd+`,{"name":"e1","config":{"mtu":9000}}]}}`)
		if got := leafOf(t, n, "/interfaces/interface[name=e1]/config", "mtu"); got != "9000" {
			t.Errorf("beside %s, mtu is %q", odd, got)
		}
	}
	if err := datatree.New(oc.Model).Decode([]byte(`"none"`)); err == nil {
		t.Error("a text is read as a whole configuration")
	}
}

func TestALeafUnderTwoNamesIsReadTheSameEachTime(t *testing.T) {
	for range 20 {
		n := root(t, `{"interfaces":{"interface":[{"name":"e1","config":{"mtu":1,"openconfig-interfaces:mtu":2}}]}}`)
		if got := leafOf(t, n, "/interfaces/interface[name=e1]/config", "mtu"); got != "2" {
			t.Fatalf("mtu is %q", got)
		}
	}
}

func TestNothingHasManyFaces(t *testing.T) {
	for _, json := range []string{``, `null`, `{}`, `""`, `{"interfaces":null}`, `{"interfaces":{"interface":[]}}`} {
		if n := root(t, json); !n.Empty() {
			t.Errorf("%q is not empty", json)
		}
	}
}

func TestAnEntryIsFoundByAnySpellingAndKeepsItsOwn(t *testing.T) {
	n := root(t, `{"interfaces":{"interface":[{"name":"e1","subinterfaces":{"subinterface":[{"index":0,"ipv6":{"addresses":{"address":[{"ip":"2001:DB8::1"}]}}}]}}]}}`)
	e := at(t, n, "/interfaces/interface[name=e1]/subinterfaces/subinterface[index=0]/ipv6/addresses/address[ip=2001:db8:0::1]")
	if e == nil || e.Keys["ip"] != "2001:DB8::1" {
		t.Errorf("the entry is %v", e)
	}
}

func TestCoversTakesAHiddenDefaultForItsValue(t *testing.T) {
	shown := root(t, `{"interfaces":{"interface":[{"name":"e1","config":{"enabled":true}}]}}`)
	hidden := root(t, `{"interfaces":{"interface":[{"name":"e1"}]}}`)
	off := root(t, `{"interfaces":{"interface":[{"name":"e1","config":{"enabled":false}}]}}`)
	if !hidden.Covers(shown) || !shown.Covers(hidden) {
		t.Error("a hidden default differs from the shown one")
	}
	if hidden.Covers(off) || off.Covers(shown) {
		t.Error("another value than the default counts as the default")
	}
}

func TestRestrictKeepsWhatTheShapeHas(t *testing.T) {
	n := root(t, `{"interfaces":{"interface":[{"name":"e1","config":{"mtu":9000,"description":"x"}},{"name":"e2","config":{"mtu":1}}]}}`)
	shape := root(t, `{"interfaces":{"interface":[{"name":"e1","config":{"mtu":1500}}]}}`)
	got := n.Restrict(shape)
	if leafOf(t, got, "/interfaces/interface[name=e1]/config", "mtu") != "9000" || leafOf(t, got, "/interfaces/interface[name=e1]/config", "description") != "" {
		t.Error("the leaves are not those of the shape")
	}
	if at(t, got, "/interfaces/interface[name=e2]") != nil {
		t.Error("an entry outside the shape was kept")
	}
}

func TestReferencesLeadToWhatTheyName(t *testing.T) {
	n := root(t, `{"interfaces":{"interface":[{"name":"e1","subinterfaces":{"subinterface":[{"index":0}]}}]},
"network-instances":{"network-instance":[{"name":"DEFAULT",
 "interfaces":{"interface":[{"id":"a","config":{"id":"a","interface":"e1","subinterface":0}},{"id":"b","config":{"id":"b","interface":"e1","subinterface":9}}]},
 "protocols":{"protocol":[{"identifier":"BGP","name":"BGP","bgp":{
  "peer-groups":{"peer-group":[{"peer-group-name":"there"}]},
  "neighbors":{"neighbor":[{"neighbor-address":"192.0.2.1","config":{"peer-group":"there"}},{"neighbor-address":"192.0.2.2","config":{"peer-group":"gone"}}]}}}]}}]}}`)
	p, err := datatree.ParsePath(instance)
	if err != nil {
		t.Fatal(err)
	}
	var missing []string
	for _, r := range n.Missing(p) {
		missing = append(missing, datatree.PathText(r.Target))
	}
	slices.Sort(missing)
	want := []string{
		"/interfaces/interface[name=e1]/subinterfaces/subinterface[index=9]",
		instance + "/protocols/protocol[identifier=BGP][name=BGP]/bgp/peer-groups/peer-group[peer-group-name=gone]",
	}
	if !slices.Equal(missing, want) {
		t.Errorf("missing are %q, want %q", missing, want)
	}
	group, err := datatree.ParsePath(instance + "/protocols/protocol[identifier=BGP][name=BGP]/bgp/peer-groups/peer-group[peer-group-name=there]")
	if err != nil {
		t.Fatal(err)
	}
	referrers := n.Referrers(group)
	if len(referrers) != 1 || referrers[0].Value != "there" {
		t.Errorf("referrers are %v", referrers)
	}
}
