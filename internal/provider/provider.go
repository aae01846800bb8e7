// Package provider is the provider's own schema, its configuration, and the
// list of what it offers.
package provider

import (
	"context"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/device"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/kind"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/service/bgp"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/service/interfaces"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/service/networkinstance"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/service/vlan"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/telemetry"
)

// Address is the provider's address in the registry.
const Address = "registry.terraform.io/terraform-openconfig/openconfig"

type openconfig struct {
	version   string
	resources func() []func() resource.Resource
}

var _ provider.Provider = (*openconfig)(nil)

// New returns a constructor of the provider at a version. Meanwhile it begins
// with what Terraform asks first: the schemas are ready when it has connected.
func New(version string) func() provider.Provider {
	resources := sync.OnceValue(func() []func() resource.Resource { return kind.Resources(Kinds()...) })
	go resources()
	return func() provider.Provider { return &openconfig{version: version, resources: resources} }
}

// Kinds are the resource types, foundational ones first.
func Kinds() []kind.Kind {
	return []kind.Kind{
		interfaces.Interface(), networkinstance.NetworkInstance(), vlan.VLAN(), interfaces.Subinterface(),
		bgp.Instance(), bgp.PeerGroup(), bgp.Neighbor(),
	}
}

// Metadata is part of provider.Provider.
func (p *openconfig) Metadata(_ context.Context, _ provider.MetadataRequest, res *provider.MetadataResponse) {
	res.TypeName, res.Version = "openconfig", p.version
}

// Schema is part of provider.Provider.
func (p *openconfig) Schema(_ context.Context, _ provider.SchemaRequest, res *provider.SchemaResponse) {
	res.Schema = providerSchema()
}

// Configure is part of provider.Provider. It contacts no device.
func (p *openconfig) Configure(ctx context.Context, req provider.ConfigureRequest, res *provider.ConfigureResponse) {
	configs, diags := read(ctx, req.Config)
	res.Diagnostics.Append(diags...)
	if res.Diagnostics.HasError() {
		return
	}
	// A step's own timeouts bound how long it waits for the device. A holder of
	// this process makes progress by itself: its Set has a deadline.
	registry := devicelock.New(devicelock.Options{Observer: telemetry.Log{}, StallLimit: -1})
	fleet, err := device.NewFleet(registry, nil, configs)
	if err != nil {
		res.Diagnostics.AddError("Invalid device configuration", err.Error())
		return
	}
	res.ResourceData, res.DataSourceData = fleet, fleet
}

// Resources is part of provider.Provider.
func (p *openconfig) Resources(context.Context) []func() resource.Resource {
	return p.resources()
}

// DataSources is part of provider.Provider.
func (p *openconfig) DataSources(context.Context) []func() datasource.DataSource { return nil }
