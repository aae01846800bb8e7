package lock

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/device"
)

const (
	// defaultExpiry bounds a hold whose end Terraform does not tell: an
	// interrupted run closes nothing.
	defaultExpiry = time.Hour
	// checkEvery is how often Terraform has the provider look whether it still
	// holds the devices.
	checkEvery = 30 * time.Second
	// holdKey is where a hold's id is kept from Open to Close.
	holdKey = "hold"
)

// run is the ephemeral resource: a hold of devices' locks for as long as
// Terraform keeps it open.
type run struct {
	fleet *device.Fleet
}

var (
	_ ephemeral.EphemeralResourceWithConfigure = (*run)(nil)
	_ ephemeral.EphemeralResourceWithRenew     = (*run)(nil)
	_ ephemeral.EphemeralResourceWithClose     = (*run)(nil)
)

// NewEphemeralResource returns the ephemeral resource openconfig_device_lock.
func NewEphemeralResource() ephemeral.EphemeralResource { return &run{} }

type runModel struct {
	Devices      types.Set    `tfsdk:"devices"`
	Reason       types.String `tfsdk:"reason"`
	ExpiresAfter types.String `tfsdk:"expires_after"`
	Expires      types.String `tfsdk:"expires"`
}

// Metadata is part of ephemeral.EphemeralResource.
func (r *run) Metadata(_ context.Context, req ephemeral.MetadataRequest, res *ephemeral.MetadataResponse) {
	res.TypeName = req.ProviderTypeName + typeName
}

// Schema is part of ephemeral.EphemeralResource.
func (r *run) Schema(_ context.Context, _ ephemeral.SchemaRequest, res *ephemeral.SchemaResponse) {
	res.Schema = schema.Schema{
		MarkdownDescription: "Holds the locks of devices for a whole run: from when Terraform opens it until the run ends, nobody else writes to them. " +
			"The resources of the same provider block pass through. Let resources that must not begin before refer to it, by `depends_on`. " +
			"Terraform opens it in the plan and again in the apply; in between, nothing is held.\n\n" +
			"Needs Terraform 1.10 or OpenTofu 1.11, and a `lock.backend` that reaches beyond one process.",
		Attributes: map[string]schema.Attribute{
			"devices": schema.SetAttribute{
				ElementType: types.StringType, Optional: true,
				MarkdownDescription: "Names of the devices; all that the provider manages if left out. They are locked one after the other, in one order for everybody, so that two runs never wait for each other.",
			},
			"reason": schema.StringAttribute{Optional: true, MarkdownDescription: "What others who wait are told, such as `change 4711`."},
			"expires_after": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "After how long the devices are given back even if Terraform has not said that the run is over, such as `30m`. An interrupted run does not. The default is `1h`.",
			},
			"expires": schema.StringAttribute{Computed: true, MarkdownDescription: "When the hold ends at the latest (RFC 3339)."},
		},
	}
}

// Configure is part of ephemeral.EphemeralResourceWithConfigure.
func (r *run) Configure(_ context.Context, req ephemeral.ConfigureRequest, res *ephemeral.ConfigureResponse) {
	r.fleet = fleetOf(req.ProviderData, &res.Diagnostics)
}

// Open is part of ephemeral.EphemeralResource.
func (r *run) Open(ctx context.Context, req ephemeral.OpenRequest, res *ephemeral.OpenResponse) {
	var m runModel
	res.Diagnostics.Append(req.Config.Get(ctx, &m)...)
	limit := expiry(m.ExpiresAfter, &res.Diagnostics)
	devices := r.devices(ctx, m.Devices, &res.Diagnostics)
	if res.Diagnostics.HasError() {
		return
	}
	owner := "a whole run (openconfig_device_lock)"
	if reason := m.Reason.ValueString(); reason != "" {
		owner += ": " + reason
	}
	id, err := r.fleet.HoldForRun(ctx, owner, limit, devices...)
	if err != nil {
		report(&res.Diagnostics, path.Root("devices"), "", nil, err)
		return
	}
	kept, err := json.Marshal(id)
	if err == nil {
		res.Diagnostics.Append(res.Private.SetKey(ctx, holdKey, kept)...)
	}
	m.Expires = instant(time.Now().Add(limit))
	res.RenewAt = time.Now().Add(checkEvery)
	res.Diagnostics.Append(res.Result.Set(ctx, &m)...)
	if res.Diagnostics.HasError() {
		r.fleet.EndHold(id)
	}
}

func expiry(v types.String, diags *diag.Diagnostics) time.Duration {
	if v.IsNull() {
		return defaultExpiry
	}
	d, err := time.ParseDuration(v.ValueString())
	if err != nil || d <= 0 {
		diags.AddAttributeError(path.Root("expires_after"), "Invalid duration",
			fmt.Sprintf("expires_after is %q; it must be a positive duration such as \"30m\" or \"2h\".", v.ValueString()))
	}
	return d
}

// devices returns the devices with these names. One whose address is not known
// yet cannot be written to either, so it needs no lock.
func (r *run) devices(ctx context.Context, names types.Set, diags *diag.Diagnostics) []*device.Device {
	var wanted []string
	if names.IsNull() {
		wanted = r.fleet.Names()
	} else {
		diags.Append(names.ElementsAs(ctx, &wanted, false)...)
	}
	slices.SortFunc(wanted, strings.Compare)
	var devices []*device.Device
	for _, name := range wanted {
		d, err := r.fleet.Device(name)
		switch {
		case errors.Is(err, device.ErrUnknownYet):
		case err != nil:
			report(diags, path.Root("devices"), name, nil, err)
		case d.Managed():
			devices = append(devices, d)
		}
	}
	return devices
}

// holdOf returns the id of the hold that Open left.
func holdOf(kept []byte) string {
	var id string
	_ = json.Unmarshal(kept, &id) // no id is an id that nothing is held under
	return id
}

// Renew is part of ephemeral.EphemeralResourceWithRenew.
func (r *run) Renew(ctx context.Context, req ephemeral.RenewRequest, res *ephemeral.RenewResponse) {
	kept, diags := req.Private.GetKey(ctx, holdKey)
	res.Diagnostics.Append(diags...)
	if res.Diagnostics.HasError() {
		return
	}
	if _, err := r.fleet.CheckHold(holdOf(kept)); err != nil {
		res.Diagnostics.AddError("The run's hold of its devices is over",
			err.Error()+": its time (expires_after) ran out, the lock service failed, or somebody freed a lock by force. What was done stays; plan again before going on.")
		return
	}
	res.RenewAt = time.Now().Add(checkEvery)
}

// Close is part of ephemeral.EphemeralResourceWithClose.
func (r *run) Close(ctx context.Context, req ephemeral.CloseRequest, res *ephemeral.CloseResponse) {
	kept, diags := req.Private.GetKey(ctx, holdKey)
	res.Diagnostics.Append(diags...)
	r.fleet.EndHold(holdOf(kept))
}
