package simulator

import (
	"testing"

	"github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

// FuzzASetAppliesAsAWholeOrNotAtAll sends a Set made of any paths and values,
// and of whatever else more is on the wire. A refused one changes nothing; after
// an accepted one the device could boot from its configuration.
func FuzzASetAppliesAsAWholeOrNotAtAll(f *testing.F) {
	const (
		port     = "/interfaces/interface[name=Ethernet1/1]"
		instance = "/network-instances/network-instance[name=DEFAULT]"
		protocol = instance + "/protocols/protocol[identifier=BGP][name=BGP]"
	)
	for _, s := range []struct{ remove, replace, value, update, merge string }{
		{port + "/config/mtu", port + "/config", `{"name":"Ethernet1/1","description":"a"}`, port + "/config/mtu", "1500"},
		{"/", "/", `{}`, "/", `{}`},
		{"/interfaces/interface[name=*]/config/type", "", "", "/interfaces", `{"interface":[{"name":"ae0","config":{"name":"ae0"}}]}`},
		{"", "", "", protocol, `{"config":{"identifier":"BGP","name":"BGP"},"bgp":{"neighbors":{"neighbor":[{"neighbor-address":"192.0.2.1","config":{"neighbor-address":"192.0.2.1","peer-group":"g"}}]}}}`},
		{"", protocol, `{"identifier":"openconfig-policy-types:BGP","name":"BGP","config":{"identifier":"BGP","name":"BGP"},"bgp":{"global":{"config":{"as":65001}}}}`, "", ""},
		{"", "", "", port + "/ethernet/switched-vlan/config/trunk-vlans", `[10,"20..30",10]`},
		{"", port + "/ethernet/switched-vlan/config/trunk-vlans", `[]`, port + "/ethernet/config", `{"aggregate-id":"ae0"}`},
		{port + "/subinterfaces/subinterface", port + "/subinterfaces/subinterface", `[{"index":0,"config":{"index":0}}]`, port + "/name", `"Ethernet1/2"`},
		{instance, "", "", instance + "/vlans/vlan[vlan-id=10]", `{"vlan-id":10,"config":{"vlan-id":10,"name":"\u0000"}}`},
		{port, "/interfaces/interface", `[{"name":"*"},{"name":"]"}]`, "/system/config/hostname", `null`},
		{"", "", "", "/routing-policy/policy-definitions/policy-definition[name=p]", `{"config":{"name":"p"},"statements":{"statement":[{"name":"2","config":{"name":"2"}},{"name":"1","config":{"name":"1"}}]}}`},
	} {
		f.Add(s.remove, s.replace, s.value, s.update, s.merge, []byte(nil))
	}
	for _, more := range []*gnmi.SetRequest{
		{Prefix: &gnmi.Path{Origin: Origin, Target: "d", Elem: []*gnmi.PathElem{{Name: "interfaces"}}}, Delete: []*gnmi.Path{nil, {}}},
		{Update: []*gnmi.Update{nil, {Path: &gnmi.Path{Origin: "cli"}}}, UnionReplace: []*gnmi.Update{{}}},
		{Replace: []*gnmi.Update{{Path: &gnmi.Path{Elem: []*gnmi.PathElem{nil}}, Val: &gnmi.TypedValue{Value: &gnmi.TypedValue_LeaflistVal{}}}}},
	} {
		wire, err := proto.Marshal(more)
		if err != nil {
			f.Fatal(err)
		}
		f.Add("", "", "", "", "", wire)
	}

	target, err := New(Options{Plaintext: true})
	if err != nil {
		f.Fatal(err)
	}
	factory := target.root.Load()
	f.Fuzz(func(t *testing.T, remove, replace, value, update, merge string, more []byte) {
		req := &gnmi.SetRequest{}
		if proto.Unmarshal(more, req) != nil {
			return
		}
		if p := somePath(remove); p != nil {
			req.Delete = append(req.Delete, p)
		}
		if p := somePath(replace); p != nil {
			req.Replace = append(req.Replace, jsonUpdate(p, value))
		}
		if p := somePath(update); p != nil {
			req.Update = append(req.Update, jsonUpdate(p, merge))
		}
		if _, err := proto.Marshal(req); err != nil {
			return // no such request comes over the wire
		}
		req.Extension = nil
		target.root.Store(factory)
		attempt(t, target, req)
	})
}

// attempt carries out a Set, and expects all of it or nothing.
func attempt(t *testing.T, target *Target, req *gnmi.SetRequest) {
	t.Helper()
	before, config := target.root.Load(), target.Config("/")
	_, err := (&service{target: target}).Set(t.Context(), req)
	after := target.root.Load()
	if err == nil {
		boots(t, target, before)
	} else {
		switch status.Code(err) {
		case codes.InvalidArgument, codes.FailedPrecondition, codes.Unimplemented:
		default:
			t.Errorf("the Set is answered with %v", err)
		}
		if after != before {
			t.Errorf("the Set was refused (%v) and left a trace: %s", err, target.Config("/"))
		}
	}
	target.root.Store(before)
	if now := target.Config("/"); now != config {
		t.Errorf("the Set (%v) changed a tree that was published: %s", err, now)
	}
	target.root.Store(after)
}

func somePath(text string) *gnmi.Path {
	if text == "" {
		return nil
	}
	p, err := parsePath(text)
	if err != nil {
		return nil
	}
	return p
}

func jsonUpdate(path *gnmi.Path, json string) *gnmi.Update { return update(path, []byte(json)) }

// boots holds the target's tree to all of its own rules, from nothing and from
// the tree before, and reads it in each encoding.
func boots(t *testing.T, target *Target, before *node) {
	t.Helper()
	after := target.root.Load()
	for name, from := range map[string]*node{"nothing": {def: target.model}, "the tree before": before} {
		if err := check(from, after, target.factory, false); err != nil {
			t.Errorf("the tree is not valid, coming from %s: %v", name, err)
		}
	}
	config := target.Config("/")
	again, err := target.apply(&node{def: target.model}, &gnmi.SetRequest{Update: []*gnmi.Update{jsonUpdate(nil, config)}})
	if err != nil {
		t.Fatalf("the target cannot boot from its configuration: %v\n%s", err, config)
	}
	text, err := configView().json(nil, again, "")
	if err != nil || string(text) != config {
		t.Errorf("the target boots from\n%s\nwith\n%s (%v)", config, text, err)
	}
	for _, encoding := range []gnmi.Encoding{gnmi.Encoding_JSON, gnmi.Encoding_JSON_IETF, gnmi.Encoding_PROTO} {
		v := view{config: true, state: true, encoding: encoding, quirks: &readQuirks{}}
		err := v.leaves(match{stack: []*node{after}}, func(leaf match) error {
			value, err := v.typed(leaf.leaf)
			if err != nil {
				return err
			}
			_, err = proto.Marshal(&gnmi.Update{Path: &gnmi.Path{Elem: leaf.path()}, Val: value})
			return err
		})
		if err != nil {
			t.Errorf("the leaves cannot be read in %v: %v", encoding, err)
		}
	}
}
