package kind

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	rschema "github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	gpb "github.com/openconfig/gnmi/proto/gnmi"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/changeset"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/datatree"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/device"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/oc"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/schema"
)

// providerType begins the name of every resource type.
const providerType = "openconfig"

// defaultTimeout bounds one operation where the resource sets no timeout of
// its own: waiting for the device, and the Set.
const defaultTimeout = 20 * time.Minute

func modelRoot() *schema.Node { return oc.Model }

// managed is a resource of a kind.
type managed struct {
	kind     *compiled
	built    rschema.Schema
	typeName string
	fleet    *device.Fleet
}

var (
	_ resource.ResourceWithConfigure      = (*managed)(nil)
	_ resource.ResourceWithImportState    = (*managed)(nil)
	_ resource.ResourceWithModifyPlan     = (*managed)(nil)
	_ resource.ResourceWithValidateConfig = (*managed)(nil)
)

// Resources returns constructors of the resources of kinds, as a provider
// lists them. A kind that does not fit the model is a fault of the program; it
// panics.
func Resources(kinds ...Kind) []func() resource.Resource {
	constructors := make([]func() resource.Resource, len(kinds))
	for i, k := range kinds {
		c := compile(k)
		built := c.schema(context.Background())
		constructors[i] = func() resource.Resource {
			return &managed{kind: c, built: built, typeName: providerType + "_" + c.Name}
		}
	}
	return constructors
}

// Metadata is part of resource.Resource.
func (r *managed) Metadata(_ context.Context, _ resource.MetadataRequest, res *resource.MetadataResponse) {
	res.TypeName = r.typeName
}

// Schema is part of resource.Resource.
func (r *managed) Schema(_ context.Context, _ resource.SchemaRequest, res *resource.SchemaResponse) {
	res.Schema = r.built
}

// Configure is part of resource.ResourceWithConfigure.
func (r *managed) Configure(_ context.Context, req resource.ConfigureRequest, res *resource.ConfigureResponse) {
	if req.ProviderData == nil {
		return
	}
	fleet, ok := req.ProviderData.(*device.Fleet)
	if !ok {
		res.Diagnostics.AddError("Unexpected provider data", fmt.Sprintf("The provider handed over %T. This is a fault of the provider; please report it.", req.ProviderData))
		return
	}
	r.fleet = fleet
}

// ValidateConfig is part of resource.ResourceWithValidateConfig.
func (r *managed) ValidateConfig(_ context.Context, req resource.ValidateConfigRequest, res *resource.ValidateConfigResponse) {
	r.kind.validateConfig(req.Config.Raw, &res.Diagnostics)
}

// ModifyPlan keeps the spelling of what means the same, fills in the names that
// the configuration leaves to the device's profile, and announces the step
// to the device's lock: in an apply each step is planned again just before it
// is carried out.
func (r *managed) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, res *resource.ModifyPlanResponse) {
	if r.fleet == nil || req.Plan.Raw.IsNull() {
		return
	}
	defer r.fleet.Enter()()
	if !req.State.Raw.IsNull() {
		res.Plan.Raw = r.kind.keepSpelling(req.State.Raw, req.Plan.Raw)
	}
	var d *device.Device
	if name, known := deviceName(req.Plan.Raw); known {
		var err error
		d, err = r.fleet.Device(name)
		if err != nil && !errors.Is(err, device.ErrUnknownYet) {
			r.report(&res.Diagnostics, "plan", nil, nil, err)
			return
		}
	}
	res.Plan.Raw, res.RequiresReplace = r.kind.fillNames(req.Config.Raw, req.State.Raw, res.Plan.Raw, d, &res.Diagnostics)
	if d == nil || res.Diagnostics.HasError() {
		return
	}
	operation := devicelock.Create
	if !req.State.Raw.IsNull() {
		if sameForDevice(req.State.Raw, res.Plan.Raw) {
			return
		}
		operation = devicelock.Update
	}
	if keys := r.kind.keyTexts(res.Plan.Raw); len(keys) == len(r.kind.keys) {
		d.Announce(r.step(operation, r.kind.path(keys)))
	}
}

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
		r.reportChange(&res.Diagnostics, "create", d, p, plan, err)
		return
	}
	res.State.Raw = plan
	warn(d, &res.Diagnostics)
}

