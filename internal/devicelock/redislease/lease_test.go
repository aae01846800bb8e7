package redislease_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock/redislease"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock/redislease/redistest"
)

// names of the device's keys in Redis, as the package's documentation has them.
const (
	counts  = redislease.DefaultPrefix + "{%5B2001:db8::1%5D:9339}:counts"
	queue   = redislease.DefaultPrefix + "{%5B2001:db8::1%5D:9339}:queue"
	waiters = redislease.DefaultPrefix + "{%5B2001:db8::1%5D:9339}:waiters"
	events  = redislease.DefaultPrefix + "{%5B2001:db8::1%5D:9339}:events"
)

func TestFencesRiseOverExpiryForceAndTheLossOfAllData(t *testing.T) {
	server := redistest.Run(t, redistest.Options{})
	store := open(t, redislease.Options{URL: server.URL()})
	var last uint64
	higher := func(what string, lease devicelock.Lease) {
		t.Helper()
		if lease.Fence() <= last {
			t.Errorf("after %s: fence %d is not above %d", what, lease.Fence(), last)
		}
		last = lease.Fence()
	}
	lease, record, err := store.Acquire(t.Context(), device, request("short", 50*time.Millisecond))
	if err != nil || lease == nil {
		t.Fatalf("acquire: %v, %v", lease, err)
	}
	higher("nothing", lease)
	if left := time.Until(record.Expires); left <= 0 || left > 50*time.Millisecond {
		t.Errorf("the record says that it expires in %s", left)
	}

	eventually(t, "expiry", func() bool {
		lease, _, err = store.Acquire(t.Context(), device, request("next", time.Minute))
		return err != nil || lease != nil
	})
	if err != nil {
		t.Fatal(err)
	}
	higher("expiry", lease)

	if err := store.Break(t.Context(), device, "next", devicelock.Owner{}, 0); err != nil {
		t.Fatal(err)
	}
	lease = take(t, store, "third")
	higher("force", lease)

	server.Do(t, "FLUSHALL")
	if err := lease.Renew(t.Context(), devicelock.Owner{ID: "third"}); !errors.Is(err, devicelock.ErrLeaseLost) {
		t.Errorf("renewing what the server has forgotten: %v", err)
	}
	lease = take(t, store, "fourth")
	higher("the loss of all data", lease)
}

