package e2e

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/simulator"
)

// moreVLANs declares VLANs beyond those of vlans and twoAliases.
func moreVLANs(device string, n int) string {
	return fmt.Sprintf(`
resource "openconfig_vlan" "more" {
  count            = %[2]d
  device           = %[1]q
  network_instance = "DEFAULT"
  vlan_id          = count.index + 1000
  name             = "more-${count.index + 1000}"
}
`, device, n)
}

func TestAliasesAndRunsOfOneDeviceNeverOverlap(t *testing.T) {
	t.Parallel()
	eachBackend(t, func(t *testing.T, command string, s *service) {
		d := startDevice(t, simulator.Options{Exclusive: true, SetLatency: 10 * time.Millisecond})
		aliases := newWorkspace(t, command, twoAliases(t, d, "x")).on(s)
		other := newWorkspace(t, command,
			connection(map[string]string{"leaf1": plaintext(d.Addr()) + `, lock_key = "leaf1.example"`})+moreVLANs("leaf1", 40)).on(s)
		both := func(args ...string) {
			t.Helper()
			one, two := aliases.start(args...), other.start(args...)
			one.wait().succeeded()
			two.wait().succeeded()
			d.expectSets(args[0], 80)
		}
		both("apply", "-auto-approve", "-parallelism=50")
		aliases.plansClean()
		other.plansClean()
		both("destroy", "-auto-approve", "-parallelism=50")
		if out, err := s.provider(t, "", "lock", "status", "-json"); err != nil || out != "" {
			t.Errorf("after the runs somebody holds or waits: %q, %v", out, err)
		}
	})
}

// kill ends the command and all its providers as a host's end does.
func (p *process) kill() {
	p.w.tb.Helper()
	if err := syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL); err != nil {
		p.w.tb.Fatal(err)
	}
	_ = p.cmd.Wait()
	p.cancel()
}

func TestAfterADeadHolderTheNextOneTakesOverAndNoSetOfTheDeadOneComesLater(t *testing.T) {
	t.Parallel()
	const (
		ttl, delay, timeout = 9 * time.Second, 4 * time.Second, 6 * time.Second
		latency             = 2 * time.Second
	)
	eachBackend(t, func(t *testing.T, command string, s *service) {
		d := startDevice(t, simulator.Options{SetLatency: latency})
		settings := []string{
			"OPENCONFIG_LOCK_TTL=" + ttl.String(), "OPENCONFIG_LOCK_LOCK_DELAY=" + delay.String(), "OPENCONFIG_SET_TIMEOUT=" + timeout.String(),
		}
		dead := newWorkspace(t, command, d.only()+interfaces("leaf1", 10, "x")).on(s, settings...).start("apply", "-auto-approve")
		d.awaitArrivals(1)
		next := newWorkspace(t, command, d.only()+vlans("leaf1", 2, "x")).on(s, settings...).start("apply", "-auto-approve")
		killed := time.Now()
		dead.kill()
		next.wait().succeeded()
		d.awaitSets(3)
		d.quiet("after a death")
		sets := d.sets()
		if len(sets) != 3 {
			t.Fatalf("the device got %d Sets, want the dead run's one and two more", len(sets))
		}
		if sets[1].Start.Before(sets[0].End) {
			t.Errorf("the next run's Set began %v before the dead one's had ended", sets[0].End.Sub(sets[1].Start))
		}
		took := sets[1].Start.Sub(killed)
		t.Logf("the next run's first Set came %v after the death", took.Round(time.Millisecond))
		limit := delay
		if s.lapses {
			limit += ttl
		}
		// Far more than a busy machine adds, and less than a device's set_timeout
		// and another lock delay.
		if slack := 9 * time.Second; took > limit+slack {
			t.Errorf("taking over took %v, want at most %v", took, limit)
		}
	})
}
