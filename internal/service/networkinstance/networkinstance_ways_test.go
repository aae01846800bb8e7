package networkinstance_test

import (
	"testing"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/acctest"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/simulator"
)

func TestANetworkInstanceCanBeManagedOnADeviceWithEveryWay(t *testing.T) {
	acctest.UnderEveryWay(t, networkInstanceCase())
}

func TestASubinterfaceThatLosesItsAddressesByMovingGetsThemBackForGood(t *testing.T) {
	target := acctest.Simulate(t, simulator.Options{}, "vrf_move_clears_addresses=true")
	subinterface := acctest.NewSession(t, target, "openconfig_subinterface")
	addressed := map[string]any{
		"interface": "Ethernet1/1", "index": 0,
		"ipv4": map[string]any{"addresses": map[string]any{"192.0.2.1": map[string]any{"prefix_length": 31}}},
	}
	subinterface.Apply(addressed)
	instance := acctest.NewSession(t, target, "openconfig_network_instance")
	place := map[string]any{"Ethernet1/1": map[string]any{"interface": "Ethernet1/1", "subinterface": 0}}
	instance.Apply(map[string]any{"name": "red", "type": "L3VRF", "interfaces": place})

	const address = "/interfaces/interface[name=Ethernet1/1]/subinterfaces/subinterface[index=0]/ipv4/addresses/address[ip=192.0.2.1]"
	if target.Exists(address) {
		t.Fatal("the device does not do what the test is about")
	}
	// The next two runs, which read before they plan.
	for run, change := range []bool{true, false} {
		next := acctest.NewSession(t, target, "openconfig_subinterface")
		next.State = subinterface.State
		next.Refresh()
		if changed := next.Apply(addressed); changed != change || !target.Exists(address) {
			t.Errorf("run %d: changed %v, and the device has the address: %v", run, changed, target.Exists(address))
		}
		subinterface = next
	}
}
