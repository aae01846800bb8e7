package simulator_test

import (
	"strings"
	"testing"

	"github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/simulator"
)

func TestASetIsOneTransactionInTheOrderDeleteReplaceUpdate(t *testing.T) {
	d := start(t, simulator.Options{})
	d.mustSet(t, change{update: [][2]string{{port + "/config", `{"description":"old","mtu":1500}`}}})
	d.mustSet(t, change{
		update:  [][2]string{{port + "/config/description", `"new"`}},
		replace: [][2]string{{port + "/config", `{"name":"Ethernet1/1","type":"iana-if-type:ethernetCsmacd","description":"replaced"}`}},
		delete:  []string{port + "/config/description"},
	})
	d.leaf(t, port+"/config/description", "new")
	if d.Exists(port + "/config/mtu") {
		t.Error("replace kept a leaf that it omits")
	}
}

func TestANeighborNeedsItsProtocolInstance(t *testing.T) {
	d := start(t, simulator.Options{})
	message := d.refuse(t, codes.FailedPrecondition, change{update: [][2]string{
		{neighbor, `{"neighbor-address":"192.0.2.0","config":{"neighbor-address":"192.0.2.0","peer-as":65000}}`},
	}})
	if !strings.Contains(message, `../config/`) || !strings.Contains(message, `"BGP"`) {
		t.Errorf("the message does not say what is missing: %s", message)
	}
	d.mustSet(t, change{update: bgp})
	d.mustSet(t, change{update: [][2]string{
		{neighbor + "/config", `{"neighbor-address":"192.0.2.0","peer-as":65000}`},
	}})
	message = d.refuse(t, codes.FailedPrecondition, change{update: [][2]string{
		{neighbor + "/config", `{"peer-group":"spines"}`},
	}})
	t.Log(message)
}

func TestValuesOutsideTheModelAreInvalid(t *testing.T) {
	d := start(t, simulator.Options{})
	d.mustSet(t, change{update: bgp})
	config := port + "/config"
	for _, c := range []change{
		// Paths.
		{update: [][2]string{{"/interfaces/line", `{}`}}},
		{update: [][2]string{{"/interfaces/interface[id=1]/config", `{}`}}},
		{update: [][2]string{{"/interfaces[name=1]", `{}`}}},
		{update: [][2]string{{"/interfaces/interface/config/mtu", `1500`}}},
		{update: [][2]string{{"/interfaces/interface[name=*]/config/mtu", `1500`}}},
		{replace: [][2]string{{"/network-instances/network-instance[name=DEFAULT]/protocols/protocol[name=BGP]", `{}`}}},
		{update: [][2]string{{port + "/state/mtu", `1500`}}},
		{delete: []string{port + "/state"}},
		{delete: []string{port + "/name"}},
		{delete: []string{"/nothing"}},
		// JSON forms, types, ranges, patterns, names.
		{update: [][2]string{{config, `{"mtu":1500`}}},
		{update: [][2]string{{config, `{} {}`}}},
		{update: [][2]string{{config, `[]`}}},
		{update: [][2]string{{config, `null`}}},
		{update: [][2]string{{config, `{"description":null}`}}},
		{update: [][2]string{{config, `{"mtu":"1500"}`}}},
		{update: [][2]string{{config, `{"mtu":65536}`}}},
		{update: [][2]string{{config, `{"mtu":1.5}`}}},
		{update: [][2]string{{config, `{"mtu":[1500]}`}}},
		{update: [][2]string{{config, `{"enabled":"true"}`}}},
		{update: [][2]string{{config, `{"description":1}`}}},
		{update: [][2]string{{config, `{"type":"openconfig-interfaces:ethernetCsmacd"}`}}},
		{update: [][2]string{{config, `{"type":"iana-if-type:carrierPigeon"}`}}},
		{update: [][2]string{{config, `{"loopback-mode":"SIDEWAYS"}`}}},
		{update: [][2]string{{config, `{"speed":1}`}}},
		{update: [][2]string{{config, `{"openconfig-vlan:mtu":1500}`}}},
		{update: [][2]string{{port + "/ethernet/switched-vlan/config", `{"native-vlan":4095}`}}},
		{update: [][2]string{{port + "/ethernet/switched-vlan/config", `{"trunk-vlans":"10"}`}}},
		{update: [][2]string{{port + "/ethernet/switched-vlan/config", `{"trunk-vlans":["10-20"]}`}}},
		{update: [][2]string{{neighbor + "/config", `{"neighbor-address":"192.0.2.256"}`}}},
		{update: [][2]string{{protocol + "/bgp/neighbors/neighbor[neighbor-address=192.0.2.256]", `{}`}}},
		// Keys.
		{update: [][2]string{{port, `{"name":"Ethernet1/2"}`}}},
		{replace: [][2]string{{port, `{"name":"Ethernet1/1","config":{"name":"Ethernet1/2"}}`}}},
		{update: [][2]string{{config + "/name", `"Ethernet1/2"`}}},
		{update: [][2]string{{port + "/name", `"Ethernet1/2"`}}},
		{update: [][2]string{{"/interfaces", `{"interface":[{"config":{"name":"Ethernet1/2"}}]}`}}},
		{update: [][2]string{{"/interfaces", `{"interface":[{"name":"a","config":{"name":"a"}},{"name":"a"}]}`}}},
		{update: [][2]string{{"/interfaces", `{"interface":{"name":"a"}}`}}},
	} {
		if message := d.refuse(t, codes.InvalidArgument, c); !strings.HasPrefix(message, "/") {
			t.Errorf("%+v: the message does not start with the path: %s", c, message)
		}
	}
}

