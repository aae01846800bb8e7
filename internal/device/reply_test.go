package device_test

import (
	"testing"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/datatree"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/device"
)

// replying returns a device that answers a Get with updates of these values at
// the path asked for.
func replying(t *testing.T, values ...*gpb.TypedValue) *device.Device {
	t.Helper()
	return connect(t, through(t, &proxy{answer: func(req *gpb.GetRequest) (*gpb.GetResponse, error) {
		n := &gpb.Notification{}
		for _, v := range values {
			n.Update = append(n.Update, &gpb.Update{Path: req.GetPath()[0], Val: v})
		}
		return &gpb.GetResponse{Notification: []*gpb.Notification{n}}, nil
	}}, simulate(t)))
}

func ietf(json string) *gpb.TypedValue {
	return &gpb.TypedValue{Value: &gpb.TypedValue_JsonIetfVal{JsonIetfVal: []byte(json)}}
}

func TestHoweverADeviceSaysThatAnEntryIsAbsentItIs(t *testing.T) {
	for name, d := range map[string]*device.Device{
		"not found": connect(t, through(t, &proxy{answer: func(*gpb.GetRequest) (*gpb.GetResponse, error) {
			return nil, status.Error(codes.NotFound, "no such entry")
		}}, simulate(t))),
		"an empty notification": replying(t),
		"an update of nothing":  replying(t, nil),
		"no text":               replying(t, ietf(``)),
		"an empty string":       replying(t, &gpb.TypedValue{Value: &gpb.TypedValue_StringVal{}}),
		"an empty object":       replying(t, ietf(`{}`)),
		"an empty array":        replying(t, ietf(`[]`)),
		"null":                  replying(t, ietf(`null`)),
	} {
		entry, err := d.Read(t.Context(), instancePath("red"))
		if err != nil || entry != nil {
			t.Errorf("%s: got %v, %v", name, entry, err)
		}
	}
}

func TestAnEntryIsTheSameInWhateverWayItIsRead(t *testing.T) {
	target := simulate(t)
	p := interfacePath("Port-Channel1")
	if err := connect(t, target.Addr()).Apply(t.Context(), setting(p, lag("read me"))); err != nil {
		t.Fatal(err)
	}
	for _, p := range []*gpb.Path{p, interfacePath("Ethernet1/1"), instancePath("DEFAULT")} {
		want, err := connect(t, target.Addr()).Read(t.Context(), p)
		if err != nil || want == nil {
			t.Fatalf("got %v, %v", want, err)
		}
		for name, types := range map[string][]gpb.GetRequest_DataType{"ALL": {gpb.GetRequest_ALL}, "ONCE": {}} {
			got, err := connect(t, through(t, &proxy{types: types}, target)).Read(t.Context(), p)
			if err != nil || !got.Covers(want) || !want.Covers(got) {
				t.Errorf("%s by %s: got %v, %v", datatree.PathText(p), name, got, err)
			}
		}
	}
}

func TestAnEntryToldLeafByLeafIsReadLikeOneInJSON(t *testing.T) {
	str := func(s string) *gpb.TypedValue {
		return &gpb.TypedValue{Value: &gpb.TypedValue_StringVal{StringVal: s}}
	}
	number := func(n uint64) *gpb.TypedValue {
		return &gpb.TypedValue{Value: &gpb.TypedValue_UintVal{UintVal: n}}
	}
	told := connect(t, through(t, &proxy{answer: func(*gpb.GetRequest) (*gpb.GetResponse, error) {
		entry := "/openconfig-interfaces:interfaces/interface[name=Port-Channel7]"
		vlan := entry + "/aggregation/openconfig-vlan:switched-vlan/config/"
		n := &gpb.Notification{}
		for _, u := range []struct {
			path string
			val  *gpb.TypedValue
		}{
			{entry + "/name", str("Port-Channel7")},
			{entry + "/config/name", str("Port-Channel7")},
			{entry + "/config/type", str("iana-if-type:ieee8023adLag")},
			{entry + "/config/mtu", number(9000)},
			{entry + "/config/enabled", &gpb.TypedValue{Value: &gpb.TypedValue_BoolVal{}}},
			{entry + "/config/acme:colour", str("red")},
			{entry + "/acme:extra/level", number(1)},
			{entry + "/state/oper-status", str("UP")},
			{entry + "/aggregation/config/min-links", str("2")},
			{entry + "/aggregation/config/lag-type", str("acme:HOLOGRAPHIC")},
			{vlan + "interface-mode", str("TRUNK")},
			{vlan + "trunk-vlans", &gpb.TypedValue{Value: &gpb.TypedValue_LeaflistVal{LeaflistVal: &gpb.ScalarArray{Element: []*gpb.TypedValue{number(10), str("20..30")}}}}},
			{"/acme:interfaces/interface[name=Port-Channel8]/config/mtu", number(1500)},
		} {
			n.Update = append(n.Update, &gpb.Update{Path: path(u.path), Val: u.val})
		}
		return &gpb.GetResponse{Notification: []*gpb.Notification{n}}, nil
	}}, simulate(t)))
	want := replying(t, ietf(`{"openconfig-interfaces:interface":[{"name":"Port-Channel7",
		"config":{"name":"Port-Channel7","type":"iana-if-type:ieee8023adLag","mtu":"9000","enabled":false,"acme:colour":"red","acme:mtu":1},
		"acme:extra":{"level":1},"state":{"oper-status":"UP"},
		"openconfig-if-aggregate:aggregation":{"config":{"min-links":2,"lag-type":"acme:HOLOGRAPHIC"},
		"openconfig-vlan:switched-vlan":{"config":{"interface-mode":"TRUNK","trunk-vlans":["10","20..30"]}}}}]}`))
	p := interfacePath("Port-Channel7")
	scalar, err := told.Read(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	object, err := want.Read(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if scalar == nil || object == nil || !scalar.Covers(object) || !object.Covers(scalar) {
		t.Errorf("leaf by leaf it is %+v, in JSON %+v", scalar, object)
	}
	for _, entry := range []*datatree.Node{scalar, object} {
		mtu, _ := entry.Container("config").Leaf("mtu")
		enabled, _ := entry.Container("config").Leaf("enabled")
		links, _ := entry.Container("aggregation").Container("config").Leaf("min-links")
		_, unknown := entry.Container("aggregation").Container("config").Leaf("lag-type")
		vlans, _ := entry.Container("aggregation").Container("switched-vlan").Container("config").Values("trunk-vlans")
		if mtu != "9000" || enabled != "false" || links != "2" || unknown || len(vlans) != 2 {
			t.Errorf("got mtu %q, enabled %q, min-links %q, VLANs %q, an unknown LAG type: %v", mtu, enabled, links, vlans, unknown)
		}
	}
	if other, err := told.Read(t.Context(), interfacePath("Port-Channel8")); err != nil || other != nil {
		t.Errorf("a vendor's interfaces are taken for OpenConfig's: %v, %v", other, err)
	}
}
