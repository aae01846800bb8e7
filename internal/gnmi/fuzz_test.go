package gnmi

import (
	"math"
	"slices"
	"testing"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/protobuf/proto"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/datatree"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/oc"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/schema"
)

// FuzzAReplyIsReadOrAnError reads a reply with the JSON text at a path, and with
// whatever else more is on the wire. What is read is of the model, and the same
// each time.
func FuzzAReplyIsReadOrAnError(f *testing.F) {
	const (
		port  = "/interfaces/interface[name=e1]"
		vlans = port + "/ethernet/switched-vlan/config/trunk-vlans"
	)
	for _, r := range [][2]string{
		{"/", ``}, {"/", `null`}, {"/", `{}`}, {"/", `[]`}, {"/", `""`}, {"/", `1 2`}, {"/", `{"interfaces":{"interface":[{"name":"e1"`},
		{"/", `{"openconfig-interfaces:interfaces":{"interface":[{"name":"e1","config":{"name":"e1","mtu":"9000","type":"iana-if-type:ethernetCsmacd"},"state":{"mtu":1}}]}}`},
		{"/interfaces", `{"interface":[{"config":{"name":"e1"}}]}`}, {"/interfaces/interface", `[{"name":"e1"},{"name":"e1"}]`},
		{port, `[{"name":"e1","config":{"description":null,"enabled":"true","loopback-mode":"NONE"}}]`},
		{port + "/config", `{"openconfig-interfaces:mtu":1500,"acme:mtu":9000}`}, {port + "/config", `{"description":{"text":["a"]}}`},
		{port + "/config/mtu", `1500`}, {port + "/config/mtu", `[1500]`}, {port + "/config/mtu", `1.5e3`}, {port + "/name", `"e2"`},
		{vlans, `[10,"20..30","all",null,[10]]`}, {vlans, `10`}, {"/interfaces/interface[id=1]/config", `{}`},
		{"/network-instances/network-instance[name=DEFAULT]/protocols/protocol[name=BGP][identifier=oc-pol:BGP]/bgp/neighbors/neighbor[neighbor-address=2001:DB8::1]", `{"config":{"peer-group":"g]"}}`},
		{"/interfaces/interface[name=e1]/subinterfaces", `{"subinterface":[{"index":"0","ipv6":{"addresses":{"address":[{"ip":"::ffff:1.2.3.4"}]}}}]}`},
	} {
		f.Add(r[0], r[1], []byte(nil))
	}
	at := &gpb.Path{Elem: []*gpb.PathElem{{Name: "interfaces"}, {Name: "interface", Key: map[string]string{"name": "e1"}}, {Name: "config"}, {Name: "description"}}}
	list := &gpb.ScalarArray{Element: []*gpb.TypedValue{nil, {Value: &gpb.TypedValue_UintVal{UintVal: 10}}, {Value: &gpb.TypedValue_StringVal{StringVal: "\x00"}}}}
	for _, v := range []*gpb.TypedValue{
		nil, {Value: &gpb.TypedValue_LeaflistVal{LeaflistVal: list}}, {Value: &gpb.TypedValue_LeaflistVal{}}, {Value: &gpb.TypedValue_AsciiVal{AsciiVal: "<"}},
		{Value: &gpb.TypedValue_DoubleVal{DoubleVal: math.NaN()}},
		{Value: &gpb.TypedValue_DecimalVal{DecimalVal: &gpb.Decimal64{Digits: math.MinInt64, Precision: math.MaxUint32}}}, //nolint:staticcheck // deprecated, and sent by older devices
		{Value: &gpb.TypedValue_IntVal{IntVal: -1}}, {Value: &gpb.TypedValue_BoolVal{}},
		{Value: &gpb.TypedValue_AnyVal{}}, {Value: &gpb.TypedValue_BytesVal{BytesVal: []byte{0}}}, {Value: &gpb.TypedValue_JsonVal{JsonVal: []byte("{")}},
	} {
		wire, err := proto.Marshal(&gpb.GetResponse{Notification: []*gpb.Notification{nil, {Prefix: at, Update: []*gpb.Update{nil, {Val: v}}}}})
		if err != nil {
			f.Fatal(err)
		}
		f.Add("", "", wire)
	}
	f.Fuzz(func(t *testing.T, path, text string, more []byte) {
		reply := &gpb.GetResponse{}
		if proto.Unmarshal(more, reply) != nil {
			return
		}
		if p, err := datatree.ParsePath(path); err == nil && path != "" {
			reply.Notification = append(reply.Notification, &gpb.Notification{Update: []*gpb.Update{
				{Path: p, Val: &gpb.TypedValue{Value: &gpb.TypedValue_JsonIetfVal{JsonIetfVal: []byte(text)}}},
			}})
		}
		found, err := values(reply.GetNotification(), nil)
		if err != nil {
			return
		}
		one, err := tree(found)
		for range 4 {
			other, err2 := tree(found)
			if (err == nil) != (err2 == nil) {
				t.Fatalf("a reply is read with %v, then with %v", err, err2)
			}
			if err == nil && (!one.Covers(other) || !other.Covers(one)) {
				t.Fatalf("a reply is read in two ways")
			}
		}
		if err == nil {
			ofTheModel(t, one)
			one.Missing(&gpb.Path{})
		}
	})
}

func tree(found []Value) (*datatree.Node, error) {
	n := datatree.New(oc.Model)
	for _, v := range found {
		if err := n.DecodeAt(v.Path.GetElem(), v.JSON); err != nil {
			return nil, err
		}
	}
	return n, nil
}

// ofTheModel expects all leaves from n down to have values of their types. A
// leaf-list and the key leaves may have others, which a device has beside.
func ofTheModel(t *testing.T, n *datatree.Node, keys ...string) {
	t.Helper()
	for _, name := range n.LeafNames() {
		s := n.Schema.MustFind(name)
		values, _ := n.Values(name)
		for _, v := range values {
			c, err := s.Type.Canonical(v)
			if err == nil && c != v {
				t.Errorf("the value %q of %s is not in canonical form, %q", v, name, c)
			}
			if err != nil && s.Kind == schema.Leaf && !slices.Contains(keys, name) {
				t.Errorf("the value %q of %s is none of its type: %v", v, name, err)
			}
		}
	}
	for _, c := range n.Schema.Children {
		switch c.Kind {
		case schema.Container:
			if below := n.Container(c.Name); below != nil {
				ofTheModel(t, below, n.Schema.Keys...)
			}
		case schema.List:
			for _, e := range n.Entries(c.Name) {
				if n.Entry(c.Name, e.Keys) != e {
					t.Errorf("the entry %v of %s is not found by its keys", e.Keys, c.Name)
				}
				ofTheModel(t, e)
			}
		}
	}
}
