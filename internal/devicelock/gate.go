package devicelock

import (
	"container/heap"
	"context"
	"sync"
	"time"
)

// Gate lets one step at a time configure one device. It is safe for concurrent
// use.
//
// The releaser chooses its successor under the mutex and hands over to it, so a
// newcomer cannot slip in between, and nobody polls. One timer wakes the gate
// when mere passing of time changes something.
type Gate struct {
	registry *Registry
	key      string

	mu        sync.Mutex
	holder    *Grant
	queue     queue    // steps that wait their turn
	parked    []*Grant // steps that yielded and wait for a change, in their order
	sequence  uint64
	progress  time.Duration // last time that the gate was granted or freed, or a read ended
	gathering gathering
	reading   readers
	timer     *time.Timer
	timerAt   time.Duration

	keeper    *keeper // of the device's lease; nil if none is held or sought
	lastFence uint64  // of the last lease
	epoch     uint64  // of the device, see Grant.Epoch
	pins      map[*Pin]struct{}
	pinsLost  error // why the pins' lease has ended
}

func newGate(registry *Registry, key string) *Gate {
	gate := &Gate{registry: registry, key: key, timerAt: never, pins: map[*Pin]struct{}{}}
	gate.gathering.activity = longAgo
	gate.gathering.burst = longAgo
	for class := range gate.gathering.seen {
		gate.gathering.seen[class] = longAgo
	}
	return gate
}

// Key returns the key of the gate's device.
func (g *Gate) Key() string { return g.key }

// Acquire waits until the step may configure the device and returns its grant,
// which the caller must release. Steps go in the order of their class, those of
// one class in the order they came.
//
// It returns [ErrHeld] if ctx already holds this gate, [ErrOrder] if it holds one
// whose key comes later, and a [*WaitError] if ctx ends first (it wraps the
// context's cause), if one holder made no progress for the stall limit
// ([ErrStalled]), if the store of leases failed ([*StoreError]) or if the lease
// that a [Pin] held was lost ([*LostError]).
func (g *Gate) Acquire(ctx context.Context, step Step) (*Grant, error) {
	if err := ctx.Err(); err != nil {
		return nil, &WaitError{Key: g.key, Step: step, Err: context.Cause(ctx)}
	}
	grant := &Grant{gate: g, step: step, class: step.class()}
	grant.context = holdContext{Context: ctx, grant: grant}

	ordered := g.followsHeld(ctx)
	g.mu.Lock()
	switch {
	case g.heldBy(ctx, true):
		g.mu.Unlock()
		return nil, ErrHeld
	case !ordered:
		g.mu.Unlock()
		return nil, ErrOrder
	}
	now := g.registry.now()
	if g.registry.closed.Load() {
		g.mu.Unlock()
		return nil, &WaitError{Key: g.key, Step: step, Err: ErrClosed}
	}
	if g.pinsLost != nil {
		failure := &WaitError{Key: g.key, Step: step, Err: g.pinsLost}
		g.mu.Unlock()
		return nil, failure
	}
	grant.asked = now
	g.arrived(grant, now)
	g.enqueue(grant, now)
	g.settle(now)
	if grant.state == queued {
		grant.ready = make(chan error, 1)
	}
	requested := g.event(Requested, grant, now)
	waits := grant.state == queued
	g.mu.Unlock()

	g.observe(ctx, requested)
	if waits {
		if err := grant.await(ctx); err != nil {
			return nil, err
		}
	}
	grant.observeAcquired(ctx)
	return grant, nil
}

// enqueue makes the grant wait its turn, as arriving now.
func (g *Gate) enqueue(grant *Grant, now time.Duration) {
	g.sequence++
	grant.state = queued
	grant.arrival = now
	grant.sequence = g.sequence
	grant.key = now + time.Duration(grant.class)*g.registry.options.AgeStep
	heap.Push(&g.queue, grant)
}

// settle brings the gate to rest after something happened: it lets in whoever
// may go, and sets the timer for whoever time alone will help.
func (g *Gate) settle(now time.Duration) {
	wake := min(g.admit(now), g.parkedUntil(), g.relinquish(now))
	// Finding out who stalls first takes a look at every waiter: not while the
	// timer will go off before anybody can.
	if progress, limit := g.stall(); g.timerAt > progress+limit {
		wake = min(wake, g.stallsAt())
	}
	g.wakeAt(wake, now)
}

