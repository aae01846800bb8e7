package kubelease

import (
	"testing"
	"time"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock/kubelease/kubetest"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock/leasetest"
)

func TestStoreKeepsTheContract(t *testing.T) {
	leasetest.Run(t, func(t *testing.T) leasetest.Engine {
		cluster := kubetest.Start(t)
		return leasetest.Engine{
			MinTTL: time.Second,
			Open: func(t *testing.T) devicelock.Store {
				store, err := New(Options{Kubeconfig: cluster.Kubeconfig, Namespace: cluster.Namespace})
				if err != nil {
					t.Fatal(err)
				}
				return store
			},
			// What a dead process leaves is the same as what one that closes
			// its store without a release does: a Lease that nobody renews.
			Kill: func(store devicelock.Store) { _ = store.Close() },
		}
	})
}
