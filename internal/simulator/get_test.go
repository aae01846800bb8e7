package simulator_test

import (
	"strings"
	"testing"

	"github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/simulator"
)

func TestGetShowsTheKindOfDataThatItIsAskedFor(t *testing.T) {
	d := start(t, simulator.Options{})
	d.mustSet(t, change{update: [][2]string{{port, `{"config":{"mtu":1500},"ethernet":{"config":{"auto-negotiate":true}}}`}}})
	config := `{"mtu":1500,"name":"Ethernet1/1","type":"iana-if-type:ethernetCsmacd"}`
	prefixed := `{"openconfig-interfaces:mtu":1500,"openconfig-interfaces:name":"Ethernet1/1","openconfig-interfaces:type":"iana-if-type:ethernetCsmacd"}`
	ethernet := `{"auto-negotiate":true}`
	for _, tt := range []struct {
		kind gnmi.GetRequest_DataType
		path string
		want string // empty for NotFound
	}{
		{gnmi.GetRequest_CONFIG, port + "/config", prefixed},
		{gnmi.GetRequest_CONFIG, port + "/state", ""},
		{gnmi.GetRequest_CONFIG, port + "/config/mtu", "1500"},
		{gnmi.GetRequest_STATE, port + "/config", ""},
		{gnmi.GetRequest_STATE, port + "/config/mtu", ""},
		{gnmi.GetRequest_STATE, port + "/state", prefixed},
		{gnmi.GetRequest_STATE, port + "/state/mtu", "1500"},
		{gnmi.GetRequest_ALL, port + "/state/mtu", "1500"},
		{gnmi.GetRequest_ALL, port + "/config/mtu", "1500"},
		{gnmi.GetRequest_ALL, port + "/name", `"Ethernet1/1"`},
		{gnmi.GetRequest_CONFIG, port, `{"openconfig-interfaces:config":` + config + `,"openconfig-if-ethernet:ethernet":{"config":` + ethernet + `},"openconfig-interfaces:name":"Ethernet1/1"}`},
		{gnmi.GetRequest_STATE, port, `{"openconfig-interfaces:state":` + config + `,"openconfig-if-ethernet:ethernet":{"state":` + ethernet + `},"openconfig-interfaces:name":"Ethernet1/1"}`},
		{gnmi.GetRequest_ALL, port, `{"openconfig-interfaces:config":` + config + `,"openconfig-interfaces:state":` + config +
			`,"openconfig-if-ethernet:ethernet":{"config":` + ethernet + `,"state":` + ethernet + `},"openconfig-interfaces:name":"Ethernet1/1"}`},
		{gnmi.GetRequest_CONFIG, port + "/config/description", ""},
		{gnmi.GetRequest_CONFIG, "/interfaces/interface[name=none]", ""},
		{gnmi.GetRequest_CONFIG, "/acl", ""},
	} {
		got, err := d.get(t.Context(), tt.kind, path(t, tt.path))
		switch {
		case tt.want == "" && status.Code(err) != codes.NotFound:
			t.Errorf("%v %s: %s, %v, want NotFound", tt.kind, tt.path, got, err)
		case tt.want != "" && (err != nil || got != tt.want):
			t.Errorf("%v %s:\n got %s (%v)\nwant %s", tt.kind, tt.path, got, err, tt.want)
		}
	}
	resp, err := d.client.Get(t.Context(), &gnmi.GetRequest{
		Path: []*gnmi.Path{path(t, port)}, Type: gnmi.GetRequest_OPERATIONAL, Encoding: gnmi.Encoding_JSON_IETF,
	})
	if err != nil || len(resp.GetNotification()) != 1 || len(resp.GetNotification()[0].GetUpdate()) != 0 {
		t.Errorf("OPERATIONAL: %v, %v", resp, err)
	}
}

