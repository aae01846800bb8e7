package devicelock

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Store keeps the leases of devices for all processes that use it: at most one
// owner holds a key at a time. It says who holds and who waits, and it decides
// who is next: the urgent before the others, and among equals who asked first,
// by an order that the store itself gives (no owner's clock decides).
//
// A store decides nothing about time but when a lease or a request lapses; when
// a Set may still be sent is the [Registry]'s business. All methods are safe for
// concurrent use and return soon after ctx ends. Errors other than the ones that
// are named are *[StoreError].
type Store interface {
	// Name is the backend's name in the configuration, for example "etcd".
	Name() string

	// Acquire asks for key, once, without waiting. If nobody holds it and
	// nobody is before the owner, it returns the lease. Otherwise the owner
	// is in the queue now, and Acquire returns a nil lease and the record
	// that stands in the way. To keep its place a waiter calls Acquire again,
	// with the same Owner.ID, within RequestTTL; it lapses otherwise.
	Acquire(ctx context.Context, key string, request Request) (Lease, Record, error)

	// Withdraw takes the request with this Owner.ID out of key's queue. It is
	// no error if it is not there.
	Withdraw(ctx context.Context, key, id string) error

	// Inspect returns who holds key and who waits for it.
	Inspect(ctx context.Context, key string) (Record, error)

	// List returns the records of all keys that are held or waited for, in
	// the order of their keys.
	List(ctx context.Context) ([]Record, error)

	// Break takes key from its holder, provided that is still the one with this
	// Owner.ID: [ErrLeaseLost] otherwise. The holder finds out at its next Renew
	// at the latest. Its last Set may still be under way: so for as long as
	// delay, which is the lock delay, the key is held by the one who freed it,
	// and then lapses. An engine whose next lease is Orphaned may free it at
	// once, as every one does if delay is 0.
	Break(ctx context.Context, key, id string, by Owner, delay time.Duration) error

	// Watch returns a channel that gets a value, at the latest a tenth of a
	// second after, whenever somebody else may have changed key: a holder
	// left, a request came. Values are hints and may be merged or spurious
	// (but seldom: each costs the receiver a call of the store); if the engine
	// loses sight, callers still look by themselves every few seconds. An
	// engine without notification polls behind this. The channel is never
	// closed; watching ends with ctx.
	Watch(ctx context.Context, key string) <-chan struct{}

	// Close frees what the store holds of this process: connections,
	// goroutines, files. Leases that were not released lapse.
	Close() error
}

// Lease is one owner's hold of a key. Its methods are not called concurrently.
type Lease interface {
	// Fence is the lease's token: larger than that of every earlier lease of
	// the key, and at least 1.
	Fence() uint64

	// Orphaned tells that the lease was taken from an owner that had neither
	// released it nor let TTL run out: its last Set may still be under way,
	// and the lease must not be used for the lock delay. It stays so until the
	// first Renew: if it is released before, the next one is orphaned as well.
	Orphaned() bool

	// Consecutive tells that nobody has held the key between the lease with
	// this fence and this one, as far as the store can tell.
	Consecutive(fence uint64) bool

	// Renew makes the lease last for Request.TTL from now and replaces the
	// record of its owner. It returns an error that wraps ErrLeaseLost if the
	// lease has ended, and a *StoreError if the store did not answer, in which
	// case the lease may or may not have been renewed.
	Renew(ctx context.Context, owner Owner) error

	// Release frees the key for the next one, with the owner's record. It is
	// no error if the lease has ended already.
	Release(ctx context.Context) error
}

// RequestTTL is for how long a store keeps the place of a waiter that does not
// ask again.
const RequestTTL = 15 * time.Second

// Request is what an owner wants.
type Request struct {
	Owner Owner
	// TTL is how long the store keeps the lease without a renewal. It includes
	// the lock delay, so that a lease that lapsed can be used at once.
	TTL time.Duration
}

// Priority is a run's place among the runs that wait for a device.
type Priority int

// The priorities.
const (
	Normal Priority = iota
	// Urgent goes before Normal.
	Urgent
)

// String returns the priority's name in the configuration.
func (p Priority) String() string {
	if p == Urgent {
		return "urgent"
	}
	return "normal"
}

// Owner says who holds or wants a key. Stores keep it as JSON.
type Owner struct {
	// ID is unique to one request for one key and its lease.
	ID string `json:"id"`
	// User and Host are who runs the process PID, and where.
	User string `json:"user,omitempty"`
	Host string `json:"host,omitempty"`
	PID  int    `json:"pid,omitempty"`
	// Run and Workspace are Terraform's, where they are known.
	Run       string `json:"run,omitempty"`
	Workspace string `json:"workspace,omitempty"`
	// Resource is what the owner does, or wants to do first, for example
	// "create of openconfig_vlan /network-instances/…".
	Resource string `json:"resource,omitempty"`
	// Priority is the run's.
	Priority Priority `json:"priority,omitempty"`
	// Since is when the owner got the lease, or when it asked, by its own clock.
	Since time.Time `json:"since,omitzero"`
}

// NewID returns an ID for an [Owner].
func NewID() string { return rand.Text() }

// String describes the owner for people, for example "root@ci1 (process 42, run
// run-7, workspace core), which is at: create of openconfig_vlan …".
func (o *Owner) String() string {
	who := cmp.Or(o.User, "somebody")
	if o.Host != "" {
		who += "@" + o.Host
	}
	var details []string
	if o.PID != 0 {
		details = append(details, fmt.Sprintf("process %d", o.PID))
	}
	if o.Run != "" {
		details = append(details, "run "+o.Run)
	}
	if o.Workspace != "" {
		details = append(details, "workspace "+o.Workspace)
	}
	if len(details) > 0 {
		who += " (" + strings.Join(details, ", ") + ")"
	}
	if o.Resource != "" {
		who += ", which is at: " + o.Resource
	}
	return who
}

// Record is a key at one instant.
type Record struct {
	Key string
	// Holder is who holds the key; nil if nobody does.
	Holder *Owner
	// Fence is the holder's token.
	Fence uint64
	// Expires is when the store lets the lease lapse if it is not renewed, by
	// this host's clock and to the store's accuracy. Zero if it does not lapse
	// by time.
	Expires time.Time
	// Waiting are those in the queue, the next first.
	Waiting []Owner
}

// ErrLeaseLost means that the lease has ended: it lapsed, was freed by force, or
// is somebody else's.
var ErrLeaseLost = errors.New("the lease has ended")

// StoreError is a failed call of a store.
type StoreError struct {
	// Backend is the store's name, Endpoint where it is.
	Backend, Endpoint string
	// Permanent means that trying again is useless: wrong credentials, a
	// namespace that does not exist.
	Permanent bool
	Err       error
}

// Error names the backend, the place and the cause.
func (e *StoreError) Error() string {
	where := ""
	if e.Endpoint != "" {
		where = " at " + e.Endpoint
	}
	return "lock service " + e.Backend + where + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *StoreError) Unwrap() error { return e.Err }
