package e2e

import (
	"testing"
	"time"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/simulator"
)

func TestEveryStepIsOneSetAndNoneOverlapOnADeviceThatRefusesTwo(t *testing.T) {
	t.Parallel()
	eachCommand(t, func(t *testing.T, command string) {
		d := startDevice(t, simulator.Options{Exclusive: true, SetLatency: 20 * time.Millisecond})
		configuration := func(note string) string {
			return d.only() + interfaces("leaf1", 30, note) + vlans("leaf1", 30, note)
		}
		w := newWorkspace(t, command, configuration("first"))
		w.apply("-parallelism=50").succeeded()
		d.expectSets("create", 60)
		w.plansClean()
		d.expectSets("plan", 0)
		w.write(configuration("second"))
		w.apply("-parallelism=50").succeeded()
		d.expectSets("update", 60)
		w.destroy("-parallelism=50").succeeded()
		d.expectSets("destroy", 60)
	})
}
