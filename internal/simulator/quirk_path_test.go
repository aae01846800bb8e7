package simulator_test

import (
	"strings"
	"testing"

	"github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/simulator"
)

func TestTheOriginOfAPathIsTakenAsTheDeviceLikes(t *testing.T) {
	ok, invalid, absent := codes.OK, codes.InvalidArgument, codes.NotFound
	for way, want := range map[string]struct{ getWith, getWithout, setWith, setWithout codes.Code }{
		"get_types=all":   {ok, ok, ok, ok},
		"origin=required": {ok, invalid, ok, invalid},
		"origin=rejected": {invalid, ok, invalid, ok},
		"origin=ignored":  {ok, ok, ok, ok},
		"origin=silent":   {ok, absent, ok, ok},
	} {
		d := quirky(t, way)
		for _, tt := range []struct {
			where    string
			prefix   string
			path     string
			get, set codes.Code
		}{
			{"nowhere", "", "", want.getWithout, want.setWithout},
			{"in the prefix", "openconfig", "", want.getWith, want.setWith},
			{"in the path", "", "openconfig", want.getWith, want.setWith},
		} {
			prefix, p := &gnmi.Path{Origin: tt.prefix}, path(t, port+"/config/type")
			p.Origin = tt.path
			_, err := d.client.Get(t.Context(), &gnmi.GetRequest{Prefix: prefix, Path: []*gnmi.Path{p}, Encoding: gnmi.Encoding_JSON_IETF})
			if status.Code(err) != tt.get {
				t.Errorf("%s, origin %s: Get: %v, want %v", way, tt.where, err, tt.get)
			}
			_, err = d.client.Set(t.Context(), &gnmi.SetRequest{Prefix: prefix, Update: []*gnmi.Update{{Path: p, Val: ietf(`"iana-if-type:ethernetCsmacd"`)}}})
			if status.Code(err) != tt.set {
				t.Errorf("%s, origin %s: Set: %v, want %v", way, tt.where, err, tt.set)
			}
		}
	}
	if n := len(quirky(t, "origin=silent").once(t, gnmi.Encoding_JSON_IETF, port)); n != 0 {
		t.Errorf("Subscribe without origin tells %d leaves", n)
	}
	p := path(t, port)
	p.Origin = "native"
	if _, err := quirky(t, "origin=ignored").get(t.Context(), gnmi.GetRequest_CONFIG, p); err != nil {
		t.Errorf("another origin that is ignored: %v", err)
	}
}

func TestNamesOfInterfacesAreTheSameWhateverTheirCase(t *testing.T) {
	lower := strings.ReplaceAll(port, "Ethernet", "ethernet")
	// A strict target has two interfaces.
	d := start(t, simulator.Options{})
	d.refuse(t, codes.InvalidArgument, change{update: [][2]string{{port + "/config/name", `"ethernet1/1"`}}})
	d.mustSet(t, change{update: [][2]string{{lower + "/config", `{"name":"ethernet1/1","mtu":1500}`}}})
	if d.Exists(port + "/config/mtu") {
		t.Error("a strict target takes one name for the other")
	}

	d = quirky(t, "ifname_case=fold")
	d.mustSet(t, change{update: [][2]string{
		{lower + "/config", `{"name":"ethernet1/1","mtu":1500}`},
		{"/interfaces", `{"interface":[{"name":"ETHERNET1/1","config":{"name":"ETHERNET1/1","description":"x"}}]}`},
		{lag + "/config/name", `"Port-Channel1"`},
		{port + "/ethernet/config/aggregate-id", `"port-channel1"`},
		{sub0, `{"config":{"index":0}}`},
		{instance + "/interfaces/interface[id=uplink]", `{"config":{"id":"uplink","interface":"ETHERNET1/1","subinterface":0}}`},
	}})
	want := `{"openconfig-interfaces:description":"x","openconfig-interfaces:mtu":1500,"openconfig-interfaces:name":"Ethernet1/1","openconfig-interfaces:type":"iana-if-type:ethernetCsmacd"}`
	for _, p := range []string{port, lower} {
		if got := d.config(t, p+"/config"); got != want {
			t.Errorf("%s is\n%s, want\n%s", p, got, want)
		}
	}
	if n := len(d.updates(t, "/interfaces/interface[name=*]")); n != simulator.FactoryPorts+1 {
		t.Errorf("there are %d interfaces", n)
	}
	d.refuse(t, codes.FailedPrecondition, change{delete: []string{strings.ToLower(lag)}}) // it has a member
	d.mustSet(t, change{delete: []string{"/interfaces/interface[name=PORT-CHANNEL1]", port + "/ethernet"}})
	if d.Exists(lag) {
		t.Error("the LAG was not removed under another spelling")
	}
}

