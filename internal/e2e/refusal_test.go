package e2e

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/simulator"
)

// guarded declares BGP neighbors with a password, which an expression gives.
func guarded(device string, n int, password string, version int) string {
	return fmt.Sprintf(`
resource "openconfig_bgp_neighbor" "%[1]s_guarded" {
  count                 = %[2]d
  device                = %[1]q
  network_instance      = "DEFAULT"
  protocol              = "BGP"
  neighbor_address      = "198.51.100.${count.index + 1}"
  peer_group            = "spines"
  auth_password         = %[3]s
  auth_password_version = %[4]d
}
`, device, n, password, version)
}

func TestOneRefusedSetOfFiftyLeavesTheOthersDoneAndIsToldOfTheAttribute(t *testing.T) {
	t.Parallel()
	const (
		resources = 50
		secret    = "swordfish"
		jumbo     = "/interfaces/interface[name=Ethernet1/32]"
	)
	odd := func(attributes string) string {
		return fmt.Sprintf("resource \"openconfig_interface\" \"odd\" {\n  device = \"leaf1\"\n  name = \"Ethernet1/32\"\n  description = \"odd\"\n%s}\n", attributes)
	}
	eachCommand(t, func(t *testing.T, command string) {
		var options simulator.Options
		if err := options.Quirk("readonly=/interfaces/interface/config/mtu"); err != nil {
			t.Fatal(err)
		}
		d := startDevice(t, options)
		others := d.only() + interfaces("leaf1", 10, "x") + loopbacks("leaf1", 7, "x") + vlans("leaf1", 20, "x") + bgp("leaf1", 5) + guarded("leaf1", 5, strconv.Quote(secret), 1)
		w := newWorkspace(t, command, others+odd("  mtu = 9000\n"))
		r := w.apply("-parallelism=50").failed(
			"Cannot create openconfig_interface", "with openconfig_interface.odd", `: mtu = 9000 Device "leaf1"`,
			jumbo+"/config/mtu cannot be written", "The Set was to update "+jumbo+"/config", "The device holds nothing of the change")
		t.Log(firstError(r))
		if n := strings.Count(r.flat(), "Error: "); n != 1 {
			t.Errorf("there are %d errors:\n%s", n, r.output)
		}
		if strings.Contains(r.output, secret) {
			t.Errorf("the output has a password:\n%s", r.output)
		}
		if n := countOK(d.sets()); n != resources-1 {
			t.Errorf("the device carried out %d Sets", n)
		}
		if d.Exists(jumbo+"/config/mtu") || d.Exists(jumbo+"/config/description") {
			t.Errorf("the device holds some of what it refused: %s", d.Config(jumbo))
		}
		state := w.state()
		if _, ok := state["openconfig_interface.odd"]; ok || len(state) != resources-1 {
			t.Errorf("the state has %d resources, with the refused one: %t", len(state), ok)
		}
		d.holds(state)

		d.ResetLog()
		w.write(others + odd(""))
		w.apply().succeeded()
		if sets := d.sets(); len(sets) != 1 || entryOf(sets[0]) != jumbo {
			t.Errorf("the next apply made the Sets %v", sets)
		}
		w.plansClean()
		d.holds(w.state())
	})
}
