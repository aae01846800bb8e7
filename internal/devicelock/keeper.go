package devicelock

import (
	"container/heap"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"
)

// keeper seeks, keeps and gives back one lease for one gate, in a goroutine of
// its own. Its gate makes one when a step wants the device and there is none, and
// forgets it when it has ended.
type keeper struct {
	gate    *Gate
	leasing *leasing
	id      string
	asked   time.Duration
	// stopped ends when the lease is to be given back, lost when it has ended
	// under those that rely on it.
	stopped context.Context
	cancel  context.CancelFunc
	lost    context.Context
	lose    context.CancelCauseFunc
	// renewing is full while the lease is being renewed.
	renewing chan struct{}

	// The rest is guarded by the gate's mutex.
	state       keeperState
	stopping    bool
	lease       Lease // nil while seeking, and when unprotected
	unprotected bool
	fence       uint64
	gained      time.Duration
	idleSince   time.Duration // nobody here has wanted the device from then on
	validUntil  time.Duration // by the monotonic clock
	validWall   time.Time     // the same by the wall clock
	wanted      bool          // another owner waits
	wantedBy    Priority
	ahead       Record // what stands in the way while seeking
	aheadSince  time.Duration
}

type keeperState int

const (
	seeking keeperState = iota
	keeping
	ended
)

// startKeeper begins to seek a lease. g.mu is held.
func (g *Gate) startKeeper(now time.Duration) {
	k := &keeper{gate: g, leasing: g.registry.leasing, id: NewID(), asked: now, aheadSince: now, idleSince: never, renewing: make(chan struct{}, 1)}
	k.stopped, k.cancel = context.WithCancel(context.Background())
	k.lost, k.lose = context.WithCancelCause(context.Background())
	g.keeper = k
	k.leasing.keepers.Go(k.run)
}

// stop makes the keeper give back its lease, or give up seeking. g.mu is held.
func (k *keeper) stop() {
	k.stopping = true
	k.cancel()
}

// run seeks the lease, keeps it until it is stopped or lost, and tells the gate.
func (k *keeper) run() {
	defer k.cancel()
	defer k.lose(nil)
	// One watch serves the search and the hold; it must not end with the search.
	watching, unwatch := context.WithCancel(context.Background())
	defer unwatch()
	watch := sync.OnceValue(func() <-chan struct{} { return k.leasing.Store.Watch(watching, k.gate.key) })

	lease, valid, err := k.seek(watch)
	switch {
	case err != nil && k.stopped.Err() != nil:
		k.end(nil)
	case err != nil && k.leasing.Proceed:
		k.gain(nil, valid, err)
		<-k.stopped.Done()
		k.end(nil)
	case err != nil:
		k.end(err)
	default:
		k.gain(lease, valid, nil)
		w := watch()
		k.look() // those who asked before the watch began
		k.keep(lease, w)
	}
}

// owner describes this process as the lease's holder, or as one who waits.
func (k *keeper) owner() Owner {
	owner := k.leasing.Owner
	g := k.gate
	g.mu.Lock()
	defer g.mu.Unlock()
	owner.ID, owner.Priority = k.id, g.registry.options.Priority
	since := k.asked
	if k.state == keeping {
		since = k.gained
	}
	owner.Since = k.leasing.Clock().Add(since - g.registry.now())
	switch {
	case len(g.pins) > 0:
		for pin := range g.pins {
			owner.Resource = pin.step.String()
		}
	case g.holder != nil:
		owner.Resource = g.holder.step.String()
	case len(g.queue) > 0:
		owner.Resource = g.queue[0].step.String()
	}
	return owner
}

// validity is until when a lease may be relied on.
type validity struct {
	until time.Duration
	wall  time.Time
}

// validFrom returns the validity of a lease that was asked for at the given
// instant: counted from before the request, because nobody knows when the store
// saw it.
func (k *keeper) validFrom(now time.Duration, wall time.Time) validity {
	usable := k.leasing.TTL - Margin(k.leasing.TTL)
	return validity{now + usable, wall.Round(0).Add(usable)}
}

// gain tells the gate that it may grant now: under a lease, or without one
// because the store failed.
func (k *keeper) gain(lease Lease, valid validity, failure error) {
	g := k.gate
	g.mu.Lock()
	now := g.registry.now()
	k.state, k.lease, k.gained, k.idleSince = keeping, lease, now, now
	k.validUntil, k.validWall = valid.until, valid.wall
	event := &Event{Kind: LeaseAcquired, Waited: now - k.asked}
	if lease == nil {
		k.unprotected = true
		event.Kind, event.Err = Unprotected, failure
	} else {
		k.fence = lease.Fence()
	}
	if lease == nil || !lease.Consecutive(g.lastFence) {
		g.epoch++
	}
	g.lastFence = k.fence
	event = k.about(event, now)
	g.settle(now)
	g.mu.Unlock()
	g.observe(context.Background(), event)
}

// about completes an event of the lease.
func (k *keeper) about(event *Event, now time.Duration) *Event {
	event.Key, event.At = k.gate.key, k.gate.registry.start.Add(now)
	event.Fence, event.Priority = k.fence, k.gate.registry.options.Priority
	if k.gate.registry.options.Observer == nil {
		return nil
	}
	return event
}