func TestALeaseIsConsecutiveOnlyToTheOneBefore(t *testing.T) {
	server := redistest.Run(t, redistest.Options{})
	store := open(t, redislease.Options{URL: server.URL()})
	var fences []uint64
	for i := range 3 {
		lease := take(t, store, fmt.Sprintf("owner%d", i))
		for j, fence := range fences {
			if got, want := lease.Consecutive(fence), j == i-1; got != want {
				t.Errorf("lease %d after lease %d: consecutive %v", i, j, got)
			}
		}
		if lease.Consecutive(0) {
			t.Errorf("lease %d follows one that never was", i)
		}
		fences = append(fences, lease.Fence())
		if err := lease.Release(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAWaiterThatDoesNotAskAgainLosesItsPlace(t *testing.T) {
	server := redistest.Run(t, redistest.Options{})
	store := open(t, redislease.Options{URL: server.URL()})
	lease := take(t, store, "holder")
	wait(t, store, "silent")
	wait(t, store, "patient")
	for _, key := range []string{queue, waiters} {
		if left, _ := server.Do(t, "PTTL", key).(int64); left <= 0 || left > devicelock.RequestTTL.Milliseconds() {
			t.Errorf("%s stays for %d ms", key, left)
		}
	}

	// The silent one's time is over.
	entry, _ := server.Do(t, "HGET", waiters, "silent").(string)
	_, owner, ok := strings.Cut(entry, " ")
	if !ok {
		t.Fatalf("a waiter is stored as %q", entry)
	}
	server.Do(t, "HSET", waiters, "silent", "1 "+owner)

	record, err := store.Inspect(t.Context(), device)
	if err != nil || len(record.Waiting) != 1 || record.Waiting[0].ID != "patient" {
		t.Errorf("waiting %+v, %v", record.Waiting, err)
	}
	if err := lease.Release(t.Context()); err != nil {
		t.Fatal(err)
	}
	lease = take(t, store, "patient")
	if n := server.Do(t, "EXISTS", queue, waiters); n != int64(0) {
		t.Errorf("%v keys of the queue are left", n)
	}
	wait(t, store, "silent")
	if err := store.Withdraw(t.Context(), device, "silent"); err != nil {
		t.Fatal(err)
	}
	if err := lease.Release(t.Context()); err != nil {
		t.Fatal(err)
	}
	if keys := fmt.Sprint(server.Do(t, "KEYS", "*")); keys != "["+counts+"]" {
		t.Errorf("left in the database: %s", keys)
	}
}

func TestAnUrgentOneThatAsksLaterTakesAFreeDeviceBeforeTheOthers(t *testing.T) {
	server := redistest.Run(t, redistest.Options{})
	store := open(t, redislease.Options{URL: server.URL()})
	lease := take(t, store, "holder")
	wait(t, store, "normal")
	if err := lease.Release(t.Context()); err != nil {
		t.Fatal(err)
	}
	urgent := request("urgent", time.Minute)
	urgent.Owner.Priority = devicelock.Urgent
	got, record, err := store.Acquire(t.Context(), device, urgent)
	if err != nil || got == nil {
		t.Errorf("the urgent one waits: %+v, %v", record, err)
	}
}

func TestWaitersThatAskAgainKeepTheirOrder(t *testing.T) {
	server := redistest.Run(t, redistest.Options{})
	store := open(t, redislease.Options{URL: server.URL()})
	take(t, store, "holder")
	waiting := func(record devicelock.Record) (ids []string) {
		for _, owner := range record.Waiting {
			ids = append(ids, owner.ID)
		}
		return ids
	}
	for _, id := range []string{"a", "b", "c", "a", "b", "a"} {
		wait(t, store, id)
	}
	if got := waiting(wait(t, store, "c")); !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Errorf("queue %v", got)
	}
	// Who becomes urgent goes first, and comes back to its place.
	urgent := request("b", time.Minute)
	urgent.Owner.Priority = devicelock.Urgent
	_, record, err := store.Acquire(t.Context(), device, urgent)
	if got := waiting(record); err != nil || !slices.Equal(got, []string{"b", "a", "c"}) {
		t.Errorf("queue %v, %v", got, err)
	}
	if got := waiting(wait(t, store, "b")); !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Errorf("queue %v", got)
	}
}

func TestALeaseThatEndedIsNotTheSameOwnersNextOne(t *testing.T) {
	server := redistest.Run(t, redistest.Options{})
	store := open(t, redislease.Options{URL: server.URL()})
	lost := take(t, store, "a")
	if err := store.Break(t.Context(), device, "a", devicelock.Owner{}, 0); err != nil {
		t.Fatal(err)
	}
	lease := take(t, store, "a")
	if err := lost.Renew(t.Context(), devicelock.Owner{ID: "a"}); !errors.Is(err, devicelock.ErrLeaseLost) {
		t.Errorf("renewing the one that ended: %v", err)
	}
	if err := lost.Release(t.Context()); err != nil {
		t.Errorf("releasing the one that ended: %v", err)
	}
	if err := lease.Renew(t.Context(), devicelock.Owner{ID: "a"}); err != nil {
		t.Errorf("renewing the other one: %v", err)
	}
}

func TestAServerThatIsGoneIsNoLostLease(t *testing.T) {
	server := redistest.Run(t, redistest.Options{})
	store := open(t, redislease.Options{URL: server.URL()})
	lease := take(t, store, "a")
	server.Stop()
	for what, err := range map[string]error{
		"renew":    lease.Renew(t.Context(), devicelock.Owner{ID: "a"}),
		"release":  lease.Release(t.Context()),
		"withdraw": store.Withdraw(t.Context(), device, "a"),
		"break":    store.Break(t.Context(), device, "a", devicelock.Owner{}, 0),
	} {
		t.Run(what, func(t *testing.T) { says(t, storeError(t, err), false, "at "+server.Addr) })
	}
	if _, err := store.List(t.Context()); err == nil {
		t.Error("listed without a server")
	}
}

func TestScriptsThatTheServerForgotAreSentAgain(t *testing.T) {
	server := redistest.Run(t, redistest.Options{})
	store := open(t, redislease.Options{URL: server.URL()})
	lease := take(t, store, "a")
	server.Do(t, "SCRIPT", "FLUSH")
	if err := lease.Renew(t.Context(), devicelock.Owner{ID: "a"}); err != nil {
		t.Error(err)
	}
}

func TestACallEndsWithItsContext(t *testing.T) {
	line := newLine(t, redistest.Start(t))
	store := open(t, redislease.Options{URL: "redis://" + line.addr, Timeout: 300 * time.Millisecond})
	lease := take(t, store, "a")
	defer line.hold()()

	began := time.Now()
	says(t, storeError(t, lease.Renew(t.Context(), devicelock.Owner{ID: "a"})), false, "did not answer in time")
	if took := time.Since(began); took > 3*time.Second {
		t.Errorf("a call with a timeout of 0.3 s took %s", took)
	}

	slow := open(t, redislease.Options{URL: "redis://" + line.addr, Timeout: 10 * time.Second})
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	began = time.Now()
	if _, _, err := slow.Acquire(ctx, device, request("b", time.Minute)); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled call: %v", err)
	}
	if took := time.Since(began); took > 3*time.Second {
		t.Errorf("a cancelled call took %s", took)
	}
	line.cut()
}

