package devicelock_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock/leasetest"
)

func TestAPinKeepsOthersOutAndLetsItsOwnThrough(t *testing.T) {
	shared(t, func(t *testing.T, engine *leasetest.Memory) {
		urgent := func(o *devicelock.Options) { o.Priority = devicelock.Urgent }
		p, other := start(t, engine, "a", nil), start(t, engine, "b", urgent)
		pin, err := p.gate().Pin(t.Context(), named(anInterface, "the run"), time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		acquire(t, p.gate(), aVLAN).Release()
		if _, err := other.gate().Acquire(t.Context(), aVLAN); !errors.Is(err, devicelock.ErrStalled) || !strings.Contains(err.Error(), "the run") {
			t.Errorf("error %v", err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		var impatient log
		queueUp(ctx, t, other.gate(), aVLAN, ms, &impatient)
		for range 10 { // while the other one waits
			time.Sleep(time.Second)
			acquire(t, p.gate(), aVLAN).Release()
		}
		if got := impatient.all(); len(got) > 0 {
			t.Errorf("another run came between the steps of the run: %v", got)
		}
		cancel()
		synctest.Wait()
		pin.Release()
		pin.Release()
		acquire(t, other.gate(), aVLAN).Release()
	})
}

func TestAPinExpires(t *testing.T) {
	shared(t, func(t *testing.T, engine *leasetest.Memory) {
		p, other := start(t, engine, "a", nil), start(t, engine, "b", func(o *devicelock.Options) { o.Leases.Timeout = time.Hour })
		pin, err := p.gate().Pin(t.Context(), named(anInterface, "the run"), time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		took := waited(func() { acquire(t, other.gate(), aVLAN).Release() })
		if took < time.Minute || took > time.Minute+time.Second {
			t.Errorf("the device came free after %s", took)
		}
		if pin.Held() {
			t.Error("the pin holds")
		}
	})
}

func TestStepsFailWhenTheRunsPinWasLost(t *testing.T) {
	shared(t, func(t *testing.T, engine *leasetest.Memory) {
		p, other := start(t, engine, "a", nil), start(t, engine, "b", nil)
		pin, err := p.gate().Pin(t.Context(), named(anInterface, "the run"), time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		record, _, _ := other.gate().Record(t.Context())
		_ = other.store.Break(t.Context(), "device", record.Holder.ID, devicelock.Owner{}, 0)
		synctest.Wait()
		if _, err := p.gate().Acquire(t.Context(), aVLAN); !errors.Is(err, devicelock.ErrLeaseLost) || pin.Held() {
			t.Errorf("error %v", err)
		}
		pin.Release()
		acquire(t, p.gate(), aVLAN).Release()
	})
}

func TestSeveralDevicesAreTakenInOneOrder(t *testing.T) {
	shared(t, func(t *testing.T, engine *leasetest.Memory) {
		a, b := start(t, engine, "a", nil), start(t, engine, "b", nil)
		var all sync.WaitGroup
		for _, p := range []*process{a, b} {
			for i := range 5 {
				all.Go(func() {
					keys := []string{"x", "y", "z", "x"}
					slices.Reverse(keys[:2+i%3])
					grants, err := p.AcquireAll(t.Context(), named(anInterface, fmt.Sprint(i)), keys...)
					if err != nil {
						t.Errorf("acquiring %v: %v", keys, err)
						return
					}
					time.Sleep(100 * ms)
					grants.Release()
				})
			}
		}
		all.Wait()
	})
}

func TestDevicesAreNotTakenAgainstTheOrder(t *testing.T) {
	bubble(t, devicelock.Options{}, func(t *testing.T, registry *devicelock.Registry, _ *devicelock.Gate) {
		grant := acquire(t, registry.Gate("y"), anInterface)
		if _, err := registry.Gate("x").Acquire(grant.Context(), aVLAN); !errors.Is(err, devicelock.ErrOrder) {
			t.Errorf("error %v", err)
		}
		later, err := registry.Gate("z").Acquire(grant.Context(), aVLAN)
		if err != nil {
			t.Fatal(err)
		}
		later.Release()
		grant.Release()
		ctx := grant.Context()
		free, err := registry.Gate("x").Acquire(ctx, aVLAN)
		if err != nil {
			t.Fatalf("nothing is held any more: %v", err)
		}
		free.Release()
	})
}

func TestCloseGivesBackWhatIsLeft(t *testing.T) {
	shared(t, func(t *testing.T, engine *leasetest.Memory) {
		p, other := start(t, engine, "a", nil), start(t, engine, "b", nil)
		acquire(t, p.gate(), anInterface).Release()
		if took := waited(func() {
			if err := p.Close(t.Context()); err != nil {
				t.Error(err)
			}
		}); took > 0 {
			t.Errorf("took %s", took)
		}
		if record, _, _ := other.gate().Record(t.Context()); record.Holder != nil {
			t.Errorf("left %+v", record.Holder)
		}
		if _, err := p.gate().Acquire(t.Context(), anInterface); !errors.Is(err, devicelock.ErrClosed) {
			t.Errorf("error after the end: %v", err)
		}
	})
}
