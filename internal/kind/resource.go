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
	entry, err := d.Find(ctx, p)
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
