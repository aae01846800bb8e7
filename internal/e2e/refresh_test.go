package e2e

import (
	"testing"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/simulator"
)

// networkInstances declares VRFs.
const networkInstances = `
resource "openconfig_network_instance" "vrf" {
  count  = 50
  device = "leaf1"
  name   = "VRF-${count.index + 1}"
  type   = "L3VRF"
}
`

func TestARefreshOfTwoHundredResourcesCostsAHandfulOfGets(t *testing.T) {
	t.Parallel()
	tests := map[string]func(d *simulated) string{
		"one network instance": func(d *simulated) string {
			return d.only() + interfaces("leaf1", 30, "x") + loopbacks("leaf1", 70, "x") + vlans("leaf1", 60, "x") + bgp("leaf1", 38)
		},
		"many network instances": func(d *simulated) string {
			return d.only() + interfaces("leaf1", 30, "x") + loopbacks("leaf1", 60, "x") + vlans("leaf1", 60, "x") + networkInstances
		},
	}
	eachCommand(t, func(t *testing.T, command string) {
		for name, configuration := range tests {
			t.Run(name, func(t *testing.T) {
				d := startDevice(t, simulator.Options{})
				w := newWorkspace(t, command, configuration(d))
				w.apply("-parallelism=200").succeeded()
				if n := len(w.state()); n != 200 {
					t.Fatalf("there are %d resources", n)
				}
				for _, parallelism := range []string{"-parallelism=10", "-parallelism=200"} {
					d.ResetLog()
					w.run("plan", "-detailed-exitcode", parallelism).succeeded()
					s := d.Stats()
					t.Logf("%s: %d Gets", parallelism, s.Gets)
					if s.Gets > 10 || s.Gets == 0 || s.Sets+s.Subscribes+s.Capabilities != 0 {
						t.Errorf("%s: a refresh cost %+v", parallelism, s)
					}
				}
			})
		}
	})
}