func TestTheFirstNetworkInstanceHasTheNameOfTheDevice(t *testing.T) {
	d := quirky(t, "default_ni_name=global")
	const global = "/network-instances/network-instance[name=global]"
	d.leaf(t, global+"/config/type", "DEFAULT_INSTANCE")
	if d.Exists(instance) {
		t.Error("there is a network instance of the strict target")
	}
	d.refuse(t, codes.FailedPrecondition, change{delete: []string{global}})
}

func TestAProtocolHasTheNameOfTheDevice(t *testing.T) {
	d := quirky(t, "bgp_instance_name=bgp", "static_instance_name=STATIC")
	if message := d.refuse(t, codes.InvalidArgument, change{update: bgp}); !strings.Contains(message, "must be bgp") {
		t.Errorf("the message is %q", message)
	}
	d.refuse(t, codes.InvalidArgument, change{update: [][2]string{
		{instance + "/protocols/protocol[identifier=STATIC][name=static]/config", `{"identifier":"STATIC","name":"static"}`},
	}})
	d.mustSet(t, change{update: [][2]string{
		{instance + "/protocols/protocol[identifier=BGP][name=bgp]/config", `{"identifier":"BGP","name":"bgp"}`},
		{instance + "/protocols/protocol[identifier=STATIC][name=STATIC]/config", `{"identifier":"STATIC","name":"STATIC"}`},
	}})
	start(t, simulator.Options{}).mustSet(t, change{update: bgp})
}

func TestAnInterfaceInANetworkInstanceHasAnIDOfTheDevicesForm(t *testing.T) {
	for quirk, want := range map[string]map[string]codes.Code{
		"get_types=all":              {"Ethernet1/1": codes.OK, "Ethernet1/1.0": codes.OK},
		"ifref_format=name":          {"Ethernet1/1": codes.OK, "Ethernet1/1.0": codes.InvalidArgument},
		"ifref_format=name_dot_unit": {"Ethernet1/1": codes.InvalidArgument, "Ethernet1/1.0": codes.OK},
	} {
		d := quirky(t, quirk)
		for id, code := range want {
			if err := d.set(t, change{update: [][2]string{attach(instance, id)}}); status.Code(err) != code {
				t.Errorf("%s, %s: %v, want %v", quirk, id, err, code)
			}
		}
	}
}

func TestOnlyTheRootCanBeSetWhereTheDeviceIsLikeThat(t *testing.T) {
	d := quirky(t, "set_only_at_root=true")
	d.refuse(t, codes.InvalidArgument, change{update: [][2]string{{port + "/config/mtu", `1500`}}})
	d.refuse(t, codes.InvalidArgument, change{delete: []string{port + "/config/mtu"}})
	below := &gnmi.SetRequest{Prefix: path(t, port), Delete: []*gnmi.Path{{}}}
	if _, err := d.client.Set(t.Context(), below); status.Code(err) != codes.InvalidArgument {
		t.Errorf("a Set of what the prefix names: %v", err)
	}
	d.mustSet(t, change{update: [][2]string{{"/", `{"openconfig-interfaces:interfaces":{"interface":[{"name":"Ethernet1/1","config":{"name":"Ethernet1/1","mtu":1500}}]}}`}}})
	d.leaf(t, port+"/config/mtu", "1500")
}

func TestEveryRejectedSetHasTheCodeOfTheDevice(t *testing.T) {
	for quirk, code := range map[string]codes.Code{"aborted": codes.Aborted, "internal": codes.Internal, "invalid_argument": codes.InvalidArgument, "not_found": codes.NotFound} {
		d := quirky(t, "reject_code="+quirk)
		d.refuse(t, code, change{update: [][2]string{{port + "/config/mtu", `"many"`}}})
		d.refuse(t, code, change{delete: []string{port}})
		d.refuse(t, code, change{delete: []string{"/nothing"}})
		d.FailNextSet(status.Error(codes.Unavailable, "restarting"))
		d.refuse(t, codes.Unavailable, change{update: [][2]string{{port + "/config/mtu", `1500`}}})
		d.mustSet(t, change{update: [][2]string{{port + "/config/mtu", `1500`}}})
	}
}
