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
	Event    string  `json:"event"`
	WaitedMS float64 `json:"waited_ms"`
	Priority string  `json:"priority"`
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
		// The time of a cohort and of one step, and what a busy machine adds.
		bound = 2*time.Second + latency + 1500*time.Millisecond
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
		d.expectSets("two runs", 200)
		for i, of := range events {
			var longest float64
			turns := of("lease_acquired")
			for _, e := range turns {
				longest = max(longest, e.WaitedMS)
			}
			t.Logf("run %d: %d turns, the longest wait was %.0f ms", i, len(turns), longest)
			if longest > float64(bound/time.Millisecond) {
				t.Errorf("run %d waited %.0f ms for its turn, want %v at most", i, longest, bound)
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
		d.expectSets("three runs", 40)
		acquired := events("lease_acquired")
		if len(acquired) == 0 || acquired[0].Priority != "urgent" {
			t.Errorf("the events do not tell the priority: %+v", acquired)
		}
		// It waits for a step, where the other one waits for a whole turn.
		if waited := acquired[0].WaitedMS; waited > 1800 {
			t.Errorf("the urgent run waited %.0f ms, as if it were none", waited)
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