func TestWhoGivesUpAskingHoldsNothingAfterwards(t *testing.T) {
	server := redistest.Run(t, redistest.Options{})
	line := newLine(t, server.Addr)
	store := open(t, redislease.Options{URL: "redis://" + line.addr})
	// The server knows the scripts: an unknown one is not sent again for nobody.
	lease := take(t, store, "before")
	if err := lease.Release(t.Context()); err != nil {
		t.Fatal(err)
	}
	// What is withdrawn could overtake what was asked, on another connection.
	release := line.holdOpen()
	defer release()
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, cancel)
	if _, _, err := store.Acquire(ctx, device, request("a", time.Minute)); !errors.Is(err, context.Canceled) {
		t.Fatalf("a cancelled call: %v", err)
	}
	time.AfterFunc(100*time.Millisecond, release)
	if err := store.Withdraw(t.Context(), device, "a"); err != nil {
		t.Fatal(err)
	}
	// The request reached the server all the same, and before the withdrawal.
	if fence := server.Do(t, "HGET", counts, "fence"); fence == strconv.FormatUint(lease.Fence(), 10) {
		t.Error("the request never reached the server: the test shows nothing")
	}
	take(t, open(t, redislease.Options{URL: server.URL()}), "b")
}

func TestAClosedStoreAnswersWithAnError(t *testing.T) {
	store := open(t, redislease.Options{URL: "redis://" + redistest.Start(t)})
	take(t, store, "a")
	for range 2 {
		if err := store.Close(); err != nil {
			t.Fatal(err)
		}
	}
	_, err := store.Inspect(t.Context(), device)
	_ = storeError(t, err)
	select {
	case <-store.Watch(t.Context(), device):
		t.Error("a closed store has something to say")
	default:
	}
}

func TestAStoreCanBeClosedWhileItIsAsked(t *testing.T) {
	store := open(t, redislease.Options{URL: "redis://" + redistest.Start(t)})
	var asking sync.WaitGroup
	defer asking.Wait()
	first := make(chan struct{}, 1)
	for range 4 {
		asking.Go(func() {
			for {
				_, err := store.Inspect(context.Background(), device)
				select {
				case first <- struct{}{}:
				default:
				}
				if err != nil {
					return
				}
			}
		})
	}
	<-first
	if err := store.Close(); err != nil {
		t.Error(err)
	}
}
