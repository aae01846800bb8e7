package devicelock

import (
	"container/heap"
	"math"
	"slices"
	"time"
)

const (
	// never is an instant that does not come.
	never = time.Duration(math.MaxInt64)
	// longAgo is one so early that nothing follows from it.
	longAgo = never / -2
)

// wakeAt makes the gate look again at the given instant, or earlier: a timer
// that is set for earlier stays, so that busy hand-offs do not touch it.
func (g *Gate) wakeAt(at, now time.Duration) {
	if at >= g.timerAt {
		return
	}
	g.timerAt = at
	if g.timer == nil {
		g.timer = time.AfterFunc(at-now, g.wake)
		return
	}
	g.timer.Reset(at - now)
}

func (g *Gate) wake() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.timerAt = never
	now := g.registry.now()
	g.expireStalled(now)
	g.expireParked(now)
	g.settle(now)
}

// stall returns the last progress of whoever stands in the way, and how long
// that may be ago: the holder in this process, or while the lease is sought, its
// holder elsewhere. A negative limit means none.
func (g *Gate) stall() (progress, limit time.Duration) {
	if g.seeking() {
		return g.keeper.aheadSince, g.registry.leasing.Timeout
	}
	return g.progress, g.registry.options.StallLimit
}

// stallsAt returns when the first waiter could give up on a holder, or on reads
// that do not end.
func (g *Gate) stallsAt() time.Duration {
	progress, limit := g.stall()
	blocked := g.holder != nil || g.reading.active > 0 || g.seeking()
	waited := len(g.queue) > 0 || len(g.reading.waiting) > 0
	if limit < 0 || !blocked || !waited {
		return never
	}
	// Those that came later than the last progress wait longer; when the timer
	// finds them it is set again.
	earliest := never
	for _, grant := range g.queue {
		earliest = min(earliest, grant.arrival)
	}
	for _, entry := range g.reading.waiting {
		earliest = min(earliest, entry.asked)
	}
	return max(earliest, progress) + limit
}

// expireStalled ends the wait of those for whom nothing has moved for the stall
// limit. It never frees the hold itself: what it protects may still be going on.
func (g *Gate) expireStalled(now time.Duration) {
	if g.stallsAt() > now {
		return
	}
	_, limit := g.stall()
	since := now - limit
	for _, grant := range slices.Clone(g.queue) {
		if grant.arrival <= since {
			heap.Remove(&g.queue, grant.index)
			grant.fail(ErrStalled, now)
		}
	}
	g.reading.waiting = slices.DeleteFunc(g.reading.waiting, func(entry *reader) bool {
		if entry.asked > since {
			return false
		}
		failure := &WaitError{Key: g.key, Waited: now - entry.asked, Err: ErrStalled}
		g.describeHolder(failure, now)
		entry.ready <- failure
		return true
	})
}

// describeHolder completes an error with who was in the way.
func (g *Gate) describeHolder(failure *WaitError, now time.Duration) {
	failure.Readers = g.reading.active
	if g.holder != nil {
		failure.Holder, failure.HolderFor = g.holder.step, now-g.holder.granted
	}
	failure.Elsewhere, failure.ElsewhereFor, failure.Ahead = g.elsewhere(now)
}
