package telemetry

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
)

// metrics are the instruments that docs/metrics.md lists. Their attributes have
// few values: a resource's name is never one of them.
type metrics struct {
	wait, hold, leaseWait, leaseHold, set             metric.Float64Histogram
	queue                                             metric.Int64UpDownCounter
	acquisitions, timeouts, unprotected, setOperation metric.Int64Counter
}

var _ Sink = (*metrics)(nil)

// combinations bounds how many combinations of attributes each instrument keeps
// apart: a hundred devices with all kinds and all operations, several times.
const combinations = 20_000

// newMetrics returns instruments that readers read. They work even if there is an
// error.
func newMetrics(options Options, readers ...sdkmetric.Reader) (*metrics, error) {
	about, err := describeProcess(options)
	problems := []error{err}
	settings := []sdkmetric.Option{sdkmetric.WithResource(about), sdkmetric.WithCardinalityLimit(combinations)}
	for _, reader := range readers {
		settings = append(settings, sdkmetric.WithReader(reader))
	}
	meter := sdkmetric.NewMeterProvider(settings...).Meter(
		"github.com/terraform-openconfig/terraform-provider-openconfig", metric.WithInstrumentationVersion(options.Version),
	)
	m := &metrics{}
	seconds := func(name, description string) metric.Float64Histogram {
		instrument, err := meter.Float64Histogram(
			name, metric.WithUnit("s"), metric.WithDescription(description),
			metric.WithExplicitBucketBoundaries(.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300),
		)
		problems = append(problems, err)
		return instrument
	}
	count := func(name, unit, description string) metric.Int64Counter {
		instrument, err := meter.Int64Counter(name, metric.WithUnit(unit), metric.WithDescription(description))
		problems = append(problems, err)
		return instrument
	}
	m.wait = seconds("openconfig.lock.wait.duration", "How long steps waited for a device's lock.")
	m.hold = seconds("openconfig.lock.hold.duration", "How long steps held a device's lock.")
	m.acquisitions = count("openconfig.lock.acquisitions", "{acquisition}", "How often steps got a device's lock.")
	m.timeouts = count("openconfig.lock.timeouts", "{timeout}", "How often steps waited in vain until the time limit.")
	m.unprotected = count("openconfig.lock.unprotected", "{event}", "How often the work went on without a failed lock service.")
	m.leaseWait = seconds("openconfig.lock.lease.wait.duration", "How long processes waited for a device's lease.")
	m.leaseHold = seconds("openconfig.lock.lease.hold.duration", "How long processes held a device's lease.")
	m.set = seconds("openconfig.set.duration", "How long it took until the outcome of a Set was known.")
	m.setOperation = count("openconfig.set.operations", "{operation}", "How many deletes, replaces and updates Sets carried.")
	m.queue, err = meter.Int64UpDownCounter(
		"openconfig.lock.queue.length", metric.WithUnit("{step}"), metric.WithDescription("How many steps wait for a device's lock."),
	)
	return m, errors.Join(append(problems, err)...)
}

// describeProcess returns the resource, in OpenTelemetry's sense, that metrics
// are of. The environment has the last word; an error is about what is wrong
// with it, and the rest is in the resource.
func describeProcess(options Options) (*resource.Resource, error) {
	attributes := []attribute.KeyValue{
		attribute.String("service.name", "terraform-provider-openconfig"),
		// Processes of one service that are not told apart would overwrite
		// each other's sums at the receiver.
		attribute.String("service.instance.id", rand.Text()),
	}
	for _, known := range []struct{ key, value string }{
		{"service.version", options.Version},
		{"host.name", options.Run.Host},
		{"terraform.run", options.Run.Run},
		{"terraform.workspace", options.Run.Workspace},
	} {
		if known.value != "" {
			attributes = append(attributes, attribute.String(known.key, known.value))
		}
	}
	about, err := resource.New(
		context.Background(), resource.WithAttributes(attributes...), resource.WithTelemetrySDK(), resource.WithFromEnv(),
	)
	if err != nil {
		err = fmt.Errorf("metrics: %w", err)
	}
	return about, err
}

// Observe is part of Sink.
func (m *metrics) Observe(ctx context.Context, e devicelock.Event) {
	device := attribute.String("device", e.Key)
	switch e.Kind {
	case devicelock.Requested:
		m.queue.Add(ctx, 1, metric.WithAttributes(device))
	case devicelock.Acquired, devicelock.Cancelled, devicelock.TimedOut, devicelock.GaveUp, devicelock.Failed:
		m.queue.Add(ctx, -1, metric.WithAttributes(device))
		step := []attribute.KeyValue{device, attribute.String("operation", word(e.Step.Operation)), attribute.String("rank", word(e.Step.Rank))}
		switch e.Kind {
		case devicelock.Acquired:
			m.acquisitions.Add(ctx, 1, metric.WithAttributes(step...))
		case devicelock.TimedOut:
			m.timeouts.Add(ctx, 1, metric.WithAttributes(step...))
		}
		m.wait.Record(ctx, e.Waited.Seconds(), metric.WithAttributes(append(step, outcome(e.Kind))...))
	case devicelock.Released, devicelock.Yielded:
		if e.Kind == devicelock.Yielded {
			// It waits again, for a change of the device.
			m.queue.Add(ctx, 1, metric.WithAttributes(device))
		}
		operation := attribute.String("operation", word(e.Step.Operation))
		m.hold.Record(ctx, e.Held.Seconds(), metric.WithAttributes(device, operation, outcome(e.Kind)))
	case devicelock.LeaseAcquired:
		m.leaseWait.Record(ctx, e.Waited.Seconds(), metric.WithAttributes(device))
	case devicelock.LeaseReleased, devicelock.LeaseLost:
		m.leaseHold.Record(ctx, e.Held.Seconds(), metric.WithAttributes(device, outcome(e.Kind)))
	case devicelock.Unprotected:
		m.unprotected.Add(ctx, 1, metric.WithAttributes(device))
	}
}

// outcome is how waiting or holding ended.
func outcome(kind devicelock.EventKind) attribute.KeyValue {
	switch kind {
	case devicelock.LeaseReleased:
		kind = devicelock.Released
	case devicelock.LeaseLost:
		kind = devicelock.Lost
	}
	return attribute.String("outcome", word(kind))
}

// Set is part of Sink.
func (m *metrics) Set(ctx context.Context, e SetEvent) {
	about := []attribute.KeyValue{
		attribute.String("device", e.Device), attribute.String("operation", word(e.Step.Operation)), attribute.String("outcome", e.Outcome),
	}
	m.setOperation.Add(ctx, int64(e.Operations), metric.WithAttributes(about...))
	m.set.Record(ctx, e.Took.Seconds(), metric.WithAttributes(append(about, attribute.String("code", e.Code))...))
}
