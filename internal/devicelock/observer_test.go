package devicelock_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
)

// recorder keeps the events, and asks the gate for its status in each call: an
// observer that is called under the mutex would deadlock.
type recorder struct {
	registry *devicelock.Registry
	mu       sync.Mutex
	events   []devicelock.Event
}

func (r *recorder) Observe(_ context.Context, event devicelock.Event) {
	r.registry.Gate(event.Key).Status()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, event)
}

func (r *recorder) of(owner string) []devicelock.Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	var events []devicelock.Event
	for _, event := range r.events {
		if event.Step.Owner == owner {
			events = append(events, event)
		}
	}
	return events
}

func kinds(events []devicelock.Event) []devicelock.EventKind {
	var kinds []devicelock.EventKind
	for _, event := range events {
		kinds = append(kinds, event.Kind)
	}
	return kinds
}

func observed(t *testing.T, test func(t *testing.T, recorder *recorder, gate *devicelock.Gate)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		recorder := &recorder{}
		recorder.registry = devicelock.New(devicelock.Options{Observer: recorder, StallLimit: 25 * time.Second})
		test(t, recorder, recorder.registry.Gate("device"))
	})
}

func TestAWaitIsVisibleWithItsHolderAgeAndPosition(t *testing.T) {
	observed(t, func(t *testing.T, recorder *recorder, gate *devicelock.Gate) {
		start := time.Now()
		var order log
		queueUp(t.Context(), t, gate, anInterface, 10*ms, &order)
		time.Sleep(2 * ms)
		queueUp(t.Context(), t, gate, named(aVLAN, "first VLAN"), 10*ms, &order)
		queueUp(t.Context(), t, gate, named(aVLAN, "second VLAN"), 5*ms, &order)
		time.Sleep(time.Second)

		step := named(aVLAN, "second VLAN")
		want := []devicelock.Event{
			{Kind: devicelock.Requested, Key: "device", Step: step, At: start.Add(2 * ms), Position: 2, Holder: anInterface, HolderFor: 2 * ms},
			{Kind: devicelock.Acquired, Key: "device", Step: step, At: start.Add(20 * ms), Waited: 18 * ms},
			{Kind: devicelock.Released, Key: "device", Step: step, At: start.Add(25 * ms), Held: 5 * ms},
		}
		got := recorder.of("second VLAN")
		for i := range got {
			if !got[i].At.Equal(want[min(i, len(want)-1)].At) {
				t.Errorf("%s at %s", got[i].Kind, got[i].At)
			}
			got[i].At = want[min(i, len(want)-1)].At // equal, but for the monotonic reading
		}
		if !slices.Equal(got, want) {
			t.Errorf("events\n%+v, want\n%+v", got, want)
		}
		if at := recorder.of("interface")[0]; at.Position != 0 || at.Holder != (devicelock.Step{}) {
			t.Errorf("the first one waits for nobody: %+v", at)
		}
	})
}

func TestEveryEndOfAWaitIsAnEvent(t *testing.T) {
	observed(t, func(t *testing.T, recorder *recorder, gate *devicelock.Gate) {
		holder := acquire(t, gate, anInterface)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := gate.Acquire(ctx, named(aVLAN, "cancelled")); err == nil {
			t.Error("acquired beside the holder")
		}
		if _, err := gate.Acquire(t.Context(), named(aVLAN, "timed out")); err == nil {
			t.Error("acquired beside the holder")
		}
		holder.Release()
		yielding := acquire(t, gate, aNeighbor)
		if err := yielding.Yield(t.Context()); err == nil {
			t.Error("yielded without a change")
		}
		for owner, want := range map[string][]devicelock.EventKind{
			"interface": {devicelock.Requested, devicelock.Acquired, devicelock.Released},
			"cancelled": {devicelock.Requested, devicelock.Cancelled},
			"timed out": {devicelock.Requested, devicelock.Waiting, devicelock.Waiting, devicelock.TimedOut},
			"neighbor":  {devicelock.Requested, devicelock.Acquired, devicelock.Yielded, devicelock.GaveUp},
		} {
			if got := kinds(recorder.of(owner)); !slices.Equal(got, want) {
				t.Errorf("%s: events %v, want %v", owner, got, want)
			}
		}
		if second := recorder.of("timed out")[2]; second.Waited != 20*time.Second || second.Position != 1 || second.Holder != anInterface {
			t.Errorf("reminder: %+v", second)
		}
		if last := recorder.of("timed out")[3]; last.Holder != anInterface || last.Waited != 25*time.Second {
			t.Errorf("timed out: %+v", last)
		}
	})
}

func TestEveryKindOfEventAndEveryStepHasANameOfItsOwn(t *testing.T) {
	names := map[string]bool{}
	for kind := devicelock.Requested; kind <= devicelock.Unprotected; kind++ {
		names[kind.String()] = true
	}
	for _, step := range everyStep() {
		names[step.Operation.String()+" "+step.Rank.String()] = true
	}
	if want := int(devicelock.Unprotected) + 1 + len(everyStep()); len(names) != want {
		t.Errorf("%d names for %d things: %v", len(names), want, names)
	}
}

func TestTheStatusNamesTheHolderAndCountsTheWaiters(t *testing.T) {
	bubble(t, devicelock.Options{}, func(t *testing.T, _ *devicelock.Registry, gate *devicelock.Gate) {
		start := time.Now()
		var order log
		queueUp(t.Context(), t, gate, anInterface, 10*ms, &order)
		queueUp(t.Context(), t, gate, aVLAN, ms, &order)
		readUp(t.Context(), t, gate, "read", ms, &order)
		time.Sleep(ms)
		got := gate.Status()
		if got.Key != gate.Key() {
			t.Errorf("key %q", got.Key)
		}
		if !got.Since.Equal(start) {
			t.Errorf("since %s", got.Since)
		}
		got.Since = time.Time{}
		if want := (devicelock.Status{Key: "device", Holder: anInterface, Waiting: 1, ReadsWaiting: 1}); got != want {
			t.Errorf("status %+v, want %+v", got, want)
		}
		time.Sleep(time.Second)
	})
}
