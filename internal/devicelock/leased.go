package devicelock

import (
	"context"
	"time"
)

// leased reports whether steps may be granted now as far as other processes are
// concerned, and sees to it that they will be. It is asked when the gate is free
// and a step wants it. g.mu is held.
func (g *Gate) leased(now time.Duration) bool {
	if g.registry.leasing == nil {
		return true
	}
	k := g.keeper
	switch {
	case k == nil:
		g.startKeeper(now)
		return false
	case k.state != keeping || k.stopping:
		return false
	case k.unprotected:
		return true
	case k.mustYield(now):
		k.stop()
		return false
	}
	k.idleSince = never
	return true
}

// mustYield reports whether it is another owner's turn: after a cohort's time, or
// at once where that owner is more urgent. g.mu is held.
func (k *keeper) mustYield(now time.Duration) bool {
	if !k.wanted || len(k.gate.pins) > 0 {
		return false
	}
	return k.wantedBy > k.gate.registry.options.Priority || now-k.gained >= k.leasing.Cohort
}

// relinquish gives up the lease, or the search for it, where no step here wants
// the device, and returns when to ask again. g.mu is held.
func (g *Gate) relinquish(now time.Duration) time.Duration {
	k := g.keeper
	if k == nil || k.stopping || g.holder != nil || len(g.queue) > 0 || len(g.pins) > 0 {
		return never
	}
	k.idleSince = min(k.idleSince, now)
	if k.state == keeping && !k.wanted && now < k.idleSince+k.leasing.Linger {
		return k.idleSince + k.leasing.Linger
	}
	k.stop()
	return never
}

// seeking reports whether the lease is in other hands. g.mu is held.
func (g *Gate) seeking() bool { return g.keeper != nil && g.keeper.state == seeking }

// elsewhere describes who stands in the way in another process. g.mu is held.
func (g *Gate) elsewhere(now time.Duration) (owner *Owner, since time.Duration, ahead int) {
	if !g.seeking() {
		return nil, 0, 0
	}
	k := g.keeper
	if owner = inTheWay(k.ahead, k.id); owner == nil {
		return nil, 0, 0
	}
	for _, other := range k.ahead.Waiting {
		if other.ID == k.id {
			break
		}
		ahead++
	}
	return owner, now - k.aheadSince, ahead
}

// Fence returns the token of the lease that the hold rests on: it never falls
// from one owner of the device to the next, in any process. It is 0 without a
// lease.
func (t *Grant) Fence() uint64 {
	if t.keeper == nil {
		return 0
	}
	return t.keeper.fence
}

// Epoch changes whenever another process may have changed the device: what an
// earlier grant has seen of it holds only under the same epoch.
func (t *Grant) Epoch() uint64 {
	t.gate.mu.Lock()
	defer t.gate.mu.Unlock()
	return t.epoch
}

// held reports whether the grant holds its gate, or is about to again.
func (t *Grant) held() bool {
	t.gate.mu.Lock()
	defer t.gate.mu.Unlock()
	return t.state != done
}

// Sending returns the context for a change of the device that takes no longer
// than limit. It does not end with ctx, because what was sent cannot be taken
// back, but when the lease is lost, and no later than the lease may be relied
// on; its cause is then a [*LostError]. If less than limit is left of the lease
// it is renewed first.
//
// It returns a [*LostError] if the lease has been lost, and a [*StoreError] if
// it has to be renewed and cannot be; nothing may be sent then.
func (t *Grant) Sending(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc, error) {
	ctx = context.WithoutCancel(ctx)
	k := t.keeper
	if k == nil {
		sending, cancel := context.WithCancel(ctx)
		return sending, cancel, nil
	}
	// The deadline is counted from before the look at what is left: a process
	// that stands still in between must not get more.
	now := time.Now()
	left, protected := k.left()
	if protected && left < limit {
		if err := k.renew(ctx); err != nil && k.lost.Err() == nil {
			if left, protected = k.left(); protected && left <= 0 {
				return nil, nil, &LostError{Key: t.gate.key, Err: err}
			}
		}
		now = time.Now()
		left, protected = k.left()
	}
	if k.lost.Err() != nil {
		return nil, nil, context.Cause(k.lost)
	}
	stopDeadline := func() {}
	if protected {
		ctx, stopDeadline = context.WithDeadlineCause(ctx, now.Add(left), &LostError{Key: t.gate.key, Err: ErrLeaseLost})
	}
	sending, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(k.lost, func() { cancel(context.Cause(k.lost)) })
	return sending, func() {
		stop()
		cancel(nil)
		stopDeadline()
	}, nil
}

// left returns how long the lease may still be relied on, and whether there is
// one.
func (k *keeper) left() (left time.Duration, protected bool) {
	k.gate.mu.Lock()
	defer k.gate.mu.Unlock()
	return k.remaining(), !k.unprotected
}
