package telemetry

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.opentelemetry.io/otel"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
)

// slack is more than a busy machine adds to shutdownLimit, and less than the ten
// seconds for which OpenTelemetry itself waits for a collector.
const slack = 5 * time.Second

// shutDown fails the test if Shutdown takes longer than it may; it returns its error.
func shutDown(t *testing.T, telemetry *Telemetry) error {
	t.Helper()
	start := time.Now()
	err := telemetry.Shutdown(t.Context())
	if took := time.Since(start); took > shutdownLimit+slack {
		t.Errorf("Shutdown took %s", took)
	}
	return err
}

func TestACollectorThatNeverAnswersDoesNotHoldUpTheEnd(t *testing.T) {
	for _, protocol := range []string{"http/protobuf", "grpc"} {
		listener := listen(t)
		go func() {
			// Whoever connects is heard out, and gets no answer.
			for {
				conn, err := listener.Accept()
				if err != nil {
					return
				}
				go func() {
					_, _ = io.Copy(io.Discard, conn)
					_ = conn.Close()
				}()
			}
		}()
		environment(t, map[string]string{
			"OTEL_EXPORTER_OTLP_ENDPOINT": "http://" + listener.Addr().String(), "OTEL_EXPORTER_OTLP_PROTOCOL": protocol,
		})
		telemetry, err := New(Options{})
		if err != nil {
			t.Fatal(err)
		}
		work(t.Context(), telemetry)
		if err := shutDown(t, telemetry); err == nil || !strings.HasPrefix(err.Error(), "metrics: ") {
			t.Errorf("%s: the error is %v", protocol, err)
		}
	}
}

func TestACollectorThatIsNotThereDoesNotHoldUpTheEnd(t *testing.T) {
	for _, protocol := range []string{"http/protobuf", "grpc"} {
		listener := listen(t)
		url := "http://" + listener.Addr().String()
		_ = listener.Close()
		environment(t, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": url, "OTEL_EXPORTER_OTLP_PROTOCOL": protocol})
		telemetry, err := New(Options{})
		if err != nil {
			t.Fatal(err)
		}
		work(t.Context(), telemetry)
		if err := shutDown(t, telemetry); err == nil {
			t.Errorf("%s: no error", protocol)
		}
	}
}

// stuck is an exporter that heeds no context, and ends only because a test must.
type stuck struct {
	sdkmetric.Exporter
	until chan struct{}
}

func (stuck) Temporality(sdkmetric.InstrumentKind) metricdata.Temporality {
	return metricdata.CumulativeTemporality
}

func (stuck) Aggregation(sdkmetric.InstrumentKind) sdkmetric.Aggregation {
	return sdkmetric.AggregationDefault{}
}

func (s stuck) Export(context.Context, *metricdata.ResourceMetrics) error {
	select {
	case <-s.until:
	case <-time.After(5 * time.Second):
	}
	return nil
}

func (stuck) Shutdown(context.Context) error { return nil }

func TestAnExportThatHeedsNoContextDoesNotHoldUpTheEnd(t *testing.T) {
	until := make(chan struct{})
	defer close(until)
	collector := newCollector(stuck{until: until}, time.Minute)
	instruments, err := newMetrics(Options{}, collector.reader)
	if err != nil {
		t.Fatal(err)
	}
	telemetry := &Telemetry{metrics: instruments, collector: collector}
	work(t.Context(), telemetry)
	if err := shutDown(t, telemetry); err == nil {
		t.Error("no error")
	}
}

func TestFailedExportsPrintNothing(t *testing.T) {
	asked := make(chan struct{}, 100)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "no", http.StatusForbidden)
		asked <- struct{}{}
	}))
	defer server.Close()
	environment(t, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": server.URL})
	t.Setenv("OTEL_METRIC_EXPORT_INTERVAL", "1")
	// What gets here would be printed.
	var handled atomic.Int32
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(error) { handled.Add(1) }))

	telemetry, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	work(t.Context(), telemetry)
	// The second export follows the end of the first.
	<-asked
	<-asked
	if err := shutDown(t, telemetry); err == nil || !strings.Contains(err.Error(), "403") {
		t.Errorf("the error is %v", err)
	}
	if n := handled.Load(); n > 0 {
		t.Errorf("%d errors would be printed", n)
	}
}

func TestWhatCannotBeOpenedIsNamedAndTheRestWorks(t *testing.T) {
	dir := t.TempDir()
	environment(t, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1", "OTEL_EXPORTER_OTLP_PROTOCOL": "http/json"})
	good := filepath.Join(dir, "events.jsonl")
	telemetry, err := New(Options{EventsFile: good, MetricsFile: filepath.Join(dir, "missing", "lock.prom")})
	for _, want := range []string{"metrics file: ", "missing", "http/json"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v; it lacks %q", err, want)
		}
	}
	work(t.Context(), telemetry)
	if err := shutDown(t, telemetry); err != nil {
		t.Error(err)
	}
	if lines := written(t, good); len(lines) != 17 {
		t.Errorf("%d events are written, want 17", len(lines))
	}
	telemetry.Observe(t.Context(), devicelock.Event{Kind: devicelock.Released, Key: "leaf1"})
	if lines := written(t, good); len(lines) != 17 {
		t.Errorf("an event was written after the end")
	}

	if _, err := New(Options{EventsFile: dir, MetricsFile: dir}); err == nil || strings.Count(err.Error(), "directory") != 2 {
		t.Errorf("two directories instead of files: %v", err)
	}
}

func BenchmarkAStepWithoutRecords(b *testing.B) {
	b.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "")
	telemetry, err := New(Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		for _, kind := range []devicelock.EventKind{devicelock.Requested, devicelock.Acquired, devicelock.Released} {
			telemetry.Observe(b.Context(), devicelock.Event{Kind: kind, Key: "leaf1", Step: aVLAN})
		}
	}
}

func BenchmarkAStepWithEventsAndMetrics(b *testing.B) {
	b.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "")
	dir := b.TempDir()
	telemetry, err := New(Options{EventsFile: filepath.Join(dir, "events.jsonl"), MetricsFile: filepath.Join(dir, "lock.prom")})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		for _, kind := range []devicelock.EventKind{devicelock.Requested, devicelock.Acquired, devicelock.Released} {
			telemetry.Observe(b.Context(), devicelock.Event{Kind: kind, Key: "leaf1", Step: aVLAN})
		}
	}
	b.StopTimer()
	if err := telemetry.Shutdown(b.Context()); err != nil {
		b.Fatal(err)
	}
}
