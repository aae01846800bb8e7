package simulator_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/simulator"
)

const (
	sub0   = port + "/subinterfaces/subinterface[index=0]"
	second = "/interfaces/interface[name=Ethernet1/2]"
	lag    = "/interfaces/interface[name=Port-Channel1]"
	vrf    = "/network-instances/network-instance[name=blue]"
)

// addressed is subinterface 0 of the first port with an address.
var addressed = [2]string{sub0, `{"config":{"index":0},"openconfig-if-ip:ipv4":{"addresses":{"address":[{"ip":"192.0.2.1","config":{"ip":"192.0.2.1","prefix-length":31}}]}}}`}

// attach puts the first port into a network instance, under an id.
func attach(instance, id string) [2]string {
	return [2]string{instance + "/interfaces/interface[id=" + id + "]", fmt.Sprintf(`{"config":{"id":%q}}`, id)}
}

func TestALAGKeepsItsTypeOnlyWhenItsMembersComeInTheSameSet(t *testing.T) {
	both := [][2]string{
		{lag, `{"config":{"name":"Port-Channel1","type":"iana-if-type:ieee8023adLag"},"openconfig-if-aggregate:aggregation":{"config":{"lag-type":"LACP"}}}`},
		{port + "/ethernet/config/aggregate-id", `"Port-Channel1"`},
	}
	for quirk, keeps := range map[string]bool{"false": true, "true": false} {
		for _, tt := range []struct {
			what  string
			next  change
			keeps bool
		}{
			{"nothing else", change{}, true},
			{"the LAG alone", change{update: [][2]string{{lag + "/aggregation/config/lag-type", `"LACP"`}}}, keeps},
			{"a member alone", change{update: [][2]string{{second + "/ethernet/config/aggregate-id", `"Port-Channel1"`}}}, keeps},
			{"both", change{update: [][2]string{{lag + "/aggregation/config/lag-type", `"LACP"`}, {second + "/ethernet/config/aggregate-id", `"Port-Channel1"`}}}, true},
			{"something of the LAG", change{update: [][2]string{{lag + "/config/description", `"x"`}}}, true},
			{"something of a member", change{update: [][2]string{{port + "/ethernet/config/auto-negotiate", `false`}}}, true},
			{"the end of a member", change{delete: []string{port + "/ethernet/config/aggregate-id"}}, true},
		} {
			d := quirky(t, "aggregate_atomic_update="+quirk)
			d.mustSet(t, change{update: both})
			d.mustSet(t, tt.next)
			if got := d.Exists(lag + "/aggregation/config/lag-type"); got != tt.keeps {
				t.Errorf("%s, %s: the LAG has a type: %v, want %v", quirk, tt.what, got, tt.keeps)
			}
		}
	}
}

func TestAPortThatIsDeletedBecomesWhatTheDeviceMakesOfIt(t *testing.T) {
	configured := [][2]string{addressed, {port + "/config", `{"mtu":9000,"description":"x"}`}}
	for way, want := range map[string][]string{
		"reset": {`"Ethernet1/1"`, `ethernetCsmacd`},
		"noop":  {`"Ethernet1/1"`, `ethernetCsmacd`, `"mtu":9000`, `"description":"x"`, `192.0.2.1`},
	} {
		for _, what := range []string{port, "/interfaces/interface", "/interfaces", "/interfaces/interface[name=*]"} {
			d := quirky(t, "delete_physical="+way)
			d.mustSet(t, change{update: configured})
			d.mustSet(t, change{delete: []string{what}})
			text := d.Config(port)
			for _, part := range []string{`"Ethernet1/1"`, `ethernetCsmacd`, `"mtu":9000`, `"description":"x"`, `192.0.2.1`} {
				if strings.Contains(text, part) != slices.Contains(want, part) {
					t.Errorf("%s, after the end of %s: %s", way, what, text)
					break
				}
			}
			if !d.Exists("/interfaces/interface[name=Ethernet1/32]/config/type") {
				t.Errorf("%s, after the end of %s the last port is gone", way, what)
			}
			d.mustSet(t, change{update: configured})
		}
	}
	// A port without a type comes back as one.
	d := quirky(t, "delete_physical=reset")
	d.mustSet(t, change{delete: []string{port + "/config/type"}})
	d.mustSet(t, change{delete: []string{port}})
	d.leaf(t, port+"/config/name", "Ethernet1/1")
	d = quirky(t, "delete_physical=reject")
	d.refuse(t, codes.FailedPrecondition, change{delete: []string{port}})
	// What can be removed is.
	d = quirky(t, "delete_physical=noop")
	d.mustSet(t, change{update: [][2]string{{lag + "/config/name", `"Port-Channel1"`}}})
	d.mustSet(t, change{delete: []string{lag}})
	if d.Exists(lag) {
		t.Error("a LAG that was deleted is there")
	}
}

func TestAnAddressNeedsAnInterfaceThatIsAttached(t *testing.T) {
	start(t, simulator.Options{}).mustSet(t, change{update: [][2]string{addressed}})

	d := quirky(t, "explicit_interface_in_default_ni=true")
	message := d.refuse(t, codes.FailedPrecondition, change{update: [][2]string{addressed}})
	if !strings.Contains(message, port) {
		t.Errorf("the message does not name the interface: %s", message)
	}
	d.refuse(t, codes.FailedPrecondition, change{update: [][2]string{addressed, attach(instance, "Ethernet1/1.1")}})
	for _, attachment := range [][2]string{
		attach(instance, "Ethernet1/1"),
		attach(instance, "Ethernet1/1.0"),
		{instance + "/interfaces/interface[id=uplink]", `{"config":{"id":"uplink","interface":"Ethernet1/1","subinterface":0}}`},
		{instance + "/interfaces/interface[id=uplink]", `{"config":{"id":"uplink","interface":"Ethernet1/1"}}`},
	} {
		d.mustSet(t, change{update: [][2]string{addressed, attachment}})
		d.refuse(t, codes.FailedPrecondition, change{delete: []string{attachment[0]}})
		d.mustSet(t, change{delete: []string{attachment[0], sub0}})
	}
	// Without an address there is nothing to attach.
	d.mustSet(t, change{update: [][2]string{{sub0, `{"config":{"index":0}}`}}})
}

