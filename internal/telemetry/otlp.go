package telemetry

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"

	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetricgrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
)

// exporterFromEnvironment returns the exporter that OpenTelemetry's environment variables
// ask for; nil if they name no collector or switch metrics off. It contacts
// nobody.
func exporterFromEnvironment() (*quietExporter, error) {
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
	return &quietExporter{Exporter: exporter}, nil
}

// quietExporter keeps the error of the last export to itself. The SDK would
// hand it to its global handler, which prints it to the standard error of a
// process whose output is Terraform's; replacing that handler would be
// everybody's in this process.
type quietExporter struct {
	sdkmetric.Exporter
	mu  sync.Mutex
	err error
}

// Export is part of sdkmetric.Exporter; it never fails. A process that did
// nothing, such as that of a plan, does not bother the collector.
func (e *quietExporter) Export(ctx context.Context, data *metricdata.ResourceMetrics) error {
	if len(data.ScopeMetrics) == 0 {
		return nil
	}
	err := e.Exporter.Export(ctx, data)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.err = err
	return nil
}

// lastError is what became of the last export.
func (e *quietExporter) lastError() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.err == nil {
		return nil
	}
	return fmt.Errorf("metrics: %w", e.err)
}
