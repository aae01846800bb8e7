package provider_test

import (
	"strings"
	"testing"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/acctest"
)

func TestWhatIsCreatedIsSwitchedOnWhereTheSystemDoesNotDoSoByItself(t *testing.T) {
	const (
		sub      = "/interfaces/interface[name=Ethernet1/1]/subinterfaces/subinterface[index=7]"
		neighbor = neighbors + "/neighbor[neighbor-address=192.0.2.1]"
	)
	addresses := func(a ...string) map[string]any {
		m := map[string]any{}
		for _, ip := range a {
			m[ip] = map[string]any{"prefix_length": 31}
		}
		return map[string]any{"addresses": m}
	}
	for profile, on := range map[string]string{"strict": "", "eos": "true"} {
		t.Run(profile, func(t *testing.T) {
			target := acctest.Device(t, spellingFabric)
			open := func(kind string) *acctest.Session {
				return acctest.NewSessionAt(t, target.Addr(), kind, map[string]any{"profile": profile})
			}
			bare := map[string]any{"interface": "Ethernet1/1", "index": 7}
			with := func(name string, v any) map[string]any {
				return map[string]any{"interface": "Ethernet1/1", "index": 7, name: v}
			}
			s := open("openconfig_subinterface")
			s.Apply(bare)
			holds(t, target, sub+"/config/enabled", on)
			holds(t, target, sub+"/ipv4/config/enabled", "")
			s.Apply(with("ipv4", addresses("192.0.2.0")))
			holds(t, target, sub+"/ipv4/config/enabled", on)
			state := s.State
			if s.Refresh(); !s.State.Equal(state) {
				t.Errorf("reading makes\n%s\nof\n%s", s.State, state)
			}
			s.Apply(with("enabled", false))
			holds(t, target, sub+"/config/enabled", "false")
			s.Apply(bare)
			holds(t, target, sub+"/config/enabled", on)

			n := open("openconfig_bgp_neighbor")
			n.Apply(map[string]any{"network_instance": "DEFAULT", "protocol": "BGP", "neighbor_address": "192.0.2.1", "peer_as": 65001})
			holds(t, target, neighbor+"/config/enabled", on)

			p := open("openconfig_interface")
			p.Apply(map[string]any{"name": "Loopback7", "type": "softwareLoopback"})
			holds(t, target, "/interfaces/interface[name=Loopback7]/config/enabled", on)
			down := open("openconfig_interface")
			down.Apply(map[string]any{"name": "Loopback8", "type": "softwareLoopback", "enabled": false})
			holds(t, target, "/interfaces/interface[name=Loopback8]/config/enabled", "false")
		})
	}
}

func TestAPortThatSomebodySwitchedOffStaysOffWhenItIsTakenOver(t *testing.T) {
	target := acctest.Device(t, "")
	must(t, target.Update(ethernet2+"/config", `{"enabled":false}`))
	s := acctest.NewSessionAt(t, target.Addr(), "openconfig_interface", map[string]any{"profile": "eos"})
	s.Apply(map[string]any{"name": "Ethernet1/2", "description": "spare"})
	holds(t, target, ethernet2+"/config/enabled", "false")
}

func TestANewSubinterfaceIsAttachedWhereTheSystemDoesNotDoSoByItself(t *testing.T) {
	const (
		instance = "/network-instances/network-instance[name=DEFAULT]/interfaces/interface[id=Ethernet1/1.7]"
		red      = "/network-instances/network-instance[name=red]/interfaces/interface[id=seven]"
	)
	subinterface := map[string]any{
		"interface": "Ethernet1/1", "index": 7,
		"ipv4": map[string]any{"addresses": map[string]any{"192.0.2.0": map[string]any{"prefix_length": 31}}},
	}
	target := spelling(t, "explicit_interface_in_default_ni=true")
	refused := acctest.NewSession(t, target, "openconfig_subinterface")
	if _, problem := refused.Try(subinterface); problem == "" {
		t.Fatal("the device takes addresses without an attachment")
	}
	target.ResetLog()
	s := acctest.NewSessionAt(t, target.Addr(), "openconfig_subinterface", map[string]any{"profile": "junos"})
	s.Apply(subinterface)
	holds(t, target, instance+"/config/interface", "Ethernet1/1")
	holds(t, target, instance+"/config/subinterface", "7")
	if s.Destroy(); target.Exists(instance) {
		t.Error("the attachment outlives the subinterface")
	}
	if sets := acctest.Sets(target); len(sets) != 2 {
		t.Errorf("there are %d Sets, want one for each step", len(sets))
	}

	must(t, target.Update("/interfaces/interface[name=Ethernet1/1]/subinterfaces/subinterface[index=7]", `{"index":7,"config":{"index":7}}`))
	must(t, target.Update("/network-instances/network-instance[name=red]", strings.NewReplacer("\n", "", "\t", "").Replace(`{"name":"red","config":{"name":"red","type":"L3VRF"},
		"interfaces":{"interface":[{"id":"seven","config":{"id":"seven","interface":"Ethernet1/1","subinterface":7}}]}}`)))
	other := acctest.NewSessionAt(t, target.Addr(), "openconfig_subinterface", map[string]any{"profile": "junos"})
	other.Apply(subinterface)
	if target.Exists(instance) || !target.Exists(red) {
		t.Error("a subinterface of another network instance was attached to the default one")
	}
}
