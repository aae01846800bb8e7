// Command empty is the smallest provider that the plugin framework makes: one
// resource with two attributes. What it takes to start is the least that any
// provider takes.
package main

import (
	"context"
	"log"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
)

func main() {
	construct := func() provider.Provider { return empty{} }
	err := providerserver.Serve(context.Background(), construct, providerserver.ServeOpts{Address: "registry.terraform.io/terraform-openconfig/empty"})
	if err != nil {
		log.Fatal(err)
	}
}

type empty struct{}

// Metadata is part of provider.Provider.
func (empty) Metadata(_ context.Context, _ provider.MetadataRequest, res *provider.MetadataResponse) {
	res.TypeName = "empty"
}

// Schema is part of provider.Provider.
func (empty) Schema(context.Context, provider.SchemaRequest, *provider.SchemaResponse) {}

// Configure is part of provider.Provider.
func (empty) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {}

// DataSources is part of provider.Provider.
func (empty) DataSources(context.Context) []func() datasource.DataSource { return nil }

// Resources is part of provider.Provider.
func (empty) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{func() resource.Resource { return thing{} }}
}

type thing struct{}

// Metadata is part of resource.Resource.
func (thing) Metadata(_ context.Context, _ resource.MetadataRequest, res *resource.MetadataResponse) {
	res.TypeName = "empty_thing"
}

// Schema is part of resource.Resource.
func (thing) Schema(_ context.Context, _ resource.SchemaRequest, res *resource.SchemaResponse) {
	res.Schema = schema.Schema{Attributes: map[string]schema.Attribute{
		"name":  schema.StringAttribute{Required: true},
		"value": schema.StringAttribute{Optional: true},
	}}
}

// Create is part of resource.Resource.
func (thing) Create(context.Context, resource.CreateRequest, *resource.CreateResponse) {}

// Read is part of resource.Resource.
func (thing) Read(context.Context, resource.ReadRequest, *resource.ReadResponse) {}

// Update is part of resource.Resource.
func (thing) Update(context.Context, resource.UpdateRequest, *resource.UpdateResponse) {}

// Delete is part of resource.Resource.
func (thing) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {}
