package telemetry

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
)

// fileInterval is how often a process that lives on adds to the file. Scrapes
// are seldom more frequent.
const fileInterval = 10 * time.Second

// lockInterval is how often one process looks whether another is done with the
// file, which takes milliseconds.
const lockInterval = 5 * time.Millisecond

// textfile is a file of metrics for the node exporter's textfile collector.
//
// Terraform starts a process for each alias and each of plan and apply, and
// none lives long. A file for each process would pile up, and as they hold the
// same series, the collector would refuse them. So there is one file, and a process
// adds what it has counted since it last did to what the file holds: the sums
// grow from run to run, as Prometheus expects of counters. Only a gauge is of the
// process that wrote last.
type textfile struct {
	path string
	// lock makes the processes take turns. It is a file of its own, because
	// the file itself is replaced each time, and it stays there, because two
	// could hold it if one removed it.
	lock   *flock.Flock
	reader *sdkmetric.ManualReader
	// added is what this process has added already. It belongs to whoever
	// writes: what start began, and then end.
	added []*dto.MetricFamily

	// stop ends what start began.
	stop func()
}

// newTextfile finds out whether path can be written. The directory must exist.
func newTextfile(path string) (*textfile, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil, fmt.Errorf("metrics file: %s is a directory", path)
	}
	lock := flock.New(path + ".lock")
	if locked, err := lock.TryLock(); err != nil {
		return nil, fmt.Errorf("metrics file: %w", err)
	} else if locked {
		if err := lock.Unlock(); err != nil {
			return nil, fmt.Errorf("metrics file: %w", err)
		}
	}
	return &textfile{path: path, lock: lock, reader: sdkmetric.NewManualReader(), stop: func() {}}, nil
}

// start adds to the file every fileInterval. What fails then is part of what is
// added next.
func (f *textfile) start() {
	f.stop = every(fileInterval, func(ctx context.Context) { _ = f.add(ctx) })
}

// end adds to the file for the last time.
func (f *textfile) end(ctx context.Context) error {
	f.stop()
	if err := f.add(ctx); err != nil {
		return fmt.Errorf("metrics file: %w", err)
	}
	return nil
}

// add brings into the file what is new since the last time.
func (f *textfile) add(ctx context.Context) error {
	var collected metricdata.ResourceMetrics
	if err := f.reader.Collect(ctx, &collected); err != nil {
		return err
	}
	now, err := families(&collected)
	if err != nil || same(f.added, now) {
		return err
	}
	if _, err := f.lock.TryLockContext(ctx, lockInterval); err != nil {
		return fmt.Errorf("waiting for %s: %w", f.lock.Path(), err)
	}
	if err = f.replace(now); err == nil {
		f.added = now
	}
	return errors.Join(err, f.lock.Unlock())
}

func (f *textfile) replace(now []*dto.MetricFamily) error {
	held, err := read(f.path)
	if err != nil {
		return err
	}
	return write(f.path, merge(held, f.added, now))
}

// write replaces the file, so that nobody sees half of it.
func write(path string, sum []*dto.MetricFamily) (err error) {
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(file.Name())
		}
	}()
	for _, family := range sum {
		if _, err := expfmt.MetricFamilyToText(file, family); err != nil {
			return errors.Join(err, file.Close())
		}
	}
	// The collector may run as another user.
	if err := errors.Join(file.Chmod(0o644), file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}

// read returns the metrics in a file; none if there is no file, or if it holds
// something else, which the next write ends.
func read(path string) (map[string]*dto.MetricFamily, error) {
	file, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return map[string]*dto.MetricFamily{}, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	held, err := parser.TextToMetricFamilies(file)
	if err != nil {
		return map[string]*dto.MetricFamily{}, nil
	}
	return held, nil
}
