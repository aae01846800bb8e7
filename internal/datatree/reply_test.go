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

func TestAReplyIsReadWithOrWithoutPrefixesAndWrapping(t *testing.T) {
	for _, r := range []reply{
		{"/openconfig-interfaces:interfaces/interface[name=e1]/config", `{"mtu":9000}`},
		{"/interfaces/oc-if:interface[name=e1]/config/mtu", `"9000"`},
		{"/interfaces/interface[openconfig-interfaces:name=e1]/openconfig-interfaces:config/openconfig-interfaces:mtu", `9000`},
		{"/", `{"openconfig-interfaces:interfaces":{"interface":[{"openconfig-interfaces:name":"e1","config":{"mtu":9000}}]}}`},
		{"/interfaces", `{"openconfig-interfaces:interfaces":{"interface":[{"name":"e1","config":{"mtu":"9000"}}]}}`},
		{"/interfaces/interface", `{"interface":[{"name":"e1","config":{"mtu":9000}}]}`},
		{"/interfaces/interface[name=e1]", `{"openconfig-interfaces:interface":[{"name":"e1","config":{"mtu":9000}}]}`},
		{"/interfaces/interface[name=e1]", `[{"name":"e1","config":{"mtu":9000}}]`},
		{"/interfaces/interface[name=e1]/config", `{"openconfig-interfaces:config":{"openconfig-interfaces:mtu":9000}}`},
		{"/interfaces/interface[name=e1]/config/mtu", `{"openconfig-interfaces:mtu":9000}`},
	} {
		if got := leafOf(t, read(t, r), "/interfaces/interface[name=e1]/config", "mtu"); got != "9000" {
			t.Errorf("%s of %s: mtu is %q", r.json, r.path, got)
		}
	}
}

func TestAnIdentityInAPathIsTheSameWithItsModule(t *testing.T) {
	for _, identity := range []string{"BGP", "openconfig-policy-types:BGP"} {
		n := read(t, reply{instance + "/protocols/protocol[identifier=" + identity + "][name=b]/config/enabled", `true`})
		e := at(t, n, instance+"/protocols/protocol[identifier=BGP][name=b]")
		if e == nil || e.Keys["identifier"] != "BGP" {
			t.Errorf("%s: the entry is %v", identity, e)
		}
	}
}

func TestAPathThatTheModelLacksIsPassedOver(t *testing.T) {
	for _, path := range []string{
		"/acme:interfaces/interface[name=e1]/config/mtu", "/interfaces/interface[name=e1]/acme:extra/mtu", "/interfaces/interface[name=e1]/config/acme:mtu",
		"/interfaces/interface[acme:name=e1]/config/mtu", "/interfaces/interface[config=e1]/config/mtu", "/interfaces/interface/config/mtu",
		"/interfaces[interface=e1]/interface[name=e1]/config/mtu", "/interfaces/interface[name=e1]/config/mtu/more",
	} {
		if n := read(t, reply{path, `9000`}); !n.Empty() {
			t.Errorf("%s left something", path)
		}
	}
}

func TestWhatIsForeignInAContainerCostsNothingElse(t *testing.T) {
	for _, json := range []string{
		`"acme:mtu":1,"acme:description":"vendor's"`, `"description":{"acme:text":"vendor's"}`, `"description":["vendor's"]`,
		`"acme:config":{"mtu":1}`, `"type":"acme:HOLOGRAM"`, `"type":7`, `"enabled":"perhaps"`, `"acme:interfaces":"odd"`,
	} {
		n := read(t, reply{"/interfaces/interface[name=e1]/config", `{"openconfig-interfaces:mtu":9000,` + json + `}`})
		config := at(t, n, "/interfaces/interface[name=e1]/config")
		if mtu, _ := config.Leaf("mtu"); mtu != "9000" || len(config.LeafNames()) != 2 {
			t.Errorf("with %s: the MTU is %q and the leaves are %q", json, mtu, config.LeafNames())
		}
	}
}

func TestAnEntryWithAVendorsIdentityForItsKeyIsReadBesidesTheOthers(t *testing.T) {
	n := read(t, reply{instance + "/protocols", `{"protocol":[
		{"identifier":"acme:TELEPATHY","name":"t","config":{"identifier":"acme:TELEPATHY","name":"t"}},
		{"identifier":"openconfig-policy-types:BGP","name":"b","config":{"identifier":"BGP","name":"b","enabled":true}}]}`})
	if got := leafOf(t, n, instance+"/protocols/protocol[identifier=BGP][name=b]/config", "enabled"); got != "true" {
		t.Errorf("enabled is %q", got)
	}
}
