package devicelock_test

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
)

// device is one that refuses a step until what it refers to is there.
type device struct {
	mu     sync.Mutex
	exists map[string]bool
	tries  int
}

// set tries to create the owner and reports whether the device accepts it.
func (d *device) set(owner, needs string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.tries++
	if needs != "" && !d.exists[needs] {
		return false
	}
	if d.exists == nil {
		d.exists = map[string]bool{}
	}
	d.exists[owner] = true
	return true
}

// apply is one step as a provider runs it: it yields while it is refused.
func (d *device) apply(ctx context.Context, gate *devicelock.Gate, step devicelock.Step, needs string) error {
	grant, err := gate.Acquire(ctx, step)
	if err != nil {
		return err
	}
	defer grant.Release()
	for {
		time.Sleep(ms)
		if d.set(step.Owner, needs) {
			grant.Changed()
			return nil
		}
		if err := grant.Yield(ctx); err != nil {
			return err
		}
	}
}

func TestARefusedStepIsTriedAgainAfterTheNextChange(t *testing.T) {
	bubble(t, devicelock.Options{}, func(t *testing.T, _ *devicelock.Registry, gate *devicelock.Gate) {
		var device device
		var order log
		go func() {
			if err := device.apply(t.Context(), gate, aNeighbor, "peer group"); err != nil {
				t.Error(err)
			}
			order.add("neighbor")
		}()
		time.Sleep(time.Second)
		// Holds that change nothing wake nobody.
		acquire(t, gate, named(anInterface, "refused")).Release()
		time.Sleep(time.Second)
		if device.tries != 1 {
			t.Errorf("%d tries before the change", device.tries)
		}
		if err := device.apply(t.Context(), gate, aPeerGroup, ""); err != nil {
			t.Error(err)
		}
		time.Sleep(200 * ms)
		if !slices.Equal(order.all(), []string{"neighbor"}) || device.tries != 3 {
			t.Errorf("after the change: %v, %d tries", order.all(), device.tries)
		}
	})
}

func TestManyThatYieldAreTriedOnceAWaveNotOnceAChange(t *testing.T) {
	const steps = 20
	bubble(t, devicelock.Options{}, func(t *testing.T, _ *devicelock.Registry, gate *devicelock.Gate) {
		var device device
		var group sync.WaitGroup
		run := func(step devicelock.Step, needs string) {
			group.Go(func() {
				if err := device.apply(t.Context(), gate, step, needs); err != nil {
					t.Error(err)
				}
			})
		}
		for i := range steps { // refused at first
			run(named(aNeighbor, "early "+strconv.Itoa(i)), "interface")
		}
		time.Sleep(200 * ms)
		holder := acquire(t, gate, named(anInterface, "holder"))
		for i := range steps { // change the device, but do not help
			run(named(aNeighbor, "late "+strconv.Itoa(i)), "")
		}
		synctest.Wait()
		holder.Release()
		time.Sleep(200 * ms)
		run(anInterface, "")
		group.Wait()
		// First all early ones, then the late ones, then the early ones once
		// more in vain, the interface, and the early ones.
		if most := steps + steps + steps + 1 + steps; device.tries > most {
			t.Errorf("%d tries, want at most %d", device.tries, most)
		}
	})
}

func TestAStepThatYieldsInVainGivesUp(t *testing.T) {
	tests := map[string]struct {
		around func(t *testing.T, gate *devicelock.Gate)
		want   time.Duration
	}{
		"when the gate is idle": {func(*testing.T, *devicelock.Gate) {}, 2 * time.Second},
		"later when something is announced": {func(_ *testing.T, gate *devicelock.Gate) {
			time.Sleep(time.Second)
			gate.Announce(anInterface) // which never comes
		}, 5 * time.Second},
		"later when something is held": {func(t *testing.T, gate *devicelock.Gate) {
			time.Sleep(time.Second)
			grant := acquire(t, gate, anInterface)
			time.Sleep(10 * time.Second)
			grant.Release()
		}, 13 * time.Second},
		"at its limit whatever happens": {func(t *testing.T, gate *devicelock.Gate) {
			for range 40 {
				time.Sleep(time.Second)
				acquire(t, gate, anInterface).Release()
			}
		}, 30 * time.Second},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			bubble(t, devicelock.Options{}, func(t *testing.T, _ *devicelock.Registry, gate *devicelock.Gate) {
				grant := acquire(t, gate, aNeighbor)
				var group sync.WaitGroup
				group.Go(func() { test.around(t, gate) })
				got := waited(func() {
					if err := grant.Yield(t.Context()); !errors.Is(err, devicelock.ErrNoProgress) {
						t.Errorf("error %v", err)
					}
				})
				if got != test.want {
					t.Errorf("gave up after %s, want %s", got, test.want)
				}
				if err := grant.Yield(t.Context()); !errors.Is(err, devicelock.ErrNotHeld) {
					t.Errorf("a grant that gave up yields: %v", err)
				}
				grant.Release()
				group.Wait()
			})
		})
	}
}

func TestTheYieldLimitHoldsForAllYieldsTogether(t *testing.T) {
	bubble(t, devicelock.Options{}, func(t *testing.T, _ *devicelock.Registry, gate *devicelock.Gate) {
		ctx, stop := context.WithCancel(t.Context())
		var group sync.WaitGroup
		group.Go(func() {
			for ctx.Err() == nil {
				time.Sleep(time.Second)
				grant := acquire(t, gate, anInterface)
				grant.Changed()
				grant.Release()
			}
		})
		var device device
		got := waited(func() {
			if err := device.apply(t.Context(), gate, aNeighbor, "nothing"); !errors.Is(err, devicelock.ErrNoProgress) {
				t.Errorf("error %v", err)
			}
		})
		stop()
		group.Wait()
		if got < 30*time.Second || got > 31*time.Second {
			t.Errorf("gave up after %s", got)
		}
	})
}

func TestWhereParallelismIsUsedUpOnlyOneGivesUpAtATime(t *testing.T) {
	bubble(t, devicelock.Options{}, func(t *testing.T, registry *devicelock.Registry, gate *devicelock.Gate) {
		var device device
		var mu sync.Mutex
		var failed int
		slots := make(chan struct{}, 4)
		var group sync.WaitGroup
		for i := range 6 { // the last one is what the others need
			step, needs := named(aNeighbor, strconv.Itoa(i)), "peer group"
			if i == 5 {
				step, needs = aPeerGroup, ""
			}
			slots <- struct{}{}
			group.Go(func() {
				defer func() { <-slots }()
				defer registry.Enter()()
				if device.apply(t.Context(), gate, step, needs) != nil {
					mu.Lock()
					failed++
					mu.Unlock()
				}
			})
		}
		group.Wait()
		if failed != 2 {
			t.Errorf("%d steps gave up, want the 2 whose places the others needed", failed)
		}
	})
}

func TestAStepThatYieldsCanBeCancelled(t *testing.T) {
	bubble(t, devicelock.Options{}, func(t *testing.T, _ *devicelock.Registry, gate *devicelock.Gate) {
		grant := acquire(t, gate, aNeighbor)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := grant.Yield(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v", err)
		}
		if status := gate.Status(); status != (devicelock.Status{Key: "device"}) {
			t.Errorf("status %+v", status)
		}
		if got := waited(func() { acquire(t, gate, anInterface).Release() }); got != 0 {
			t.Errorf("the next waited %s", got)
		}
	})
}
