package e2e

import (
	"fmt"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/simulator"
)

// confirmed is the provider block for a device at an address whose changes have
// to be confirmed within the shortest time that there is.
func confirmed(address string) string {
	return connection(map[string]string{"leaf1": plaintext(address) + `, commit_confirmed = { rollback_after = "10s" }`})
}

// management declares the port that the device is managed by.
func management(attributes string) string {
	return fmt.Sprintf("resource \"openconfig_interface\" \"management\" {\n  device = \"leaf1\"\n  name = \"Ethernet1/1\"\n  %s\n}\n", attributes)
}

const managementPort = "/interfaces/interface[name=Ethernet1/1]/config"

func TestAChangeWhoseProviderDiedBeforeItsConfirmationIsTakenBackAndPlannedAgain(t *testing.T) {
	t.Parallel()
	eachCommand(t, func(t *testing.T, command string) {
		d := startDevice(t, simulator.Options{Commit: simulator.CommitFull})
		changed := func() bool {
			description, _ := d.Leaf(managementPort + "/description")
			return description == "new"
		}
		var healed atomic.Bool
		g := startGate(t, d, time.Minute, func() bool { return healed.Load() || !changed() })
		w := newWorkspace(t, command, confirmed(g.address)+management(`description = "old"`))
		w.env = []string{"OPENCONFIG_EVENTS_FILE=" + w.events()}
		w.apply().succeeded()
		before := d.Config("/")

		w.write(confirmed(g.address) + management(`description = "new"`))
		apply := w.start("apply", "-auto-approve")
		await(t, "the device has the change", changed)
		if err := syscall.Kill(w.writer(), syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		apply.wait().failed("openconfig")
		await(t, "the device has taken the change back", func() bool { return !changed() })
		if sets := d.sets(); time.Since(sets[len(sets)-1].Start) < 10*time.Second {
			t.Errorf("the device took the change back %v after the Set, want the 10s that it was given", time.Since(sets[len(sets)-1].Start))
		}
		if after := d.Config("/"); after != before {
			t.Errorf("the device holds\n%s\nand held\n%s", after, before)
		}

		healed.Store(true)
		if r := w.run("plan", "-detailed-exitcode"); r.code != 2 {
			t.Errorf("the next plan ended with %d, want 2 for changes:\n%s", r.code, r.output)
		}
		w.apply().succeeded()
		if !changed() {
			t.Errorf("the next apply left %s", d.Config(managementPort))
		}
		w.plansClean()
	})
}

func TestAChangeThatCutsTheWayToTheDeviceIsTakenBackAndSaidSo(t *testing.T) {
	t.Parallel()
	eachCommand(t, func(t *testing.T, command string) {
		for name, grace := range map[string]time.Duration{"after the answer": 300 * time.Millisecond, "before the answer": 0} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				d := startDevice(t, simulator.Options{Commit: simulator.CommitFull})
				g := startGate(t, d, grace, func() bool {
					enabled, ok := d.Leaf(managementPort + "/enabled")
					return !ok || enabled == "true"
				})
				w := newWorkspace(t, command, confirmed(g.address)+management("enabled = true"))
				w.env = []string{"OPENCONFIG_LOCK_LOCK_DELAY=2s", "OPENCONFIG_CONNECT_TIMEOUT=2s"}
				w.apply().succeeded()
				before, state := d.Config("/"), w.state()
				d.ResetLog()

				w.write(confirmed(g.address) + management("enabled = false"))
				r := w.apply().failed("Cannot update openconfig_interface", "rolled back after 10s", "The device holds what it held before", "Check whether the change cuts the way to it")
				t.Logf("took %s: %s", r.took.Round(time.Millisecond), firstError(r))
				if n := countOK(d.sets()); n != 1 {
					t.Errorf("the device carried out the change %d times", n)
				}
				if after := d.Config("/"); after != before {
					t.Errorf("the device holds\n%s\nand held\n%s", after, before)
				}
				if after := w.state(); fmt.Sprint(after) != fmt.Sprint(state) {
					t.Errorf("the state is %v and was %v", after, state)
				}
				w.write(confirmed(g.address) + management("enabled = true"))
				w.plansClean()
			})
		}
	})
}

func TestWithoutCommitConfirmedOnTheDeviceAChangeThatAsksForItIsRefused(t *testing.T) {
	t.Parallel()
	eachCommand(t, func(t *testing.T, command string) {
		for way, says := range map[simulator.CommitConfirmed]string{
			simulator.CommitIgnored:     "ignores commit-confirmed: it confirmed a commit that was never started",
			simulator.CommitUnsupported: "does not support commit-confirmed",
		} {
			t.Run(string(way), func(t *testing.T) {
				t.Parallel()
				d := startDevice(t, simulator.Options{Commit: way})
				before := d.Config("/")
				w := newWorkspace(t, command, confirmed(d.Addr())+interfaces("leaf1", 3, "x"))
				w.apply().failed(says, "Nothing was written", "Leave commit_confirmed out for this device")
				for _, s := range d.sets() {
					if entryOf(s) != "" {
						t.Errorf("the device got the Set %v", s)
					}
				}
				if after := d.Config("/"); after != before {
					t.Errorf("the device holds\n%s\nand held\n%s", after, before)
				}
				if state := w.state(); len(state) != 0 {
					t.Errorf("the state has %v", state)
				}
			})
		}
	})
}
