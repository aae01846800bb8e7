// Package provider is the provider's own schema, its configuration, and the
// list of what it offers.
package provider

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/device"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock/backend"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/kind"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/lock"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/service/bgp"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/service/interfaces"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/service/networkinstance"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/service/vlan"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/telemetry"
)

// Address is the provider's address in the registry.
const Address = "registry.terraform.io/terraform-openconfig/openconfig"

// Server makes the providers of one process, and ends what they hold.
type Server struct {
	version   string
	resources func() []func() resource.Resource

	mu     sync.Mutex
	ending []func(ctx context.Context) error
}

// NewServer returns a server of the provider at a version. Meanwhile it begins
// with what Terraform asks first: the schemas are ready when it has connected.
func NewServer(version string) *Server {
	resources := sync.OnceValue(func() []func() resource.Resource { return kind.Resources(Kinds()...) })
	go resources()
	return &Server{version: version, resources: resources}
}

// Provider returns a provider that has not been configured.
func (s *Server) Provider() provider.Provider { return &openconfig{server: s} }

// Close gives back the locks that the providers still hold, ends their
// connections and writes out their metrics. No request may be under way. It
// returns what could not be ended before ctx ends.
func (s *Server) Close(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var problems []error
	for _, end := range slices.Backward(s.ending) {
		problems = append(problems, end(ctx))
	}
	s.ending = nil
	return errors.Join(problems...)
}

// whenClosed has end called when the server is closed, the last one first.
func (s *Server) whenClosed(end func(ctx context.Context) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ending = append(s.ending, end)
}

type openconfig struct {
	server *Server
}

var _ provider.ProviderWithEphemeralResources = (*openconfig)(nil)

// Kinds are the resource types, foundational ones first.
func Kinds() []kind.Kind {
	return []kind.Kind{
		interfaces.Interface(), networkinstance.NetworkInstance(), vlan.VLAN(), interfaces.Subinterface(),
		bgp.Instance(), bgp.PeerGroup(), bgp.Neighbor(),
	}
}

// Metadata is part of provider.Provider.
func (p *openconfig) Metadata(_ context.Context, _ provider.MetadataRequest, res *provider.MetadataResponse) {
	res.TypeName, res.Version = "openconfig", p.server.version
}

// Schema is part of provider.Provider.
func (p *openconfig) Schema(_ context.Context, _ provider.SchemaRequest, res *provider.SchemaResponse) {
	res.Schema = providerSchema()
}

// Configure is part of provider.Provider. It contacts no device.
func (p *openconfig) Configure(ctx context.Context, req provider.ConfigureRequest, res *provider.ConfigureResponse) {
	config, diags := read(ctx, req.Config)
	res.Diagnostics.Append(diags...)
	if res.Diagnostics.HasError() {
		return
	}
	store, err := config.lock.Open()
	if err != nil {
		res.Diagnostics.AddAttributeError(path.Root("lock"), "Cannot use the lock as it is configured", err.Error()+".")
		return
	}
	run := telemetry.DetectRun()
	records, err := telemetry.New(telemetry.Options{EventsFile: config.eventsFile, MetricsFile: config.metricsFile, Run: run, Version: p.server.version})
	if err != nil {
		res.Diagnostics.AddWarning("Cannot record events or metrics", err.Error()+". The run goes on without.")
	}
	p.server.whenClosed(records.Shutdown)
	owner := devicelock.Owner{User: run.User, Host: run.Host, PID: run.PID, Run: run.Run, Workspace: run.Workspace}
	// A step's own timeouts bound how long it waits for the device. A holder of
	// this process makes progress by itself: its Set has a deadline.
	registry := devicelock.New(devicelock.Options{
		Observer: records, StallLimit: -1, Off: config.lock.Backend == backend.Off, LockDelay: config.lock.LockDelay, Timeout: config.lock.Timeout,
		Priority: config.lock.Priority, Leases: config.lock.Leases(store, owner),
	})
	fleet, err := device.NewFleet(registry, sets{records}, config.devices)
	if err != nil {
		res.Diagnostics.AddError("Invalid device configuration", err.Error())
		return
	}
	p.server.whenClosed(fleet.Close)
	res.ResourceData, res.DataSourceData, res.EphemeralResourceData = fleet, fleet, fleet
}

// Resources is part of provider.Provider.
func (p *openconfig) Resources(context.Context) []func() resource.Resource {
	return p.server.resources()
}

// DataSources is part of provider.Provider.
func (p *openconfig) DataSources(context.Context) []func() datasource.DataSource {
	return []func() datasource.DataSource{lock.NewDataSource}
}

// EphemeralResources is part of provider.ProviderWithEphemeralResources.
func (p *openconfig) EphemeralResources(context.Context) []func() ephemeral.EphemeralResource {
	return []func() ephemeral.EphemeralResource{lock.NewEphemeralResource}
}

// sets passes what the devices say of their Sets on to the records.
type sets struct {
	records telemetry.Sink
}

// Sent is part of device.Observer.
func (s sets) Sent(ctx context.Context, sent device.Sent) {
	s.records.Set(ctx, telemetry.SetEvent{
		Device: sent.Key, Name: sent.Name, Step: sent.Step, Fence: sent.Fence, Start: sent.Start, Took: sent.Took,
		Outcome: sent.Outcome, Code: sent.Code, Operations: sent.Operations,
	})
}
