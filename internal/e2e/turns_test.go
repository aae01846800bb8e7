package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock/kubelease/kubetest"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/simulator"
)

// event is a line of an events file, as docs/events.md describes it.
type event struct {
	Event    string    `json:"event"`
	Time     time.Time `json:"time"`
	WaitedMS float64   `json:"waited_ms"`
	Priority string    `json:"priority"`
}

// meanwhile counts the Sets that began while the event's process waited: unlike
// the wait itself, a busy machine does not make them more.
func (e event) meanwhile(sets []simulator.Record) (n int) {
	since := e.Time.Add(-time.Duration(e.WaitedMS * float64(time.Millisecond)))
	for _, r := range sets {
		if r.Start.After(since) && r.Start.Before(e.Time) {
			n++
		}
	}
	return n
}

// recording makes the workspace's runs write their events, and returns what
// reads those of a kind.
func (w *workspace) recording() func(kind string) []event {
	file := filepath.Join(w.dir, "events.jsonl")
	w.env = append(w.env, "OPENCONFIG_EVENTS_FILE="+file)
	return func(kind string) (found []event) {
		w.tb.Helper()
		text, err := os.ReadFile(file)
		if err != nil {
			w.tb.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			var e event
			if err := json.Unmarshal([]byte(line), &e); err != nil {
				w.tb.Fatalf("%q: %v", line, err)
			}
			if e.Event == kind {
				found = append(found, e)
			}
		}
		return found
	}
}

func TestOfTwoLongRunsNeitherWaitsLongerThanTheOthersTurn(t *testing.T) {
	t.Parallel()
	const (
		latency = 40 * time.Millisecond
		// What fits into a turn of two seconds, and the step under way at either end.
		bound = int(2*time.Second/latency) + 2
	)
	eachBackend(t, func(t *testing.T, command string, s *service) {
		d := startDevice(t, simulator.Options{Exclusive: true, SetLatency: latency})
		one := newWorkspace(t, command, d.only()+vlans("leaf1", 100, "x")).on(s)
		two := newWorkspace(t, command, d.only()+moreVLANs("leaf1", 100)).on(s)
		events := [2]func(string) []event{one.recording(), two.recording()}
		runs := [2]*process{one.start("apply", "-auto-approve", "-parallelism=20"), two.start("apply", "-auto-approve", "-parallelism=20")}
		for _, run := range runs {
			run.wait().succeeded()
		}
		sets := d.sets()
		d.expectSets("two runs", 200)
		for i, of := range events {
			var longest float64
			var most int
			turns := of("lease_acquired")
			for _, e := range turns {
				longest, most = max(longest, e.WaitedMS), max(most, e.meanwhile(sets))
			}
			t.Logf("run %d: %d turns, the longest wait was %.0f ms, %d Sets went before", i, len(turns), longest, most)
			if most > bound {
				t.Errorf("run %d waited for %d Sets of the other one, want %d at most", i, most, bound)
			}
		}
	})
}

func TestAnUrgentRunGoesBeforeTheOneThatWaited(t *testing.T) {
	t.Parallel()
	eachBackend(t, func(t *testing.T, command string, s *service) {
		d := startDevice(t, simulator.Options{Exclusive: true, SetLatency: 300 * time.Millisecond})
		holder := newWorkspace(t, command, d.only()+interfaces("leaf1", 30, "x")).on(s)
		waiting := newWorkspace(t, command, d.only()+vlans("leaf1", 5, "x")).on(s)
		urgent := newWorkspace(t, command, d.only()+moreVLANs("leaf1", 5)).on(s, "OPENCONFIG_LOCK_PRIORITY=urgent")
		events := urgent.recording()
		holding := holder.start("apply", "-auto-approve", "-parallelism=40")
		d.awaitSets(1)
		runs := []*process{waiting.start("apply", "-auto-approve"), urgent.start("apply", "-auto-approve")}
		for _, run := range append(runs, holding) {
			run.wait().succeeded()
		}
		sets := d.sets()
		d.expectSets("three runs", 40)
		acquired := events("lease_acquired")
		if len(acquired) == 0 || acquired[0].Priority != "urgent" {
			t.Errorf("the events do not tell the priority: %+v", acquired)
		}
		// It waits for the step under way and what goes out until it is heard,
		// where the other one waits for a whole turn, which takes seven.
		ahead := acquired[0].meanwhile(sets)
		t.Logf("the urgent run waited %.0f ms and for %d Sets", acquired[0].WaitedMS, ahead)
		if ahead > 3 {
			t.Errorf("the urgent run waited for %d Sets, as if it were none", ahead)
		}
	})
}

func TestARunThatHasADeviceForItselfCostsTheLockServiceAHandfulOfRequests(t *testing.T) {
	t.Parallel()
	eachCommand(t, func(t *testing.T, command string) {
		server := kubetest.Simulate(t)
		s := &service{env: kubernetesEnv(server.Cluster)}
		d := startDevice(t, simulator.Options{Exclusive: true, SetLatency: 10 * time.Millisecond})
		w := newWorkspace(t, command, d.only()+interfaces("leaf1", 32, "x")+vlans("leaf1", 68, "x")).on(s)
		events := w.recording()
		w.apply().succeeded()
		d.expectSets("apply", 100)
		n := server.Requests("get", "list", "watch", "create", "update", "delete")
		t.Logf("%d requests, %d leases", n, len(events("lease_acquired")))
		if n > 10 {
			t.Errorf("100 resources cost %d requests", n)
		}
		if out, err := s.provider(t, "", "lock", "status", "-json"); err != nil || out != "" {
			t.Errorf("after the run somebody holds or waits: %q, %v", out, err)
		}
	})
}

func TestAStepThatWaitsTooLongSaysForWhomAndHowToFreeTheLock(t *testing.T) {
	t.Parallel()
	eachBackend(t, func(t *testing.T, command string, s *service) {
		d := startDevice(t, simulator.Options{SetLatency: 9 * time.Second})
		holder := newWorkspace(t, command, d.only()+interfaces("leaf1", 1, "x")).on(s, "TFC_RUN_ID=run-7", "TFC_WORKSPACE_NAME=core").start("apply", "-auto-approve")
		d.awaitArrivals(1)
		w := newWorkspace(t, command, d.only()+vlans("leaf1", 1, "x")).on(s, "OPENCONFIG_LOCK_TIMEOUT=2s", "TF_LOG_PROVIDER=INFO")
		r := w.apply().failed(d.Addr(), "run run-7", "workspace core", "openconfig_interface", "Nothing was written", "lock release '"+d.Addr()+"'")
		if !strings.Contains(r.output, "run-7") || !strings.Contains(r.output, "device lock") {
			t.Errorf("the log does not tell who was waited for:\n%s", r.output)
		}
		holder.wait().succeeded()
		d.awaitSets(1)
		d.expectSets("the holder", 1)
	})
}
