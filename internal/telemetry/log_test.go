package telemetry

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflogtest"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
)

// logged returns what the log holds after an event.
func logged(t *testing.T, event devicelock.Event) map[string]any {
	t.Helper()
	var out bytes.Buffer
	Log{}.Observe(tflogtest.RootLogger(t.Context(), &out), event)
	entries, err := tflogtest.MultilineJSONDecode(&out)
	if err != nil || len(entries) != 1 {
		t.Fatalf("%d log entries, %v; want one", len(entries), err)
	}
	return entries[0]
}

func TestAWaitingStepLogsWhoIsBeforeIt(t *testing.T) {
	for _, kind := range []devicelock.EventKind{devicelock.Requested, devicelock.Waiting} {
		entry := logged(t, devicelock.Event{
			Kind: kind, Key: "leaf1:9339", Step: aVLAN, At: noon, Waited: 10 * time.Second, Position: 3, Ahead: 2,
			Holder: aNeighbor, HolderFor: 4 * time.Second, Elsewhere: &somebody, ElsewhereFor: 50 * time.Second,
		})
		want := map[string]any{
			"@level": "info", "device": "leaf1:9339", "owner": "openconfig_vlan 10", "operation": "create", "rank": "VLAN",
			"waited_ms": 10000.0, "position": 3.0, "ahead": 2.0,
			"holder": "delete of openconfig_bgp_neighbor 192.0.2.1", "holder_for_ms": 4000.0, "holder_since": "2026-03-01T11:59:56Z",
			"elsewhere":        "night@runner-2 (process 12), run run-2, workspace core, create of openconfig_vlan 20",
			"elsewhere_for_ms": 50000.0, "elsewhere_since": "2026-03-01T11:59:00Z",
		}
		for field, value := range want {
			if entry[field] != value {
				t.Errorf("%s: %s is %v, want %v", kind, field, entry[field], value)
			}
		}
	}
}

func TestTheLevelTellsHowMuchAnEventMatters(t *testing.T) {
	warnings := []devicelock.EventKind{devicelock.Failed, devicelock.Lost, devicelock.LeaseLost, devicelock.Unprotected}
	for _, kind := range slices.Concat(stepKinds, leaseKinds) {
		event := devicelock.Event{Kind: kind, Key: "leaf1", Err: errors.New("no route")}
		want := "debug"
		switch {
		case slices.Contains(warnings, kind):
			want = "warn"
		case kind == devicelock.Waiting:
			want = "info"
		}
		if entry := logged(t, event); entry["@level"] != want || entry["error"] != "no route" {
			t.Errorf("%s is logged as %v", kind, entry)
		}
	}
}

func TestALeaseEventNamesNoStep(t *testing.T) {
	entry := logged(t, devicelock.Event{Kind: devicelock.LeaseAcquired, Key: "leaf1", Fence: 7})
	if _, named := entry["operation"]; named || entry["fence"] != 7.0 {
		t.Errorf("the entry is %v", entry)
	}
}

func TestEverySinkTakesEveryEventWithoutALogger(t *testing.T) {
	events, _ := newEvents(t)
	for _, sink := range []Sink{Log{}, events} {
		for _, kind := range slices.Concat(stepKinds, leaseKinds) {
			sink.Observe(context.Background(), devicelock.Event{Kind: kind, Key: "leaf1"})
		}
		sink.Set(context.Background(), SetEvent{Device: "leaf1", Outcome: Done})
	}
}

func TestASetIsLogged(t *testing.T) {
	var out bytes.Buffer
	Log{}.Set(tflogtest.RootLogger(t.Context(), &out), SetEvent{
		Device: "leaf1:9339", Name: "leaf1", Step: aVLAN, Took: 30 * time.Millisecond, Outcome: Refused, Code: "InvalidArgument", Operations: 2,
	})
	entries, err := tflogtest.MultilineJSONDecode(&out)
	if err != nil || len(entries) != 1 || entries[0]["outcome"] != "refused" || entries[0]["took_ms"] != 30.0 {
		t.Errorf("logged %v, %v", entries, err)
	}
}
