package devicelock_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock/leasetest"
)

func TestADeadOwnersDeviceComesFreeAfterItsTTLAndTheLockDelay(t *testing.T) {
	shared(t, func(t *testing.T, engine *leasetest.Memory) {
		patient := func(o *devicelock.Options) { o.Leases.Timeout = 10 * time.Minute }
		dead, next := start(t, engine, "dead", patient), start(t, engine, "next", patient)
		acquire(t, dead.gate(), anInterface)
		engine.Kill(dead.store)
		took := waited(func() { acquire(t, next.gate(), anInterface).Release() })
		// The defaults: 120 s and 10 s; the waiter asks again when they are over.
		if took < 130*time.Second || took > 131*time.Second {
			t.Errorf("taken over after %s", took)
		}
	})
}

func TestADeadOwnersDeviceThatTheStoreFreesAtOnceIsLeftAloneForTheLockDelay(t *testing.T) {
	shared(t, func(t *testing.T, engine *leasetest.Memory) {
		engine.Reclaim()
		dead, next := start(t, engine, "dead", nil), start(t, engine, "next", nil)
		acquire(t, dead.gate(), anInterface)
		engine.Kill(dead.store)
		if took := waited(func() { acquire(t, next.gate(), anInterface).Release() }); took != 10*time.Second {
			t.Errorf("taken over after %s", took)
		}
		time.Sleep(time.Second)
		if took := waited(func() { acquire(t, next.gate(), anInterface).Release() }); took > 10*ms {
			t.Errorf("the next lease of the same device waited %s, though nobody has died since", took)
		}
	})
}

