package e2e

import (
	"fmt"
	"testing"
	"time"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/simulator"
)

func TestAnInterruptEndsTheRunWithAStateThatIsTrue(t *testing.T) {
	t.Parallel()
	const (
		resources = 60
		latency   = 50 * time.Millisecond
		before    = 15 // Sets
	)
	eachCommand(t, func(t *testing.T, command string) {
		for _, parallelism := range []string{"-parallelism=10", "-parallelism=60"} {
			d := startDevice(t, simulator.Options{Exclusive: true, SetLatency: latency})
			w := newWorkspace(t, command, d.only()+interfaces("leaf1", 30, "x")+vlans("leaf1", 30, "x"))
			apply := w.start("apply", "-auto-approve", parallelism)
			d.awaitSets(before)
			interrupted := time.Now()
			apply.interrupt()
			r := apply.wait()
			t.Logf("%s ended %s after the interrupt", r.what, time.Since(interrupted).Round(time.Millisecond))
			if r.code != 1 {
				t.Fatalf("the interrupted run ended with %d:\n%s", r.code, r.output)
			}
			// A Set that nobody waits for any more is carried out all the same.
			d.awaitSets(d.Stats().Sets)
			d.quiet("interrupted")
			sets := d.sets()
			late := 0
			for _, s := range sets {
				if s.Start.After(interrupted) {
					late++
				}
			}
			// One was on its way, and the signal takes a moment to get there.
			if late > 4 {
				t.Errorf("%d Sets began after the interrupt", late)
			}
			state := w.state()
			if len(state) != len(sets) {
				t.Errorf("the state has %d resources, the device got %d Sets", len(state), len(sets))
			}
			held := map[string]bool{}
			d.holds(state)
			for _, e := range state {
				path, _ := onDevice(t, e)
				held[path] = true
			}
			for i := range resources / 2 {
				for _, e := range []entry{
					{Type: "openconfig_interface", Attributes: map[string]any{"name": fmt.Sprintf("Ethernet1/%d", i+1)}},
					{Type: "openconfig_vlan", Attributes: map[string]any{"vlan_id": i + 2}},
				} {
					if path, _ := onDevice(t, e); d.Exists(path) != held[path] {
						t.Errorf("%s is on the device, but not in the state", path)
					}
				}
			}

			d.ResetLog()
			w.apply(parallelism).succeeded()
			d.expectSets("next apply", resources-len(sets))
			if n := len(w.state()); n != resources {
				t.Errorf("the next apply left %d resources", n)
			}
			w.plansClean()
		}
	})
}
