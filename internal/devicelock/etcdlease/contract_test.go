package etcdlease_test

import (
	"testing"
	"time"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock/etcdlease"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock/etcdlease/etcdtest"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock/leasetest"
)

func open(t *testing.T, options etcdlease.Options) *etcdlease.Store {
	t.Helper()
	store, err := etcdlease.New(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return store
}

func TestEtcdKeepsTheContract(t *testing.T) {
	server := etcdtest.Start(t)
	leasetest.Run(t, func(t *testing.T) leasetest.Engine {
		return leasetest.Engine{
			Open: func(t *testing.T) devicelock.Store {
				return open(t, etcdlease.Options{Endpoints: []string{server.Endpoint}, Prefix: "/" + t.Name()})
			},
			Kill:   func(store devicelock.Store) { _ = store.Close() },
			MinTTL: 2 * time.Second,
		}
	})
}
