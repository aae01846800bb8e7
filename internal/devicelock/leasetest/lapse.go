package leasetest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
)

func (s *suite) breaks(t *testing.T) {
	one, other := s.open(t), s.open(t)
	a := s.request("a")
	lost := s.take(t, one, a)
	if err := other.Break(t.Context(), s.key, a.Owner.ID, devicelock.Owner{}, 0); err != nil {
		t.Fatal(err)
	}
	b := s.request("b")
	lease := s.take(t, other, b)
	if err := lost.Renew(t.Context(), a.Owner); !errors.Is(err, devicelock.ErrLeaseLost) {
		t.Errorf("renewing a lost lease: %v", err)
	}
	if err := lost.Release(t.Context()); err != nil {
		t.Errorf("releasing a lost lease: %v", err)
	}
	if err := lease.Renew(t.Context(), b.Owner); err != nil {
		t.Errorf("the new owner's lease: %v", err)
	}
	release(t, lease)
}

func (s *suite) breaksLater(t *testing.T) {
	if s.MinTTL == 0 {
		t.Skip("the engine does not count time")
	}
	one, other := s.open(t), s.open(t)
	a, b, by := s.request("a"), s.request("b"), s.request("by")
	lost := s.take(t, one, a)
	s.wait(t, other, b)
	freed := time.Now()
	if err := one.Break(t.Context(), s.key, a.Owner.ID, by.Owner, s.MinTTL); err != nil {
		t.Fatal(err)
	}
	if err := lost.Renew(t.Context(), a.Owner); !errors.Is(err, devicelock.ErrLeaseLost) {
		t.Errorf("renewing a lost lease: %v", err)
	}
	if holder := s.inspect(t, other).Holder; holder != nil && holder.ID != by.Owner.ID {
		t.Errorf("the holder is %v, want the one who freed the key, or nobody", holder)
	}
	next := s.eventually(t, other, b)
	if waited := time.Since(freed); waited < s.MinTTL && !next.Orphaned() {
		t.Errorf("the next owner got the key %v after it was freed, want %v or later", waited, s.MinTTL)
	}
	if err := lost.Release(t.Context()); err != nil {
		t.Errorf("releasing a lost lease: %v", err)
	}
	if err := next.Renew(t.Context(), b.Owner); err != nil {
		t.Errorf("the new owner's lease: %v", err)
	}
	release(t, next)
}

func (s *suite) breaksRightOne(t *testing.T) {
	one, other := s.open(t), s.open(t)
	a := s.request("a")
	if err := other.Break(t.Context(), s.key, a.Owner.ID, devicelock.Owner{}, 0); !errors.Is(err, devicelock.ErrLeaseLost) {
		t.Errorf("freeing what nobody holds: %v", err)
	}
	lease := s.take(t, one, a)
	if err := other.Break(t.Context(), s.key, "somebody else", devicelock.Owner{}, 0); !errors.Is(err, devicelock.ErrLeaseLost) {
		t.Errorf("freeing the wrong holder: %v", err)
	}
	if err := lease.Renew(t.Context(), a.Owner); err != nil {
		t.Errorf("the holder suffered: %v", err)
	}
	release(t, lease)
}

func (s *suite) expires(t *testing.T) {
	if s.MinTTL == 0 {
		t.Skip("this engine's leases do not end by time")
	}
	one, other := s.open(t), s.open(t)
	a := s.request("a")
	a.TTL = s.MinTTL
	lost := s.take(t, one, a)
	b := s.request("b")
	s.wait(t, other, b)
	lease := s.eventually(t, other, b)
	if err := lost.Renew(t.Context(), a.Owner); !errors.Is(err, devicelock.ErrLeaseLost) {
		t.Errorf("renewing an ended lease: %v", err)
	}
	release(t, lost)
	if record := s.inspect(t, one); record.Holder == nil || record.Holder.ID != b.Owner.ID {
		t.Errorf("holder %+v", record.Holder)
	}
	release(t, lease)
}

func (s *suite) renews(t *testing.T) {
	if s.MinTTL == 0 {
		t.Skip("this engine's leases do not end by time")
	}
	one, other := s.open(t), s.open(t)
	a, b := s.request("a"), s.request("b")
	a.TTL = s.MinTTL
	lease := s.take(t, one, a)
	until := time.Now().Add(2 * s.MinTTL)
	ticker := time.NewTicker(s.MinTTL / 4)
	defer ticker.Stop()
	for time.Now().Before(until) {
		<-ticker.C
		if err := lease.Renew(t.Context(), a.Owner); err != nil {
			t.Fatalf("renewing: %v", err)
		}
		s.wait(t, other, b)
	}
	release(t, lease)
	release(t, s.take(t, other, b))
}

func (s *suite) fences(t *testing.T) {
	one, other := s.open(t), s.open(t)
	last := uint64(0)
	higher := func(lease devicelock.Lease) {
		t.Helper()
		if lease.Fence() <= last {
			t.Errorf("fence %d after %d", lease.Fence(), last)
		}
		last = lease.Fence()
	}
	a := s.request("a")
	higher(s.take(t, one, a))
	if err := other.Break(t.Context(), s.key, a.Owner.ID, devicelock.Owner{}, 0); err != nil {
		t.Fatal(err)
	}
	lease := s.take(t, other, s.request("b"))
	higher(lease)
	release(t, lease)
	lease = s.take(t, one, s.request("c"))
	if lease.Consecutive(last - 1) {
		t.Error("somebody was in between")
	}
	higher(lease)
	release(t, lease)
	// A key that nobody uses any more has not forgotten.
	lease = s.take(t, s.open(t), s.request("d"))
	higher(lease)
	release(t, lease)
}

func (s *suite) ends(t *testing.T) {
	store := s.open(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := s.request("a")
	if _, _, err := store.Acquire(ctx, s.key, r); err == nil {
		t.Error("acquired under a context that had ended")
	}
	if err := store.Withdraw(t.Context(), s.key, r.Owner.ID); err != nil {
		t.Fatal(err)
	}
	release(t, s.take(t, store, s.request("b")))
}

func (s *suite) kills(t *testing.T) {
	if s.Kill == nil {
		t.Skip("a client of this engine cannot be killed inside a process")
	}
	victim, other := s.Open(t), s.open(t)
	a, b := s.request("a"), s.request("b")
	a.TTL = max(s.MinTTL, time.Second)
	s.take(t, victim, a)
	s.Kill(victim)
	lease := s.eventually(t, other, b)
	release(t, lease)
}
