// Package telemetry turns what happens at the device lock, and what becomes of
// the Sets that it lets through, into records: lines in Terraform's log, lines in
// a file of events, and metrics. None of them can fail or hold up the work.
package telemetry

import (
	"context"
	"errors"
	"sync"
	"time"

	sdkmetric "go.opentelemetry.io/otel/sdk/metric"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
)

// Options say where records go beside the log. The zero value means nowhere,
// unless the environment names a collector of metrics.
type Options struct {
	// EventsFile is the path of a file for [Events]; empty for none.
	EventsFile string
	// MetricsFile is the path of a file of metrics in Prometheus' text format;
	// empty for none.
	MetricsFile string
	// Run is what this process is called in records, Version the provider's.
	Run     RunInfo
	Version string
}

// Telemetry is the Sink that passes everything on to the log, the events file
// and the metrics, where they are wanted.
type Telemetry struct {
	events *Events
	// metrics is nil unless collector or file is not.
	metrics   *metrics
	collector *collector
	file      *textfile
	// end makes Shutdown work once.
	end sync.Once
}

var _ Sink = (*Telemetry)(nil)

// New opens what options and the environment ask for. The Telemetry is usable
// in any case: an error names what could not be opened, and the rest works.
// Metrics cost nothing, not even time, when neither a file nor a collector
// (OTEL_EXPORTER_OTLP_ENDPOINT) is named.
func New(options Options) (*Telemetry, error) {
	t := &Telemetry{}
	var problems [4]error
	if options.EventsFile != "" {
		t.events, problems[0] = NewEvents(options.EventsFile, options.Run)
	}
	if options.MetricsFile != "" {
		t.file, problems[1] = newTextfile(options.MetricsFile)
	}
	t.collector, problems[2] = collectorFromEnvironment()
	var readers []sdkmetric.Reader
	if t.collector != nil {
		readers = append(readers, t.collector.reader)
	}
	if t.file != nil {
		readers = append(readers, t.file.reader)
	}
	if len(readers) == 0 {
		return t, errors.Join(problems[:]...)
	}
	t.metrics, problems[3] = newMetrics(options, readers...)
	if t.collector != nil {
		t.collector.start()
	}
	if t.file != nil {
		t.file.start()
	}
	return t, errors.Join(problems[:]...)
}

// Observe is part of Sink.
func (t *Telemetry) Observe(ctx context.Context, e devicelock.Event) {
	Log{}.Observe(ctx, e)
	if t.events != nil {
		t.events.Observe(ctx, e)
	}
	if t.metrics != nil {
		t.metrics.Observe(ctx, e)
	}
}

// Set is part of Sink.
func (t *Telemetry) Set(ctx context.Context, e SetEvent) {
	Log{}.Set(ctx, e)
	if t.events != nil {
		t.events.Set(ctx, e)
	}
	if t.metrics != nil {
		t.metrics.Set(ctx, e)
	}
}

// The process ends after Shutdown, so it must not take long: what heeds its
// context ends at flushLimit, and nobody waits beyond shutdownLimit for what
// does not, such as a resolver of names.
const (
	flushLimit    = 400 * time.Millisecond
	shutdownLimit = 500 * time.Millisecond
)

// Shutdown sends and writes what has not been yet, and closes the files. It
// returns within half a second, or soon after ctx ends, even when a collector
// does not answer; then the last metrics are lost. Later calls do nothing.
func (t *Telemetry) Shutdown(ctx context.Context) error {
	var err error
	t.end.Do(func() { err = t.shutdown(ctx) })
	return err
}

func (t *Telemetry) shutdown(ctx context.Context) error {
	limit := time.NewTimer(shutdownLimit)
	defer limit.Stop()
	ctx, cancel := context.WithTimeout(ctx, flushLimit)
	defer cancel()
	err := t.flush(ctx, limit.C)
	if t.events != nil {
		err = errors.Join(err, t.events.Close())
	}
	return err
}

// flush ends the metrics, but waits for that no longer than until limit.
func (t *Telemetry) flush(ctx context.Context, limit <-chan time.Time) error {
	var ends []func(context.Context) error
	if t.collector != nil {
		ends = append(ends, t.collector.end)
	}
	if t.file != nil {
		ends = append(ends, t.file.end)
	}
	ended := make(chan error, len(ends))
	for _, end := range ends {
		go func() { ended <- end(ctx) }()
	}
	var err error
	for range ends {
		select {
		case failed := <-ended:
			err = errors.Join(err, failed)
		case <-limit:
			return errors.Join(err, errors.New("metrics: the last ones could not be sent or written in time"))
		}
	}
	return err
}
