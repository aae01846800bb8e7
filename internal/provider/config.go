package provider

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/device"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock/backend"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/gnmi"
)

// connection is how to reach a device, as the provider's configuration has it:
// for all devices, and again for one.
type connection struct {
	Address         types.String `tfsdk:"address"`
	Username        types.String `tfsdk:"username"`
	Password        types.String `tfsdk:"password"`
	Plaintext       types.Bool   `tfsdk:"plaintext"`
	TLS             types.Object `tfsdk:"tls"`
	ConnectTimeout  types.String `tfsdk:"connect_timeout"`
	ReadTimeout     types.String `tfsdk:"read_timeout"`
	SetTimeout      types.String `tfsdk:"set_timeout"`
	RetryTimeout    types.String `tfsdk:"retry_timeout"`
	VerifyTimeout   types.String `tfsdk:"verify_timeout"`
	LockKey         types.String `tfsdk:"lock_key"`
	Arbitration     types.Bool   `tfsdk:"arbitration"`
	Batch           types.Bool   `tfsdk:"batch"`
	Profile         types.String `tfsdk:"profile"`
	Overrides       types.Object `tfsdk:"overrides"`
	CommitConfirmed types.Object `tfsdk:"commit_confirmed"`
	OnDestroy       types.String `tfsdk:"on_destroy"`
	OnExisting      types.String `tfsdk:"on_existing"`
	OnUnreachable   types.String `tfsdk:"on_unreachable"`
}

// onlyDevice is the name of the device that the provider's own address is for.
const onlyDevice = "default"

type tlsModel struct {
	CACert     types.String `tfsdk:"ca_cert"`
	ClientCert types.String `tfsdk:"client_cert"`
	ClientKey  types.String `tfsdk:"client_key"`
	ServerName types.String `tfsdk:"server_name"`
	SkipVerify types.Bool   `tfsdk:"skip_verify"`
}

type providerModel struct {
	connection
	Devices     types.Map    `tfsdk:"devices"`
	Lock        types.Object `tfsdk:"lock"`
	EventsFile  types.String `tfsdk:"events_file"`
	MetricsFile types.String `tfsdk:"metrics_file"`
}

// configuration is what the provider's configuration and the environment say.
type configuration struct {
	devices                 []device.Config
	lock                    backend.Settings
	eventsFile, metricsFile string
}

type deviceModel struct {
	connection
	Managed types.Bool `tfsdk:"managed"`
}

func providerSchema() schema.Schema {
	one := connectionAttributes("")
	one["managed"] = schema.BoolAttribute{
		Optional:            true,
		MarkdownDescription: "Whether the device takes part in this run. With `false` it is not contacted, its resources keep their state, and changes to them are refused. The default is `true`.",
	}
	attributes := connectionAttributes(" Holds for every device that does not set its own.")
	attributes["address"] = schema.StringAttribute{
		Optional:            true,
		MarkdownDescription: "Address of the only device, as `host` or `host:port` (port 9339 if left out): short for `devices` with one entry. Environment: `OPENCONFIG_ADDRESS`.",
	}
	attributes["lock_key"] = schema.StringAttribute{
		Optional:            true,
		MarkdownDescription: "Name by which the only device is locked, where that is not its address.",
	}
	attributes["devices"] = schema.MapNestedAttribute{
		Optional:            true,
		MarkdownDescription: "Devices by the name that resources use in `device`. One provider block with all devices is best: the order of work on a device is that of one block.",
		NestedObject:        schema.NestedAttributeObject{Attributes: one},
	}
	attributes["lock"] = lockAttribute()
	attributes["events_file"] = schema.StringAttribute{
		Optional:            true,
		MarkdownDescription: "File that a line of JSON is added to for each event of the lock and for each Set. Environment: `OPENCONFIG_EVENTS_FILE`.",
	}
	attributes["metrics_file"] = schema.StringAttribute{
		Optional: true,
		MarkdownDescription: "File of metrics in Prometheus' text format, such as one in the directory of the node exporter's textfile collector. " +
			"Environment: `OPENCONFIG_METRICS_FILE`.",
	}
	return schema.Schema{
		MarkdownDescription: "Configures network devices through OpenConfig models over gNMI.",
		Attributes:          attributes,
	}
}

