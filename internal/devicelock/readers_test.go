package devicelock_test

import (
	"context"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
)

// readUp starts a read like queueUp starts a step.
func readUp(ctx context.Context, t testing.TB, gate *devicelock.Gate, name string, length time.Duration, order *log) {
	t.Helper()
	go func() {
		release, err := gate.Read(ctx)
		if err != nil {
			order.add(name + ": " + err.Error())
			return
		}
		defer release()
		order.add(name)
		time.Sleep(length)
	}()
	synctest.Wait()
}

func TestReadsRunTogetherUpToTheLimit(t *testing.T) {
	bubble(t, devicelock.Options{MaxReaders: 3}, func(t *testing.T, _ *devicelock.Registry, gate *devicelock.Gate) {
		var order log
		for i := range 7 {
			readUp(t.Context(), t, gate, strconv.Itoa(i), 10*ms, &order)
		}
		for _, want := range []int{3, 6, 7} {
			synctest.Wait()
			if got := len(order.all()); got != want {
				t.Errorf("%d reads began, want %d", got, want)
			}
			time.Sleep(10 * ms)
		}
	})
}

func TestAReadWaitsForTheStepInProgressAndAStepForTheReads(t *testing.T) {
	bubble(t, devicelock.Options{}, func(t *testing.T, _ *devicelock.Registry, gate *devicelock.Gate) {
		var order log
		queueUp(t.Context(), t, gate, anInterface, 10*ms, &order)
		got := waited(func() {
			release, err := gate.Read(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			go func() {
				time.Sleep(7 * ms)
				release()
				release() // a second time changes nothing
			}()
		})
		if got != 10*ms {
			t.Errorf("the read waited %s", got)
		}
		if got := waited(func() { acquire(t, gate, aVLAN).Release() }); got != 7*ms {
			t.Errorf("the step waited %s", got)
		}
	})
}

func TestAWaitingStepStopsLaterReads(t *testing.T) {
	bubble(t, devicelock.Options{}, func(t *testing.T, _ *devicelock.Registry, gate *devicelock.Gate) {
		var order log
		readUp(t.Context(), t, gate, "early read", 10*ms, &order)
		queueUp(t.Context(), t, gate, anInterface, 10*ms, &order)
		readUp(t.Context(), t, gate, "late read", 10*ms, &order)
		time.Sleep(time.Second)
		if got, want := order.all(), []string{"early read", "interface", "late read"}; !slices.Equal(got, want) {
			t.Errorf("order %v, want %v", got, want)
		}
	})
}

func TestReadsThatWaitedGetTheirTurnBetweenSteps(t *testing.T) {
	bubble(t, devicelock.Options{MaxReaders: 2}, func(t *testing.T, _ *devicelock.Registry, gate *devicelock.Gate) {
		var order log
		queueUp(t.Context(), t, gate, named(anInterface, "step 1"), 10*ms, &order)
		queueUp(t.Context(), t, gate, named(anInterface, "step 2"), 10*ms, &order)
		queueUp(t.Context(), t, gate, named(anInterface, "step 3"), 10*ms, &order)
		for i := range 3 {
			time.Sleep(ms)
			readUp(t.Context(), t, gate, "read "+strconv.Itoa(i), time.Duration(5+i)*ms, &order)
		}
		time.Sleep(time.Second)
		want := []string{"step 1", "read 0", "read 1", "step 2", "read 2", "step 3"}
		got := order.all()
		if len(got) == len(want) { // two that go at the same instant
			slices.Sort(got[1:3])
		}
		if !slices.Equal(got, want) {
			t.Errorf("order %v, want %v", got, want)
		}
	})
}

func TestReadsGoWhileAStepWaitsForQuietOnly(t *testing.T) {
	bubble(t, devicelock.Options{}, func(t *testing.T, _ *devicelock.Registry, gate *devicelock.Gate) {
		var order log
		queueUp(t.Context(), t, gate, aNeighbor, ms, &order)
		got := waited(func() {
			release, err := gate.Read(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			release()
		})
		if got != 0 {
			t.Errorf("the read waited %s", got)
		}
		time.Sleep(time.Second)
	})
}

func TestTheHolderReadsUnderItsOwnGrant(t *testing.T) {
	bubble(t, devicelock.Options{}, func(t *testing.T, _ *devicelock.Registry, gate *devicelock.Gate) {
		grant := acquire(t, gate, anInterface)
		release, err := gate.Read(grant.Context())
		if err != nil {
			t.Fatal(err)
		}
		release()
		if gate.Status().Reading != 0 {
			t.Error("the holder's read counts")
		}
		grant.Release()
		// A grant that is over covers no reads.
		next := acquire(t, gate, aVLAN)
		ctx, cancel := context.WithTimeout(grant.Context(), time.Second)
		defer cancel()
		if _, err := gate.Read(ctx); err == nil {
			t.Error("a read overlapped somebody else's hold")
		}
		next.Release()
	})
}

func TestACancelledReadLeavesAtOnce(t *testing.T) {
	bubble(t, devicelock.Options{}, func(t *testing.T, _ *devicelock.Registry, gate *devicelock.Gate) {
		grant := acquire(t, gate, anInterface)
		ctx, cancel := context.WithTimeout(t.Context(), 10*ms)
		defer cancel()
		if got := waited(func() { _, _ = gate.Read(ctx) }); got != 10*ms {
			t.Errorf("left after %s", got)
		}
		if gate.Status().ReadsWaiting != 0 {
			t.Error("it still waits")
		}
		grant.Release()
		if got := waited(func() { acquire(t, gate, aVLAN).Release() }); got != 0 {
			t.Errorf("the next step waited %s", got)
		}
	})
}
