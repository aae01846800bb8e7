// Command floor is a provider that does nothing: it has the schema of the
// provider and of openconfig_interface, and its resource copies each plan to
// the state. What Terraform and the plugin framework take with it is the least
// that they take with any provider of that schema.
package main

import (
	"context"
	"log"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	openconfig "github.com/terraform-openconfig/terraform-provider-openconfig/internal/provider"
)

// typeName is the type of the one resource.
const typeName = "openconfig_interface"

func main() {
	err := providerserver.Serve(context.Background(), newFloor, providerserver.ServeOpts{Address: openconfig.Address})
	if err != nil {
		log.Fatal(err)
	}
}

// floor takes metadata and schema from the provider that it is compared with.
type floor struct{ provider.Provider }

func newFloor() provider.Provider { return floor{openconfig.NewServer("floor").Provider()} }

// Configure is part of provider.Provider.
func (floor) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {}

// DataSources is part of provider.Provider.
func (floor) DataSources(context.Context) []func() datasource.DataSource { return nil }

// Resources is part of provider.Provider.
func (f floor) Resources(ctx context.Context) []func() resource.Resource {
	for _, construct := range f.Provider.Resources(ctx) {
		var metadata resource.MetadataResponse
		construct().Metadata(ctx, resource.MetadataRequest{}, &metadata)
		if metadata.TypeName == typeName {
			return []func() resource.Resource{func() resource.Resource { return copier{construct()} }}
		}
	}
	return nil
}

// copier is a resource whose operations only copy. It hides what the resource
// below can do beyond resource.Resource.
type copier struct{ schema resource.Resource }

// Metadata is part of resource.Resource.
func (c copier) Metadata(ctx context.Context, req resource.MetadataRequest, res *resource.MetadataResponse) {
	c.schema.Metadata(ctx, req, res)
}

// Schema is part of resource.Resource.
func (c copier) Schema(ctx context.Context, req resource.SchemaRequest, res *resource.SchemaResponse) {
	c.schema.Schema(ctx, req, res)
}

// Create is part of resource.Resource.
func (copier) Create(_ context.Context, req resource.CreateRequest, res *resource.CreateResponse) {
	res.State.Raw = req.Plan.Raw
}

// Read is part of resource.Resource.
func (copier) Read(context.Context, resource.ReadRequest, *resource.ReadResponse) {}

// Update is part of resource.Resource.
func (copier) Update(_ context.Context, req resource.UpdateRequest, res *resource.UpdateResponse) {
	res.State.Raw = req.Plan.Raw
}

// Delete is part of resource.Resource.
func (copier) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {}
