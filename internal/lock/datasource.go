package lock

import (
	"context"
	"errors"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/device"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
)

// status is the data source: who holds a device's lock, and who waits.
type status struct {
	fleet *device.Fleet
}

var _ datasource.DataSourceWithConfigure = (*status)(nil)

// NewDataSource returns the data source openconfig_device_lock.
func NewDataSource() datasource.DataSource { return &status{} }

type statusModel struct {
	Device  types.String `tfsdk:"device"`
	Key     types.String `tfsdk:"key"`
	Backend types.String `tfsdk:"backend"`
	Held    types.Bool   `tfsdk:"held"`
	Holder  *ownerModel  `tfsdk:"holder"`
	Expires types.String `tfsdk:"expires"`
	Waiting []ownerModel `tfsdk:"waiting"`
}

type ownerModel struct {
	User      types.String `tfsdk:"user"`
	Host      types.String `tfsdk:"host"`
	Process   types.Int64  `tfsdk:"process"`
	Run       types.String `tfsdk:"run"`
	Workspace types.String `tfsdk:"workspace"`
	Resource  types.String `tfsdk:"resource"`
	Priority  types.String `tfsdk:"priority"`
	Since     types.String `tfsdk:"since"`
}

func modelOf(o *devicelock.Owner) ownerModel {
	return ownerModel{
		User: types.StringValue(o.User), Host: types.StringValue(o.Host), Process: types.Int64Value(int64(o.PID)),
		Run: types.StringValue(o.Run), Workspace: types.StringValue(o.Workspace), Resource: types.StringValue(o.Resource),
		Priority: types.StringValue(o.Priority.String()), Since: instant(o.Since),
	}
}

// instant is a time as text, null if it is zero.
func instant(t time.Time) types.String {
	if t.IsZero() {
		return types.StringNull()
	}
	return types.StringValue(t.UTC().Format(time.RFC3339))
}

// Metadata is part of datasource.DataSource.
func (s *status) Metadata(_ context.Context, req datasource.MetadataRequest, res *datasource.MetadataResponse) {
	res.TypeName = req.ProviderTypeName + typeName
}

// Schema is part of datasource.DataSource.
func (s *status) Schema(_ context.Context, _ datasource.SchemaRequest, res *datasource.SchemaResponse) {
	text := func(description string) schema.StringAttribute {
		return schema.StringAttribute{Computed: true, MarkdownDescription: description}
	}
	owner := map[string]schema.Attribute{
		"user":      text("User who runs it."),
		"host":      text("Host that it runs on."),
		"process":   schema.Int64Attribute{Computed: true, MarkdownDescription: "Its process id on that host."},
		"run":       text("Terraform's run, or the CI system's, where it is known."),
		"workspace": text("Terraform's workspace, where it is known."),
		"resource":  text("What it does, or wants to do first."),
		"priority":  text("Its priority, `normal` or `urgent`."),
		"since":     text("Since when it has held the lock, or has waited, by its own clock (RFC 3339)."),
	}
	res.Schema = schema.Schema{
		MarkdownDescription: "Who holds the lock of a device, in any process, and who waits for it. Reading it takes no lock and contacts no device.",
		Attributes: map[string]schema.Attribute{
			"device": schema.StringAttribute{Optional: true, MarkdownDescription: "Name of the device in the provider's `devices`. Can be left out where there is only one."},
			"key":    text("Key of the device's lock: its address, or its `lock_key`."),
			"backend": text("Where the lock is kept, such as `file` or `etcd`. With `memory` it does not reach beyond one process, and this data source sees " +
				"nobody."),
			"held":   schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether somebody holds the lock."},
			"holder": schema.SingleNestedAttribute{Computed: true, Attributes: owner, MarkdownDescription: "Who holds the lock; null if nobody does."},
			"expires": text("When the lock lapses if its holder does not renew it (RFC 3339); null if nobody holds it, or if it does not lapse by time, " +
				"as with `file`."),
			"waiting": schema.ListNestedAttribute{
				Computed: true, NestedObject: schema.NestedAttributeObject{Attributes: owner},
				MarkdownDescription: "Who waits for the lock, the next one first.",
			},
		},
	}
}

// Configure is part of datasource.DataSourceWithConfigure.
func (s *status) Configure(_ context.Context, req datasource.ConfigureRequest, res *datasource.ConfigureResponse) {
	s.fleet = fleetOf(req.ProviderData, &res.Diagnostics)
}

// Read is part of datasource.DataSource.
func (s *status) Read(ctx context.Context, req datasource.ReadRequest, res *datasource.ReadResponse) {
	var m statusModel
	res.Diagnostics.Append(req.Config.Get(ctx, &m)...)
	if res.Diagnostics.HasError() {
		return
	}
	name := m.Device.ValueString()
	d, err := s.fleet.Device(name)
	if err != nil {
		if errors.Is(err, device.ErrUnknownYet) {
			res.Diagnostics.AddAttributeError(path.Root("device"), "Device is not known yet", "The device's address or a secret is not known yet, so neither is its lock.")
			return
		}
		report(&res.Diagnostics, path.Root("device"), name, nil, err)
		return
	}
	record, _, err := d.Lock(ctx)
	if err != nil {
		report(&res.Diagnostics, path.Root("device"), name, d, err)
		return
	}
	m.Key, m.Backend = types.StringValue(d.LockKey()), types.StringValue(d.LockBackend())
	m.Held, m.Expires, m.Waiting = types.BoolValue(record.Holder != nil), instant(record.Expires), []ownerModel{}
	if record.Holder != nil {
		holder := modelOf(record.Holder)
		m.Holder = &holder
	}
	for i := range record.Waiting {
		m.Waiting = append(m.Waiting, modelOf(&record.Waiting[i]))
	}
	res.Diagnostics.Append(res.State.Set(ctx, &m)...)
}
