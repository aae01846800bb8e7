package telemetry

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gofrs/flock"
	dto "github.com/prometheus/client_model/go"
	"google.golang.org/protobuf/proto"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
)

// ran is one process that does the work of these tests and adds it to a file.
func ran(t *testing.T, path string) {
	t.Helper()
	environment(t, nil)
	telemetry, err := New(Options{MetricsFile: path})
	if err != nil {
		t.Fatal(err)
	}
	work(t.Context(), telemetry)
	if err := telemetry.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// holds fails the test unless the file has these lines.
func holds(t *testing.T, path string, lines ...string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines {
		if !strings.Contains("\n"+string(text), "\n"+line+"\n") {
			t.Errorf("the file lacks %s\n%s", line, text)
			return
		}
	}
}

func TestTheFileHoldsWhatWasMeasured(t *testing.T) {
	path := filepath.Join(t.TempDir(), "openconfig.prom")
	ran(t, path)
	holds(t, path,
		`# TYPE openconfig_lock_acquisitions_total counter`,
		`openconfig_lock_acquisitions_total{device="leaf1",operation="create",rank="vlan"} 1`,
		`openconfig_lock_queue_length{device="leaf1"} 1`,
		`openconfig_lock_timeouts_total{device="leaf1",operation="create",rank="vlan"} 1`,
		`openconfig_lock_unprotected_total{device="leaf1"} 1`,
		`# HELP openconfig_lock_wait_duration_seconds How long steps waited for a device's lock.`,
		`# TYPE openconfig_lock_wait_duration_seconds histogram`,
		`openconfig_lock_wait_duration_seconds_bucket{device="leaf1",operation="create",outcome="timed_out",rank="vlan",le="10"} 0`,
		`openconfig_lock_wait_duration_seconds_bucket{device="leaf1",operation="create",outcome="timed_out",rank="vlan",le="30"} 1`,
		`openconfig_lock_wait_duration_seconds_sum{device="leaf1",operation="create",outcome="timed_out",rank="vlan"} 30`,
		`openconfig_lock_hold_duration_seconds_count{device="leaf1",operation="create",outcome="released"} 1`,
		`openconfig_lock_lease_wait_duration_seconds_count{device="leaf1"} 1`,
		`openconfig_lock_lease_hold_duration_seconds_sum{device="leaf1",outcome="lost"} 90`,
		`openconfig_set_duration_seconds_count{code="OK",device="leaf1",operation="create",outcome="done"} 2`,
		`openconfig_set_operations_total{device="leaf1",operation="create",outcome="done"} 5`,
	)
}

func TestTheFileGrowsFromRunToRun(t *testing.T) {
	path := filepath.Join(t.TempDir(), "openconfig.prom")
	for range 3 {
		ran(t, path)
	}
	holds(t, path,
		`openconfig_lock_acquisitions_total{device="leaf1",operation="create",rank="vlan"} 3`,
		`openconfig_lock_wait_duration_seconds_bucket{device="leaf1",operation="create",outcome="timed_out",rank="vlan",le="10"} 0`,
		`openconfig_lock_wait_duration_seconds_bucket{device="leaf1",operation="create",outcome="timed_out",rank="vlan",le="30"} 3`,
		`openconfig_lock_wait_duration_seconds_bucket{device="leaf1",operation="create",outcome="timed_out",rank="vlan",le="+Inf"} 3`,
		`openconfig_lock_wait_duration_seconds_sum{device="leaf1",operation="create",outcome="timed_out",rank="vlan"} 90`,
		`openconfig_lock_wait_duration_seconds_count{device="leaf1",operation="create",outcome="timed_out",rank="vlan"} 3`,
		// A gauge is of the last process.
		`openconfig_lock_queue_length{device="leaf1"} 1`,
	)
}

func TestProcessesThatEndAtOnceAllGetIntoTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "openconfig.prom")
	environment(t, nil)
	const processes = 8
	var all sync.WaitGroup
	for range processes {
		telemetry, err := New(Options{MetricsFile: path})
		if err != nil {
			t.Fatal(err)
		}
		all.Go(func() {
			work(t.Context(), telemetry)
			if err := telemetry.Shutdown(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	holds(t, path, `openconfig_lock_acquisitions_total{device="leaf1",operation="create",rank="vlan"} 8`)
	if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) != 2 {
		t.Errorf("the directory holds %v, %v; want the file and its lock", entries, err)
	}
}

func TestALongRunAddsToTheFileAsItGoesOn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "openconfig.prom")
	environment(t, nil)
	synctest.Test(t, func(t *testing.T) {
		telemetry, err := New(Options{MetricsFile: path})
		if err != nil {
			t.Fatal(err)
		}
		acquired := devicelock.Event{Kind: devicelock.Acquired, Key: "leaf1", Step: aVLAN, Waited: time.Second}
		for n, want := range []string{"1", "2"} {
			telemetry.Observe(t.Context(), acquired)
			time.Sleep(fileInterval)
			synctest.Wait()
			holds(t, path, `openconfig_lock_acquisitions_total{device="leaf1",operation="create",rank="vlan"} `+want)
			if info, err := os.Stat(path); err != nil || info.Size() == 0 {
				t.Errorf("after interval %d: %v", n, err)
			}
		}
		telemetry.Observe(t.Context(), acquired)
		if err := telemetry.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		holds(t, path,
			`openconfig_lock_acquisitions_total{device="leaf1",operation="create",rank="vlan"} 3`,
			`openconfig_lock_wait_duration_seconds_sum{device="leaf1",operation="create",outcome="acquired",rank="vlan"} 3`,
		)
	})
}

