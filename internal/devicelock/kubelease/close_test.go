package kubelease

import (
	"context"
	"testing"
	"time"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock/kubelease/kubetest"
)

func TestClosingAStoreEndsItsConnectionsThoughItWatched(t *testing.T) {
	server := kubetest.Simulate(t)
	for range 30 {
		store, err := New(Options{Kubeconfig: server.Kubeconfig})
		must(t, err)
		lease := take(t, store, request("us", time.Minute))
		ctx, cancel := context.WithCancel(t.Context())
		watching := server.Requests("watch") + 2
		store.Watch(ctx, device)
		eventually(t, "watching", func() bool { return server.Requests("watch") == watching })
		release(t, lease)
		cancel()
		must(t, store.Close())
	}
	eventually(t, "the end of all connections", func() bool { return server.Connections() == 0 })
}