func connectionAttributes(scope string) map[string]schema.Attribute {
	text := func(what string) schema.StringAttribute {
		return schema.StringAttribute{Optional: true, MarkdownDescription: what + scope}
	}
	password := text("Password, sent with every RPC. Environment: `OPENCONFIG_PASSWORD`.")
	password.Sensitive = true
	key := text("The provider's private key for mutual TLS: PEM text, or the name of a file. Environment: `OPENCONFIG_TLS_CLIENT_KEY`.")
	key.Sensitive = true
	attributes := map[string]schema.Attribute{
		"address":  text("Address of the device, as `host` or `host:port`; the port is 9339 if left out."),
		"username": text("User name, sent with every RPC. Environment: `OPENCONFIG_USERNAME`."),
		"password": password,
		"plaintext": schema.BoolAttribute{
			Optional:            true,
			MarkdownDescription: "Whether to speak gNMI without TLS. Configuration and credentials can then be read by anybody on the way. Environment: `OPENCONFIG_PLAINTEXT`." + scope,
		},
		"tls": schema.SingleNestedAttribute{
			Optional:            true,
			MarkdownDescription: "TLS settings. Without them the certificate is checked against the operating system's authorities." + scope,
			Attributes: map[string]schema.Attribute{
				"ca_cert":     text("Authorities that may sign the device's certificate: PEM text, or the name of a file. Environment: `OPENCONFIG_TLS_CA_CERT`."),
				"client_cert": text("The provider's certificate for mutual TLS: PEM text, or the name of a file. Environment: `OPENCONFIG_TLS_CLIENT_CERT`."),
				"client_key":  key,
				"server_name": text("Name that the device's certificate must be for, where that is not the host of the address. Environment: `OPENCONFIG_TLS_SERVER_NAME`."),
				"skip_verify": schema.BoolAttribute{
					Optional:            true,
					MarkdownDescription: "Whether to accept any certificate. Whoever answers at the address then gets the credentials. Environment: `OPENCONFIG_TLS_SKIP_VERIFY`." + scope,
				},
			},
		},
		"connect_timeout": text("How long one attempt to connect may take, such as `10s`, which is the default. Environment: `OPENCONFIG_CONNECT_TIMEOUT`."),
		"read_timeout":    text("How long a Get may take; the default is `60s`. Environment: `OPENCONFIG_READ_TIMEOUT`."),
		"set_timeout":     text("How long a Set may take; the default is `90s`. Environment: `OPENCONFIG_SET_TIMEOUT`."),
		"retry_timeout": text("How long a request is repeated, in all, that a busy device refuses and that may safely be sent again; the default is `30s`. " +
			"Pauses grow, and the device's own hint (`RetryInfo`) is honoured. Environment: `OPENCONFIG_RETRY_TIMEOUT`."),
		"verify_timeout": text("How long a device may take to show what it has accepted. Each Set is then read back until the device shows the change; what it does not show by then is an error. " +
			"Without it, or with `0s`, the device is taken at its word. See [what becomes of a Set](https://github.com/terraform-openconfig/terraform-provider-openconfig/blob/main/docs/transaction.md). Environment: `OPENCONFIG_VERIFY_TIMEOUT`."),
		"arbitration": schema.BoolAttribute{
			Optional: true,
			MarkdownDescription: "Whether to send the lock's token with every Set as gNMI's master arbitration, so that the device itself refuses an owner that has lost the lock. " +
				"A device that does not really support it is found out and refused. Environment: `OPENCONFIG_ARBITRATION`." + scope,
		},
		"lock_key": text("Name by which the device is locked, where that is not its address. Two names of one device need the same."),
	}
	maps.Copy(attributes, waysAttributes(scope))
	return attributes
}

// read returns what the provider's configuration says.
func read(ctx context.Context, config tfsdk.Config) (configuration, diag.Diagnostics) {
	var diags diag.Diagnostics
	var m providerModel
	diags.Append(config.Get(ctx, &m)...)
	if diags.HasError() {
		return configuration{}, diags
	}
	c := configuration{
		devices:    readDevices(ctx, m, &diags),
		lock:       readLock(ctx, m.Lock, &diags),
		eventsFile: first(m.EventsFile, "OPENCONFIG_EVENTS_FILE"), metricsFile: first(m.MetricsFile, "OPENCONFIG_METRICS_FILE"),
	}
	if !diags.HasError() {
		checkLock(&c.lock, c.devices, &diags)
	}
	c.lock.Kubernetes.Names = lockNames(c.devices)
	return c, diags
}

func readDevices(ctx context.Context, m providerModel, diags *diag.Diagnostics) []device.Config {
	common := newLayer(ctx, path.Empty(), m.connection, diags)
	if m.Devices.IsUnknown() {
		diags.AddAttributeError(path.Root("devices"), "Devices are not known yet",
			"The names of the devices must be known when Terraform plans; their addresses and secrets need not be. Build the map from values that are known.")
		return nil
	}
	devices := map[string]deviceModel{}
	diags.Append(m.Devices.ElementsAs(ctx, &devices, false)...)
	var configs []device.Config
	switch address := first(m.Address, "OPENCONFIG_ADDRESS"); {
	case len(devices) > 0 && !m.Address.IsNull():
		diags.AddAttributeError(path.Root("address"), "Address and devices exclude each other", "Set address for one device, or devices for any number.")
	case len(devices) == 0 && (address != "" || m.Address.IsUnknown()):
		configs = append(configs, (&settings{[]layer{common}, diags, device.Config{Name: onlyDevice}}).collect(address))
	}
	for _, name := range slices.Sorted(maps.Keys(devices)) {
		d := devices[name]
		own := newLayer(ctx, path.Root("devices").AtMapKey(name), d.connection, diags)
		if d.Address.IsNull() {
			diags.AddAttributeError(own.at.AtName("address"), "Device without address", fmt.Sprintf("Device %q needs an address, such as \"192.0.2.1:9339\".", name))
			continue
		}
		s := settings{[]layer{own, common}, diags, device.Config{
			Name: name, Unmanaged: !d.Managed.IsNull() && !d.Managed.IsUnknown() && !d.Managed.ValueBool(), Unknown: d.Managed.IsUnknown(),
		}}
		configs = append(configs, s.collect(d.Address.ValueString()))
	}
	return configs
}

