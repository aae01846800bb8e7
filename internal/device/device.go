// Package device is one network device as the provider sees it: its lock, its
// connection and what it is known to hold. All that reads or changes a device
// goes through Read and Apply.
package device

import (
	"context"
	"errors"
	"fmt"
	"time"

	gpb "github.com/openconfig/gnmi/proto/gnmi"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/datatree"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/gnmi"
)

// Device is safe for concurrent use.
type Device struct {
	// Name is what the configuration calls the device.
	Name      string
	client    *gnmi.Client
	gate      *devicelock.Gate
	registry  *devicelock.Registry
	snapshot  *snapshot
	observer  Observer
	unmanaged bool
	profile   Profile
	policies  *followed

	// arbitration tells that a lease's token goes with each Set; announced is
	// the last one that the device knows of. It is used under the lock only.
	arbitration bool
	announced   uint64

	// rollbackAfter is how long a change waits for its confirmation; 0 makes it
	// final at once. confirms tells that the device knows such commits. It is
	// used under the lock only.
	rollbackAfter time.Duration
	confirms      bool

	// verifyFor is how long the device may take to show what it accepted; 0 takes
	// its word for it.
	verifyFor time.Duration

	// lagTypes are the types of the LAGs that this process has written, for
	// systems that forget them. It is used under the lock only.
	lagTypes map[string]string

	// batches is nil where each step is a Set of its own.
	batches *batches
}

// Managed tells whether the device takes part in this run. One that does not
// is not contacted, and its resources keep their state.
func (d *Device) Managed() bool { return !d.unmanaged }

// Profile is how the device wants to be spoken to.
func (d *Device) Profile() Profile { return d.profile }

// Address is where the device is.
func (d *Device) Address() string { return d.client.Address() }

// Announce says that step will probably come soon, so that steps that should
// come after it wait a little.
func (d *Device) Announce(step devicelock.Step) { d.gate.Announce(step) }

// Read returns the configuration of the entry at p, or nil when the device
// does not have it. Errors are those of gnmi.Client.Get, or the context's.
func (d *Device) Read(ctx context.Context, p *gpb.Path) (*datatree.Node, error) {
	return d.read(ctx, p, false)
}

// Find is Read for an entry that should be there: that it is absent counts only
// when reading it alone finds nothing either. Some devices now and then answer
// that they have nothing.
func (d *Device) Find(ctx context.Context, p *gpb.Path) (*datatree.Node, error) {
	return d.read(ctx, p, true)
}

func (d *Device) read(ctx context.Context, p *gpb.Path, expected bool) (*datatree.Node, error) {
	if d.snapshot.fresh(p) {
		if entry, _ := d.snapshot.view(p); entry != nil || !expected {
			return entry, nil
		}
	}
	if err := d.client.Connect(ctx); err != nil {
		return nil, err
	}
	release, err := d.gate.Read(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	entry, _, err := d.snapshot.find(ctx, d.client, p, expected)
	return entry, err
}

// Change is one CRUD step.
type Change struct {
	Step devicelock.Step
	// Path is the entry that the step is about.
	Path *gpb.Path
	// Requires are entries without which the step makes no sense.
	Requires []*gpb.Path
	// Decide is called while the device is held, with what it has at Path (nil
	// when absent) and Path as the device spells it. It returns the request to
	// send, which may be empty. It may be called again when the step had to
	// wait for something it refers to.
	Decide func(entry *datatree.Node, p *gpb.Path) (*gpb.SetRequest, error)
	// Secrets are values that the request may have and that must not appear in
	// errors. Devices do not show them as they were set.
	Secrets []string
	// Warn is told of a refusal of what the device holds all the same; it may be
	// nil.
	Warn func(err error)
}

// Apply takes the device's lock and carries out a change as one Set, all of it
// or nothing; a profile may want several Sets under the one hold, and batching
// may put changes that wait into one. Cancelling ctx takes a step that waits out
// of the queue; a Set that was sent is seen to its end, as long as the lock is
// not lost. Errors are *SetError, *ReferenceError, *CommitError,
// *ArbitrationError, *gnmi.ConnectError, *gnmi.RPCError, *devicelock.WaitError,
// *devicelock.LostError or Decide's own.
func (d *Device) Apply(ctx context.Context, change Change) error {
	if err := d.client.Connect(ctx); err != nil {
		return err
	}
	if d.registry.Off() {
		d = d.alone()
	}
	m := d.batches.join(change)
	grant, err := d.gate.Acquire(ctx, change.Step)
	if err != nil {
		if !d.batches.leave(m) && m.settled {
			return m.err
		}
		return err
	}
	defer grant.Release()
	if d.together(grant, m) {
		return m.err
	}
	for began := (*found)(nil); ; {
		var err error
		began, err = d.attempt(grant, change, began)
		var reference *ReferenceError
		if !errors.As(err, &reference) {
			return err
		}
		if waited := grant.Yield(ctx); waited != nil {
			if errors.Is(waited, devicelock.ErrNoProgress) {
				return err
			}
			if began != nil {
				return d.afterPart(began.path, nil, waited)
			}
			return waited
		}
	}
}

// alone returns the device for one step that shares nothing with the others:
// what it sees of the device, others may change at the same time.
func (d *Device) alone() *Device {
	own := *d
	own.gate, own.snapshot, own.lagTypes = d.registry.Gate(d.gate.Key()), newSnapshot(), map[string]string{}
	own.batches = nil
	return &own
}

// OrderLimited tells, once in a run, that Terraform's -parallelism did not let
// the lock see all steps that it should have ordered.
func (d *Device) OrderLimited() bool { return d.registry.OrderLimited() }

// UnknownDeviceError is a device name that the configuration does not have.
type UnknownDeviceError struct {
	Name  string
	Known []string
}

func (e *UnknownDeviceError) Error() string {
	return fmt.Sprintf("no device is called %q", e.Name)
}