func TestAProcessThatDidNothingLeavesTheFileAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "openconfig.prom")
	environment(t, nil)
	telemetry, err := New(Options{MetricsFile: path})
	if err != nil {
		t.Fatal(err)
	}
	if err := telemetry.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file is there: %v", err)
	}
}

func TestAFileOfSomethingElseIsReplaced(t *testing.T) {
	path := filepath.Join(t.TempDir(), "openconfig.prom")
	if err := os.WriteFile(path, []byte("{not metrics"), 0o600); err != nil {
		t.Fatal(err)
	}
	ran(t, path)
	holds(t, path, `openconfig_lock_timeouts_total{device="leaf1",operation="create",rank="vlan"} 1`)
}

func TestAFileThatAnotherProcessKeepsLockedDoesNotHoldUpTheEnd(t *testing.T) {
	path := filepath.Join(t.TempDir(), "openconfig.prom")
	other := flock.New(path + ".lock")
	if locked, err := other.TryLock(); err != nil || !locked {
		t.Fatal(locked, err)
	}
	defer func() { _ = other.Unlock() }()
	environment(t, nil)
	telemetry, err := New(Options{MetricsFile: path})
	if err != nil {
		t.Fatal(err)
	}
	work(t.Context(), telemetry)
	if err := shutDown(t, telemetry); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), path+".lock") {
		t.Errorf("the error is %v", err)
	}
}

func TestAHistogramOfOtherBucketsIsReplaced(t *testing.T) {
	histogram := func(bounds ...float64) *dto.MetricFamily {
		h := &dto.Histogram{SampleCount: proto.Uint64(1), SampleSum: proto.Float64(1)}
		for _, bound := range bounds {
			h.Bucket = append(h.Bucket, &dto.Bucket{UpperBound: &bound, CumulativeCount: proto.Uint64(1)})
		}
		return &dto.MetricFamily{Name: proto.String("h"), Type: dto.MetricType_HISTOGRAM.Enum(), Metric: []*dto.Metric{{Histogram: h}}}
	}
	for _, test := range []struct {
		held *dto.MetricFamily
		want uint64
	}{
		{histogram(1, 2, math.Inf(1)), 2},
		{histogram(1, 3, math.Inf(1)), 1},
		{histogram(1), 1},
	} {
		sum := merge(map[string]*dto.MetricFamily{"h": test.held}, nil, []*dto.MetricFamily{histogram(1, 2)})
		h := sum[0].GetMetric()[0].GetHistogram()
		if h.GetSampleCount() != test.want || len(h.GetBucket()) != 2 || h.GetBucket()[1].GetUpperBound() != 2 {
			t.Errorf("the sum is %v", h)
		}
	}
}
