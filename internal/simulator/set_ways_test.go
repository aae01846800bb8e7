package simulator_test

import (
	"testing"

	"github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/simulator"
)

// Section 3.4.6: "the target must silently accept" such a delete.
func TestADeleteOfWhatIsAbsentMayBeAnError(t *testing.T) {
	gone := change{delete: []string{port + "/config/mtu"}}
	for value, want := range map[string]codes.Code{"ok": codes.OK, "not_found": codes.NotFound, "error": codes.Internal} {
		d := start(t, quirks(t, "delete_absent="+value))
		d.refuse(t, want, gone)
		d.refuse(t, want, change{delete: []string{"/interfaces/interface[name=lo*]/config/mtu"}})
		d.mustSet(t, mtu(1))
		d.mustSet(t, gone)
	}
}

func TestAShallowMergeLosesWhatTheValueDoesNotRepeat(t *testing.T) {
	for merge, lost := range map[string]bool{"deep": false, "shallow": true} {
		d := start(t, quirks(t, "merge="+merge))
		d.mustSet(t, change{update: [][2]string{{port, `{"config":{"mtu":1500,"description":"x"},"hold-time":{"config":{"up":5}}}`}}})
		d.mustSet(t, change{update: [][2]string{{port, `{"config":{"mtu":9000}}`}}})
		d.leaf(t, port+"/config/mtu", "9000")
		d.leaf(t, port+"/config/name", "Ethernet1/1")
		d.leaf(t, port+"/hold-time/config/up", "5")
		if d.Exists(description) == lost {
			t.Errorf("%s: the description is lost: %v", merge, !lost)
		}
		d.mustSet(t, change{update: [][2]string{{port + "/config", `{"description":"y"}`}}})
		d.leaf(t, port+"/config/mtu", "9000")
	}
}

func TestAnEntryWithoutContentMayGoWithTheLastOfIt(t *testing.T) {
	const vlans = instance + "/vlans/vlan"
	for value, kept := range map[string]bool{"false": true, "true": false} {
		d := start(t, quirks(t, "autoprune_empty_parent="+value))
		d.mustSet(t, change{update: [][2]string{
			{vlans + "[vlan-id=10]/config", `{"vlan-id":10,"name":"users"}`},
			{vlans + "[vlan-id=20]/config", `{"vlan-id":20,"name":"voice","status":"ACTIVE"}`},
		}})
		d.mustSet(t, change{delete: []string{vlans + "/config/name", port + "/config/type"}})
		if d.Exists(vlans+"[vlan-id=10]") != kept || !d.Exists(vlans+"[vlan-id=20]") || !d.Exists(port) {
			t.Errorf("with autoprune_empty_parent=%s there is %s", value, d.Config(instance+"/vlans"))
		}
		d.mustSet(t, change{
			delete: []string{vlans + "[vlan-id=20]/config/name", vlans + "[vlan-id=20]/config/status"},
			update: [][2]string{{vlans + "[vlan-id=20]/config", `{"name":"new"}`}},
		})
		d.leaf(t, vlans+"[vlan-id=20]/config/name", "new")
		d.mustSet(t, change{
			delete: []string{vlans + "[vlan-id=20]/config/name"},
			update: [][2]string{{vlans + "[vlan-id=20]/config", `{"vlan-id":20}`}},
		})
		if !d.Exists(vlans + "[vlan-id=20]") {
			t.Errorf("with autoprune_empty_parent=%s an entry is gone that the same Set wrote", value)
		}
	}
}

func TestWhatIsTakenMayHaveNoEffect(t *testing.T) {
	d := start(t, quirks(t, "shadow_accept=/interfaces/interface/config/mtu", "shadow_accept=/interfaces/interface/hold-time"))
	if err := d.Update(port, `{"hold-time":{"config":{"up":5}}}`); err != nil {
		t.Fatal(err)
	}
	d.mustSet(t, change{update: [][2]string{{port, `{"config":{"mtu":1500,"description":"x"},"hold-time":{"config":{"up":7}}}`}}})
	d.leaf(t, description, "x")
	d.leaf(t, port+"/hold-time/config/up", "5")
	if d.Exists(port + "/config/mtu") {
		t.Error("the MTU is there")
	}
	d.mustSet(t, change{delete: []string{port + "/hold-time"}})
	d.leaf(t, port+"/hold-time/config/up", "5")
	d.mustSet(t, change{update: [][2]string{{"/interfaces/interface[name=Loopback0]", `{"config":{"name":"Loopback0","mtu":9000}}`}}})
	if d.Exists("/interfaces/interface[name=Loopback0]/config/mtu") {
		t.Error("the MTU of a new interface is there")
	}
	d.refuse(t, codes.InvalidArgument, change{update: [][2]string{{port + "/config/mtu", `"x"`}}})
}

func TestATargetDoesNotKnowWhatItDoesNotSupport(t *testing.T) {
	options := quirks(t, "unsupported=/interfaces/interface/config/mtu", "unsupported=/interfaces/interface/config/type")
	options.Config = []byte(`{"openconfig-interfaces:interfaces":{"interface":[{"name":"lo0","config":{"name":"lo0","mtu":1500}}]}}`)
	d := start(t, options)
	d.refuse(t, codes.InvalidArgument, mtu(1))
	d.refuse(t, codes.InvalidArgument, change{update: [][2]string{{port + "/config", `{"mtu":1500}`}}})
	d.refuse(t, codes.InvalidArgument, change{delete: []string{port + "/config/mtu"}})
	for _, p := range []string{port + "/config/mtu", port + "/state/mtu"} {
		if _, err := d.get(t.Context(), gnmi.GetRequest_ALL, path(t, p)); status.Code(err) != codes.InvalidArgument {
			t.Errorf("a Get of %s got %v", p, err)
		}
	}
	text, err := d.get(t.Context(), gnmi.GetRequest_CONFIG, path(t, "/interfaces/interface[name=lo0]"))
	if want := `{"openconfig-interfaces:config":{"name":"lo0"},"openconfig-interfaces:name":"lo0"}`; err != nil || text != want {
		t.Errorf("a wide Get has %s, %v, want %s", text, err, want)
	}
	d.mustSet(t, change{update: [][2]string{{description, `"x"`}}})
}

func TestAQuirkOfWhatTheModelHasNotIsRefused(t *testing.T) {
	for _, name := range []string{"undeletable", "readonly", "unsupported", "mandatory", "shadow_accept", "feature_gate"} {
		for _, p := range []string{"/interfaces/port", "/interfaces/interface/name", "/"} {
			options := quirks(t, name+"="+p)
			options.Plaintext = true
			if _, err := simulator.New(options); err == nil {
				t.Errorf("%s=%s was accepted", name, p)
			}
		}
	}
}