func TestAnInterfaceThatMovesLosesItsAddresses(t *testing.T) {
	const address = sub0 + "/ipv4/addresses/address[ip=192.0.2.1]"
	blue := [2]string{vrf, `{"config":{"name":"blue","type":"openconfig-network-instance-types:L3VRF"}}`}
	for quirk, stays := range map[string]bool{"false": true, "true": false} {
		for _, tt := range []struct {
			what  string
			next  change
			stays bool
		}{
			{"attached", change{update: [][2]string{attach(vrf, "Ethernet1/1")}}, stays},
			{"attached with its address", change{update: [][2]string{attach(vrf, "Ethernet1/1"), addressed}}, true},
			{"attached where it is", change{update: [][2]string{attach(instance, "Ethernet1/1")}}, true},
			{"another one attached", change{update: [][2]string{attach(vrf, "Ethernet1/1.1")}}, true},
		} {
			d := quirky(t, "vrf_move_clears_addresses="+quirk)
			d.mustSet(t, change{update: [][2]string{addressed, blue}})
			d.mustSet(t, tt.next)
			if got := d.Exists(address); got != tt.stays {
				t.Errorf("%s, %s: the address is there: %v, want %v", quirk, tt.what, got, tt.stays)
			}
		}
	}
}

func TestAPeerGroupTakesItsNeighborsWithIt(t *testing.T) {
	const alone = protocol + "/bgp/neighbors/neighbor[neighbor-address=192.0.2.2]"
	before := change{update: append(slices.Clone(bgp),
		[2]string{group, `{"config":{"peer-group-name":"spines"}}`},
		[2]string{neighbor, `{"config":{"neighbor-address":"192.0.2.0","peer-group":"spines"}}`},
		[2]string{alone, `{"config":{"neighbor-address":"192.0.2.2","peer-as":65002}}`})}
	d := quirky(t, "peer_group_removal_deletes_neighbor=true")
	d.mustSet(t, before)
	d.mustSet(t, change{delete: []string{group}})
	if d.Exists(neighbor) || !d.Exists(alone) {
		t.Errorf("without the group there are %s", d.Config(protocol+"/bgp/neighbors"))
	}
	// A group that never was takes nothing with it.
	d.refuse(t, codes.FailedPrecondition, change{update: [][2]string{{neighbor, `{"config":{"neighbor-address":"192.0.2.0","peer-group":"spines"}}`}}})

	d = start(t, simulator.Options{})
	d.mustSet(t, before)
	d.refuse(t, codes.FailedPrecondition, change{delete: []string{group}})
}

func TestOtherSubinterfacesOfAPortNeedSubinterface0(t *testing.T) {
	one := [2]string{port + "/subinterfaces/subinterface[index=1]", `{"config":{"index":1}}`}
	start(t, simulator.Options{}).mustSet(t, change{update: [][2]string{one}})

	d := quirky(t, "require_subinterface_0=true")
	d.refuse(t, codes.FailedPrecondition, change{update: [][2]string{one}})
	d.mustSet(t, change{update: [][2]string{one, {sub0, `{"config":{"index":0}}`}}})
	d.refuse(t, codes.FailedPrecondition, change{delete: []string{sub0}})
	d.mustSet(t, change{delete: []string{sub0, one[0]}})
	d.mustSet(t, change{update: [][2]string{
		{lag, `{"config":{"name":"Port-Channel1","type":"iana-if-type:ieee8023adLag"},"subinterfaces":{"subinterface":[{"index":1,"config":{"index":1}}]}}`},
	}})
}

func TestAnInterfaceHasASwitchedVLANOrSubinterfaces(t *testing.T) {
	for _, member := range []string{"ethernet", "aggregation"} {
		vlan := [2]string{port + "/" + member + "/switched-vlan/config", `{"interface-mode":"ACCESS","access-vlan":10}`}
		both := change{update: [][2]string{vlan, {sub0, `{"config":{"index":0}}`}}}
		start(t, simulator.Options{}).mustSet(t, both)

		d := quirky(t, "vlan_exclusive_parent_child=true")
		d.refuse(t, codes.FailedPrecondition, both)
		for i := range both.update {
			d.mustSet(t, change{update: both.update[i : i+1]})
			d.refuse(t, codes.FailedPrecondition, both)
			d.mustSet(t, change{delete: []string{port + "/" + member, sub0}})
		}
	}
}

func TestAReferenceMayLeadToNothingWhereTheDeviceDoesNotLook(t *testing.T) {
	member := [][2]string{{port + "/ethernet/config/aggregate-id", `"Port-Channel1"`}}
	for quirk, want := range map[string]codes.Code{"strict_leafref=false": codes.OK, "strict_leafref=true": codes.FailedPrecondition} {
		d := quirky(t, quirk)
		if want == codes.OK {
			d.mustSet(t, change{update: member})
			d.mustSet(t, change{update: [][2]string{{lag + "/config/name", `"Port-Channel1"`}}})
			d.mustSet(t, change{delete: []string{lag}})
		} else {
			d.refuse(t, want, change{update: member})
		}
		// A key must be repeated in config all the same.
		d.refuse(t, codes.FailedPrecondition, change{update: [][2]string{{lag + "/config/mtu", `1500`}}})
	}
}
