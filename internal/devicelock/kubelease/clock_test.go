package kubelease

import (
	"errors"
	"testing"
	"time"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
)

// skews are how far ahead of the true time a clock may be.
var skews = map[string]time.Duration{"is right": 0, "is 10 minutes ahead": 10 * time.Minute, "is 10 minutes behind": -10 * time.Minute}

func TestALeaseLastsForItsTimeWhateverTheClocksOfHostsSay(t *testing.T) {
	const ttl = 30 * time.Second
	for holders, ahead := range skews {
		for waiters, behind := range skews {
			t.Run("the holder's clock "+holders+", the waiter's "+waiters, func(t *testing.T) {
				w := newWorld(t)
				holder, waiter := w.host(t, ahead), w.host(t, behind)
				lease := take(t, holder, request("holder", ttl))
				for range 4 {
					w.pass(ttl - time.Second)
					if owner := wait(t, waiter, request("waiter", ttl)); owner.ID != "holder" {
						t.Fatalf("it is held by %+v", owner)
					}
					if err := lease.Renew(t.Context(), devicelock.Owner{ID: "holder"}); err != nil {
						t.Fatal(err)
					}
				}
				w.pass(ttl - time.Second)
				wait(t, waiter, request("waiter", ttl))
				w.pass(time.Second + margin + time.Second)
				next := take(t, waiter, request("waiter", ttl))
				if next.Orphaned() {
					t.Error("a lease whose time ran out counts as orphaned")
				}
				if next.Fence() <= lease.Fence() {
					t.Errorf("fence %d after %d", next.Fence(), lease.Fence())
				}
				if err := lease.Renew(t.Context(), devicelock.Owner{ID: "holder"}); !errors.Is(err, devicelock.ErrLeaseLost) {
					t.Errorf("renewing what another has: %v", err)
				}
			})
		}
	}
}

func TestAStoreThatHasSeenNothingKnowsFromTheServerThatALeaseHasEnded(t *testing.T) {
	const ttl = 30 * time.Second
	for name, skew := range skews {
		t.Run("its clock "+name, func(t *testing.T) {
			w := newWorld(t)
			take(t, w.host(t, 0), request("holder", ttl))
			w.pass(ttl + margin + time.Second)
			take(t, w.host(t, skew), request("next", ttl))
		})
	}
}

func TestTheRecordTellsByThisHostsClockWhenTheLeaseEnds(t *testing.T) {
	for name, skew := range skews {
		t.Run("which "+name, func(t *testing.T) {
			w := newWorld(t)
			w.setServer(-time.Hour)
			take(t, w.host(t, 0), request("holder", time.Minute))
			store := w.host(t, skew)
			record, err := store.Inspect(t.Context(), device)
			if err != nil {
				t.Fatal(err)
			}
			left := record.Expires.Sub(w.clock(skew)())
			if left < time.Minute || left > time.Minute+margin+time.Second {
				t.Errorf("it ends in %s", left)
			}
		})
	}
}

func TestAServerWhoseClockIsSetBackKeepsNoDeadOwnersLease(t *testing.T) {
	const ttl = 30 * time.Second
	w := newWorld(t)
	store := w.host(t, 0)
	take(t, w.host(t, 0), request("dead", ttl))
	wait(t, store, request("next", ttl))
	w.setServer(-time.Hour)
	w.pass(ttl)
	wait(t, store, request("next", ttl))
	w.pass(margin + time.Second)
	take(t, store, request("next", ttl))
}

func TestAWaiterWhoDoesNotAskAgainLosesItsPlaceByTheServersClock(t *testing.T) {
	w := newWorld(t)
	lease := take(t, w.host(t, 0), request("holder", time.Hour))
	wait(t, w.host(t, 10*time.Minute), request("silent", time.Minute))
	store := w.host(t, -10*time.Minute)
	wait(t, store, request("patient", time.Minute))
	w.pass(devicelock.RequestTTL - time.Second)
	wait(t, store, request("patient", time.Minute))
	release(t, lease)
	wait(t, store, request("patient", time.Minute)) // it is the silent one's turn
	w.pass(time.Second + margin + time.Second)
	take(t, store, request("patient", time.Minute))
	if records, err := store.List(t.Context()); err != nil || len(records) != 1 || len(records[0].Waiting) != 0 {
		t.Errorf("%+v, %v", records, err)
	}
}
