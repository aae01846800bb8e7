package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/simulator"
)

func TestASetThatTakesFortySecondsSucceedsAndTheNextInLineToo(t *testing.T) {
	t.Parallel()
	eachCommand(t, func(t *testing.T, command string) {
		t.Parallel()
		d := startDevice(t, simulator.Options{Exclusive: true, SetLatency: 40 * time.Second})
		w := newWorkspace(t, command, d.only()+interfaces("leaf1", 2, "slow"))
		w.apply().succeeded()
		d.expectSets("create", 2)
		for _, address := range []string{"openconfig_interface.leaf1[0]", "openconfig_interface.leaf1[1]"} {
			held := w.state()[address].Attributes["description"]
			got, _ := d.Leaf("/interfaces/interface[name=" + fmt.Sprint(w.state()[address].Attributes["name"]) + "]/config/description")
			if held == nil || held != got {
				t.Errorf("%s: the state has %v, the device %q", address, held, got)
			}
		}
		w.plansClean()
	})
}

var lockEvent = regexp.MustCompile(`device lock acquired:.*\bwaited_ms=(\d+)`)

// lockWait applies one resource and returns how long it waited for the lock, in
// milliseconds: the least of some runs, since others may fall on a busy moment.
func lockWait(t *testing.T, w *workspace, target string) int {
	t.Helper()
	log := filepath.Join(w.dir, "log")
	w.env = []string{"TF_LOG_PROVIDER=DEBUG", "TF_LOG_PATH=" + log}
	var waits []int
	for range 3 {
		if err := os.RemoveAll(log); err != nil {
			t.Fatal(err)
		}
		w.apply("-target=" + target).succeeded()
		text, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		events := lockEvent.FindAllStringSubmatch(string(text), -1)
		if len(events) != 1 {
			t.Fatalf("%s: the lock was acquired %d times:\n%s", target, len(events), linesWith(string(text), "device lock"))
		}
		ms, err := strconv.Atoi(events[0][1])
		if err != nil {
			t.Fatal(err)
		}
		waits = append(waits, ms)
		w.destroy("-target=" + target).succeeded()
	}
	t.Logf("%s waited for %v ms", target, waits)
	return slices.Min(waits)
}

func linesWith(text, part string) string {
	var found []string
	for line := range strings.Lines(text) {
		if strings.Contains(line, part) {
			found = append(found, line)
		}
	}
	return strings.Join(found, "")
}

// Not in parallel with other tests: how long the gathering takes depends on the
// pace at which the walk runs on this machine. The exact times are those of
// devicelock's own tests, where time is simulated.
func TestGatheringDelaysALoneNeighborALittleAndALoneInterfaceNotAtAll(t *testing.T) {
	eachCommand(t, func(t *testing.T, command string) {
		d := startDevice(t, simulator.Options{})
		rest := d.only() + bgp("leaf1", 1) + interfaces("leaf1", 1, "x")
		w := newWorkspace(t, command, rest)
		w.apply("-target=openconfig_bgp.leaf1", "-target=openconfig_bgp_peer_group.leaf1").succeeded()
		const quiet = 50 // ms
		if ms := lockWait(t, w, "openconfig_bgp_neighbor.leaf1"); ms < quiet || ms > 20*quiet {
			t.Errorf("a lone neighbor waited for %d ms, want little more than %d", ms, quiet)
		}
		if ms := lockWait(t, w, "openconfig_interface.leaf1"); ms >= quiet {
			t.Errorf("a lone interface waited for %d ms, as if it had to", ms)
		}
	})
}
