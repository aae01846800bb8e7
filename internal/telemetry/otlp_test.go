package telemetry

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	colpb "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	metricspb "go.opentelemetry.io/proto/otlp/metrics/v1"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
)

// work is what happens in these tests: one step goes through, one is refused and
// gives up, one waits in vain, one still waits; a lease is lost.
func work(ctx context.Context, sink Sink) {
	const ms = time.Millisecond
	for _, event := range []devicelock.Event{
		{Kind: devicelock.LeaseAcquired, Waited: 7 * ms},
		{Kind: devicelock.Requested, Step: aVLAN},
		{Kind: devicelock.Acquired, Step: aVLAN, Waited: 20 * ms},
		{Kind: devicelock.Released, Step: aVLAN, Held: 60 * ms},
		{Kind: devicelock.Requested, Step: aNeighbor},
		{Kind: devicelock.Acquired, Step: aNeighbor, Waited: 2 * time.Second},
		{Kind: devicelock.Yielded, Step: aNeighbor, Held: 100 * ms},
		{Kind: devicelock.GaveUp, Step: aNeighbor, Waited: 3 * time.Second},
		{Kind: devicelock.Requested, Step: aVLAN},
		{Kind: devicelock.Waiting, Step: aVLAN, Waited: 10 * time.Second},
		{Kind: devicelock.TimedOut, Step: aVLAN, Waited: 30 * time.Second},
		{Kind: devicelock.Requested, Step: aVLAN},
		{Kind: devicelock.LeaseLost, Held: 90 * time.Second},
		{Kind: devicelock.Unprotected},
	} {
		event.Key = "leaf1"
		sink.Observe(ctx, event)
	}
	sink.Set(ctx, SetEvent{Device: "leaf1", Name: "one", Step: aVLAN, Took: 40 * ms, Outcome: Done, Code: "OK", Operations: 2})
	sink.Set(ctx, SetEvent{Device: "leaf1", Name: "one", Step: aVLAN, Took: 80 * ms, Outcome: Done, Code: "OK", Operations: 3})
	sink.Set(ctx, SetEvent{Device: "leaf1", Step: aNeighbor, Took: 10 * ms, Outcome: Refused, Code: "InvalidArgument", Operations: 1})
}

// workMeasured is what a collector must get of it: for histograms the number of
// values, their sum and the bounds below them.
var workMeasured = []string{
	`openconfig.lock.acquisitions {acquisition} device=leaf1 operation=create rank=vlan: 1`,
	`openconfig.lock.acquisitions {acquisition} device=leaf1 operation=delete rank=bgp_neighbor: 1`,
	`openconfig.lock.hold.duration s device=leaf1 operation=create outcome=released: 1 values, sum 0.06, above [0.05]`,
	`openconfig.lock.hold.duration s device=leaf1 operation=delete outcome=yielded: 1 values, sum 0.1, above [0.05]`,
	`openconfig.lock.lease.hold.duration s device=leaf1 outcome=lost: 1 values, sum 90, above [60]`,
	`openconfig.lock.lease.wait.duration s device=leaf1: 1 values, sum 0.007, above [0.005]`,
	`openconfig.lock.queue.length {step} device=leaf1: 1`,
	`openconfig.lock.timeouts {timeout} device=leaf1 operation=create rank=vlan: 1`,
	`openconfig.lock.unprotected {event} device=leaf1: 1`,
	`openconfig.lock.wait.duration s device=leaf1 operation=create outcome=acquired rank=vlan: 1 values, sum 0.02, above [0.01]`,
	`openconfig.lock.wait.duration s device=leaf1 operation=create outcome=timed_out rank=vlan: 1 values, sum 30, above [10]`,
	`openconfig.lock.wait.duration s device=leaf1 operation=delete outcome=acquired rank=bgp_neighbor: 1 values, sum 2, above [1]`,
	`openconfig.lock.wait.duration s device=leaf1 operation=delete outcome=gave_up rank=bgp_neighbor: 1 values, sum 3, above [2.5]`,
	`openconfig.set.duration s code=InvalidArgument device=leaf1 operation=delete outcome=refused: 1 values, sum 0.01, above [0.005]`,
	`openconfig.set.duration s code=OK device=leaf1 operation=create outcome=done: 2 values, sum 0.12, above [0.025 0.05]`,
	`openconfig.set.operations {operation} device=leaf1 operation=create outcome=done: 5`,
	`openconfig.set.operations {operation} device=leaf1 operation=delete outcome=refused: 1`,
}

