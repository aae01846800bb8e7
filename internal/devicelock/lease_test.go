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

// process is one provider process: a registry whose gates use a client of the
// engine.
type process struct {
	*devicelock.Registry
	store    devicelock.Store
	recorder *recorder
}

func (p *process) gate() *devicelock.Gate { return p.Gate("device") }

// start starts a process in a test's bubble and ends it with the test.
func start(t *testing.T, engine *leasetest.Memory, name string, change func(*devicelock.Options)) *process {
	t.Helper()
	p := &process{store: engine.Open(), recorder: &recorder{}}
	options := devicelock.Options{
		Observer: p.recorder, StallLimit: -1,
		Leases: &devicelock.Leases{Store: p.store, Owner: devicelock.Owner{User: name, Host: "host", PID: 1, Run: "run-" + name, Workspace: "core"}},
	}
	if change != nil {
		change(&options)
	}
	p.Registry = devicelock.New(options)
	p.recorder.registry = p.Registry
	t.Cleanup(func() {
		if err := p.Close(context.Background()); err != nil {
			t.Errorf("closing %s: %v", name, err)
		}
	})
	return p
}

func shared(t *testing.T, test func(t *testing.T, engine *leasetest.Memory)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { test(t, leasetest.NewMemory()) })
}

func (p *process) count(kind devicelock.EventKind) int {
	synctest.Wait() // events are told after what they are about
	p.recorder.mu.Lock()
	defer p.recorder.mu.Unlock()
	n := 0
	for _, event := range p.recorder.events {
		if event.Kind == kind {
			n++
		}
	}
	return n
}

func TestOneLeaseServesManySteps(t *testing.T) {
	shared(t, func(t *testing.T, engine *leasetest.Memory) {
		p := start(t, engine, "a", nil)
		var order log
		for i := range 100 {
			queueUp(t.Context(), t, p.gate(), named(anInterface, fmt.Sprint(i)), 10*ms, &order)
			if i%10 == 9 {
				time.Sleep(200 * ms) // ten at a time, and a pause
			}
		}
		time.Sleep(time.Second)
		if n := len(order.all()); n != 100 {
			t.Fatalf("%d steps went", n)
		}
		calls, total := engine.Calls(), 0
		for _, n := range calls {
			total += n
		}
		if calls["acquire"] != 1 || calls["release"] != 1 || total > 10 {
			t.Errorf("100 steps cost %v", calls)
		}
	})
}

func TestNothingIsHeldWhenNothingWaits(t *testing.T) {
	shared(t, func(t *testing.T, engine *leasetest.Memory) {
		p, other := start(t, engine, "a", nil), start(t, engine, "b", nil)
		acquire(t, p.gate(), anInterface).Release()
		time.Sleep(time.Second)
		synctest.Wait()
		record, _, err := other.gate().Record(t.Context())
		if err != nil || record.Holder != nil {
			t.Errorf("after a second of idleness: %+v, %v", record, err)
		}
		acquire(t, p.gate(), anInterface).Release()
		if took := waited(func() { acquire(t, other.gate(), anInterface).Release() }); took > 10*ms {
			t.Errorf("an idle owner let the next one wait for %s", took)
		}
	})
}

func TestTwoProcessesNeverHoldADeviceAtOnce(t *testing.T) {
	shared(t, func(t *testing.T, engine *leasetest.Memory) {
		var mu sync.Mutex
		holders := 0
		var all sync.WaitGroup
		for i := range 3 {
			p := start(t, engine, fmt.Sprint(i), nil)
			for j := range 30 {
				all.Go(func() {
					grant := acquire(t, p.gate(), named(anInterface, fmt.Sprint(j)))
					mu.Lock()
					holders++
					if holders > 1 {
						t.Error("two steps hold the device")
					}
					mu.Unlock()
					time.Sleep(100 * ms)
					mu.Lock()
					holders--
					mu.Unlock()
					grant.Release()
				})
			}
		}
		all.Wait()
	})
}

func TestNoProcessWaitsLongerThanACohortAndAStep(t *testing.T) {
	shared(t, func(t *testing.T, engine *leasetest.Memory) {
		const step = 50 * ms
		var all sync.WaitGroup
		var mu sync.Mutex
		longest := map[int]time.Duration{}
		last := map[int]time.Time{0: time.Now(), 1: time.Now()}
		for i := range 2 {
			p := start(t, engine, fmt.Sprint(i), nil)
			for j := range 100 {
				all.Go(func() {
					grant := acquire(t, p.gate(), named(anInterface, fmt.Sprint(j)))
					mu.Lock()
					longest[i] = max(longest[i], time.Since(last[i]))
					mu.Unlock()
					time.Sleep(step)
					mu.Lock()
					last[i] = time.Now()
					mu.Unlock()
					grant.Release()
				})
			}
		}
		all.Wait()
		// The bound is the default cohort of 2 s, and the step that began in it.
		for i, wait := range longest {
			if wait > 2*time.Second+step+10*ms {
				t.Errorf("run %d went without the device for %s", i, wait)
			}
		}
	})
}

