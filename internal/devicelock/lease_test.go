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

func (refusing) Acquire(context.Context, string, devicelock.Request) (devicelock.Lease, devicelock.Record, error) {
	return nil, devicelock.Record{}, &devicelock.StoreError{Backend: "test", Permanent: true, Err: errors.New("wrong password")}
}
