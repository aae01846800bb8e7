package kind

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	gpb "github.com/openconfig/gnmi/proto/gnmi"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/changeset"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/datatree"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/device"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
)

// Create is part of resource.Resource.
func (r *managed) Create(ctx context.Context, req resource.CreateRequest, res *resource.CreateResponse) {
	defer r.fleet.Enter()()
	d := r.device(req.Plan.Raw, "create", &res.Diagnostics)
	if !r.mayWrite(d, &res.Diagnostics) {
		return
	}
	plan, _ := r.kind.fillNames(req.Config.Raw, tftypes.Value{}, req.Plan.Raw, d, &res.Diagnostics)
	if res.Diagnostics.HasError() {
		return
	}
	ctx, cancel := withTimeout(ctx, req.Plan, timeouts.Value.Create, &res.Diagnostics)
	defer cancel()
	desired, err := r.kind.encode(plan)
	p := r.kind.path(r.kind.keyTexts(plan))
	secret := datatree.New(r.kind.entry)
	if err == nil {
		err = r.kind.root.encodeSecrets(req.Config.Raw, tftypes.Value{}, plan, datatree.New(r.kind.entry), secret)
	}
	if err == nil {
		err = d.Apply(ctx, device.Change{
			Step: r.step(devicelock.Create, p), Path: p, Requires: r.requires(p),
			Secrets: r.kind.root.secrets(req.Config.Raw), Warn: r.warnRefused(d, &res.Diagnostics),
			Decide: func(entry *datatree.Node, p *gpb.Path) (*gpb.SetRequest, error) {
				if err := r.mayAdopt(policy(plan, onExisting, d.Policies().OnExisting), entry, desired, p); err != nil {
					return nil, err
				}
				all := desired.Clone()
				all.Merge(secret)
				if d.Profile().ExplicitEnabled {
					all.Merge(r.kind.enabled(entry, nil, desired))
				}
				return changeset.Diff(p, entry.Restrict(desired), all)
			},
		})
	}
	if err != nil {
		if state, known := r.kind.held(tftypes.NewValue(plan.Type(), nil), plan, err); known {
			res.State.Raw = state
		}
		r.reportChange(&res.Diagnostics, "create", d, p, tftypes.Value{}, plan, err)
		return
	}
	res.State.Raw = plan
	warn(d, &res.Diagnostics)
}

// Update is part of resource.Resource.
func (r *managed) Update(ctx context.Context, req resource.UpdateRequest, res *resource.UpdateResponse) {
	defer r.fleet.Enter()()
	if sameForDevice(req.State.Raw, req.Plan.Raw) {
		res.State.Raw = req.Plan.Raw
		return
	}
	d := r.device(req.Plan.Raw, "update", &res.Diagnostics)
	if !r.mayWrite(d, &res.Diagnostics) {
		return
	}
	ctx, cancel := withTimeout(ctx, req.Plan, timeouts.Value.Update, &res.Diagnostics)
	defer cancel()
	p := r.kind.path(r.kind.keyTexts(req.Plan.Raw))
	desired, err := r.kind.encode(req.Plan.Raw)
	var prior *datatree.Node
	if err == nil {
		prior, err = r.kind.encode(req.State.Raw)
	}
	if err == nil {
		err = r.kind.root.encodeSecrets(req.Config.Raw, req.State.Raw, req.Plan.Raw, prior, desired)
	}
	if err == nil {
		err = d.Apply(ctx, device.Change{
			Step: r.step(devicelock.Update, p), Path: p, Requires: r.requires(p),
			Secrets: r.kind.root.secrets(req.Config.Raw), Warn: r.warnRefused(d, &res.Diagnostics),
			Decide: func(entry *datatree.Node, p *gpb.Path) (*gpb.SetRequest, error) {
				from := prior
				if entry == nil {
					from = nil
				}
				all := desired.Clone()
				if d.Profile().ExplicitEnabled {
					all.Merge(r.kind.enabled(entry, from, desired))
				}
				return changeset.Diff(p, from, all)
			},
		})
	}
	if err != nil {
		res.State.Raw, _ = r.kind.held(req.State.Raw, req.Plan.Raw, err)
		r.reportChange(&res.Diagnostics, "update", d, p, req.State.Raw, req.Plan.Raw, err)
		return
	}
	res.State.Raw = req.Plan.Raw
	warn(d, &res.Diagnostics)
}

// Delete is part of resource.Resource.
func (r *managed) Delete(ctx context.Context, req resource.DeleteRequest, res *resource.DeleteResponse) {
	defer r.fleet.Enter()()
	if policy(req.State.Raw, onDestroy, "") == keepEntry {
		return // whatever the device is, and whether it can be reached or not
	}
	d := r.device(req.State.Raw, "delete", &res.Diagnostics)
	if d != nil && policy(req.State.Raw, onDestroy, d.Policies().OnDestroy) == keepEntry {
		return
	}
	if !r.mayWrite(d, &res.Diagnostics) {
		return
	}
	ctx, cancel := withTimeout(ctx, req.State, timeouts.Value.Delete, &res.Diagnostics)
	defer cancel()
	p := r.kind.path(r.kind.keyTexts(req.State.Raw))
	owned, err := r.kind.encode(req.State.Raw)
	if err == nil {
		err = r.kind.root.encodeSecrets(tftypes.Value{}, req.State.Raw, tftypes.Value{}, owned, datatree.New(owned.Schema))
	}
	if err == nil {
		err = d.Apply(ctx, device.Change{
			Step: r.step(devicelock.Delete, p), Path: p, Warn: r.warnRefused(d, &res.Diagnostics),
			Decide: func(entry *datatree.Node, p *gpb.Path) (*gpb.SetRequest, error) {
				switch {
				case entry == nil:
					return nil, nil
				case r.kind.Permanent != nil && r.kind.Permanent(entry), policy(req.State.Raw, onDestroy, d.Policies().OnDestroy) == resetEntry:
					return changeset.Reset(p, owned)
				}
				return changeset.Delete(p), nil
			},
		})
	}
	if err != nil {
		res.State.Raw, _ = r.kind.held(req.State.Raw, req.State.Raw, err)
		r.report(&res.Diagnostics, "delete", d, p, err)
		return
	}
	warn(d, &res.Diagnostics)
}

// requires returns the entries above p that have to exist.
func (r *managed) requires(p *gpb.Path) []*gpb.Path {
	above := make([]*gpb.Path, len(r.kind.requires))
	for i, n := range r.kind.requires {
		above[i] = &gpb.Path{Elem: p.GetElem()[:n]}
	}
	return above
}

// mayWrite refuses to change a device that takes no part in this run.
func (r *managed) mayWrite(d *device.Device, diags *diag.Diagnostics) bool {
	if d != nil && !d.Managed() {
		diags.AddAttributeError(path.Root("device"), "Device is not managed in this run",
			fmt.Sprintf("Device %q has managed = false, so nothing is written to it. Remove that setting, or leave the device's resources as they are.", d.Name))
		return false
	}
	return d != nil
}