func TestALeaseIsRenewedWhileWorkGoesOn(t *testing.T) {
	shared(t, func(t *testing.T, engine *leasetest.Memory) {
		p := start(t, engine, "a", nil)
		grant := acquire(t, p.gate(), anInterface)
		time.Sleep(time.Hour + 30*time.Second) // 30 s after a renewal, 85 s are left
		if grant.Context().Err() != nil || p.count(devicelock.LeaseLost) > 0 {
			t.Error("the lease was lost")
		}
		ctx, cancel, err := grant.Sending(t.Context(), 90*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		defer cancel()
		time.Sleep(90 * time.Second)
		if ctx.Err() != nil {
			t.Error("the lease does not cover a Set of 90 s")
		}
		if n := engine.Calls()["renew"]; n > 95 {
			t.Errorf("%d renewals in an hour of 120 s each", n)
		}
		grant.Release()
	})
}

func TestALostLeaseCancelsWhatIsBeingSent(t *testing.T) {
	shared(t, func(t *testing.T, engine *leasetest.Memory) {
		p, other := start(t, engine, "a", nil), start(t, engine, "b", nil)
		grant := acquire(t, p.gate(), anInterface)
		ctx, cancel, err := grant.Sending(t.Context(), time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		defer cancel()
		record, _, _ := other.gate().Record(t.Context())
		if err := other.store.Break(t.Context(), "device", record.Holder.ID, devicelock.Owner{}, 0); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		var lost *devicelock.LostError
		if !errors.As(context.Cause(ctx), &lost) || !errors.Is(lost, devicelock.ErrLeaseLost) {
			t.Errorf("the Set goes on: %v", context.Cause(ctx))
		}
		if _, _, err := grant.Sending(t.Context(), time.Second); !errors.As(err, &lost) {
			t.Errorf("another Set may be sent: %v", err)
		}
		if got := kinds(p.recorder.of("interface")); !slices.Contains(got, devicelock.Lost) {
			t.Errorf("events %v", got)
		}
		if p.count(devicelock.LeaseLost) != 1 || p.count(devicelock.LeaseReleased) != 0 {
			t.Error("the lease's end is not told once, as lost")
		}
		grant.Release()
		acquire(t, p.gate(), anInterface).Release() // under a lease of its own
	})
}

func TestALeaseThatIsLostAtOnceIsSoughtAnewAtOnce(t *testing.T) {
	shared(t, func(t *testing.T, engine *leasetest.Memory) {
		engine.Deafen()
		p, other := start(t, engine, "a", nil), engine.Open()
		engine.Delay(10 * ms) // also the keeper's first look, which is under way then
		grant := acquire(t, p.gate(), anInterface)
		synctest.Wait()
		engine.Delay(0)
		record, _ := other.Inspect(t.Context(), "device")
		if err := other.Break(t.Context(), "device", record.Holder.ID, devicelock.Owner{}, 0); err != nil {
			t.Fatal(err)
		}
		var order log
		queueUp(t.Context(), t, p.gate(), aVLAN, ms, &order)
		time.Sleep(time.Second)
		grant.Release()
		time.Sleep(time.Second)
		if len(order.all()) != 1 {
			t.Error("the next step waits, though nobody holds the lease")
		}
		if n := p.count(devicelock.LeaseLost); n != 1 {
			t.Errorf("the loss is told %d times", n)
		}
	})
}

func TestNothingIsSentOutsideTheLease(t *testing.T) {
	shared(t, func(t *testing.T, engine *leasetest.Memory) {
		p := start(t, engine, "a", nil)
		grant := acquire(t, p.gate(), anInterface)
		ctx, cancel, err := grant.Sending(t.Context(), time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		defer cancel()
		engine.Fail(errors.New("gone"))
		began := time.Now()
		<-ctx.Done()
		if after := time.Since(began); after > 115*time.Second {
			t.Errorf("the Set was given %s of a lease of 120 s with a margin of 5 s", after)
		}
		var lost *devicelock.LostError
		if !errors.As(context.Cause(ctx), &lost) {
			t.Errorf("cause %v", context.Cause(ctx))
		}
		if _, _, err := grant.Sending(t.Context(), time.Second); err == nil {
			t.Error("another Set may be sent")
		}
		engine.Fail(nil)
		grant.Release()
	})
}

func TestNothingIsSentOutsideTheLeaseWhileTheStoreHangs(t *testing.T) {
	shared(t, func(t *testing.T, engine *leasetest.Memory) {
		p := start(t, engine, "a", func(o *devicelock.Options) { o.Leases.TTL = 22 * time.Second })
		began := time.Now()
		grant := acquire(t, p.gate(), anInterface)
		ctx, cancel, err := grant.Sending(t.Context(), time.Second)
		if err != nil {
			t.Fatal(err)
		}
		defer cancel()
		engine.Delay(time.Hour) // each renewal now takes all the time it has
		<-ctx.Done()
		if after := time.Since(began); after > 19800*ms {
			t.Errorf("the Set was given %s of a lease of 22 s with a margin of 2.2 s", after)
		}
		engine.Delay(0)
		grant.Release()
	})
}

func TestAWallClockThatRanAheadEndsTheTrustInALease(t *testing.T) {
	shared(t, func(t *testing.T, engine *leasetest.Memory) {
		var slept time.Duration
		p := start(t, engine, "a", func(o *devicelock.Options) {
			o.Leases.Clock = func() time.Time { return time.Now().Add(slept) }
		})
		grant := acquire(t, p.gate(), anInterface)
		slept = 10 * time.Minute
		engine.Fail(errors.New("no network after waking up"))
		if _, _, err := grant.Sending(t.Context(), time.Second); err == nil {
			t.Error("a Set may be sent under a lease from before the host slept")
		}
		engine.Fail(nil)
		_, cancel, err := grant.Sending(t.Context(), time.Second)
		if err != nil {
			t.Errorf("renewed, the lease is as good as new: %v", err)
		} else {
			cancel()
		}
		grant.Release()
	})
}

func TestAClockThatIsWrongByMinutesHarmsNobody(t *testing.T) {
	for _, skew := range []time.Duration{-10 * time.Minute, 10 * time.Minute} {
		shared(t, func(t *testing.T, engine *leasetest.Memory) {
			p := start(t, engine, "a", func(o *devicelock.Options) {
				o.Leases.Clock = func() time.Time { return time.Now().Add(skew) }
			})
			other := start(t, engine, "b", nil)
			var order log
			queueUp(t.Context(), t, other.gate(), named(anInterface, "b"), time.Second, &order)
			queueUp(t.Context(), t, p.gate(), named(anInterface, "a"), time.Second, &order)
			time.Sleep(5 * time.Second)
			if got := order.all(); !slices.Equal(got, []string{"b", "a"}) {
				t.Errorf("skew %s: order %v", skew, got)
			}
		})
	}
}

func TestALeaseLostToSomebodyElseIsLostWhateverTheSetting(t *testing.T) {
	shared(t, func(t *testing.T, engine *leasetest.Memory) {
		p := start(t, engine, "a", func(o *devicelock.Options) { o.Leases.Proceed = true })
		other := start(t, engine, "b", nil)
		grant := acquire(t, p.gate(), anInterface)
		record, _, _ := other.gate().Record(t.Context())
		_ = other.store.Break(t.Context(), "device", record.Holder.ID, devicelock.Owner{}, 0)
		synctest.Wait()
		if _, _, err := grant.Sending(t.Context(), time.Second); !errors.Is(err, devicelock.ErrLeaseLost) {
			t.Errorf("error %v", err)
		}
		grant.Release()
	})
}

func TestARenewalThatFindsTheLeaseGoneEndsItWhateverTheSetting(t *testing.T) {
	shared(t, func(t *testing.T, engine *leasetest.Memory) {
		p := start(t, engine, "a", func(o *devicelock.Options) { o.Leases.Proceed = true })
		other := engine.Open()
		grant := acquire(t, p.gate(), anInterface)
		record, _, _ := p.gate().Record(t.Context())
		engine.Deafen()
		if err := other.Break(t.Context(), "device", record.Holder.ID, devicelock.Owner{ID: "b"}, time.Hour); err != nil {
			t.Fatal(err)
		}
		time.Sleep(41 * time.Second) // a renewal comes after 40 s
		if _, _, err := grant.Sending(t.Context(), time.Second); !errors.Is(err, devicelock.ErrLeaseLost) {
			t.Errorf("error %v", err)
		}
		grant.Release()
	})
}

func TestTheEpochTellsThatSomebodyElseHadTheDevice(t *testing.T) {
	shared(t, func(t *testing.T, engine *leasetest.Memory) {
		a, b := start(t, engine, "a", nil), start(t, engine, "b", nil)
		epoch := func(p *process) (uint64, uint64) {
			grant := acquire(t, p.gate(), anInterface)
			defer grant.Release()
			return grant.Epoch(), grant.Fence()
		}
		first, fence := epoch(a)
		time.Sleep(time.Second) // the lease goes back
		second, later := epoch(a)
		if first != second || later <= fence {
			t.Errorf("nobody was in between: epochs %d and %d, fences %d and %d", first, second, fence, later)
		}
		epoch(b)
		time.Sleep(time.Second)
		if third, _ := epoch(a); third == second {
			t.Error("somebody was in between")
		}
	})
}