func TestAnUrgentRunGoesBeforeTheNormalOnes(t *testing.T) {
	shared(t, func(t *testing.T, engine *leasetest.Memory) {
		urgent := func(o *devicelock.Options) { o.Priority = devicelock.Urgent }
		first, normal, pressing := start(t, engine, "first", nil), start(t, engine, "normal", nil), start(t, engine, "urgent", urgent)
		var order log
		for i := range 10 {
			queueUp(t.Context(), t, first.gate(), named(anInterface, fmt.Sprintf("first %d", i)), 100*ms, &order)
		}
		time.Sleep(50 * ms)
		queueUp(t.Context(), t, normal.gate(), named(anInterface, "normal"), 100*ms, &order)
		queueUp(t.Context(), t, pressing.gate(), named(anInterface, "urgent"), 100*ms, &order)
		time.Sleep(10 * time.Second)
		want := []string{"first 0", "urgent", "normal", "first 1"}
		if got := order.all(); len(got) != 12 || !slices.Equal(got[:4], want) {
			t.Errorf("order %v, want it to begin with %v", got, want)
		}
		if e := pressing.recorder.of("urgent"); len(e) == 0 || e[0].Priority != devicelock.Urgent {
			t.Errorf("the events do not tell the priority: %+v", e)
		}
	})
}

func TestWaitingForAnotherProcessIsBoundedAndTellsWho(t *testing.T) {
	shared(t, func(t *testing.T, engine *leasetest.Memory) {
		holder, waiter := start(t, engine, "holder", nil), start(t, engine, "waiter", nil)
		grant := acquire(t, holder.gate(), anInterface)
		time.Sleep(5 * time.Second)
		var err error
		took := waited(func() { _, err = waiter.gate().Acquire(t.Context(), aVLAN) })
		var wait *devicelock.WaitError
		if !errors.As(err, &wait) || !errors.Is(err, devicelock.ErrStalled) {
			t.Fatalf("error %v", err)
		}
		if took != 30*time.Second {
			t.Errorf("waited %s, want the default of 30s", took)
		}
		if wait.Elsewhere == nil || wait.Elsewhere.User != "holder" || wait.Elsewhere.Resource != anInterface.String() {
			t.Errorf("in the way: %+v", wait.Elsewhere)
		}
		for _, part := range []string{`"device"`, "holder@host", "run run-holder", "workspace core", anInterface.String(), "30s"} {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("the error does not say %q: %v", part, err)
			}
		}
		reminders := 0
		for _, e := range waiter.recorder.of("vlan") {
			if e.Kind == devicelock.Waiting {
				reminders++
				if e.Elsewhere == nil || e.Elsewhere.User != "holder" || e.Position != 1 || e.ElsewhereFor != e.Waited {
					t.Errorf("reminder %+v", e)
				}
			}
		}
		if reminders < 2 {
			t.Errorf("%d reminders in 30 s", reminders)
		}
		// The timeout has freed nobody's hold, and has left nothing behind.
		synctest.Wait()
		record, _, err := waiter.gate().Record(t.Context())
		if err != nil || record.Holder == nil || record.Holder.User != "holder" || len(record.Waiting) > 0 {
			t.Errorf("record %+v, %v", record, err)
		}
		grant.Release()
		acquire(t, waiter.gate(), aVLAN).Release()
	})
}

func TestProgressOfOthersProlongsTheWait(t *testing.T) {
	shared(t, func(t *testing.T, engine *leasetest.Memory) {
		var order log
		for i := range 5 {
			p := start(t, engine, fmt.Sprint(i), nil)
			queueUp(t.Context(), t, p.gate(), named(anInterface, fmt.Sprint(i)), 20*time.Second, &order)
		}
		time.Sleep(2 * time.Minute)
		if got := order.all(); !slices.Equal(got, []string{"0", "1", "2", "3", "4"}) {
			t.Errorf("order %v", got)
		}
	})
}

func TestACancelledWaiterLeavesNothingInTheQueue(t *testing.T) {
	shared(t, func(t *testing.T, engine *leasetest.Memory) {
		holder, waiter := start(t, engine, "holder", nil), start(t, engine, "waiter", nil)
		grant := acquire(t, holder.gate(), anInterface)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := waiter.gate().Acquire(ctx, aVLAN); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v", err)
		}
		synctest.Wait()
		if record, _, _ := holder.gate().Record(t.Context()); len(record.Waiting) > 0 {
			t.Errorf("queue %+v", record.Waiting)
		}
		grant.Release()
	})
}

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
		time.Sleep(time.Hour)
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

