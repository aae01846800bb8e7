package kubelease

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock/kubelease/kubetest"
)

func TestALeaseThatIsFreedByForceIsTheFreersForTheLockDelay(t *testing.T) {
	w := newWorld(t)
	store, other := w.host(t, 0), w.host(t, 0)
	lease := take(t, store, request("holder", time.Hour))
	by := devicelock.Owner{ID: "admin", User: "admin"}
	must(t, other.Break(t.Context(), device, "holder", by, 10*time.Second))
	if err := lease.Renew(t.Context(), devicelock.Owner{ID: "holder"}); !errors.Is(err, devicelock.ErrLeaseLost) {
		t.Errorf("renewing: %v", err)
	}
	release(t, lease)
	if owner := wait(t, other, request("next", time.Minute)); owner.ID != "admin" {
		t.Errorf("held by %+v", owner)
	}
	w.pass(9 * time.Second)
	wait(t, other, request("next", time.Minute))
	w.pass(time.Second + margin + time.Second)
	if next := take(t, other, request("next", time.Minute)); next.Fence() <= lease.Fence() {
		t.Errorf("fence %d after %d", next.Fence(), lease.Fence())
	}
}

func TestAReleaseDeletesNoLeaseThatSomebodyElseMadeInBetween(t *testing.T) {
	server := kubetest.Simulate(t)
	operator := server.Operator(t, "network-operator", time.Now)
	lease := take(t, openCluster(t, server.Cluster), request("us", time.Minute))
	var once sync.Once
	server.Before(func(verb, _ string) {
		if verb == "delete" {
			once.Do(func() {
				server.Before(nil)
				if err := operator.Delete(t.Context(), device); err != nil {
					t.Error(err)
				}
				if got, err := operator.Acquire(t.Context(), device); err != nil || !got {
					t.Errorf("the operator acquires: %v, %v", got, err)
				}
			})
		}
	})
	release(t, lease)
	found, err := operator.Get(t.Context(), device)
	must(t, err)
	if found == nil || *found.Spec.HolderIdentity != "network-operator" {
		t.Errorf("the operator's Lease is now %+v", found)
	}
}

func TestALeaseMadeAnewUnderTheSameNameAndHolderIsNotOurs(t *testing.T) {
	server := kubetest.Simulate(t)
	admin := server.Operator(t, "admin", time.Now)
	store := openCluster(t, server.Cluster)
	lease := take(t, store, request("us", time.Minute))
	must(t, admin.Delete(t.Context(), device))
	take(t, store, request("us", time.Minute))
	if err := lease.Renew(t.Context(), devicelock.Owner{ID: "us"}); !errors.Is(err, devicelock.ErrLeaseLost) {
		t.Errorf("renewing: %v", err)
	}
	release(t, lease)
	if found, err := admin.Get(t.Context(), device); err != nil || found == nil {
		t.Errorf("the release of an earlier lease deleted a later one: %+v, %v", found, err)
	}
}

func TestALeaseOutlivesWhatOthersWriteOnIt(t *testing.T) {
	server := kubetest.Simulate(t)
	store := openCluster(t, server.Cluster)
	lease := take(t, store, request("us", time.Minute))
	change := func() {
		t.Helper()
		object, err := store.api.get(t.Context(), device)
		must(t, err)
		object.Labels["team"] = "network"
		object.Annotations["note"] = time.Now().String()
		_, err = store.api.update(t.Context(), object)
		must(t, err)
	}
	change()
	must(t, lease.Renew(t.Context(), devicelock.Owner{ID: "us"}))
	change()
	record, err := store.Inspect(t.Context(), device)
	must(t, err)
	if record.Fence != lease.Fence() {
		t.Errorf("the record's fence is %d, the lease's %d", record.Fence, lease.Fence())
	}
	release(t, lease)
	if records, err := store.List(t.Context()); err != nil || len(records) != 0 {
		t.Errorf("after the release: %+v, %v", records, err)
	}
}

func TestALostReplyLosesNoLease(t *testing.T) {
	server := kubetest.Simulate(t)
	store := openCluster(t, server.Cluster)

	server.LoseReply("create")
	if _, _, err := store.Acquire(t.Context(), device, request("us", time.Minute)); err == nil {
		t.Fatal("the reply was not lost")
	}
	lease := take(t, store, request("us", time.Minute))

	server.LoseReply("update")
	if err := lease.Renew(t.Context(), devicelock.Owner{ID: "us"}); err == nil || errors.Is(err, devicelock.ErrLeaseLost) {
		t.Errorf("renewing without a reply: %v", err)
	}
	must(t, lease.Renew(t.Context(), devicelock.Owner{ID: "us"}))

	server.LoseReply("delete")
	if err := lease.Release(t.Context()); err == nil {
		t.Error("the reply was not lost")
	}
	release(t, lease)
	take(t, store, request("next", time.Minute))
}

func TestAWatcherHearsOfAReleaseAcrossWatchesThatEnd(t *testing.T) {
	for name, disturb := range map[string]func(*kubetest.Server){
		"when the server ends them":                     (*kubetest.Server).DropWatches,
		"when the server has forgotten where they were": func(s *kubetest.Server) { s.Compact(); s.DropWatches() },
	} {
		t.Run(name, func(t *testing.T) {
			server := kubetest.Simulate(t)
			lease := take(t, openCluster(t, server.Cluster), request("holder", time.Minute))
			store := openCluster(t, server.Cluster)
			wait(t, store, request("waiter", time.Minute))
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			signals := store.Watch(ctx, device)
			eventually(t, "watching", func() bool { return server.Requests("watch") == 2 })
			disturb(server)
			release(t, lease)
			for got := false; !got; {
				select {
				case <-signals:
					next, _ := ask(t, store, request("waiter", time.Minute))
					got = next != nil
				case <-ctx.Done():
					t.Fatal("no word of the release")
				}
			}
		})
	}
}
