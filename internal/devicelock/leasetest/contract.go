package leasetest

import (
	"context"
	"fmt"
	"slices"
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
