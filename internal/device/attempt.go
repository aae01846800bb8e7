package device

import (
	"context"

	gpb "github.com/openconfig/gnmi/proto/gnmi"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/changeset"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/datatree"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
)

// found is the entry of a step as it was before the step wrote anything, nil when
// absent, and its path as the device spells it.
type found struct {
	entry *datatree.Node
	path  *gpb.Path
}

// attempt carries out a change under grant. It returns what the step found if it
// wrote a part of it, now or in an earlier attempt: a step that has to wait after
// that goes on from there, and does not take what it wrote for somebody else's.
func (d *Device) attempt(grant *devicelock.Grant, change Change, earlier *found) (*found, error) {
	ctx := grant.Context()
	if err := d.prepare(grant, change.Step); err != nil {
		return earlier, err
	}
	at, req, err := d.decide(ctx, change, nil, earlier)
	if err != nil || changeset.Empty(req) {
		return earlier, err
	}
	parts, err := d.profile.parts(req, at.path, at.entry == nil)
	if err != nil {
		return earlier, err
	}
	for _, part := range parts {
		if err := d.carryOut(ctx, grant, change, at.path, part); err != nil {
			if earlier != nil {
				err = d.afterPart(at.path, part, err)
			}
			return earlier, err
		}
		earlier = at
	}
	return earlier, nil
}

// decide returns what a step finds, or found earlier, and what it wants to send
// together with others, which may be nil.
func (d *Device) decide(ctx context.Context, change Change, others *gpb.SetRequest, earlier *found) (*found, *gpb.SetRequest, error) {
	if err := d.required(ctx, change, others); err != nil {
		return nil, nil, err
	}
	entry, p, err := d.snapshot.find(ctx, d.client, change.Path, change.Step.Operation != devicelock.Create)
	if err != nil {
		return nil, nil, err
	}
	at := &found{entry, p}
	if earlier != nil {
		at = earlier
	}
	req, err := change.Decide(at.entry, at.path)
	if err != nil || changeset.Empty(req) {
		return at, nil, err
	}
	req, err = d.withAll(ctx, change, at, req)
	return at, req, err
}

// afterPart is the error of a part of a step: what the parts before it wrote
// stands.
func (d *Device) afterPart(p *gpb.Path, part *gpb.SetRequest, err error) error {
	entry, _ := d.snapshot.view(p)
	return &SetError{Request: part, Effect: EffectPart, Entry: entry, Err: err}
}

// prepare makes the device ready for a step under grant.
func (d *Device) prepare(grant *devicelock.Grant, step devicelock.Step) error {
	d.snapshot.under(grant.Epoch())
	if err := d.announce(grant.Context(), grant, step); err != nil {
		return err
	}
	return d.probe(grant.Context(), grant)
}

// required fails for what change needs and neither the device has nor others,
// which may be nil, make.
func (d *Device) required(ctx context.Context, change Change, others *gpb.SetRequest) error {
	var missing []datatree.Reference
	for _, p := range change.Requires {
		entry, _, err := d.snapshot.find(ctx, d.client, p, true)
		if err != nil {
			return err
		}
		if entry == nil && known(d.snapshot.image(others)).At(p.GetElem()) == nil {
			missing = append(missing, datatree.Reference{Leaf: change.Path, Target: p})
		}
	}
	if len(missing) > 0 {
		return &ReferenceError{Path: change.Path, Missing: missing}
	}
	return nil
}

// withAll adds to a step's request what the profile wants to be told with it.
func (d *Device) withAll(ctx context.Context, change Change, at *found, req *gpb.SetRequest) (*gpb.SetRequest, error) {
	req, err := d.withAttachment(ctx, change, at.path, at.entry, req)
	if err != nil {
		return nil, err
	}
	return d.withLAG(ctx, change, at.path, req)
}

// carryOut sends one request and sees it to its end: an interrupt would leave
// the state without what the device holds.
func (d *Device) carryOut(ctx context.Context, grant *devicelock.Grant, change Change, p *gpb.Path, req *gpb.SetRequest) error {
	t := &transaction{Device: d, grant: grant, change: change, path: p, req: req}
	if err := t.run(context.WithoutCancel(ctx)); err != nil {
		return err
	}
	grant.Changed()
	if err := d.snapshot.fold(t.req); err != nil {
		d.snapshot.drop()
		return nil //nolint:nilerr // the Set is done; what it made is read when needed
	}
	d.rememberLAG(p)
	return nil
}
