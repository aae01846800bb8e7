// Package leasetest holds stores of leases to their contract, and has a store of
// its own to test with: one in memory, whose clock is the test's and that fails
// on demand.
package leasetest

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
)

// Memory is an engine of leases in this process's memory. Each Open is a client
// of its own. It is safe for concurrent use.
type Memory struct {
	mu      sync.Mutex
	keys    map[string]*entry
	clients []*client
	calls   map[string]int
	down    error
	delay   time.Duration
	asked   int
	reclaim bool
	deaf    bool
}

type entry struct {
	fence    uint64
	holder   *devicelock.Owner
	by       *client // of holder
	orphaned bool    // the next lease is
	expires  time.Time
	waiting  []*waiter
	watchers map[chan struct{}]*client
}

type waiter struct {
	devicelock.Owner
	by     *client
	order  int
	lapses time.Time
}

// NewMemory returns an engine without leases.
func NewMemory() *Memory {
	return &Memory{keys: map[string]*entry{}, calls: map[string]int{}}
}

// Open returns a new client.
func (m *Memory) Open() devicelock.Store {
	c := &client{engine: m}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.clients = append(m.clients, c)
	return c
}

// Fail makes every call fail with err until it is called with nil.
func (m *Memory) Fail(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.down = err
}

// Delay makes every call take this long.
func (m *Memory) Delay(d time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.delay = d
}

// Reclaim makes leases of killed clients end at once, as the kernel ends locks:
// the next one is orphaned.
func (m *Memory) Reclaim() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.reclaim = true
}

// Deafen keeps watchers from hearing anything from now on.
func (m *Memory) Deafen() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.deaf = true
}

// Calls returns how often each method has been called.
func (m *Memory) Calls() map[string]int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return maps.Clone(m.calls)
}

// Kill makes a client vanish: its leases and requests stay until they lapse,
// and all its calls fail.
func (m *Memory) Kill(store devicelock.Store) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c, ok := store.(*client)
	if !ok {
		return
	}
	c.dead = true
	if !m.reclaim {
		return
	}
	for _, e := range m.keys {
		if e.holder != nil && e.by == c {
			e.holder, e.orphaned = nil, true
		}
		e.waiting = slices.DeleteFunc(e.waiting, func(w *waiter) bool { return w.by == c })
		e.tell(c)
	}
}

func (m *Memory) entry(key string) *entry {
	e := m.keys[key]
	if e == nil {
		e = &entry{watchers: map[chan struct{}]*client{}}
		m.keys[key] = e
	}
	now := time.Now()
	if e.holder != nil && !now.Before(e.expires) {
		e.holder = nil
	}
	e.waiting = slices.DeleteFunc(e.waiting, func(w *waiter) bool { return !now.Before(w.lapses) })
	return e
}

func (e *entry) record(key string) devicelock.Record {
	r := devicelock.Record{Key: key}
	if e.holder != nil {
		holder := *e.holder
		r.Holder, r.Fence, r.Expires = &holder, e.fence, e.expires
	}
	for _, w := range e.waiting {
		r.Waiting = append(r.Waiting, w.Owner)
	}
	return r
}

func (e *entry) tell(except *client) {
	for watcher, c := range e.watchers {
		if c == except || c.dead || c.engine.deaf {
			continue
		}
		select {
		case watcher <- struct{}{}:
		default:
		}
	}
}

// client is one process's view of a Memory.
type client struct {
	engine *Memory
	dead   bool
}

// call begins a call, which the caller ends by unlocking the engine.
func (c *client) call(ctx context.Context, name string) error {
	c.engine.mu.Lock()
	c.engine.calls[name]++
	if delay := c.engine.delay; delay > 0 {
		c.engine.mu.Unlock()
		select {
		case <-time.After(delay):
		case <-ctx.Done():
		}
		c.engine.mu.Lock()
	}
	switch {
	case ctx.Err() != nil:
		return &devicelock.StoreError{Backend: c.Name(), Err: context.Cause(ctx)}
	case c.engine.down != nil:
		return &devicelock.StoreError{Backend: c.Name(), Endpoint: "memory", Err: c.engine.down}
	case c.dead:
		return &devicelock.StoreError{Backend: c.Name(), Err: fmt.Errorf("the process is dead")}
	}
	return nil
}

// Name is part of devicelock.Store.
func (c *client) Name() string { return "test" }