func (s *settings) collect(address string) device.Config {
	own := s.layers[0].conn
	s.config.GNMI.Address = address
	s.config.Unknown = s.config.Unknown || own.Address.IsUnknown() || own.LockKey.IsUnknown()
	for _, l := range s.layers {
		s.config.Unknown = s.config.Unknown || l.unknown()
	}
	s.checkAddress()
	g := &s.config.GNMI
	g.Username = s.text("OPENCONFIG_USERNAME", func(l layer) types.String { return l.conn.Username })
	g.Password = s.text("OPENCONFIG_PASSWORD", func(l layer) types.String { return l.conn.Password })
	s.config.LockKey = own.LockKey.ValueString()
	g.Plaintext = s.flag("OPENCONFIG_PLAINTEXT", func(l layer) types.Bool { return l.conn.Plaintext })
	g.TLS = gnmi.TLS{
		CACert:     s.text("OPENCONFIG_TLS_CA_CERT", func(l layer) types.String { return l.tls.CACert }),
		ClientCert: s.text("OPENCONFIG_TLS_CLIENT_CERT", func(l layer) types.String { return l.tls.ClientCert }),
		ClientKey:  s.text("OPENCONFIG_TLS_CLIENT_KEY", func(l layer) types.String { return l.tls.ClientKey }),
		ServerName: s.text("OPENCONFIG_TLS_SERVER_NAME", func(l layer) types.String { return l.tls.ServerName }),
		SkipVerify: s.flag("OPENCONFIG_TLS_SKIP_VERIFY", func(l layer) types.Bool { return l.tls.SkipVerify }),
	}
	g.ConnectTimeout = s.duration("connect_timeout", "OPENCONFIG_CONNECT_TIMEOUT", func(l layer) types.String { return l.conn.ConnectTimeout })
	g.ReadTimeout = s.duration("read_timeout", "OPENCONFIG_READ_TIMEOUT", func(l layer) types.String { return l.conn.ReadTimeout })
	g.RetryBudget = s.duration("retry_timeout", "OPENCONFIG_RETRY_TIMEOUT", func(l layer) types.String { return l.conn.RetryTimeout })
	g.SetTimeout = s.duration("set_timeout", "OPENCONFIG_SET_TIMEOUT", func(l layer) types.String { return l.conn.SetTimeout })
	s.config.VerifyTimeout = s.verification()
	s.config.Arbitration = s.flag("OPENCONFIG_ARBITRATION", func(l layer) types.Bool { return l.conn.Arbitration })
	s.config.Batch = s.flag("OPENCONFIG_BATCH", func(l layer) types.Bool { return l.conn.Batch })
	s.config.Profile = s.profile()
	s.config.CommitConfirmed = s.rollback()
	s.config.Policies = s.policies()
	s.warnPlaintext()
	return s.config
}

func (s *settings) checkAddress() {
	if s.layers[0].conn.Address.IsUnknown() {
		return
	}
	_, err := gnmi.CanonicalAddress(s.config.GNMI.Address)
	if err == nil {
		return
	}
	text := fmt.Sprintf("Device %q: %s, such as \"leaf1.example\" or \"192.0.2.1:9339\".", s.config.Name, err)
	if s.layers[0].conn.Address.IsNull() {
		s.diags.AddError("Invalid environment", "OPENCONFIG_ADDRESS: "+text)
		return
	}
	s.diags.AddAttributeError(s.layers[0].at.AtName("address"), "Invalid address", text)
}

// warnPlaintext warns where secrets would travel readable beyond this host.
func (s *settings) warnPlaintext() {
	address, err := gnmi.CanonicalAddress(s.config.GNMI.Address)
	if err != nil || !s.config.GNMI.Plaintext || gnmi.Loopback(address) {
		return
	}
	s.diags.AddAttributeWarning(s.layers[0].at.AtName("plaintext"), "Connection without TLS",
		fmt.Sprintf("Device %q (%s) is reached in plaintext: configuration and credentials can be read on the way. Leave plaintext out to use TLS.", s.config.Name, address))
}

func first(v types.String, env string) string {
	if !v.IsNull() {
		return v.ValueString()
	}
	return os.Getenv(env)
}
