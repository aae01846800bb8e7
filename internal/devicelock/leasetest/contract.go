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

// Engine is where the stores under test keep their leases.
type Engine struct {
	// Open returns a new client of the engine, as another process has it.
	Open func(t *testing.T) devicelock.Store
	// Kill makes a client vanish as if its process had been killed; nil if
	// that cannot be done inside one process.
	Kill func(devicelock.Store)
	// MinTTL is the shortest lease that the engine honours.
	MinTTL time.Duration
}

// patience bounds the wait for what must happen by itself.
const patience = 20 * time.Second

// Run holds the stores of the engine that fresh returns to the contract of
// devicelock.Store. fresh is called for every test; engines may share a server
// as long as keys do not meet.
func Run(t *testing.T, fresh func(t *testing.T) Engine) {
	tests := []struct {
		name string
		run  func(s *suite, t *testing.T)
	}{
		{"a free key is given at once and to one owner only", (*suite).givesOnce},
		{"the next one gets the key after a release", (*suite).handsOver},
		{"those who ask wait in the order in which they asked", (*suite).keepsOrder},
		{"the urgent go before the others", (*suite).urgentFirst},
		{"nobody takes a free key from those who wait", (*suite).noBarging},
		{"who withdraws is forgotten", (*suite).withdraws},
		{"withdrawing frees a key that was given without the owner knowing", (*suite).withdrawsHold},
		{"asking again is harmless", (*suite).asksAgain},
		{"the record tells the owner and goes with the lease", (*suite).records},
		{"all keys are listed, spelled as they are", (*suite).lists},
		{"a lease that is freed by force is lost to its owner", (*suite).breaks},
		{"a key that is freed by force comes free after the lock delay", (*suite).breaksLater},
		{"only the holder that was meant is freed by force", (*suite).breaksRightOne},
		{"a lease ends when it is not renewed", (*suite).expires},
		{"a lease lasts while it is renewed", (*suite).renews},
		{"the fence never falls", (*suite).fences},
		{"a watcher hears of a release, a request and a break", (*suite).watches},
		{"of many who ask for a free key at once one gets it", (*suite).race},
		{"of many owners at once one holds at a time", (*suite).excludes},
		{"what ended lets no call hang", (*suite).ends},
		{"a killed owner's key comes free", (*suite).kills},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := &suite{Engine: fresh(t), key: fmt.Sprintf("%s|%d", t.Name(), time.Now().UnixNano())}
			test.run(s, t)
		})
	}
}

type suite struct {
	Engine
	key string
	ids atomic.Int64
}

func (s *suite) open(t *testing.T) devicelock.Store {
	t.Helper()
	store := s.Open(t)
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Errorf("closing the store: %v", err)
		}
	})
	return store
}

// request returns a new owner's request for a minute.
func (s *suite) request(name string) devicelock.Request {
	return devicelock.Request{
		TTL: time.Minute,
		Owner: devicelock.Owner{
			ID: fmt.Sprintf("%s-%d-%d", name, time.Now().UnixNano(), s.ids.Add(1)), User: name, Host: "host.example", PID: 42, Run: "run-1",
			Workspace: "core", Resource: "create of interface \"a\" [x=y]", Since: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
		},
	}
}

func urgent(r devicelock.Request) devicelock.Request {
	r.Owner.Priority = devicelock.Urgent
	return r
}

func (s *suite) try(t *testing.T, store devicelock.Store, r devicelock.Request) (devicelock.Lease, devicelock.Record) {
	t.Helper()
	lease, record, err := store.Acquire(t.Context(), s.key, r)
	if err != nil {
		t.Fatalf("%s: acquiring: %v", r.Owner.User, err)
	}
	return lease, record
}

// take acquires what must be free for the owner.
func (s *suite) take(t *testing.T, store devicelock.Store, r devicelock.Request) devicelock.Lease {
	t.Helper()
	lease, record := s.try(t, store, r)
	if lease == nil {
		t.Fatalf("%s did not get the key: %+v", r.Owner.User, record)
	}
	return lease
}

// wait acquires what must be in somebody's hands.
func (s *suite) wait(t *testing.T, store devicelock.Store, r devicelock.Request) devicelock.Record {
	t.Helper()
	lease, record := s.try(t, store, r)
	if lease != nil {
		t.Fatalf("%s got the key", r.Owner.User)
	}
	return record
}