// admit lets in whoever may go and returns when to ask again; never if only
// other events can change the answer.
func (g *Gate) admit(now time.Duration) time.Duration {
	if g.holder != nil {
		return never
	}
	g.reading.admitTurn()
	if len(g.queue) == 0 {
		g.gathering.isWithheld = false
		g.reading.admit(g.registry.options.MaxReaders)
		return never
	}
	first := g.queue[0]
	leased := g.leased(now)
	if until := g.quietUntil(first, now); until > now {
		if !g.gathering.isWithheld {
			g.gathering.isWithheld, g.gathering.withheld = true, now
		}
		// Nobody may write yet, so reads do no harm.
		g.reading.admit(g.registry.options.MaxReaders)
		return until
	}
	if !leased {
		g.gathering.isWithheld = false
		g.reading.admit(g.registry.options.MaxReaders)
		return never
	}
	if g.reading.active == 0 {
		heap.Pop(&g.queue)
		g.grantTo(first, now)
	}
	return never
}

func (g *Gate) grantTo(grant *Grant, now time.Duration) {
	g.departs(grant)
	g.holder = grant
	g.progress = now
	grant.keeper, grant.epoch = g.keeper, g.epoch
	grant.state = holding
	grant.granted = now
	if grant.ready != nil {
		grant.ready <- nil
	}
}

// vacate takes the gate from its holder, without choosing a successor.
func (g *Gate) vacate(now time.Duration) {
	g.holder = nil
	g.progress = now
	g.gathering.activity = now
	g.gathering.released++
	g.reading.giveTurn(g.registry.options.MaxReaders)
}

// heldBy reports whether ctx comes from a grant that holds the gate, or, if
// yielding counts, is about to hold it again.
func (g *Gate) heldBy(ctx context.Context, yielding bool) bool {
	grant, ok := ctx.Value(holdKey{g}).(*Grant)
	return ok && (grant.state == holding || yielding && grant.state != done)
}

// followsHeld reports whether the gate may be asked for under what ctx holds.
func (g *Gate) followsHeld(ctx context.Context) bool {
	held, ok := ctx.Value(innermost{g.registry}).(*Grant)
	return !ok || held.gate.key <= g.key
}

// Status is a gate at one instant.
type Status struct {
	// Key is the device's.
	Key string
	// Holder has held the gate since Since; the zero Step if nobody does.
	Holder Step
	Since  time.Time
	// Waiting counts the steps in the queue, Yielding those that wait for a
	// change of the device.
	Waiting, Yielding int
	// Reading counts the reads that run, ReadsWaiting those that wait.
	Reading, ReadsWaiting int
}

// Status returns who holds the gate and how many wait for it.
func (g *Gate) Status() Status {
	g.mu.Lock()
	defer g.mu.Unlock()
	status := Status{
		Key:          g.key,
		Waiting:      len(g.queue),
		Yielding:     len(g.parked),
		Reading:      g.reading.active,
		ReadsWaiting: len(g.reading.waiting),
	}
	if g.holder != nil {
		status.Holder = g.holder.step
		status.Since = g.registry.start.Add(g.holder.granted)
	}
	return status
}

// event describes what happened to the grant; nil if nobody wants to know.
func (g *Gate) event(kind EventKind, grant *Grant, now time.Duration) *Event {
	if g.registry.options.Observer == nil {
		return nil
	}
	event := &Event{Kind: kind, Key: g.key, Step: grant.step, At: g.registry.start.Add(now), Priority: g.registry.options.Priority}
	if grant.keeper != nil {
		event.Fence = grant.keeper.fence
	}
	switch kind {
	case Acquired:
		event.Waited = grant.granted - grant.asked
	case Released, Yielded, Lost:
		event.Held = now - grant.granted
	case Requested, Waiting, Cancelled, TimedOut, GaveUp, Failed:
		event.Waited = now - grant.asked
		if g.holder != nil && g.holder != grant {
			event.Holder, event.HolderFor = g.holder.step, now-g.holder.granted
		}
		event.Elsewhere, event.ElsewhereFor, event.Ahead = g.elsewhere(now)
	}
	if (kind == Requested || kind == Waiting) && grant.state == queued {
		event.Position = g.queue.position(grant)
	}
	return event
}

func (g *Gate) observe(ctx context.Context, event *Event) {
	if event != nil {
		g.registry.options.Observer.Observe(ctx, *event)
	}
}
