package telemetry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
)

// eventsVersion is the version of the lines' schema. It grows when a field
// changes its meaning or goes; a new field does not change it.
const eventsVersion = 1

// Events appends what happens to a file, as one JSON object on each line. Every
// line is one write in append mode, so several processes can share a file. A
// file that fails later costs lines, never the work: the log has a warning.
type Events struct {
	file *os.File
	run  RunInfo
	// failing is whether the last write failed, so that the warning comes once.
	failing atomic.Bool
}

var _ Sink = (*Events)(nil)

// NewEvents opens the file at path, and creates it if it is not there; its
// directory must be. Lines say that they are from run.
func NewEvents(path string, run RunInfo) (*Events, error) {
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, fmt.Errorf("events file: %w", err)
	}
	return &Events{file: file, run: run}, nil
}

// Close closes the file. Events that come later are dropped.
func (f *Events) Close() error {
	if err := f.file.Close(); err != nil {
		return fmt.Errorf("events file: %w", err)
	}
	return nil
}

// line is the schema, which docs/events.md explains. Pointers are those fields
// whose zero means something.
type line struct {
	Version    int         `json:"v"`
	Time       time.Time   `json:"time"`
	Event      string      `json:"event"`
	Device     string      `json:"device"`
	Name       string      `json:"name,omitempty"`
	Resource   string      `json:"resource,omitempty"`
	Operation  string      `json:"operation,omitempty"`
	Rank       string      `json:"rank,omitempty"`
	Priority   string      `json:"priority,omitempty"`
	Waited     *float64    `json:"waited_ms,omitempty"`
	Held       *float64    `json:"held_ms,omitempty"`
	Position   *int        `json:"position,omitempty"`
	Ahead      *int        `json:"ahead,omitempty"`
	Fence      uint64      `json:"fence,omitempty"`
	Holder     *holderLine `json:"holder,omitempty"`
	Elsewhere  *ownerLine  `json:"elsewhere,omitempty"`
	Error      string      `json:"error,omitempty"`
	Outcome    string      `json:"outcome,omitempty"`
	Code       string      `json:"code,omitempty"`
	Took       *float64    `json:"took_ms,omitempty"`
	Operations *int        `json:"operations,omitempty"`
	Run        string      `json:"run,omitempty"`
	Workspace  string      `json:"workspace,omitempty"`
	User       string      `json:"user,omitempty"`
	Host       string      `json:"host,omitempty"`
	PID        int         `json:"pid,omitempty"`
}

// holderLine is a step of this process that holds the gate.
type holderLine struct {
	Resource  string  `json:"resource"`
	Operation string  `json:"operation"`
	Rank      string  `json:"rank"`
	Held      float64 `json:"held_ms"`
}

// ownerLine is another process that holds the lease.
type ownerLine struct {
	User      string    `json:"user,omitempty"`
	Host      string    `json:"host,omitempty"`
	PID       int       `json:"pid,omitempty"`
	Run       string    `json:"run,omitempty"`
	Workspace string    `json:"workspace,omitempty"`
	Resource  string    `json:"resource,omitempty"`
	Priority  string    `json:"priority"`
	Since     time.Time `json:"since,omitzero"`
	Held      float64   `json:"held_ms"`
}

// Observe is part of Sink.
func (f *Events) Observe(ctx context.Context, e devicelock.Event) {
	l := line{Time: e.At, Event: word(e.Kind), Device: e.Key, Priority: e.Priority.String(), Fence: e.Fence}
	if e.Kind < devicelock.LeaseAcquired {
		l.setStep(e.Step)
	}
	switch e.Kind {
	case devicelock.LeaseReleased, devicelock.LeaseLost, devicelock.Unprotected:
	default:
		l.Waited = milliseconds(e.Waited)
	}
	switch e.Kind {
	case devicelock.Released, devicelock.Yielded, devicelock.Lost, devicelock.LeaseReleased, devicelock.LeaseLost:
		l.Held = milliseconds(e.Held)
	case devicelock.Requested, devicelock.Waiting:
		l.Position, l.Ahead = &e.Position, &e.Ahead
	}
	if e.Holder != (devicelock.Step{}) {
		l.Holder = &holderLine{
			Resource: e.Holder.Owner, Operation: word(e.Holder.Operation), Rank: word(e.Holder.Rank), Held: *milliseconds(e.HolderFor),
		}
	}
	if o := e.Elsewhere; o != nil {
		l.Elsewhere = &ownerLine{
			User: o.User, Host: o.Host, PID: o.PID, Run: o.Run, Workspace: o.Workspace, Resource: o.Resource,
			Priority: o.Priority.String(), Since: o.Since.UTC(), Held: *milliseconds(e.ElsewhereFor),
		}
	}
	if e.Err != nil {
		l.Error = e.Err.Error()
	}
	f.write(ctx, &l)
}

// Set is part of Sink.
func (f *Events) Set(ctx context.Context, e SetEvent) {
	l := line{
		Time: e.Start, Event: "set", Device: e.Device, Name: e.Name, Fence: e.Fence,
		Outcome: e.Outcome, Code: e.Code, Took: milliseconds(e.Took), Operations: &e.Operations,
	}
	l.setStep(e.Step)
	f.write(ctx, &l)
}

func (l *line) setStep(step devicelock.Step) {
	l.Resource, l.Operation, l.Rank = step.Owner, word(step.Operation), word(step.Rank)
}

func (f *Events) write(ctx context.Context, l *line) {
	l.Version, l.Time = eventsVersion, l.Time.UTC()
	l.Run, l.Workspace, l.User, l.Host, l.PID = f.run.Run, f.run.Workspace, f.run.User, f.run.Host, f.run.PID
	text, err := json.Marshal(l)
	if err == nil {
		_, err = f.file.Write(append(text, '\n'))
	}
	if errors.Is(err, os.ErrClosed) {
		return
	}
	if failed := err != nil; f.failing.Swap(failed) != failed && failed {
		tflog.Warn(ctx, "an event could not be written to the events file", map[string]any{"file": f.file.Name(), "error": err.Error()})
	}
}

func milliseconds(d time.Duration) *float64 {
	ms := float64(d) / float64(time.Millisecond)
	return &ms
}

// word is a name that is made for reading, as machines like it: lower case with
// underscores.
func word(name fmt.Stringer) string {
	return strings.ReplaceAll(strings.ToLower(name.String()), " ", "_")
}