// Read is part of resource.Resource.
func (r *managed) Read(ctx context.Context, req resource.ReadRequest, res *resource.ReadResponse) {
	name, _ := deviceName(req.State.Raw)
	d, err := r.fleet.Device(name)
	if errors.Is(err, device.ErrUnknownYet) || err == nil && !d.Managed() {
		return // the state stays as it is
	}
	p := r.kind.path(r.kind.keyTexts(req.State.Raw))
	if err != nil {
		r.report(&res.Diagnostics, "read", nil, p, err)
		return
	}
	ctx, cancel := withTimeout(ctx, req.State, timeouts.Value.Read, &res.Diagnostics)
	defer cancel()
	entry, err := d.Read(ctx, p)
	switch {
	case device.Unreachable(err) && d.Policies().OnUnreachable == keepState:
		if d.TellUnreachable() {
			warnUnreachable(d, err, &res.Diagnostics)
		}
	case err != nil:
		r.report(&res.Diagnostics, "read", d, p, err)
	case entry == nil:
		res.State.RemoveResource(ctx)
	default:
		res.State.Raw = r.kind.decode(req.State.Raw, entry, false)
	}
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
		r.reportChange(&res.Diagnostics, "update", d, p, req.Plan.Raw, err)
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

// withTimeout bounds ctx by the resource's own timeout for an operation.
func withTimeout(
	ctx context.Context, from interface {
		GetAttribute(context.Context, path.Path, any) diag.Diagnostics
	},
	pick func(timeouts.Value, context.Context, time.Duration) (time.Duration, diag.Diagnostics), diags *diag.Diagnostics,
) (context.Context, context.CancelFunc) {
	var limits timeouts.Value
	diags.Append(from.GetAttribute(ctx, path.Root("timeouts"), &limits)...)
	limit, problems := pick(limits, ctx, defaultTimeout)
	diags.Append(problems...)
	return context.WithTimeout(ctx, limit)
}

// step is the resource's step as the device's lock sees it.
func (r *managed) step(o devicelock.Operation, p *gpb.Path) devicelock.Step {
	return devicelock.Step{Operation: o, Rank: r.kind.Rank, Owner: r.typeName + " " + datatree.PathText(p)}
}

func (r *managed) requires(p *gpb.Path) []*gpb.Path {
	above := make([]*gpb.Path, len(r.kind.requires))
	for i, n := range r.kind.requires {
		above[i] = &gpb.Path{Elem: p.GetElem()[:n]}
	}
	return above
}

// decode returns the resource's state for an entry of the device.
func (c *compiled) decode(prior tftypes.Value, entry *datatree.Node, all bool) tftypes.Value {
	out := copied(prior)
	for name, v := range members(c.root.decodeMembers(prior, entry, all)) {
		out[name] = v
	}
	return tftypes.NewValue(prior.Type(), out)
}

// deviceName returns the resource's device attribute. It is not known when the
// name is not known yet.
func deviceName(v tftypes.Value) (name string, known bool) {
	d := members(v)["device"]
	if !d.IsKnown() {
		return "", false
	}
	if !d.IsNull() {
		_ = d.As(&name) // the schema has it as a string
	}
	return name, true
}

func (r *managed) device(v tftypes.Value, verb string, diags *diag.Diagnostics) *device.Device {
	name, _ := deviceName(v)
	d, err := r.fleet.Device(name)
	if err != nil {
		r.report(diags, verb, nil, nil, err)
	}
	return d
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
