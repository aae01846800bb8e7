package devicelock

import "sync"

const (
	// minReturns is how many departures must at least have been made good for
	// the walk to count as limited by its parallelism.
	minReturns = 8
	// limitedReturns is the same where only a warning depends on it.
	limitedReturns = 3
	// limitedNotes is how many better steps must have come too late, each into
	// a walk that was about full, where it does not return to its peak exactly.
	limitedNotes = 3
)

// flights counts the calls in flight and notices a walk that admits one node for
// each that leaves: the count returns to its peak again and again and never
// exceeds it. When it is at its peak then, nobody else can come.
type flights struct {
	mu       sync.Mutex
	count    int
	peak     int
	departed int // since the count was last at its peak
	returns  int // departures made good, one after the other, at this peak

	notes   int  // better steps that came too late into a walk about full
	limited bool // order was limited by parallelism
	told    bool // and somebody has been told
}

func (f *flights) enter() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.count++
	switch {
	case f.count > f.peak:
		f.peak, f.departed, f.returns = f.count, 0, 0
	case f.count == f.peak:
		f.returns += f.departed
		f.departed = 0
	}
}

func (f *flights) leave() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.count--
	f.departed++
	// A node is not in a call all the time that it is admitted, so the count
	// dips a little; a deep dip means that the walk has run dry.
	if !f.aboutFull() {
		f.departed, f.returns = 0, 0
	}
}

// aboutFull reports whether the count is at its peak or a little below. f.mu is
// held.
func (f *flights) aboutFull() bool { return f.peak >= 2 && f.count >= f.peak-max(1, f.peak/4) }

// saturated reports whether nobody else can come until somebody leaves.
// A peak of one proves nothing: it is what single calls look like.
func (f *flights) saturated() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.peak >= 2 && f.count == f.peak && f.returns >= max(minReturns, f.peak)
}

// atPeak returns the peak if the count is there, otherwise 0.
func (f *flights) atPeak() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.peak < 2 || f.count != f.peak {
		return 0
	}
	return f.peak
}

// nearPeak returns the peak if the count is about there, otherwise 0.
func (f *flights) nearPeak() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.aboutFull() {
		return 0
	}
	return f.peak
}

// noteInversion records that a better step arrived after a worse one was
// granted near the given peak (0: not near the peak). Parallelism is to blame
// only if the peak is a ceiling: the newcomer took the place of one that left.
// One newcomer shows it where the count returns to its peak all along. On a
// fast device many of the nodes that were admitted are outside of calls, so
// that it does not; there it takes several.
func (f *flights) noteInversion(peakAtGrant int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if peakAtGrant == 0 || f.peak != peakAtGrant || !f.aboutFull() {
		return
	}
	f.notes++
	if f.notes >= limitedNotes || f.count == f.peak && f.returns >= limitedReturns {
		f.limited = true
	}
}

func (f *flights) tellLimited() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.limited || f.told {
		return false
	}
	f.told = true
	return true
}
