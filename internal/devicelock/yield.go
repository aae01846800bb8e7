package devicelock

import (
	"context"
	"slices"
	"time"
)

// Yield is for a step that the device refused because something it refers to is
// missing: it lets go of the gate, waits until another step has changed the
// device (see [Grant.Changed]), and takes its turn again.
//
// Steps that yield wait without trying. A change sends them back into the queue
// in their order, behind the steps of their class that wait there already, so
// that those go first and each change costs every one of them at most one try.
//
// It returns [ErrNotHeld] if the grant does not hold the gate, and otherwise a
// [*WaitError]: the context's cause, or [ErrNoProgress] if the grant has yielded
// for YieldLimit altogether or nothing else was held, queued or announced for
// YieldIdle. After an error the grant does not hold the gate.
func (t *Grant) Yield(ctx context.Context) error {
	g := t.gate
	g.mu.Lock()
	if t.state != holding {
		g.mu.Unlock()
		return ErrNotHeld
	}
	now := g.registry.now()
	yielded := g.event(Yielded, t, now)
	t.leave(now)
	t.asked = now
	t.state = parked
	if t.ready == nil {
		t.ready = make(chan error, 1)
	}
	g.park(t)
	g.expireParked(now)
	g.settle(now)
	g.mu.Unlock()
	g.observe(ctx, yielded)

	if err := t.await(ctx); err != nil {
		return err
	}
	g.mu.Lock()
	t.yielded += t.granted - t.asked
	g.mu.Unlock()
	t.observeAcquired(ctx)
	return nil
}

// park keeps those that yielded in the order in which they first came.
func (g *Gate) park(grant *Grant) {
	at, _ := slices.BinarySearchFunc(g.parked, grant, func(a, b *Grant) int {
		if a.before(b) {
			return -1
		}
		return 1
	})
	g.parked = slices.Insert(g.parked, at, grant)
}

// unpark queues all that yielded, because the device has changed.
func (g *Gate) unpark(now time.Duration) {
	for _, grant := range g.parked {
		g.enqueue(grant, now)
	}
	g.parked = g.parked[:0]
}

// parkedUntil returns when the first that yielded gives up if nothing happens.
func (g *Gate) parkedUntil() time.Duration {
	until := never
	if len(g.parked) == 0 {
		return until
	}
	for _, grant := range g.parked {
		until = min(until, grant.yieldsUntil())
	}
	return min(until, g.idleUntil())
}

// yieldsUntil returns when the grant's time for yielding is used up.
func (t *Grant) yieldsUntil() time.Duration {
	return t.asked + t.gate.registry.options.YieldLimit - t.yielded
}

// idleUntil returns when the gate will have been idle for long enough to give
// up hope; never while something is held or queued.
func (g *Gate) idleUntil() time.Duration {
	if g.holder != nil || len(g.queue) > 0 {
		return never
	}
	idle := g.gathering.activity
	for _, announced := range g.gathering.announced {
		idle = max(idle, announced.expires)
	}
	return idle + g.registry.options.YieldIdle
}

// expireParked ends the wait of those that have yielded for too long or to no
// purpose. While the walk is at its peak only one gives up, the last in order:
// the step that the others hope for may need the place that this one frees.
func (g *Gate) expireParked(now time.Duration) {
	g.parked = slices.DeleteFunc(g.parked, func(grant *Grant) bool {
		if grant.yieldsUntil() > now {
			return false
		}
		grant.fail(ErrNoProgress, now)
		return true
	})
	if len(g.parked) == 0 || g.idleUntil() > now {
		return
	}
	from := 0
	if g.registry.flights.atPeak() > 0 {
		from = len(g.parked) - 1
		g.gathering.activity = now
	}
	for _, grant := range g.parked[from:] {
		grant.fail(ErrNoProgress, now)
	}
	g.parked = slices.Delete(g.parked, from, len(g.parked))
}
