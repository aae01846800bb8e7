package provider

import (
	"context"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// protocol is the provider as Terraform talks to it, with the schema made before
// Terraform asks for it.
type protocol struct {
	tfprotov6.ProviderServer
	schema func() (*tfprotov6.GetProviderSchemaResponse, error)
}

// Protocol returns the provider as Terraform talks to it. What Terraform asks
// first takes some milliseconds to make, and is the same for everybody: it is
// begun now, while the plugin's connection comes about.
func (s *Server) Protocol() tfprotov6.ProviderServer {
	p := &protocol{ProviderServer: providerserver.NewProtocol6(s.Provider())()}
	p.schema = sync.OnceValues(func() (*tfprotov6.GetProviderSchemaResponse, error) {
		return p.ProviderServer.GetProviderSchema(context.Background(), &tfprotov6.GetProviderSchemaRequest{})
	})
	go func() { _, _ = p.schema() }()
	return p
}

// GetProviderSchema is part of tfprotov6.ProviderServer.
func (p *protocol) GetProviderSchema(context.Context, *tfprotov6.GetProviderSchemaRequest) (*tfprotov6.GetProviderSchemaResponse, error) {
	return p.schema()
}
