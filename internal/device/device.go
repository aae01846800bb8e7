// Package device is one network device as the provider sees it: its lock, its
// connection and what it is known to hold. All that reads or changes a device
// goes through Read and Apply.
package device

import (
	"context"
	"errors"
	"fmt"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/changeset"
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

	// arbitration tells that a lease's token goes with each Set; announced is
	// the last one that the device knows of. It is used under the lock only.
	arbitration bool
	announced   uint64
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
	if !d.snapshot.fresh(p) {
		if err := d.client.Connect(ctx); err != nil {
			return nil, err
		}
		release, err := d.gate.Read(ctx)
		if err != nil {
			return nil, err
		}
		err = d.snapshot.ensure(ctx, d.client, p)
		release()
		if err != nil {
			return nil, err
		}
	}
	entry, _ := d.snapshot.view(p)
	return entry, nil
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
}

// Apply takes the device's lock and carries out a change as one Set, all of it
// or nothing. Cancelling ctx takes a step that waits out of the queue; a Set
// that was sent is seen to its end, as long as the lock is not lost. Errors are
// *gnmi.ConnectError, *gnmi.RPCError, *ReferenceError, *devicelock.WaitError,
// *devicelock.LostError, *ArbitrationError or Decide's own.
func (d *Device) Apply(ctx context.Context, change Change) error {
	if err := d.client.Connect(ctx); err != nil {
		return err
	}
	if d.registry.Off() {
		d = d.alone()
	}
	grant, err := d.gate.Acquire(ctx, change.Step)
	if err != nil {
		return err
	}
	defer grant.Release()
	for {
		err := d.attempt(grant, change)
		var reference *ReferenceError
		if !errors.As(err, &reference) {
			return err
		}
		if waited := grant.Yield(ctx); waited != nil {
			if !errors.Is(waited, devicelock.ErrNoProgress) {
				return waited
			}
			return err
		}
	}
}

// alone returns the device for one step that shares nothing with the others:
// what it sees of the device, others may change at the same time.
func (d *Device) alone() *Device {
	own := *d
	own.gate, own.snapshot = d.registry.Gate(d.gate.Key()), newSnapshot()
	return &own
}

// attempt carries out a change under grant.
func (d *Device) attempt(grant *devicelock.Grant, change Change) error {
	ctx := grant.Context()
	d.snapshot.under(grant.Epoch())
	if err := d.announce(ctx, grant, change.Step); err != nil {
		return err
	}
	if err := d.snapshot.ensure(ctx, d.client, change.Path); err != nil {
		return err
	}
	if err := d.required(ctx, change); err != nil {
		return err
	}
	entry, p := d.snapshot.view(change.Path)
	req, err := change.Decide(entry, p)
	if err != nil || changeset.Empty(req) {
		return err
	}
	// Once sent, a Set is seen to its end: an interrupt would leave the state
	// without what the device holds.
	ctx = context.WithoutCancel(ctx)
	if err := d.send(ctx, grant, change.Step, p, req); err != nil {
		var lost *devicelock.LostError
		if errors.As(err, &lost) {
			return err
		}
		return d.explain(ctx, change, p, req, err)
	}
	grant.Changed()
	if err := d.snapshot.fold(req); err != nil {
		d.snapshot.drop()
	}
	return nil
}

func (d *Device) required(ctx context.Context, change Change) error {
	var missing []datatree.Reference
	for _, p := range change.Requires {
		if err := d.snapshot.ensure(ctx, d.client, p); err != nil {
			return err
		}
		if entry, _ := d.snapshot.view(p); entry == nil {
			missing = append(missing, datatree.Reference{Leaf: change.Path, Target: p})
		}
	}
	if len(missing) > 0 {
		return &ReferenceError{Path: change.Path, Missing: missing}
	}
	return nil
}

// same tells whether two entries hold the same.
func same(a, b *datatree.Node) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return a.Covers(b) && b.Covers(a)
}

// explain finds out whether a Set was refused because something that it refers
// to is missing, or because something else refers to what it removes. Devices
// say so with many codes, so the device's own configuration decides.
func (d *Device) explain(ctx context.Context, change Change, p *gpb.Path, req *gpb.SetRequest, refusal error) error {
	var failed *gnmi.RPCError
	if !errors.As(refusal, &failed) || failed.Code == codes.Unauthenticated || failed.Code == codes.PermissionDenied {
		return refusal
	}
	d.snapshot.drop()
	problem := &SetError{Request: req, Err: refusal}
	if err := d.snapshot.ensure(ctx, d.client, p); err != nil {
		return problem
	}
	image, err := d.snapshot.image(req)
	if err != nil {
		return problem
	}
	for _, r := range image.References(p) {
		if d.snapshot.ensure(ctx, d.client, r.Target) != nil {
			return problem
		}
	}
	if image, err = d.snapshot.image(req); err != nil {
		return problem
	}
	missing := image.Missing(p)
	for i := 1; i < len(p.GetElem()); i++ {
		above := &gpb.Path{Elem: p.GetElem()[:i]}
		if entry, _ := d.snapshot.view(above); entry == nil && len(p.GetElem()[i-1].GetKey()) > 0 {
			missing = append(missing, datatree.Reference{Leaf: p, Target: above})
		}
	}
	var referrers []datatree.Reference
	if change.Step.Operation == devicelock.Delete {
		now, err := d.snapshot.image(nil)
		if err != nil {
			return problem
		}
		referrers = now.Referrers(p)
	}
	if len(missing)+len(referrers) == 0 {
		return problem
	}
	return &ReferenceError{Path: p, Missing: missing, Referrers: referrers, Err: problem}
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