// receiver keeps what is sent to it by either protocol.
type receiver struct {
	colpb.UnimplementedMetricsServiceServer
	received chan *colpb.ExportMetricsServiceRequest
}

func newReceiver() *receiver {
	return &receiver{received: make(chan *colpb.ExportMetricsServiceRequest, 10)}
}

func (c *receiver) Export(_ context.Context, req *colpb.ExportMetricsServiceRequest) (*colpb.ExportMetricsServiceResponse, error) {
	c.received <- req
	return &colpb.ExportMetricsServiceResponse{}, nil
}

func (c *receiver) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	req := &colpb.ExportMetricsServiceRequest{}
	if err == nil {
		err = proto.Unmarshal(body, req)
	}
	if err != nil || r.URL.Path != "/v1/metrics" {
		http.Error(w, fmt.Sprint(r.URL.Path, err), http.StatusBadRequest)
		return
	}
	c.received <- req
}

// overHTTP and overGRPC start a collector and return its URL.
func overHTTP(t *testing.T, c *receiver) string {
	server := httptest.NewServer(c)
	t.Cleanup(server.Close)
	return server.URL
}

func overGRPC(t *testing.T, c *receiver) string {
	server := grpc.NewServer()
	colpb.RegisterMetricsServiceServer(server, c)
	listener := listen(t)
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	return "http://" + listener.Addr().String()
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	return listener
}

// environment sets OpenTelemetry's variables for a test, and clears the others.
func environment(t *testing.T, variables map[string]string) {
	t.Helper()
	for _, name := range []string{
		"OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "OTEL_EXPORTER_OTLP_PROTOCOL", "OTEL_EXPORTER_OTLP_METRICS_PROTOCOL",
		"OTEL_METRICS_EXPORTER", "OTEL_SDK_DISABLED", "OTEL_SERVICE_NAME", "OTEL_RESOURCE_ATTRIBUTES",
	} {
		t.Setenv(name, variables[name])
	}
}

// measurements returns what a request holds in the form of workMeasured.
func measurements(req *colpb.ExportMetricsServiceRequest) []string {
	var all []string
	for _, r := range req.GetResourceMetrics() {
		for _, scope := range r.GetScopeMetrics() {
			for _, m := range scope.GetMetrics() {
				name := m.GetName() + " " + m.GetUnit()
				for _, point := range m.GetSum().GetDataPoints() {
					all = append(all, fmt.Sprintf("%s%s: %d", name, values(point.GetAttributes()), point.GetAsInt()))
				}
				for _, point := range m.GetHistogram().GetDataPoints() {
					all = append(all, fmt.Sprintf(
						"%s%s: %d values, sum %.6g, above %v", name, values(point.GetAttributes()), point.GetCount(), point.GetSum(), below(point),
					))
				}
			}
		}
	}
	slices.Sort(all)
	return all
}

// below returns the lower bounds of the buckets that are not empty.
func below(point *metricspb.HistogramDataPoint) []float64 {
	var bounds []float64
	for i, count := range point.GetBucketCounts() {
		if count > 0 {
			bounds = append(bounds, point.GetExplicitBounds()[i-1])
		}
	}
	return bounds
}

func values(attributes []*commonpb.KeyValue) string {
	var pairs []string
	for _, a := range attributes {
		pairs = append(pairs, " "+a.GetKey()+"="+a.GetValue().GetStringValue())
	}
	slices.Sort(pairs)
	return strings.Join(pairs, "")
}

