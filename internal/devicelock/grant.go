package devicelock

import (
	"container/heap"
	"context"
	"errors"
	"slices"
	"time"
)

// Grant is one step's hold of a gate. Its methods are safe for concurrent use,
// but Changed and Yield are for the step that holds it.
type Grant struct {
	gate    *Gate
	step    Step
	class   int
	context holdContext

	// The rest is guarded by the gate's mutex.
	state    grantState
	asked    time.Duration // Acquire or Yield was called
	arrival  time.Duration // queued, for order and aging
	granted  time.Duration
	key      time.Duration
	sequence uint64
	index    int        // in the queue
	ready    chan error // made for the first wait; nil means the gate is held
	changed  bool
	yielded  time.Duration // in earlier calls of Yield
	keeper   *keeper       // of the lease that the hold rests on, or nil
	epoch    uint64
}

type grantState int

const (
	queued grantState = iota
	holding
	parked
	done
)

// holdKey finds the grant of one gate in a context, innermost the one of a
// registry that was given last.
type (
	holdKey   struct{ gate *Gate }
	innermost struct{ registry *Registry }
)

// holdContext carries a hold. It lives inside its grant to save an allocation
// on every step.
type holdContext struct {
	context.Context
	grant *Grant
}

func (c *holdContext) Value(key any) any {
	switch wanted := key.(type) {
	case holdKey:
		if wanted.gate == c.grant.gate {
			return c.grant
		}
	case innermost:
		if wanted.registry == c.grant.gate.registry && c.grant.held() {
			return c.grant
		}
	}
	return c.Context.Value(key)
}

// Context returns a context derived from the one given to Acquire that carries
// the hold: under it [Gate.Read] does not wait for the grant, and
// [Gate.Acquire] of the same gate is refused while the grant lives.
func (t *Grant) Context() context.Context { return &t.context }

// Changed says that this hold changed the device, so that steps that yielded
// are worth another try once it is released.
func (t *Grant) Changed() {
	t.gate.mu.Lock()
	defer t.gate.mu.Unlock()
	t.changed = true
}

// Release hands the gate to whoever is next. It does nothing if the grant does
// not hold the gate any more.
func (t *Grant) Release() {
	g := t.gate
	g.mu.Lock()
	if t.state != holding {
		g.mu.Unlock()
		return
	}
	now := g.registry.now()
	t.leave(now)
	released := g.event(Released, t, now)
	g.settle(now)
	g.mu.Unlock()
	g.observe(t.context.Context, released)
}

// leave ends the hold.
func (t *Grant) leave(now time.Duration) {
	t.state = done
	t.gate.vacate(now)
	if t.changed {
		t.changed = false
		t.gate.unpark(now)
	}
}

// await waits for the gate. When the context ends first the grant leaves the
// queue at once, and passes the gate on if it got it meanwhile.
func (t *Grant) await(ctx context.Context) error {
	reminder := t.reminder()
	defer reminder.Stop()
	for waiting := true; waiting; {
		select {
		case err := <-t.ready:
			if err != nil {
				t.observeFailure(ctx, err)
			}
			return err
		case <-reminder.C:
			t.remind(ctx)
		case <-ctx.Done():
			waiting = false
		}
	}
	g := t.gate
	g.mu.Lock()
	now := g.registry.now()
	err := t.waitError(context.Cause(ctx), now)
	switch t.state {
	case queued:
		heap.Remove(&g.queue, t.index)
		g.gathering.activity = now
	case parked:
		g.parked = slices.DeleteFunc(g.parked, func(other *Grant) bool { return other == t })
	case holding:
		g.vacate(now)
	case done: // the gate gave up on it at the same time
	}
	t.state = done
	cancelled := g.event(Cancelled, t, now)
	g.settle(now)
	g.mu.Unlock()
	g.observe(ctx, cancelled)
	return err
}

// remindEvery is how often a step that waits says so.
const remindEvery = 10 * time.Second

// reminder returns the ticker of the reminders; one that never ticks if nobody
// wants to know.
func (t *Grant) reminder() *time.Ticker {
	if t.gate.registry.options.Observer == nil {
		return &time.Ticker{}
	}
	return time.NewTicker(remindEvery)
}

// remind reports that the step still waits.
func (t *Grant) remind(ctx context.Context) {
	g := t.gate
	g.mu.Lock()
	var waiting *Event
	if t.state == queued || t.state == parked {
		waiting = g.event(Waiting, t, g.registry.now())
	}
	g.mu.Unlock()
	g.observe(ctx, waiting)
}

// fail ends the wait of a grant that is neither queued nor parked any more.
func (t *Grant) fail(reason error, now time.Duration) {
	t.state = done
	t.ready <- t.waitError(reason, now)
}

func (t *Grant) waitError(reason error, now time.Duration) *WaitError {
	failure := &WaitError{Key: t.gate.key, Step: t.step, Waited: now - t.asked, Err: reason}
	t.gate.describeHolder(failure, now)
	return failure
}

// observeFailure reports that the gate gave up on the grant.
func (t *Grant) observeFailure(ctx context.Context, err error) {
	kind := Failed
	switch {
	case errors.Is(err, ErrStalled):
		kind = TimedOut
	case errors.Is(err, ErrNoProgress):
		kind = GaveUp
	}
	g := t.gate
	g.mu.Lock()
	failed := g.event(kind, t, g.registry.now())
	g.mu.Unlock()
	if failed != nil && kind == Failed {
		failed.Err = errors.Unwrap(err)
	}
	g.observe(ctx, failed)
}

func (t *Grant) observeAcquired(ctx context.Context) {
	g := t.gate
	if g.registry.options.Observer == nil {
		return
	}
	g.mu.Lock()
	acquired := g.event(Acquired, t, t.granted)
	g.mu.Unlock()
	g.observe(ctx, acquired)
}

// before orders grants: by age-adjusted class, then by sequence.
func (t *Grant) before(other *Grant) bool {
	if t.key != other.key {
		return t.key < other.key
	}
	return t.sequence < other.sequence
}