func TestValuesComeInManyForms(t *testing.T) {
	d := start(t, simulator.Options{})
	text := func(s string) *gnmi.TypedValue {
		return &gnmi.TypedValue{Value: &gnmi.TypedValue_StringVal{StringVal: s}}
	}
	vlans := port + "/ethernet/switched-vlan/config/trunk-vlans"
	for _, tt := range []struct {
		path string
		val  *gnmi.TypedValue
		want string // the canonical value, or empty for InvalidArgument
	}{
		{port + "/config/mtu", &gnmi.TypedValue{Value: &gnmi.TypedValue_UintVal{UintVal: 1500}}, "1500"},
		{port + "/config/mtu", &gnmi.TypedValue{Value: &gnmi.TypedValue_IntVal{IntVal: 1501}}, "1501"},
		{port + "/config/mtu", &gnmi.TypedValue{Value: &gnmi.TypedValue_IntVal{IntVal: -1}}, ""},
		{port + "/config/mtu", text("1500"), ""},
		{port + "/config/mtu", &gnmi.TypedValue{Value: &gnmi.TypedValue_JsonVal{JsonVal: []byte(`"1502"`)}}, "1502"},
		{port + "/config/mtu", &gnmi.TypedValue{Value: &gnmi.TypedValue_AsciiVal{AsciiVal: "1500"}}, ""},
		{port + "/config/mtu", &gnmi.TypedValue{}, ""},
		{port + "/config/mtu", nil, ""},
		{port + "/config/enabled", &gnmi.TypedValue{Value: &gnmi.TypedValue_BoolVal{BoolVal: true}}, "true"},
		{port + "/config/description", text("uplink"), "uplink"},
		{port + "/config/type", text("ethernetCsmacd"), "ethernetCsmacd"},
		{port + "/config/type", text("iana-if-type:ethernetCsmacd"), "ethernetCsmacd"},
		{port + "/config/type", text("ietf-interfaces:ethernetCsmacd"), ""},
		{port + "/config", text("x"), ""},
		{vlans, ietf(`[10,"20..30"]`), `["10","20..30"]`},
		{vlans, &gnmi.TypedValue{Value: &gnmi.TypedValue_LeaflistVal{LeaflistVal: &gnmi.ScalarArray{Element: []*gnmi.TypedValue{
			{Value: &gnmi.TypedValue_UintVal{UintVal: 40}}, text("50..60"),
		}}}}, `["10","20..30","40","50..60"]`},
		{vlans, text("70"), ""},
		{vlans, ietf(`[10,10]`), `["10","20..30","40","50..60"]`},
	} {
		_, err := d.client.Set(t.Context(), &gnmi.SetRequest{Update: []*gnmi.Update{{Path: path(t, tt.path), Val: tt.val}}})
		switch got, _ := d.Leaf(tt.path); {
		case tt.want == "" && status.Code(err) != codes.InvalidArgument:
			t.Errorf("%s: %v was answered with %v", tt.path, tt.val, err)
		case tt.want != "" && (err != nil || got != tt.want):
			t.Errorf("%s: %v gave %q (%v), want %q", tt.path, tt.val, got, err, tt.want)
		}
	}
	d.mustSet(t, change{replace: [][2]string{{vlans, `[30]`}}})
	d.leaf(t, vlans, `["30"]`)
	d.mustSet(t, change{replace: [][2]string{{vlans, `[]`}}})
	if d.Exists(port + "/ethernet") {
		t.Error("an empty leaf-list left its containers behind")
	}
}

