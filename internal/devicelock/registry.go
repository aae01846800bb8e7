package devicelock

import (
	"sync"
	"sync/atomic"
	"time"
)

// Registry holds one process's gates and counts its steps in flight. It is safe
// for concurrent use.
type Registry struct {
	options Options
	start   time.Time
	flights flights
	walk    walk
	leasing *leasing // nil without leases
	closed  atomic.Bool

	mu    sync.Mutex
	gates map[string]*Gate
}

// New returns a registry without gates.
func New(options Options) *Registry {
	r := &Registry{
		options: options.withDefaults(),
		start:   time.Now(),
		gates:   map[string]*Gate{},
	}
	r.walk.init()
	if leases := r.options.Leases; leases != nil {
		r.leasing = &leasing{Leases: leases.withDefaults()}
	}
	return r
}

// Gate returns the gate of the device with this key, always the same for the
// same key. The key is the device's identity, not a name that two
// configurations could give to two devices, or one device could have twice.
// No gate waits for another one to be free.
func (r *Registry) Gate(key string) *Gate {
	if r.options.Off {
		return newGate(r, key)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	gate, ok := r.gates[key]
	if !ok {
		gate = newGate(r, key)
		r.gates[key] = gate
	}
	return gate
}

// Off tells whether the lock is switched off.
func (r *Registry) Off() bool { return r.options.Off }

// Enter counts a call as in flight until leave is called; leave is idempotent.
// Every create, update and delete enters before it asks for a gate, whatever its
// device, and so does every planning call of an apply: the count shows where
// the walk's parallelism ends.
func (r *Registry) Enter() (leave func()) {
	r.flights.enter()
	return sync.OnceFunc(r.flights.leave)
}

// OrderLimited reports, to the first caller after it happened and only once,
// that the walk's parallelism kept a foundation from arriving before a
// dependent had to go (or, tearing down, a dependent before a foundation). The
// cure is a reference between the resources, or more parallelism.
func (r *Registry) OrderLimited() bool { return r.flights.tellLimited() }

// now is the time since the registry began, on the monotonic clock.
func (r *Registry) now() time.Duration { return time.Since(r.start) }
