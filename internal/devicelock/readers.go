package devicelock

import (
	"context"
	"slices"
	"sync"
	"time"
)

// readers are a gate's shared reads.
type readers struct {
	active  int
	waiting []*reader
	// turn is how many of those that waited for a writer go before the next.
	turn int
}

type reader struct {
	asked    time.Duration
	admitted bool
	ready    chan error
}

// Read waits until the device may be read, together with at most MaxReaders-1
// other reads and no step of this process; release ends the read and is
// idempotent. A step that waits for the device and may go stops later reads;
// after each step as many reads as can run at once get their turn. Under a
// context that holds the gate Read does nothing.
//
// It returns a [*WaitError] if ctx ends first or one holder made no progress for
// the stall limit.
func (g *Gate) Read(ctx context.Context) (release func(), err error) {
	if ctx.Err() != nil {
		return nil, &WaitError{Key: g.key, Err: context.Cause(ctx)}
	}
	g.mu.Lock()
	if g.heldBy(ctx, false) {
		g.mu.Unlock()
		return func() {}, nil
	}
	now := g.registry.now()
	entry := &reader{asked: now, ready: make(chan error, 1)}
	g.reading.waiting = append(g.reading.waiting, entry)
	g.settle(now)
	g.mu.Unlock()

	select {
	case err = <-entry.ready:
	case <-ctx.Done():
		err = g.abandonRead(ctx, entry)
	}
	if err != nil {
		return nil, err
	}
	return sync.OnceFunc(g.endRead), nil
}

func (g *Gate) endRead() {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.registry.now()
	g.reading.active--
	g.progress = now
	g.settle(now)
}

// abandonRead takes a read whose context ended out of the gate.
func (g *Gate) abandonRead(ctx context.Context, entry *reader) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.registry.now()
	failure := &WaitError{Key: g.key, Waited: now - entry.asked, Err: context.Cause(ctx)}
	g.describeHolder(failure, now)
	if entry.admitted {
		g.reading.active--
	} else {
		g.reading.waiting = slices.DeleteFunc(g.reading.waiting, func(other *reader) bool { return other == entry })
	}
	g.settle(now)
	return failure
}

// giveTurn lets the reads that wait now, as many as can run at once, go before
// the next step.
func (r *readers) giveTurn(limit int) { r.turn = min(len(r.waiting), limit) }

func (r *readers) admitTurn() {
	for ; r.turn > 0; r.turn-- {
		r.admitFirst()
	}
}

// admit lets in as many as may run at once.
func (r *readers) admit(limit int) {
	for r.active < limit && len(r.waiting) > 0 {
		r.admitFirst()
	}
}

func (r *readers) admitFirst() {
	if len(r.waiting) == 0 {
		return
	}
	first := r.waiting[0]
	r.waiting = slices.Delete(r.waiting, 0, 1)
	r.active++
	first.admitted = true
	first.ready <- nil
}