func TestAStepFailsWhenTheLockServiceIsDown(t *testing.T) {
	shared(t, func(t *testing.T, engine *leasetest.Memory) {
		engine.Fail(errors.New("connection refused"))
		p := start(t, engine, "a", nil)
		var err error
		took := waited(func() { _, err = p.gate().Acquire(t.Context(), anInterface) })
		var failure *devicelock.StoreError
		if !errors.As(err, &failure) || !strings.Contains(err.Error(), "connection refused") {
			t.Fatalf("error %v", err)
		}
		if took < 5*time.Second || took > 7*time.Second {
			t.Errorf("failed after %s, want about the patience of 5s", took)
		}
		if took := waited(func() { _, err = p.gate().Acquire(t.Context(), aVLAN) }); took > 0 || err == nil {
			t.Errorf("the next step was told after %s: %v", took, err)
		}
		if p.count(devicelock.Failed) != 2 {
			t.Errorf("%d events of failure", p.count(devicelock.Failed))
		}
		engine.Fail(nil)
		time.Sleep(20 * time.Second)
		acquire(t, p.gate(), anInterface).Release()
	})
}

func TestAPermanentFailureOfTheLockServiceIsToldAtOnce(t *testing.T) {
	shared(t, func(t *testing.T, engine *leasetest.Memory) {
		p := start(t, engine, "a", func(o *devicelock.Options) {
			o.Leases.Store = refusing{o.Leases.Store}
		})
		if took := waited(func() {
			if _, err := p.gate().Acquire(t.Context(), anInterface); err == nil || !strings.Contains(err.Error(), "wrong password") {
				t.Errorf("error %v", err)
			}
		}); took > 0 {
			t.Errorf("told after %s", took)
		}
	})
}

// refusing is a store that does not accept its user.
type refusing struct{ devicelock.Store }

func (refusing) Acquire(context.Context, string, devicelock.Request) (devicelock.Lease, devicelock.Record, error) {
	return nil, devicelock.Record{}, &devicelock.StoreError{Backend: "test", Permanent: true, Err: errors.New("wrong password")}
}

func TestAShortOutageOfTheLockServiceIsBridged(t *testing.T) {
	shared(t, func(t *testing.T, engine *leasetest.Memory) {
		p := start(t, engine, "a", nil)
		engine.Fail(errors.New("restarting"))
		time.AfterFunc(3*time.Second, func() { engine.Fail(nil) })
		grant := acquire(t, p.gate(), anInterface)
		engine.Fail(errors.New("restarting"))
		time.AfterFunc(time.Minute, func() { engine.Fail(nil) })
		time.Sleep(5 * time.Minute)
		if p.count(devicelock.LeaseLost) > 0 {
			t.Error("the lease was lost")
		}
		grant.Release()
	})
}

func TestProceedGoesOnWithoutTheLockService(t *testing.T) {
	shared(t, func(t *testing.T, engine *leasetest.Memory) {
		engine.Fail(errors.New("connection refused"))
		p := start(t, engine, "a", func(o *devicelock.Options) { o.Leases.Proceed = true })
		var order log
		for i := range 3 {
			queueUp(t.Context(), t, p.gate(), named(anInterface, fmt.Sprint(i)), 10*ms, &order)
		}
		time.Sleep(10 * time.Second)
		if got := order.all(); !slices.Equal(got, []string{"0", "1", "2"}) {
			t.Errorf("order %v", got)
		}
		if err := p.Unprotected(); err == nil || !strings.Contains(err.Error(), "connection refused") {
			t.Errorf("warning %v", err)
		}
		if err := p.Unprotected(); err != nil {
			t.Errorf("told twice: %v", err)
		}
		engine.Fail(nil)
		time.Sleep(20 * time.Second)
		acquire(t, p.gate(), anInterface).Release()
		if p.count(devicelock.LeaseAcquired) != 1 {
			t.Error("the service is back, but is not used")
		}
	})
}

func TestProceedGoesOnWhenTheLockServiceIsLostInTheMiddle(t *testing.T) {
	shared(t, func(t *testing.T, engine *leasetest.Memory) {
		p := start(t, engine, "a", func(o *devicelock.Options) { o.Leases.Proceed = true })
		grant := acquire(t, p.gate(), anInterface)
		ctx, cancel, err := grant.Sending(t.Context(), time.Second)
		if err != nil {
			t.Fatal(err)
		}
		defer cancel()
		engine.Fail(errors.New("gone"))
		time.Sleep(10 * time.Minute)
		if _, lost := errors.AsType[*devicelock.LostError](context.Cause(ctx)); p.count(devicelock.Lost) > 0 || !lost {
			t.Logf("the context of an old Set: %v", context.Cause(ctx))
		}
		_, again, err := grant.Sending(t.Context(), time.Second)
		if err != nil {
			t.Fatalf("a Set must be possible: %v", err)
		}
		again()
		if p.Unprotected() == nil {
			t.Error("no warning")
		}
		engine.Fail(nil)
		grant.Release()
	})
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