// Acquire is part of devicelock.Store.
func (c *client) Acquire(ctx context.Context, key string, request devicelock.Request) (devicelock.Lease, devicelock.Record, error) {
	defer c.engine.mu.Unlock()
	if err := c.call(ctx, "acquire"); err != nil {
		return nil, devicelock.Record{}, err
	}
	e := c.engine.entry(key)
	at := slices.IndexFunc(e.waiting, func(w *waiter) bool { return w.ID == request.Owner.ID })
	if at < 0 && (e.holder == nil || e.holder.ID != request.Owner.ID) {
		c.engine.asked++
		w := &waiter{Owner: request.Owner, by: c, order: c.engine.asked}
		at, _ = slices.BinarySearchFunc(e.waiting, w, func(a, b *waiter) int {
			return cmp.Or(-cmp.Compare(a.Priority, b.Priority), cmp.Compare(a.order, b.order))
		})
		e.waiting = slices.Insert(e.waiting, at, w)
		if e.holder != nil {
			e.tell(c)
		}
	}
	if at >= 0 {
		e.waiting[at].lapses = time.Now().Add(devicelock.RequestTTL)
	}
	held := e.holder != nil && e.holder.ID == request.Owner.ID
	if !held && (e.holder != nil || at > 0) {
		return nil, e.record(key), nil
	}
	if !held {
		e.waiting = e.waiting[1:]
		e.fence++
	}
	owner := request.Owner
	e.holder, e.by, e.expires = &owner, c, time.Now().Add(request.TTL)
	return &lease{client: c, key: key, id: owner.ID, ttl: request.TTL, fence: e.fence, orphaned: e.orphaned}, e.record(key), nil
}

// Withdraw is part of devicelock.Store.
func (c *client) Withdraw(ctx context.Context, key, id string) error {
	defer c.engine.mu.Unlock()
	if err := c.call(ctx, "withdraw"); err != nil {
		return err
	}
	e := c.engine.entry(key)
	e.waiting = slices.DeleteFunc(e.waiting, func(w *waiter) bool { return w.ID == id })
	if e.holder != nil && e.holder.ID == id {
		e.holder = nil
	}
	e.tell(c)
	return nil
}

// Inspect is part of devicelock.Store.
func (c *client) Inspect(ctx context.Context, key string) (devicelock.Record, error) {
	defer c.engine.mu.Unlock()
	if err := c.call(ctx, "inspect"); err != nil {
		return devicelock.Record{}, err
	}
	return c.engine.entry(key).record(key), nil
}

// List is part of devicelock.Store.
func (c *client) List(ctx context.Context) ([]devicelock.Record, error) {
	defer c.engine.mu.Unlock()
	if err := c.call(ctx, "list"); err != nil {
		return nil, err
	}
	var all []devicelock.Record
	for _, key := range slices.Sorted(maps.Keys(c.engine.keys)) {
		if r := c.engine.entry(key).record(key); r.Holder != nil || len(r.Waiting) > 0 {
			all = append(all, r)
		}
	}
	return all, nil
}

// Break is part of devicelock.Store.
func (c *client) Break(ctx context.Context, key, id string, by devicelock.Owner, delay time.Duration) error {
	defer c.engine.mu.Unlock()
	if err := c.call(ctx, "break"); err != nil {
		return err
	}
	e := c.engine.entry(key)
	if e.holder == nil || e.holder.ID != id {
		return devicelock.ErrLeaseLost
	}
	e.holder, e.by, e.expires = &by, nil, time.Now().Add(delay)
	e.fence++ // nobody's
	e.tell(c)
	return nil
}

// Watch is part of devicelock.Store.
func (c *client) Watch(ctx context.Context, key string) <-chan struct{} {
	c.engine.mu.Lock()
	defer c.engine.mu.Unlock()
	e, watcher := c.engine.entry(key), make(chan struct{}, 1)
	e.watchers[watcher] = c
	context.AfterFunc(ctx, func() {
		c.engine.mu.Lock()
		defer c.engine.mu.Unlock()
		delete(e.watchers, watcher)
	})
	return watcher
}

// Close is part of devicelock.Store.
func (c *client) Close() error { return nil }

type lease struct {
	client *client
	key    string
	id     string
	ttl    time.Duration
	fence  uint64

	orphaned bool
}

// Fence is part of devicelock.Lease.
func (l *lease) Fence() uint64 { return l.fence }

// Orphaned is part of devicelock.Lease.
func (l *lease) Orphaned() bool { return l.orphaned }

// Consecutive is part of devicelock.Lease.
func (l *lease) Consecutive(fence uint64) bool { return l.fence == fence+1 }

// Renew is part of devicelock.Lease.
func (l *lease) Renew(ctx context.Context, owner devicelock.Owner) error {
	defer l.client.engine.mu.Unlock()
	if err := l.client.call(ctx, "renew"); err != nil {
		return err
	}
	e := l.client.engine.entry(l.key)
	if e.holder == nil || e.holder.ID != l.id || e.fence != l.fence {
		return devicelock.ErrLeaseLost
	}
	e.holder, e.expires = &owner, time.Now().Add(l.ttl)
	if l.orphaned {
		e.orphaned = false // its owner has sat it out
	}
	return nil
}

// Release is part of devicelock.Lease.
func (l *lease) Release(ctx context.Context) error {
	defer l.client.engine.mu.Unlock()
	if err := l.client.call(ctx, "release"); err != nil {
		return err
	}
	e := l.client.engine.entry(l.key)
	if e.holder != nil && e.holder.ID == l.id && e.fence == l.fence {
		e.holder = nil
		e.tell(l.client)
	}
	return nil
}
