package devicelock

import "sync"

const (
	// minReturns is how many departures must at least have been made good for
	// the walk to count as limited by its parallelism.
	minReturns = 8
	// limitedReturns is the same where only a warning depends on it.
	limitedReturns = 3
	// limitedNotes is how many better steps must have come too late where the
	// count does not return to its peak exactly.
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

	notes   int  // better steps that came too late into a walk that may be full
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

// nearPeak returns the peak, and whether the count is about there.
func (f *flights) nearPeak() (peak int, near bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.peak, f.aboutFull()
}

// noteInversion records that a better step arrived after worse ones had been
// granted. Parallelism is to blame only if the peak is a ceiling: it is still
// the same, and the newcomer took the place of one that left. That shows in one
// of three ways. The count returns to its peak all along; then one newcomer
// shows it. The count is about at its peak, at the grant and now, or half as
// many steps as the peak have left the gate in between; then it takes several.
//
// The last is for a fast device or a slow machine, where Terraform is busy with
// most of the nodes that it has admitted and they are outside of calls.
func (f *flights) noteInversion(granted worse, left int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	full := granted.full && f.aboutFull()
	turnedOver := left >= max(minReturns, f.peak/2)
	if f.peak != granted.peak || !full && !turnedOver {
		return
	}
	f.notes++
	if f.notes >= limitedNotes || full && f.count == f.peak && f.returns >= limitedReturns {
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