func TestUpdateMergesAndReplaceRemoves(t *testing.T) {
	d := start(t, simulator.Options{})
	d.mustSet(t, change{update: [][2]string{
		{port, `{"config":{"mtu":9000},"ethernet":{"config":{"auto-negotiate":true}}}`},
		{port + "/subinterfaces/subinterface[index=1]", `{"index":1,"config":{"index":1}}`},
	}})
	d.mustSet(t, change{update: [][2]string{{"/", `{"openconfig-interfaces:interfaces":{"interface":[
		{"name":"Ethernet1/1","config":{"name":"Ethernet1/1","description":"x"},"openconfig-if-ethernet:ethernet":{"config":{"duplex-mode":"FULL"}}}]}}`}}})
	for leaf, want := range map[string]string{
		"/config/mtu": "9000", "/config/description": "x", "/ethernet/config/auto-negotiate": "true",
		"/ethernet/config/duplex-mode": "FULL", "/subinterfaces/subinterface[index=1]/config/index": "1",
	} {
		d.leaf(t, port+leaf, want)
	}
	d.mustSet(t, change{replace: [][2]string{{port + "/ethernet/config", `{"duplex-mode":"HALF"}`}}})
	if d.Exists(port + "/ethernet/config/auto-negotiate") {
		t.Error("replacing a container kept what it omits")
	}
	d.leaf(t, port+"/config/mtu", "9000")
	d.mustSet(t, change{replace: [][2]string{{port, `{"config":{"name":"Ethernet1/1","type":"iana-if-type:ethernetCsmacd"}}`}}})
	if got, want := d.Config(port), `{"openconfig-interfaces:config":{"name":"Ethernet1/1","type":"iana-if-type:ethernetCsmacd"},"openconfig-interfaces:name":"Ethernet1/1"}`; got != want {
		t.Errorf("the replaced entry is %s", got)
	}
	// The list as a whole, and the root.
	vlan := instance + "/vlans/vlan"
	d.mustSet(t, change{update: [][2]string{{vlan, `[{"vlan-id":10,"config":{"vlan-id":10}},{"vlan-id":9,"config":{"vlan-id":9}}]`}}})
	d.mustSet(t, change{replace: [][2]string{{vlan, `[{"vlan-id":20,"config":{"vlan-id":20}}]`}}})
	if got, want := d.Config(instance+"/vlans"), `{"openconfig-network-instance:vlan":[{"config":{"vlan-id":20},"vlan-id":20}]}`; got != want {
		t.Errorf("the replaced list is %s", got)
	}
	root := d.Config("/")
	d.mustSet(t, change{update: [][2]string{{port + "/config/mtu", "1500"}}})
	d.mustSet(t, change{replace: [][2]string{{"/", root}}})
	if got := d.Config("/"); got != root {
		t.Errorf("the replaced root is %s, want %s", got, root)
	}
}

