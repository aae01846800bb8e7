package leasetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
)

func (s *suite) givesOnce(t *testing.T) {
	one, other := s.open(t), s.open(t)
	a, b := s.request("a"), s.request("b")
	lease := s.take(t, one, a)
	if lease.Fence() < 1 || lease.Orphaned() {
		t.Errorf("fence %d, orphaned %v", lease.Fence(), lease.Orphaned())
	}
	for _, store := range []devicelock.Store{one, other} {
		record := s.wait(t, store, b)
		if record.Holder == nil || record.Holder.ID != a.Owner.ID {
			t.Errorf("in the way stands %+v", record.Holder)
		}
	}
	release(t, lease)
	release(t, lease)
}

func (s *suite) handsOver(t *testing.T) {
	one, other := s.open(t), s.open(t)
	a, b := s.request("a"), s.request("b")
	first := s.take(t, one, a)
	s.wait(t, other, b)
	release(t, first)
	second := s.take(t, other, b)
	if err := first.Renew(t.Context(), a.Owner); !errors.Is(err, devicelock.ErrLeaseLost) {
		t.Errorf("renewing what was released: %v", err)
	}
	release(t, first) // must not take it from its new owner
	if record := s.inspect(t, one); record.Holder == nil || record.Holder.ID != b.Owner.ID {
		t.Errorf("holder %+v", record.Holder)
	}
	release(t, second)
	if record := s.inspect(t, one); record.Holder != nil || len(record.Waiting) > 0 {
		t.Errorf("nothing should be left: %+v", record)
	}
}

func (s *suite) keepsOrder(t *testing.T) {
	stores := []devicelock.Store{s.open(t), s.open(t)}
	holder := s.take(t, stores[0], s.request("holder"))
	var requests []devicelock.Request
	for i, name := range []string{"c", "a", "b"} {
		r := s.request(name)
		// An owner's clock decides nothing.
		r.Owner.Since = r.Owner.Since.Add(-time.Duration(i) * time.Hour)
		requests = append(requests, r)
		s.wait(t, stores[i%2], r)
		s.spread(t)
	}
	if got := names(s.inspect(t, stores[1]).Waiting); !slices.Equal(got, []string{"c", "a", "b"}) {
		t.Errorf("queue %v", got)
	}
	release(t, holder)
	for i, r := range requests {
		for j, later := range requests[i+1:] {
			s.wait(t, stores[(i+1+j)%2], later)
		}
		release(t, s.take(t, stores[i%2], r))
	}
}

// spread lets as much time pass as the coarsest engine's order needs: that of
// Kubernetes has whole seconds.
func (s *suite) spread(t *testing.T) {
	t.Helper()
	if s.MinTTL < time.Second {
		return
	}
	select {
	case <-time.After(1100 * time.Millisecond):
	case <-t.Context().Done():
	}
}

func (s *suite) urgentFirst(t *testing.T) {
	one, other := s.open(t), s.open(t)
	holder := s.take(t, one, s.request("holder"))
	normal, pressing := s.request("normal"), urgent(s.request("urgent"))
	s.wait(t, one, normal)
	record := s.wait(t, other, pressing)
	if got := names(record.Waiting); !slices.Equal(got, []string{"urgent", "normal"}) {
		t.Errorf("queue %v", got)
	}
	if s.inspect(t, one).Waiting[0].Priority != devicelock.Urgent {
		t.Error("the priority is not told")
	}
	release(t, holder)
	s.wait(t, one, normal)
	release(t, s.take(t, other, pressing))
	release(t, s.take(t, one, normal))
}

func (s *suite) noBarging(t *testing.T) {
	one, other := s.open(t), s.open(t)
	holder := s.take(t, one, s.request("holder"))
	waiting, newcomer := s.request("waiting"), s.request("newcomer")
	s.wait(t, other, waiting)
	s.spread(t)
	release(t, holder)
	record := s.wait(t, one, newcomer)
	if record.Holder != nil || !slices.Equal(names(record.Waiting), []string{"waiting", "newcomer"}) {
		t.Errorf("in the way stands %+v", record)
	}
	release(t, s.take(t, other, waiting))
	release(t, s.take(t, one, newcomer))
}

func (s *suite) withdraws(t *testing.T) {
	one, other := s.open(t), s.open(t)
	holder := s.take(t, one, s.request("holder"))
	a, b := s.request("a"), s.request("b")
	s.wait(t, other, a)
	s.spread(t)
	s.wait(t, one, b)
	for range 2 {
		if err := other.Withdraw(t.Context(), s.key, a.Owner.ID); err != nil {
			t.Fatal(err)
		}
	}
	if got := names(s.inspect(t, one).Waiting); !slices.Equal(got, []string{"b"}) {
		t.Errorf("queue %v", got)
	}
	release(t, holder)
	release(t, s.take(t, one, b))
}

func (s *suite) withdrawsHold(t *testing.T) {
	one, other := s.open(t), s.open(t)
	a := s.request("a")
	s.take(t, one, a)
	if err := one.Withdraw(t.Context(), s.key, a.Owner.ID); err != nil {
		t.Fatal(err)
	}
	release(t, s.take(t, other, s.request("b")))
}

func (s *suite) asksAgain(t *testing.T) {
	one, other := s.open(t), s.open(t)
	a, b := s.request("a"), s.request("b")
	first := s.take(t, one, a)
	again := s.take(t, one, a)
	if first.Fence() != again.Fence() {
		t.Errorf("fences %d and %d of one lease", first.Fence(), again.Fence())
	}
	s.wait(t, other, b)
	s.wait(t, other, b)
	if got := names(s.inspect(t, one).Waiting); !slices.Equal(got, []string{"b"}) {
		t.Errorf("queue %v", got)
	}
	release(t, again)
	release(t, s.take(t, other, b))
}

func (s *suite) race(t *testing.T) {
	const owners, rounds = 4, 10
	stores := make([]devicelock.Store, owners)
	for i := range stores {
		stores[i] = s.open(t)
		s.inspect(t, stores[i]) // so that it is connected
	}
	for round := range rounds {
		key := fmt.Sprint(s.key, "|", round)
		begin := make(chan struct{})
		var got atomic.Int64
		var all sync.WaitGroup
		for _, store := range stores {
			r := s.request("racer")
			all.Go(func() {
				<-begin
				lease, _, err := store.Acquire(t.Context(), key, r)
				switch {
				case err != nil:
					t.Error(err)
				case lease != nil:
					got.Add(1)
				}
			})
		}
		close(begin)
		all.Wait()
		if got.Load() != 1 {
			t.Errorf("%d of %d owners got a free key", got.Load(), owners)
		}
	}
}

func (s *suite) excludes(t *testing.T) {
	const owners, turns = 4, 5
	var holders atomic.Int64
	var all sync.WaitGroup
	for i := range owners {
		store := s.open(t)
		all.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			signals := store.Watch(ctx, s.key)
			for turn := range turns {
				r := s.request(fmt.Sprintf("owner%d", i))
				for {
					lease, _, err := store.Acquire(ctx, s.key, r)
					if err != nil {
						t.Errorf("owner %d, turn %d: %v", i, turn, err)
						return
					}
					if lease != nil {
						if holders.Add(1) != 1 {
							t.Error("two hold the key")
						}
						holders.Add(-1)
						if err := lease.Release(ctx); err != nil {
							t.Errorf("releasing: %v", err)
						}
						break
					}
					select {
					case <-signals:
					case <-time.After(100 * time.Millisecond):
					case <-ctx.Done():
					}
				}
			}
		})
	}
	all.Wait()
}
