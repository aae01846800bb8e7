package provider

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// protocol is the provider as Terraform talks to it, with the schema made before
// Terraform asks for it, and no change begun after Terraform was interrupted.
type protocol struct {
	tfprotov6.ProviderServer
	schema  func() (*tfprotov6.GetProviderSchemaResponse, error)
	stopped atomic.Bool
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

// StopProvider is part of tfprotov6.ProviderServer.
func (p *protocol) StopProvider(ctx context.Context, req *tfprotov6.StopProviderRequest) (*tfprotov6.StopProviderResponse, error) {
	p.stopped.Store(true)
	return p.ProviderServer.StopProvider(ctx, req)
}

// ApplyResourceChange is part of tfprotov6.ProviderServer. Stopping cancels the
// changes that have come; those that Terraform still sends, because it had begun
// with them, are cancelled here, or each would be written after the interrupt.
func (p *protocol) ApplyResourceChange(ctx context.Context, req *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if p.stopped.Load() {
		cancel()
	}
	return p.ProviderServer.ApplyResourceChange(ctx, req)
}
