package devicelock

import "time"

// gathering is what a gate remembers in order to tell whether better steps may
// still be on their way. All instants are times since the registry began.
type gathering struct {
	announced map[string]announcement // outstanding, by owner
	announces bool                    // this run has announcements
	seen      [numberOfClasses]time.Duration
	// burst is when the first step of the current burst arrived: until then
	// silence says nothing.
	burst    time.Duration
	activity time.Duration // last arrival or release
	// lead is the longest time from an announcement to its arrival in this
	// burst: the walk's pace on this machine, under today's load.
	lead time.Duration
	// withheld is since when the gate is free but kept from its waiters.
	withheld   time.Duration
	isWithheld bool

	released int   // grants of this gate that ended
	built    worse // creates and updates of dependents
	torn     worse // deletes of foundations
}

// worse is what is remembered, within a burst, of grants that better steps
// should have preceded, if they came.
type worse struct {
	peak  int  // of the calls in flight; 0 if there was no such grant
	full  bool // whether as many were in flight, or about as many, at one of them
	since int  // grants that had ended before the first of them
}

func (w *worse) note(peak int, full bool, released int) {
	if w.peak != peak {
		*w = worse{peak: peak, since: released}
	}
	w.full = w.full || full
}

// maxPace is how many times as long as on an idle machine the quiet time is at
// most where the walk is slow.
const maxPace = 3

type announcement struct {
	class       int
	at, expires time.Duration
}

// Announce says that the step will probably come soon, so that worse ones leave
// it the way. It counts for at most AnnounceFor, and is fulfilled by an Acquire
// of the same Owner. Announcing again renews it.
func (g *Gate) Announce(step Step) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.registry.now()
	if g.gathering.announced == nil {
		g.gathering.announced = map[string]announcement{}
	}
	class := step.class()
	g.gathering.announced[step.Owner] = announcement{class: class, at: now, expires: now + g.registry.options.AnnounceFor}
	g.gathering.announces = true
	g.gathering.seen[class] = now
	g.registry.walk.note(class, 0, now, g.registry.options.AnnounceFor)
	g.settle(now)
}

// arrived takes note of an arrival, before it is queued.
func (g *Gate) arrived(grant *Grant, now time.Duration) {
	memory := &g.gathering
	announced, fulfilled := memory.announced[grant.step.Owner]
	delete(memory.announced, grant.step.Owner)
	if g.holder == nil && len(g.queue) == 0 && now-memory.activity > g.registry.options.AnnounceFor {
		memory.burst, memory.lead = now, 0
		memory.built, memory.torn = worse{}, worse{}
	}
	lead := time.Duration(0)
	if fulfilled {
		lead = now - announced.at
	}
	memory.lead = max(memory.lead, lead)
	g.registry.walk.note(grant.class, lead, now, g.registry.options.AnnounceFor)
	memory.activity = now
	memory.seen[grant.class] = now

	early, granted := grant.step.Rank.Foundation(), memory.built
	if grant.step.Operation == Delete {
		early, granted = !early, memory.torn
	}
	if early && granted.peak > 0 {
		g.registry.flights.noteInversion(granted, memory.released-granted.since)
	}
}

// departs takes note of a grant.
func (g *Gate) departs(grant *Grant) {
	memory := &g.gathering
	memory.isWithheld = false
	foundation := grant.step.Rank.Foundation()
	peak, full := g.registry.flights.nearPeak()
	switch {
	case grant.step.Operation != Delete && !foundation:
		memory.built.note(peak, full, memory.released)
	case grant.step.Operation == Delete && foundation:
		memory.torn.note(peak, full, memory.released)
	}
}

// quietUntil returns when the step may go if nothing happens until then; now if
// it may go at once.
//
// A walk delivers its steps within a burst, in random order. So a step that
// others may have to precede waits until none of those is announced and none has
// come or been announced for the quiet time. It counts from the last of them, or
// from the start of the burst, so that those that follow do not pay again. While
// the walk sets out, steps of other devices count as well.
// Where nobody else can come there is nothing to wait for.
//
// Only steps that would overtake it if they came now matter. As it ages these
// become fewer, so that the wait ends even under endless better arrivals.
func (g *Gate) quietUntil(grant *Grant, now time.Duration) time.Duration {
	if !grant.step.gathers() {
		return now
	}
	options, memory := &g.registry.options, &g.gathering
	better := grant.class - int((now-grant.arrival)/options.AgeStep)
	if better <= 0 {
		return now
	}

	until := now
	// Announced steps have been admitted: they come, whatever else is so.
	for owner, announced := range memory.announced {
		switch {
		case announced.expires <= now:
			delete(memory.announced, owner)
		case announced.class < better:
			until = max(until, announced.expires)
		}
	}
	last, lead := g.registry.walk.rush(better, now, options.MaxGather)
	quietFrom := max(memory.burst, last)
	for class := range better {
		quietFrom = max(quietFrom, memory.seen[class])
	}
	quiet := options.QuietBlind
	if memory.announces && grant.step.Operation != Delete {
		quiet = min(max(memory.lead, lead, options.Quiet), maxPace*options.Quiet)
	}
	// An announced step has a place in the walk but is not in flight, so while
	// there is one the count of those in flight is no ceiling.
	full := len(memory.announced) == 0 && g.registry.flights.saturated()
	if !full {
		until = max(until, quietFrom+quiet)
	}

	since := now
	if memory.isWithheld {
		since = memory.withheld
	}
	return min(until, since+options.MaxGather)
}