func TestJSONHasNeitherPrefixesNorIdentityModules(t *testing.T) {
	d := start(t, simulator.Options{})
	resp, err := d.client.Get(t.Context(), &gnmi.GetRequest{Path: []*gnmi.Path{path(t, port)}, Type: gnmi.GetRequest_CONFIG})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"config":{"name":"Ethernet1/1","type":"ethernetCsmacd"},"name":"Ethernet1/1"}`
	if got := string(resp.GetNotification()[0].GetUpdate()[0].GetVal().GetJsonVal()); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestSeveralPathsAndWildcards(t *testing.T) {
	d := start(t, simulator.Options{})
	resp, err := d.client.Get(t.Context(), &gnmi.GetRequest{
		Prefix:   &gnmi.Path{Target: "leaf1", Origin: "openconfig"},
		Path:     []*gnmi.Path{path(t, port+"/config/name"), path(t, "/interfaces/interface[name=*]/config/name"), path(t, "/interfaces/interface")},
		Encoding: gnmi.Encoding_JSON_IETF,
	})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(resp.GetNotification()); n != 3 {
		t.Fatalf("%d notifications for 3 paths", n)
	}
	for i, want := range []int{1, simulator.FactoryPorts, simulator.FactoryPorts} {
		n := resp.GetNotification()[i]
		if len(n.GetUpdate()) != want || n.GetTimestamp() == 0 || n.GetPrefix().GetTarget() != "leaf1" {
			t.Errorf("path %d: %d updates, want %d; prefix %v", i, len(n.GetUpdate()), want, n.GetPrefix())
		}
	}
	second := resp.GetNotification()[1].GetUpdate()[1]
	if key := second.GetPath().GetElem()[1].GetKey()["name"]; key != "Ethernet1/2" || string(second.GetVal().GetJsonIetfVal()) != `"Ethernet1/2"` {
		t.Errorf("the second match is %v", second)
	}
	// One absent path fails the call.
	if _, err := d.client.Get(t.Context(), &gnmi.GetRequest{
		Path: []*gnmi.Path{path(t, port), path(t, "/acl")}, Encoding: gnmi.Encoding_JSON_IETF,
	}); status.Code(err) != codes.NotFound {
		t.Errorf("one absent path of two: %v", err)
	}
}

func TestWhatGetDoesNotSupportIsSaid(t *testing.T) {
	d := start(t, simulator.Options{})
	root := []*gnmi.Path{{}}
	for _, tt := range []struct {
		req  *gnmi.GetRequest
		code codes.Code
	}{
		{&gnmi.GetRequest{Path: root, Encoding: gnmi.Encoding_PROTO}, codes.Unimplemented},
		{&gnmi.GetRequest{Path: root, Encoding: gnmi.Encoding_ASCII}, codes.Unimplemented},
		{&gnmi.GetRequest{Path: root, Type: 17}, codes.InvalidArgument},
		{&gnmi.GetRequest{}, codes.InvalidArgument},
		{&gnmi.GetRequest{Path: []*gnmi.Path{path(t, "/nothing")}}, codes.InvalidArgument},
		{&gnmi.GetRequest{Path: []*gnmi.Path{{Origin: "cli"}}}, codes.InvalidArgument},
	} {
		if _, err := d.client.Get(t.Context(), tt.req); status.Code(err) != tt.code {
			t.Errorf("%v: %v, want %v", tt.req, err, tt.code)
		}
	}
}

func TestCapabilitiesNameVersionEncodingsAndModels(t *testing.T) {
	d := start(t, simulator.Options{})
	resp, err := d.client.Capabilities(t.Context(), &gnmi.CapabilityRequest{})
	if err != nil {
		t.Fatal(err)
	}
	var models []string
	for _, m := range resp.GetSupportedModels() {
		models = append(models, m.GetName())
	}
	if resp.GetGNMIVersion() != "0.10.0" || len(resp.GetSupportedEncodings()) != 2 ||
		!strings.Contains(strings.Join(models, " "), "openconfig-interfaces") {
		t.Errorf("the capabilities are %v", resp)
	}
}

func TestAReplyMayBeLargerThanTheDefaultLimit(t *testing.T) {
	d := start(t, simulator.Options{})
	// 5 MiB in, and out again: a client that allows it gets it.
	text := strings.Repeat("x", 5<<20)
	d.mustSet(t, change{update: [][2]string{{port + "/config/description", `"` + text + `"`}}})
	if got, err := d.get(t.Context(), gnmi.GetRequest_CONFIG, path(t, port+"/config/description")); status.Code(err) != codes.ResourceExhausted {
		t.Errorf("a client with the default limit got %d bytes, %v", len(got), err)
	}
	d.leaf(t, port+"/config/description", text)
}