// eventually asks until the owner gets the key.
func (s *suite) eventually(t *testing.T, store devicelock.Store, r devicelock.Request) devicelock.Lease {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	for {
		if lease, _ := s.try(t, store, r); lease != nil {
			return lease
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			t.Fatalf("%s did not get the key within %s", r.Owner.User, patience)
		}
	}
}

func release(t *testing.T, lease devicelock.Lease) {
	t.Helper()
	if err := lease.Release(t.Context()); err != nil {
		t.Fatalf("releasing: %v", err)
	}
}

func (s *suite) inspect(t *testing.T, store devicelock.Store) devicelock.Record {
	t.Helper()
	record, err := store.Inspect(t.Context(), s.key)
	if err != nil {
		t.Fatalf("inspecting: %v", err)
	}
	return record
}

func names(owners []devicelock.Owner) []string {
	var names []string
	for _, o := range owners {
		names = append(names, o.User)
	}
	return names
}

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

func (s *suite) records(t *testing.T) {
	one, other := s.open(t), s.open(t)
	a := s.request("a")
	lease := s.take(t, one, a)
	check := func(want devicelock.Owner) {
		t.Helper()
		record := s.inspect(t, other)
		if record.Key != s.key || record.Fence != lease.Fence() || record.Holder == nil {
			t.Fatalf("record %+v", record)
		}
		got := *record.Holder
		if !got.Since.Equal(want.Since) {
			t.Errorf("since %s", got.Since)
		}
		got.Since = want.Since
		if got != want {
			t.Errorf("holder %+v, want %+v", got, want)
		}
		if left := time.Until(record.Expires); !record.Expires.IsZero() && (left < 50*time.Second || left > 70*time.Second) {
			t.Errorf("a lease of a minute expires in %s", left)
		}
	}
	check(a.Owner)
	next := a.Owner
	next.Resource = "update of another one"
	if err := lease.Renew(t.Context(), next); err != nil {
		t.Fatal(err)
	}
	check(next)
	release(t, lease)
	if record := s.inspect(t, other); record.Holder != nil {
		t.Errorf("the record outlives the lease: %+v", record)
	}
}

func (s *suite) lists(t *testing.T) {
	store := s.open(t)
	base := s.key
	keys := []string{
		base + "192.0.2.1:9339", base + "[2001:db8::1]:9339", base + "a b/ü{%}*?\\~..", base + "Leaf1", base + "leaf1", base + "leaf1/holder",
	}
	for _, key := range keys {
		s.key = key
		s.take(t, store, s.request("a"))
	}
	s.key = keys[0]
	s.wait(t, store, s.request("b"))
	records, err := s.open(t).List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range records {
		if !slices.Contains(keys, r.Key) {
			continue // of another test on the same server
		}
		got = append(got, r.Key)
		if r.Holder == nil || r.Holder.User != "a" {
			t.Errorf("%s: holder %+v", r.Key, r.Holder)
		}
		if want := r.Key == keys[0]; want != (len(r.Waiting) == 1) {
			t.Errorf("%s: waiting %+v", r.Key, r.Waiting)
		}
	}
	slices.Sort(keys)
	if !slices.Equal(got, keys) {
		t.Errorf("listed\n%q, want\n%q", got, keys)
	}
}

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

func (s *suite) watches(t *testing.T) {
	one, other := s.open(t), s.open(t)
	hears := func(what string, signals <-chan struct{}, done func() bool) {
		t.Helper()
		deadline := time.After(patience)
		for !done() {
			select {
			case <-signals:
			case <-deadline:
				t.Fatalf("no word of %s", what)
			}
		}
	}
	a, b := s.request("a"), s.request("b")
	lease := s.take(t, one, a)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	holders := one.Watch(ctx, s.key)
	s.wait(t, other, b)
	waiters := other.Watch(ctx, s.key)
	hears("a request", holders, func() bool { return len(s.inspect(t, one).Waiting) == 1 })
	release(t, lease)
	var next devicelock.Lease
	hears("a release", waiters, func() bool { next, _ = s.try(t, other, b); return next != nil })
	c := s.request("c")
	s.wait(t, one, c)
	if err := one.Break(t.Context(), s.key, b.Owner.ID, devicelock.Owner{}, 0); err != nil {
		t.Fatal(err)
	}
	broken := other.Watch(ctx, s.key)
	d := s.request("d")
	s.wait(t, other, d)
	lease = s.take(t, one, c)
	release(t, lease)
	hears("another release", broken, func() bool { next, _ = s.try(t, other, d); return next != nil })
	release(t, next)
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
