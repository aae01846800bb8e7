package redislease_test

import (
	"testing"
	"time"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock/leasetest"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock/redislease"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock/redislease/redistest"
)

// engine is the one that options lead to. A client's death is its end without a
// release: Redis does not care for connections.
func engine(options redislease.Options) leasetest.Engine {
	return leasetest.Engine{
		Open:   func(t *testing.T) devicelock.Store { return open(t, options) },
		Kill:   func(store devicelock.Store) { _ = store.Close() },
		MinTTL: 300 * time.Millisecond,
	}
}

func open(t *testing.T, options redislease.Options) *redislease.Store {
	t.Helper()
	store, err := redislease.New(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return store
}

func TestASingleServerKeepsTheContract(t *testing.T) {
	t.Parallel()
	server := redistest.Run(t, redistest.Options{})
	leasetest.Run(t, func(*testing.T) leasetest.Engine { return engine(redislease.Options{URL: server.URL()}) })
}

func TestAClusterKeepsTheContract(t *testing.T) {
	t.Parallel()
	server := redistest.Run(t, redistest.Options{Cluster: true})
	leasetest.Run(t, func(*testing.T) leasetest.Engine { return engine(redislease.Options{Cluster: []string{server.Addr}}) })
}

func TestAServerBehindSentinelKeepsTheContract(t *testing.T) {
	t.Parallel()
	redistest.NeedReal(t, "it is no Sentinel")
	server := redistest.Run(t, redistest.Options{})
	sentinel := server.Sentinel(t, "lock")
	leasetest.Run(t, func(*testing.T) leasetest.Engine {
		return engine(redislease.Options{Sentinel: redislease.Sentinel{MasterName: "lock", Addresses: []string{sentinel}}})
	})
}
