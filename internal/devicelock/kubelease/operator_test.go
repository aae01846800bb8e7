package kubelease

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock/kubelease/kubetest"
)

// acquired is an operator's attempt to acquire the device, or to renew.
func acquired(t *testing.T, operator *kubetest.Operator) bool {
	t.Helper()
	got, err := operator.Acquire(t.Context(), device)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// operatorHolds has the operator take the device in a world.
func operatorHolds(t *testing.T, w *world, skew time.Duration) *kubetest.Operator {
	t.Helper()
	operator := w.Operator(t, "network-operator", w.clock(skew))
	if !acquired(t, operator) {
		t.Fatal("the operator did not get a free device")
	}
	return operator
}

func TestADeviceThatAnOperatorHoldsIsRefusedForAsLongAsItRenews(t *testing.T) {
	for name, skew := range skews {
		t.Run("its clock "+name, func(t *testing.T) {
			w := newWorld(t)
			operator := operatorHolds(t, w, skew)
			store := w.host(t, 0)
			for range 20 {
				if owner := wait(t, store, request("us", time.Minute)); owner.ID != "network-operator" {
					t.Fatalf("held by %+v", owner)
				}
				w.pass(time.Second)
				if !acquired(t, operator) {
					t.Fatal("the operator could not renew")
				}
			}
			record, err := store.Inspect(t.Context(), device)
			must(t, err)
			if record.Holder == nil || record.Holder.User != "network-operator" || len(record.Waiting) != 1 {
				t.Errorf("%+v", record)
			}
		})
	}
}

func TestADeviceIsGivenAsSoonAsTheOperatorGivesItBack(t *testing.T) {
	for name, giveBack := range map[string]func(*kubetest.Operator) error{
		"by deleting its Lease":      func(o *kubetest.Operator) error { return o.Release(t.Context(), device) },
		"by taking its name from it": func(o *kubetest.Operator) error { return o.Vacate(t.Context(), device) },
	} {
		t.Run(name, func(t *testing.T) {
			cluster := kubetest.Start(t)
			operator := cluster.Operator(t, "network-operator", time.Now)
			if !acquired(t, operator) {
				t.Fatal("the operator did not get a free device")
			}
			store := openCluster(t, cluster)
			wait(t, store, request("us", time.Minute))
			signals := store.Watch(t.Context(), device)
			must(t, giveBack(operator))
			select {
			case <-signals:
			case <-time.After(20 * time.Second):
				t.Fatal("no word of the operator's release")
			}
			lease := take(t, store, request("us", time.Minute))
			if lease.Orphaned() {
				t.Error("what was given back counts as orphaned")
			}
			if acquired(t, operator) {
				t.Error("the operator got it too")
			}
		})
	}
}

func TestADeviceIsGivenWhenTheOperatorHasNotRenewedForItsDuration(t *testing.T) {
	for name, skew := range skews {
		t.Run("its clock "+name, func(t *testing.T) {
			w := newWorld(t)
			operator := operatorHolds(t, w, skew)
			w.pass(time.Hour) // unseen
			store := w.host(t, 0)
			wait(t, store, request("us", time.Minute))
			w.pass(kubetest.OperatorDuration - time.Second)
			wait(t, store, request("us", time.Minute))
			w.pass(2 * time.Second)
			lease := take(t, store, request("us", time.Minute))
			if !lease.Orphaned() {
				t.Error("the operator's last Set may be under way, and the lease is not orphaned")
			}
			if held, err := operator.Held(t.Context(), device); skew == 0 && (err != nil || !held) {
				t.Errorf("the operator sees it held: %v, %v", held, err)
			}
		})
	}
}

func TestAnOperatorSeesADeviceHeldForAsLongAsWeHoldIt(t *testing.T) {
	const ttl = 30 * time.Second
	w := newWorld(t)
	operator := w.Operator(t, "network-operator", w.clock(0))
	store := w.host(t, 10*time.Minute) // what this clock says is not written
	lease := take(t, store, request("us", ttl))
	for range 12 {
		for range 2 {
			w.pass(ttl / 3)
			held, err := operator.Held(t.Context(), device)
			must(t, err)
			if !held || acquired(t, operator) {
				t.Fatal("the operator does not respect our lease")
			}
		}
		must(t, lease.Renew(t.Context(), devicelock.Owner{ID: "us"}))
	}
	release(t, lease)
	if found, err := operator.Get(t.Context(), device); err != nil || found != nil {
		t.Errorf("after the release there is %+v, %v", found, err)
	}
	if !acquired(t, operator) {
		t.Error("the operator does not get what we released")
	}
	wait(t, store, request("us", ttl))
}

func TestALeaseThatAnOperatorTookOverIsLostAndLeftAlone(t *testing.T) {
	const ttl = 30 * time.Second
	w := newWorld(t)
	operator := w.Operator(t, "network-operator", w.clock(0))
	store := w.host(t, 0)
	lease := take(t, store, request("us", ttl))
	w.pass(ttl + 2*time.Second)
	if !acquired(t, operator) {
		t.Fatal("the operator does not take what has ended")
	}
	if err := lease.Renew(t.Context(), devicelock.Owner{ID: "us"}); !errors.Is(err, devicelock.ErrLeaseLost) {
		t.Errorf("renewing: %v", err)
	}
	release(t, lease)
	must(t, store.Withdraw(t.Context(), device, "us"))
	if owner := wait(t, store, request("again", ttl)); owner.ID != "network-operator" {
		t.Errorf("held by %+v", owner)
	}
}

func TestAnOperatorsDeviceIsFreedByForceForTheLockDelay(t *testing.T) {
	w := newWorld(t)
	operator := operatorHolds(t, w, 0)
	store := w.host(t, 0)
	by := devicelock.Owner{ID: "admin", User: "admin"}
	must(t, store.Break(t.Context(), device, "network-operator", by, 10*time.Second))
	if acquired(t, operator) {
		t.Error("the operator renewed what was taken from it")
	}
	if owner := wait(t, store, request("us", time.Minute)); owner.ID != "admin" {
		t.Errorf("held by %+v", owner)
	}
	w.pass(10*time.Second + margin + time.Second)
	take(t, store, request("us", time.Minute))
}

func TestOperatorsAndOwnersNeverHoldADeviceAtOnce(t *testing.T) {
	cluster := kubetest.Start(t)
	const turns = 5
	var holders atomic.Int32
	var all sync.WaitGroup
	// contend has its turns with the device: acquire returns nil if it is not free.
	contend := func(name string, acquire func() (renew, release func() error, err error)) {
		left := turns
		if !comes(func() bool {
			renew, release, err := acquire()
			if err != nil {
				t.Errorf("%s: acquiring: %v", name, err)
				return true
			}
			if release == nil {
				return false
			}
			if holders.Add(1) != 1 {
				t.Error("two hold the device")
			}
			err = renew()
			holders.Add(-1)
			if err = errors.Join(err, release()); err != nil {
				t.Errorf("%s: keeping and releasing: %v", name, err)
			}
			left--
			return left == 0
		}) {
			t.Errorf("%s misses %d of its turns", name, left)
		}
	}
	for _, name := range []string{"operator1", "operator2"} {
		operator := cluster.Operator(t, name, time.Now)
		all.Go(func() {
			contend(name, func() (func() error, func() error, error) {
				got, err := operator.Acquire(t.Context(), device)
				if !got || err != nil {
					return nil, nil, err
				}
				renew := func() error {
					if got, err := operator.Acquire(t.Context(), device); !got || err != nil {
						return fmt.Errorf("renewed %v: %w", got, err)
					}
					return nil
				}
				return renew, func() error { return operator.Release(t.Context(), device) }, nil
			})
		})
	}
	for _, name := range []string{"owner1", "owner2"} {
		store := openCluster(t, cluster)
		all.Go(func() {
			contend(name, func() (func() error, func() error, error) {
				lease, _, err := store.Acquire(t.Context(), device, request(name, time.Minute))
				if lease == nil || err != nil {
					return nil, nil, err
				}
				renew := func() error { return lease.Renew(t.Context(), devicelock.Owner{ID: name}) }
				return renew, func() error { return lease.Release(t.Context()) }, nil
			})
		})
	}
	all.Wait()
}