func TestDeleteTakesWhatThePathMeans(t *testing.T) {
	d := start(t, simulator.Options{})
	sub := port + "/subinterfaces/subinterface"
	fill := change{update: [][2]string{
		{sub, `[{"index":0,"config":{"index":0,"description":"a"}},{"index":1,"config":{"index":1,"description":"b"}}]`},
		{port + "/config", `{"description":"x","mtu":1500}`},
	}}
	for _, tt := range []struct{ path, gone, kept string }{
		{port + "/config/mtu", port + "/config/mtu", port + "/config/description"},
		{sub + "[index=0]", sub + "[index=0]", sub + "[index=1]"},
		{sub, port + "/subinterfaces", port + "/config/mtu"},
		{port + "/subinterfaces", port + "/subinterfaces", port + "/config/mtu"},
		{sub + "[index=*]/config/description", sub + "/config/description", sub + "[index=1]"},
		{"/interfaces/interface[name=*]/config/mtu", port + "/config/mtu", port + "/config/name"},
		{"/interfaces/interface/config/mtu", port + "/config/mtu", port + "/config/name"},
		// Absent things.
		{port + "/config/tpid", port + "/config/tpid", port + "/config/mtu"},
		{sub + "[index=7]", sub + "[index=7]", sub + "[index=1]"},
		{"/acl", "/acl", port + "/config/mtu"},
		{"/interfaces/interface[name=none]/config/mtu", "/interfaces/interface[name=none]", port + "/config/mtu"},
	} {
		d.mustSet(t, fill)
		d.mustSet(t, change{delete: []string{tt.path}})
		if d.Exists(tt.gone) || !d.Exists(tt.kept) {
			t.Errorf("delete %s: %s is there: %v, %s: %v", tt.path, tt.gone, d.Exists(tt.gone), tt.kept, d.Exists(tt.kept))
		}
	}
}

func TestWhatTheDeviceIsBuiltOfCannotBeRemoved(t *testing.T) {
	d := start(t, simulator.Options{})
	d.mustSet(t, change{update: [][2]string{{"/interfaces/interface[name=Ethernet2/1]/config", `{"name":"Ethernet2/1"}`}}})
	for _, c := range []change{
		{delete: []string{port}},
		{delete: []string{"/interfaces"}},
		{delete: []string{"/interfaces/interface"}},
		{delete: []string{instance}},
		{delete: []string{"/"}},
		{replace: [][2]string{{"/", `{}`}}},
		{replace: [][2]string{{"/interfaces", `{"interface":[{"name":"Ethernet2/1","config":{"name":"Ethernet2/1"}}]}`}}},
	} {
		if message := d.refuse(t, codes.FailedPrecondition, c); !strings.Contains(message, "cannot be removed") {
			t.Errorf("%+v: %s", c, message)
		}
	}
	d.mustSet(t, change{delete: []string{"/interfaces/interface[name=Ethernet2/1]"}})
	d.mustSet(t, change{
		delete: []string{port},
		update: [][2]string{{port + "/config", `{"name":"Ethernet1/1"}`}},
	})
	if d.Exists(port + "/config/type") {
		t.Error("a port that was deleted and made anew in one Set kept a leaf")
	}
}

func TestOriginsAndTargets(t *testing.T) {
	d := start(t, simulator.Options{})
	for _, tt := range []struct {
		prefix, path string
		code         codes.Code
	}{
		{"", "", codes.OK},
		{"openconfig", "", codes.OK},
		{"", "openconfig", codes.OK},
		{"openconfig", "openconfig", codes.InvalidArgument},
		{"cli", "", codes.InvalidArgument},
		{"", "cli", codes.InvalidArgument},
	} {
		p := path(t, "/config/mtu")
		p.Origin = tt.path
		prefix := path(t, port)
		prefix.Origin, prefix.Target = tt.prefix, "leaf1"
		resp, err := d.client.Set(t.Context(), &gnmi.SetRequest{Prefix: prefix, Update: []*gnmi.Update{{Path: p, Val: ietf("1500")}}})
		if status.Code(err) != tt.code {
			t.Errorf("origins %q and %q: %v", tt.prefix, tt.path, err)
		}
		if err == nil && (resp.GetPrefix().GetTarget() != "leaf1" || resp.GetTimestamp() == 0 || len(resp.GetResponse()) != 1 ||
			resp.GetResponse()[0].GetOp() != gnmi.UpdateResult_UPDATE) {
			t.Errorf("the response is %v", resp)
		}
	}
}

func TestAnEmptySetIsFineAndUnionReplaceIsNot(t *testing.T) {
	d := start(t, simulator.Options{})
	d.mustSet(t, change{})
	_, err := d.client.Set(t.Context(), &gnmi.SetRequest{UnionReplace: []*gnmi.Update{{Path: path(t, "/"), Val: ietf("{}")}}})
	if status.Code(err) != codes.Unimplemented {
		t.Errorf("union_replace was answered with %v", err)
	}
}