func TestACollectorGetsWhatWasMeasured(t *testing.T) {
	for _, test := range []struct {
		name, protocol string
		serve          func(*testing.T, *receiver) string
	}{
		{"by default over HTTP", "", overHTTP},
		{"over HTTP", "http/protobuf", overHTTP},
		{"over gRPC", "grpc", overGRPC},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := newReceiver()
			environment(t, map[string]string{
				"OTEL_EXPORTER_OTLP_ENDPOINT": test.serve(t, c), "OTEL_EXPORTER_OTLP_PROTOCOL": test.protocol,
				"OTEL_RESOURCE_ATTRIBUTES": "deployment.environment=lab",
			})
			telemetry, err := New(Options{Run: aRun, Version: "1.2.3"})
			if err != nil {
				t.Fatal(err)
			}
			work(t.Context(), telemetry)
			if err := telemetry.Shutdown(t.Context()); err != nil {
				t.Fatal(err)
			}
			if len(c.received) != 1 {
				t.Fatalf("the collector got %d requests, want one", len(c.received))
			}
			req := <-c.received
			if got := measurements(req); !slices.Equal(got, workMeasured) {
				t.Errorf("the collector got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(workMeasured, "\n"))
			}
			about := values(req.GetResourceMetrics()[0].GetResource().GetAttributes())
			for _, want := range []string{
				" service.name=terraform-provider-openconfig", " service.version=1.2.3", " host.name=runner-1", " terraform.run=run-1",
				" terraform.workspace=fabric", " deployment.environment=lab", " service.instance.id=",
			} {
				if !strings.Contains(about, want) {
					t.Errorf("the resource is%s; it lacks%s", about, want)
				}
			}
			if err := telemetry.Shutdown(t.Context()); err != nil {
				t.Errorf("shutting down again: %v", err)
			}
		})
	}
}

func TestTheEnvironmentNamesTheService(t *testing.T) {
	c := newReceiver()
	environment(t, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": overHTTP(t, c), "OTEL_SERVICE_NAME": "fabric-apply"})
	telemetry, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	work(t.Context(), telemetry)
	if err := telemetry.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	if about := values((<-c.received).GetResourceMetrics()[0].GetResource().GetAttributes()); !strings.Contains(about, " service.name=fabric-apply") {
		t.Errorf("the resource is%s", about)
	}
}

func TestACollectorIsLeftAloneByAProcessThatDidNothing(t *testing.T) {
	c := newReceiver()
	environment(t, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": overHTTP(t, c)})
	telemetry, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := telemetry.Shutdown(t.Context()); err != nil || len(c.received) != 0 {
		t.Errorf("%d requests, %v", len(c.received), err)
	}
}

func TestMetricsAreOffUnlessTheEnvironmentAsksForThem(t *testing.T) {
	const url = "http://127.0.0.1:1"
	for _, test := range []struct {
		env map[string]string
		on  bool
	}{
		{nil, false},
		{map[string]string{"OTEL_METRICS_EXPORTER": "otlp"}, false},
		{map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": url}, true},
		{map[string]string{"OTEL_EXPORTER_OTLP_METRICS_ENDPOINT": url}, true},
		{map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": url, "OTEL_METRICS_EXPORTER": "otlp"}, true},
		{map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": url, "OTEL_METRICS_EXPORTER": "console,otlp"}, true},
		{map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": url, "OTEL_METRICS_EXPORTER": "none"}, false},
		{map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": url, "OTEL_SDK_DISABLED": "TRUE"}, false},
		{map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": url, "OTEL_SDK_DISABLED": "false"}, true},
	} {
		environment(t, test.env)
		telemetry, err := New(Options{})
		if err != nil {
			t.Errorf("%v: %v", test.env, err)
		}
		if on := telemetry.metrics != nil; on != test.on {
			t.Errorf("%v: metrics are on: %v, want %v", test.env, on, test.on)
		}
		if err := telemetry.Shutdown(t.Context()); err != nil {
			t.Errorf("%v: %v", test.env, err)
		}
	}
}

func TestTheMetricsProtocolGoesBeforeTheGeneralOne(t *testing.T) {
	c := newReceiver()
	environment(t, map[string]string{
		"OTEL_EXPORTER_OTLP_ENDPOINT": overGRPC(t, c), "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf", "OTEL_EXPORTER_OTLP_METRICS_PROTOCOL": "grpc",
	})
	telemetry, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	work(t.Context(), telemetry)
	if err := telemetry.Shutdown(t.Context()); err != nil || len(c.received) != 1 {
		t.Errorf("%d requests, %v", len(c.received), err)
	}
}

func TestTheEnvironmentCanAskForDifferences(t *testing.T) {
	c := newReceiver()
	environment(t, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": overHTTP(t, c)})
	t.Setenv("OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE", "delta")
	telemetry, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	work(t.Context(), telemetry)
	if err := telemetry.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, m := range (<-c.received).GetResourceMetrics()[0].GetScopeMetrics()[0].GetMetrics() {
		if h := m.GetHistogram(); h != nil && h.GetAggregationTemporality() != metricspb.AggregationTemporality_AGGREGATION_TEMPORALITY_DELTA {
			t.Errorf("%s is %s", m.GetName(), h.GetAggregationTemporality())
		}
	}
}