// keep renews the lease and looks for others who want it, until it is stopped or
// lost.
func (k *keeper) keep(lease Lease, signals <-chan struct{}) {
	defer k.end(nil)
	for k.lost.Err() == nil {
		timer := time.NewTimer(k.untilRenewal())
		select {
		case <-k.stopped.Done():
		case <-signals:
			k.look()
		case <-timer.C:
			k.keepAlive()
		}
		timer.Stop()
		if k.lost.Err() == nil && k.stopped.Err() != nil {
			ctx, cancel := context.WithTimeout(context.Background(), callLimit)
			k.renewing <- struct{}{} // a renewal ends within callLimit
			err := lease.Release(ctx)
			<-k.renewing
			cancel()
			if err != nil {
				k.withdraw()
			}
			return
		}
	}
}

// untilRenewal returns how long the next renewal can wait: a third of the TTL,
// less when one has failed.
func (k *keeper) untilRenewal() time.Duration {
	g := k.gate
	g.mu.Lock()
	defer g.mu.Unlock()
	if k.unprotected {
		return math.MaxInt64
	}
	left := k.validUntil - g.registry.now()
	usable := k.leasing.TTL - Margin(k.leasing.TTL)
	due := left - (usable - k.leasing.TTL/3)
	if due > 0 {
		return due
	}
	return max(min(left, usable/20), 0)
}

// keepAlive renews the lease and draws the consequence if that fails.
func (k *keeper) keepAlive() {
	err := k.renew(context.Background())
	if err == nil || k.stopped.Err() != nil {
		return
	}
	g := k.gate
	g.mu.Lock()
	left := k.remaining()
	g.mu.Unlock()
	var failure *StoreError
	switch {
	case errors.Is(err, ErrLeaseLost):
		k.lostBy(err)
	case left > 0:
		// There is time for another try.
	case k.leasing.Proceed && errors.As(err, &failure):
		k.unprotect(err)
	default:
		k.lostBy(err)
	}
}

// remaining returns how long the lease may still be relied on. A wall clock that
// has run ahead counts too: the monotonic clock of a host that slept has not
// seen the time that went by. g.mu is held.
func (k *keeper) remaining() time.Duration {
	return min(k.validUntil-k.gate.registry.now(), k.validWall.Sub(k.leasing.Clock().Round(0)))
}

// renew makes the lease last for its TTL from now.
func (k *keeper) renew(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	select {
	case k.renewing <- struct{}{}:
		defer func() { <-k.renewing }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	g := k.gate
	owner := k.owner()
	g.mu.Lock()
	lease := k.lease
	g.mu.Unlock()
	if lease == nil {
		return nil
	}
	now, wall := g.registry.now(), k.leasing.Clock()
	if err := lease.Renew(ctx, owner); err != nil {
		return err
	}
	valid := k.validFrom(now, wall)
	g.mu.Lock()
	defer g.mu.Unlock()
	k.validUntil, k.validWall = valid.until, valid.wall
	return nil
}

// look finds out who else wants the lease, and whether it is still ours.
func (k *keeper) look() {
	g := k.gate
	g.mu.Lock()
	unprotected := k.unprotected
	g.mu.Unlock()
	if unprotected {
		return
	}
	ctx, cancel := context.WithTimeout(k.stopped, callLimit)
	defer cancel()
	record, err := k.leasing.Store.Inspect(ctx, k.gate.key)
	if err != nil || k.stopped.Err() != nil {
		return // a renewal will tell
	}
	k.leasing.answered()
	if record.Holder == nil || record.Holder.ID != k.id {
		k.lostBy(fmt.Errorf("%w: somebody has freed or taken it", ErrLeaseLost))
		return
	}
	others := slices.DeleteFunc(record.Waiting, func(o Owner) bool { return o.ID == k.id })
	g.mu.Lock()
	defer g.mu.Unlock()
	k.wanted = len(others) > 0
	if k.wanted {
		k.wantedBy = others[0].Priority
	}
	g.settle(g.registry.now())
}

// lostBy cancels the work that relies on the lease.
func (k *keeper) lostBy(err error) {
	g := k.gate
	g.mu.Lock()
	k.state = ended
	now := g.registry.now()
	k.lose(&LostError{Key: g.key, Err: err})
	var stepEvent *Event
	holder := g.holder
	if holder != nil && holder.keeper == k {
		if stepEvent = g.event(Lost, holder, now); stepEvent != nil {
			stepEvent.Err = err
		}
	}
	if len(g.pins) > 0 {
		g.pinsLost = &LostError{Key: g.key, Err: err}
	}
	leaseEvent := k.about(&Event{Kind: LeaseLost, Held: now - k.gained, Err: err}, now)
	g.mu.Unlock()
	if stepEvent != nil {
		g.observe(holder.context.Context, stepEvent)
	}
	g.observe(context.Background(), leaseEvent)
}

// unprotect goes on without the lease, because the store failed.
func (k *keeper) unprotect(err error) {
	g := k.gate
	k.leasing.failed(err, g.registry.now())
	g.mu.Lock()
	k.unprotected, k.lease = true, nil
	event := k.about(&Event{Kind: Unprotected, Err: err}, g.registry.now())
	g.mu.Unlock()
	g.observe(context.Background(), event)
}

// end tells the gate that there is no lease any more, and if failure is not nil,
// that there will be none for those that wait.
func (k *keeper) end(failure error) {
	g := k.gate
	g.mu.Lock()
	now := g.registry.now()
	var event *Event
	if k.state == keeping && !k.unprotected {
		event = k.about(&Event{Kind: LeaseReleased, Held: now - k.gained}, now)
	}
	k.state = ended
	g.keeper = nil
	if failure != nil {
		for _, grant := range slices.Clone(g.queue) {
			heap.Remove(&g.queue, grant.index)
			grant.fail(failure, now)
		}
	}
	g.settle(now)
	g.mu.Unlock()
	g.observe(context.Background(), event)
}
