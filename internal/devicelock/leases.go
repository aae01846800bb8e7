package devicelock

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"
)

// Leases say how the gates of a registry use a [Store], so that their order
// holds among processes too. Every zero field but Store stands for its default.
//
// A gate takes its device's lease when a step wants the device, lets a run of its
// own steps pass on it, and gives it back soon after the last of them, or between
// two of them when another owner waits.
type Leases struct {
	// Store keeps the leases.
	Store Store
	// TTL is for how long work may rely on a lease after its renewal. It must
	// be longer than the longest Set. Default [DefaultTTL].
	TTL time.Duration
	// LockDelay is how long after the end of a lease that its owner did not
	// release nobody gets the device: the longest time that a device goes on
	// with a Set whose sender has given up. Default [DefaultLockDelay].
	LockDelay time.Duration
	// Timeout is how long a step waits while one other owner stands in the way
	// without progress. Default [DefaultTimeout].
	Timeout time.Duration
	// Cohort is how long the steps of one process may follow one another while
	// another owner waits: the next one waits for this and one step. Default 2s.
	Cohort time.Duration
	// Linger is how long the lease is kept for further steps when nobody waits
	// for it anywhere. Default 500ms.
	Linger time.Duration
	// Patience is how long the store may fail before that counts. Default 5s.
	Patience time.Duration
	// Proceed makes the gates go on without leases while the store is down, as
	// if there were one process only. Otherwise the steps fail.
	Proceed bool
	// Owner describes this process: User, Host, PID, Run and Workspace.
	Owner Owner
	// Clock is the wall clock, for tests. Default time.Now.
	Clock func() time.Time
}

// Defaults of [Leases].
const (
	DefaultTTL       = 120 * time.Second
	DefaultLockDelay = 10 * time.Second
	DefaultTimeout   = 30 * time.Second
)

const (
	// callLimit bounds one call of the store.
	callLimit = 5 * time.Second
	// lookAgain is how often a waiter asks the store without a signal, more or
	// less: it keeps its place in the queue, and finds what no signal told.
	lookAgain = RequestTTL / 5
	// failureMemory is how long a failed store answers for later steps.
	failureMemory = 15 * time.Second
)

func (l Leases) withDefaults() Leases {
	l.TTL = cmp.Or(l.TTL, DefaultTTL)
	l.LockDelay = cmp.Or(l.LockDelay, DefaultLockDelay)
	l.Timeout = cmp.Or(l.Timeout, DefaultTimeout)
	l.Cohort = cmp.Or(l.Cohort, 2*time.Second)
	l.Linger = cmp.Or(l.Linger, 500*time.Millisecond)
	l.Patience = cmp.Or(l.Patience, 5*time.Second)
	if l.Clock == nil {
		l.Clock = time.Now
	}
	return l
}

// Margin is the part of a TTL that is never relied on: it covers the time that
// hosts' clocks differ in a TTL and that a process needs to act.
func Margin(ttl time.Duration) time.Duration { return min(ttl/10, 5*time.Second) }

// leasing is what all gates of a registry share about their leases.
type leasing struct {
	Leases
	keepers sync.WaitGroup

	mu       sync.Mutex
	failure  error // of the store
	failedAt time.Duration
	warning  error // not told yet
}

// failed records that the store does not answer.
func (l *leasing) failed(err error, now time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.Proceed && l.failure == nil {
		l.warning = err
	}
	l.failure, l.failedAt = err, now
}

// down returns why the store has just failed, or nil.
func (l *leasing) down(now time.Duration) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.failure != nil && now-l.failedAt < failureMemory {
		return l.failure
	}
	return nil
}

func (l *leasing) answered() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.failure = nil
}

// Timeout is how long a step waits while somebody else stands in the way.
func (r *Registry) Timeout() time.Duration {
	timeout := r.options.Timeout
	if r.leasing != nil {
		timeout = cmp.Or(timeout, r.leasing.Timeout)
	}
	return cmp.Or(timeout, DefaultTimeout)
}

// LockDelay is the longest time that a device goes on with a Set whose sender
// has given up: for so long a step keeps a device that did not answer.
func (r *Registry) LockDelay() time.Duration {
	delay := r.options.LockDelay
	if r.leasing != nil {
		delay = cmp.Or(delay, r.leasing.LockDelay)
	}
	return cmp.Or(delay, DefaultLockDelay)
}

// Unprotected returns, once for each failure of the store, why steps went on
// without a lease; nil if none did.
func (r *Registry) Unprotected() error {
	if r.leasing == nil {
		return nil
	}
	r.leasing.mu.Lock()
	defer r.leasing.mu.Unlock()
	warning := r.leasing.warning
	r.leasing.warning = nil
	return warning
}

// Backend returns the name of the store of leases, "memory" without one, "off"
// if the lock is switched off.
func (r *Registry) Backend() string {
	if r.options.Off {
		return "off"
	}
	if r.leasing == nil {
		return "memory"
	}
	return r.leasing.Store.Name()
}

// Close gives back all leases and closes the store. No step may be under way.
// It returns what kept a lease from being given back, if ctx ends first that.
func (r *Registry) Close(ctx context.Context) error {
	if r.leasing == nil {
		return nil
	}
	r.mu.Lock()
	r.closed.Store(true)
	for _, gate := range r.gates {
		gate.mu.Lock()
		clear(gate.pins)
		if gate.keeper != nil {
			gate.keeper.stop()
		}
		gate.mu.Unlock()
	}
	r.mu.Unlock()
	done := make(chan struct{})
	go func() {
		r.leasing.keepers.Wait()
		close(done)
	}()
	select {
	case <-done:
		return r.leasing.Store.Close()
	case <-ctx.Done():
		return fmt.Errorf("giving back the device locks: %w", context.Cause(ctx))
	}
}

// Record returns who holds the device's lease in any process, and who waits. It
// returns false if there are no leases.
func (g *Gate) Record(ctx context.Context) (Record, bool, error) {
	if g.registry.leasing == nil {
		return Record{Key: g.key}, false, nil
	}
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	record, err := g.registry.leasing.Store.Inspect(ctx, g.key)
	return record, true, err
}
