package devicelock_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
)

var errStopped = errors.New("stopped by the user")

func TestACancelledWaiterLeavesAtOnceAndSaysWhomItWaitedFor(t *testing.T) {
	bubble(t, devicelock.Options{}, func(t *testing.T, _ *devicelock.Registry, gate *devicelock.Gate) {
		holder := acquire(t, gate, named(anInterface, "openconfig_interface Ethernet1"))
		time.Sleep(2 * time.Second)
		ctx, cancel := context.WithCancelCause(t.Context())
		failed := make(chan error, 1)
		go func() {
			_, err := gate.Acquire(ctx, aVLAN)
			failed <- err
		}()
		time.Sleep(3 * time.Second)
		cancel(errStopped)
		got := waited(func() {
			err := <-failed
			var wait *devicelock.WaitError
			if !errors.Is(err, errStopped) || !errors.As(err, &wait) {
				t.Fatalf("error %v", err)
			}
			if wait.Holder.Owner != "openconfig_interface Ethernet1" || wait.HolderFor != 5*time.Second || wait.Waited != 3*time.Second {
				t.Errorf("error %+v", wait)
			}
			for _, part := range []string{"device", "vlan", "Ethernet1", "3s", errStopped.Error()} {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%q does not name %q", err, part)
				}
			}
		})
		if got != 0 || gate.Status().Waiting != 0 {
			t.Errorf("left after %s, %d waiting", got, gate.Status().Waiting)
		}
		holder.Release()
		if got := waited(func() { acquire(t, gate, anInterface).Release() }); got != 0 {
			t.Errorf("the next waited %s", got)
		}
	})
}

func TestAnEndedContextNeverGetsTheGate(t *testing.T) {
	bubble(t, devicelock.Options{}, func(t *testing.T, _ *devicelock.Registry, gate *devicelock.Gate) {
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(errStopped)
		if _, err := gate.Acquire(ctx, anInterface); !errors.Is(err, errStopped) {
			t.Errorf("acquire: %v", err)
		}
		if _, err := gate.Read(ctx); !errors.Is(err, errStopped) {
			t.Errorf("read: %v", err)
		}
		if status := gate.Status(); status != (devicelock.Status{Key: "device"}) {
			t.Errorf("status %+v", status)
		}
	})
}

// The race of a hand-off with a cancellation cannot be staged from outside, so
// it is run often: whatever wins, the gate must be free in the end.
func TestAGrantThatRacesWithACancellationIsPassedOn(t *testing.T) {
	for range 300 {
		bubble(t, devicelock.Options{}, func(t *testing.T, _ *devicelock.Registry, gate *devicelock.Gate) {
			holder := acquire(t, gate, anInterface)
			ctx, cancel := context.WithCancel(t.Context())
			var group sync.WaitGroup
			for range 4 {
				group.Go(func() {
					if grant, err := gate.Acquire(ctx, anInterface); err == nil {
						grant.Release()
					}
				})
				group.Go(func() {
					if release, err := gate.Read(ctx); err == nil {
						release()
					}
				})
			}
			synctest.Wait()
			group.Go(cancel)
			group.Go(holder.Release)
			group.Wait()
			if status := gate.Status(); status != (devicelock.Status{Key: "device"}) {
				t.Fatalf("a grant leaked: %+v", status)
			}
		})
	}
}

func TestWhenTheOneInTheWayIsCancelledTheNextGoesAtOnce(t *testing.T) {
	bubble(t, devicelock.Options{}, func(t *testing.T, _ *devicelock.Registry, gate *devicelock.Gate) {
		var order log
		ctx, cancel := context.WithCancel(t.Context())
		queueUp(ctx, t, gate, deleting(aBGP), ms, &order) // waits for its quiet time
		queueUp(t.Context(), t, gate, anInterface, ms, &order)
		cancel()
		synctest.Wait()
		if got := order.all(); !slices.Contains(got, "interface") {
			t.Errorf("order %v", got)
		}
		time.Sleep(time.Second)
	})
}

func TestAnAcquireUnderAHoldOfTheSameDeviceIsRefused(t *testing.T) {
	bubble(t, devicelock.Options{}, func(t *testing.T, registry *devicelock.Registry, gate *devicelock.Gate) {
		grant := acquire(t, gate, anInterface)
		other, err := registry.Gate("other").Acquire(grant.Context(), anInterface)
		if err != nil {
			t.Fatalf("another device: %v", err)
		}
		ctx, cancel := context.WithCancel(other.Context())
		defer cancel()
		if _, err := gate.Acquire(ctx, aVLAN); !errors.Is(err, devicelock.ErrHeld) {
			t.Errorf("error %v, want ErrHeld", err)
		}
		other.Release()
		grant.Release()
		again, err := gate.Acquire(grant.Context(), aVLAN)
		if err != nil {
			t.Fatalf("after the release: %v", err)
		}
		again.Release()
	})
}

func TestReleasingTwiceFreesNobodyElsesHold(t *testing.T) {
	bubble(t, devicelock.Options{}, func(t *testing.T, _ *devicelock.Registry, gate *devicelock.Gate) {
		first := acquire(t, gate, anInterface)
		first.Release()
		second := acquire(t, gate, aVLAN)
		first.Release()
		if holder := gate.Status().Holder; holder != aVLAN {
			t.Errorf("held by %v", holder)
		}
		second.Release()
	})
}

func TestAWaiterGivesUpWhenOneHolderMakesNoProgress(t *testing.T) {
	bubble(t, devicelock.Options{}, func(t *testing.T, _ *devicelock.Registry, gate *devicelock.Gate) {
		stuck := acquire(t, gate, anInterface)
		time.Sleep(20 * time.Second)
		got := waited(func() {
			_, err := gate.Acquire(t.Context(), aVLAN)
			if !errors.Is(err, devicelock.ErrStalled) {
				t.Errorf("error %v", err)
			}
		})
		if got != 30*time.Second {
			t.Errorf("waited %s", got)
		}
		got = waited(func() {
			_, err := gate.Read(t.Context())
			if !errors.Is(err, devicelock.ErrStalled) {
				t.Errorf("read: error %v", err)
			}
		})
		if got != 30*time.Second {
			t.Errorf("read waited %s", got)
		}
		if holder := gate.Status().Holder; holder != anInterface {
			t.Errorf("the hold went to %v", holder)
		}
		stuck.Release()
	})
}

func TestAWaiterDoesNotGiveUpWhileOthersMakeProgress(t *testing.T) {
	bubble(t, devicelock.Options{}, func(t *testing.T, _ *devicelock.Registry, gate *devicelock.Gate) {
		var order log
		for range 10 {
			queueUp(t.Context(), t, gate, anInterface, 29*time.Second, &order)
		}
		got := waited(func() { acquire(t, gate, aVLAN).Release() })
		if got != 290*time.Second {
			t.Errorf("waited %s", got)
		}
	})
}

func TestWithoutAStallLimitAWaiterWaits(t *testing.T) {
	bubble(t, devicelock.Options{StallLimit: -1}, func(t *testing.T, _ *devicelock.Registry, gate *devicelock.Gate) {
		var order log
		queueUp(t.Context(), t, gate, anInterface, time.Hour, &order)
		if got := waited(func() { acquire(t, gate, aVLAN).Release() }); got != time.Hour {
			t.Errorf("waited %s", got)
		}
	})
}
