package datatree_test

import (
	"testing"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/datatree"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/oc"
)

// reply is a value that a device sends: the text of its path, and its JSON.
type reply struct{ path, json string }

// read returns the tree that replies make.
func read(t *testing.T, replies ...reply) *datatree.Node {
	t.Helper()
	n := datatree.New(oc.Model)
	for _, r := range replies {
		p, err := datatree.ParsePath(r.path)
		if err != nil {
			t.Fatal(err)
		}
		if err := n.DecodeAt(p.GetElem(), []byte(r.json)); err != nil {
			t.Fatalf("%s of %s: %v", r.json, r.path, err)
		}
	}
	return n
}

func TestNothingAtAPathIsAbsence(t *testing.T) {
	for _, path := range []string{
		"/", "/interfaces", "/interfaces/interface", "/network-instances/network-instance[name=red]",
		"/network-instances/network-instance[name=red]/config", "/interfaces/interface[name=e1]/subinterfaces/subinterface[index=0]",
	} {
		for _, json := range []string{``, ` `, `null`, `{}`, `""`, `[]`, `[{}]`, `[null]`, `{"config":{}}`, `{"config":null}`} {
			if n := read(t, reply{path, json}); !n.Empty() {
				t.Errorf("%q at %s is taken for something", json, path)
			}
		}
	}
}

func TestANullLeafIsAbsent(t *testing.T) {
	n := read(t,
		reply{"/interfaces/interface[name=e1]/config", `{"mtu":9000,"description":null}`},
		reply{"/interfaces/interface[name=e1]/config/type", `null`},
	)
	if got := at(t, n, "/interfaces/interface[name=e1]/config").LeafNames(); len(got) != 2 || got[0] != "mtu" || got[1] != "name" {
		t.Errorf("the leaves are %q", got)
	}
	if n := read(t, reply{"/interfaces/interface[name=e1]/config/description", `null`}); !n.Empty() {
		t.Error("a null leaf made its entry")
	}
}

func TestAnEntryThatIsStateAloneIsNotConfigured(t *testing.T) {
	for name, replies := range map[string][]reply{
		"in a list":    {{"/interfaces", `{"interface":[{"name":"e1","state":{"name":"e1","mtu":1500},"subinterfaces":{"subinterface":[{"index":0,"state":{"index":0}}]}}]}`}},
		"at its path":  {{"/interfaces/interface[name=e1]", `{"name":"e1","openconfig-interfaces:state":{"mtu":1500}}`}},
		"by container": {{"/interfaces/interface[name=e1]/ethernet", `{"state":{"port-speed":"SPEED_10GB"}}`}},
		"by leaf": {
			{"/interfaces/interface[name=e1]/name", `"e1"`},
			{"/interfaces/interface[name=e1]/state/mtu", `1500`},
			{"/interfaces/interface[name=e1]/state", `{"mtu":1500}`},
			{"/interfaces/interface[name=e1]/subinterfaces/subinterface[index=0]/state/index", `0`},
		},
	} {
		if e := at(t, read(t, replies...), "/interfaces/interface[name=e1]"); e != nil {
			t.Errorf("%s: an interface that nobody configured is there", name)
		}
	}
}

func TestStateBesidesConfigurationDoesNoHarm(t *testing.T) {
	for name, r := range map[string]reply{
		"in a list":               {"/interfaces", `{"interface":[{"name":"e1","state":{"mtu":1},"config":{"mtu":9000}}]}`},
		"in a deeper container":   {"/interfaces/interface[name=e1]", `{"name":"e1","state":{"mtu":1},"ethernet":{"config":{"auto-negotiate":true}}}`},
		"a list without state":    {"/interfaces", `{"interface":[{"name":"e1"}]}`},
		"a leaf that is so named": {"/interfaces/interface[name=e1]/config", `{"mtu":9000,"acme:state":"up"}`},
	} {
		if e := at(t, read(t, r), "/interfaces/interface[name=e1]"); e == nil {
			t.Errorf("%s: the configured interface is not there", name)
		}
	}
}
