package telemetry

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetricgrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
)

// collector is where metrics are sent to by OTLP.
//
// The SDK has a reader that exports by itself, but that one hands errors to a
// handler of the whole process, which prints them to a standard error that is
// Terraform's to use. This one keeps them until the end.
type collector struct {
	exporter sdkmetric.Exporter
	reader   *sdkmetric.ManualReader
	// interval is the time between exports while the process lives.
	interval time.Duration
	// stop ends what start began.
	stop func()
}

// collectorFromEnvironment returns the collector that OpenTelemetry's variables
// name; nil if they name none or switch metrics off. It contacts nobody.
func collectorFromEnvironment() (*collector, error) {
	if strings.EqualFold(os.Getenv("OTEL_SDK_DISABLED"), "true") {
		return nil, nil
	}
	if first(os.Getenv, "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT") == "" {
		return nil, nil
	}
	if wanted := os.Getenv("OTEL_METRICS_EXPORTER"); wanted != "" && !slices.Contains(strings.Split(wanted, ","), "otlp") {
		return nil, nil
	}
	var exporter sdkmetric.Exporter
	var err error
	// The exporters read the rest of the environment by themselves.
	switch protocol := first(os.Getenv, "OTEL_EXPORTER_OTLP_METRICS_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"); protocol {
	case "", "http/protobuf":
		exporter, err = otlpmetrichttp.New(context.Background())
	case "grpc":
		exporter, err = otlpmetricgrpc.New(context.Background())
	default:
		return nil, fmt.Errorf("metrics: OTEL_EXPORTER_OTLP_PROTOCOL is %q; it can be http/protobuf or grpc", protocol)
	}
	if err != nil {
		return nil, fmt.Errorf("metrics: %w", err)
	}
	interval := time.Minute
	if ms, err := strconv.Atoi(os.Getenv("OTEL_METRIC_EXPORT_INTERVAL")); err == nil && ms > 0 {
		interval = time.Duration(ms) * time.Millisecond
	}
	return newCollector(exporter, interval), nil
}

func newCollector(exporter sdkmetric.Exporter, interval time.Duration) *collector {
	reader := sdkmetric.NewManualReader(
		sdkmetric.WithTemporalitySelector(exporter.Temporality), sdkmetric.WithAggregationSelector(exporter.Aggregation),
	)
	return &collector{exporter: exporter, reader: reader, interval: interval, stop: func() {}}
}

// start exports at every interval. What fails then is part of what is exported
// next, unless the user prefers differences.
func (c *collector) start() {
	c.stop = every(c.interval, func(ctx context.Context) { _ = c.export(ctx) })
}

// end exports for the last time.
func (c *collector) end(ctx context.Context) error {
	c.stop()
	err := c.export(ctx)
	if ended := c.exporter.Shutdown(ctx); err == nil {
		err = ended
	}
	if err != nil {
		return fmt.Errorf("metrics: %w", err)
	}
	return nil
}

// export sends what there is. A process that did nothing, such as that of a
// plan, does not bother the collector.
func (c *collector) export(ctx context.Context) error {
	var data metricdata.ResourceMetrics
	if err := c.reader.Collect(ctx, &data); err != nil || len(data.ScopeMetrics) == 0 {
		return err
	}
	return c.exporter.Export(ctx, &data)
}

// every calls work at each interval, until stop is called, which ends work's
// context and returns when work has returned.
func every(interval time.Duration, work func(ctx context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		ticker := time.NewTicker(interval)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
				work(ctx)
			}
		}
	}()
	return func() {
		cancel()
		<-ended
	}
}
