package simulator

import (
	"sync"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// faults is what goes wrong on a target, now and with an RPC to come.
type faults struct {
	mu sync.Mutex
	// armed is the fault that has not happened yet, nil if none.
	armed *Fault
	hit   bool
	// spells are the kinds that go on, and their ends; the zero time is none.
	spells map[FaultKind]time.Time
	pace   pace
	// habits are the faults that quirks bring again and again. hole is the black
	// hole that one brings, and limit the rate; both are nil without the quirk.
	habits []*habit
	hole   *Fault
	limit  *pace
}

// faultPace is the rate of FaultRate.
const faultPace = 100 * time.Millisecond

var (
	errDown     = status.Error(codes.Unavailable, "the device reboots")
	errSticky   = status.Error(codes.Aborted, "configuration locked")
	errSessions = status.Error(codes.ResourceExhausted, "too many sessions")
)

func (f *faults) arm(fault Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.armed, f.hit = &fault, false
}

func (f *faults) happened() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.hit
}

func (f *faults) heal() {
	f.mu.Lock()
	defer f.mu.Unlock()
	clear(f.spells)
	f.armed = nil
}

// spell lets a kind go on, without end when d is 0. One that lasts longer already
// is left as it is. It must be called with mu held.
func (f *faults) spell(kind FaultKind, d time.Duration) {
	var end time.Time
	if d > 0 {
		end = time.Now().Add(d)
	}
	if f.spells == nil {
		f.spells = map[FaultKind]time.Time{}
	}
	if old, on := f.spells[kind]; on && (old.IsZero() || old.After(end) && d > 0) {
		return
	}
	f.spells[kind] = end
}

// lasts tells whether a kind goes on.
func (f *faults) lasts(kind FaultKind) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.on(kind)
}

func (f *faults) on(kind FaultKind) bool {
	end, on := f.spells[kind]
	return on && (end.IsZero() || time.Now().Before(end))
}

// meet tells what happens to an RPC that arrives: an error refuses it, else the
// fault, if it is of any kind, strikes it. An injected fault comes before those
// of quirks.
func (f *faults) meet(rpc string, req any) (Fault, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.on(FaultBlackHole) {
		return Fault{Kind: FaultBlackHole}, nil
	}
	if f.limit != nil {
		if err := f.limit.take(); err != nil {
			return Fault{}, err
		}
	}
	if err := f.refusal(rpc); err != nil {
		return Fault{}, err
	}
	for _, due := range []**Fault{&f.armed, &f.hole} {
		if a := *due; a.hits(rpc) {
			*due = nil
			f.hit = f.hit || due == &f.armed
			return f.happen(*a, rpc)
		}
	}
	return f.happen(f.habitual(rpc, req), rpc)
}

// hits counts an RPC against a fault, which may be nil, and tells whether it is
// the one.
func (f *Fault) hits(rpc string) bool {
	if f == nil || f.RPC != "" && f.RPC != rpc || f.Kind.setsOnly() && rpc != "Set" {
		return false
	}
	f.After--
	return f.After < 0
}

// happen begins what a fault does beyond the RPC that it strikes.
func (f *faults) happen(a Fault, rpc string) (Fault, error) {
	switch a.Kind {
	case FaultReboot:
		if a.For > 0 {
			f.spell(FaultReboot, a.For)
		}
	case FaultBlackHole:
		f.spell(FaultBlackHole, a.For)
	case FaultRate:
		f.pace = pace{every: faultPace, burst: 1}
		f.spell(FaultRate, a.For)
		return a, f.pace.take()
	case FaultStickyLock, FaultSessions:
		f.spell(a.Kind, a.For)
		return a, f.refusal(rpc)
	}
	return a, nil
}

// refusal is the answer of what goes on and refuses the RPC, nil if nothing does.
func (f *faults) refusal(rpc string) error {
	switch {
	case f.on(FaultReboot):
		return errDown
	case f.on(FaultSessions):
		return errSessions
	case f.on(FaultStickyLock) && rpc == "Set":
		return errSticky
	case f.on(faultBusy) && rpc == "Set":
		return retryLater(codes.Unavailable, "the device is busy", time.Until(f.spells[faultBusy]))
	case f.on(FaultRate):
		return f.pace.take()
	}
	return nil
}
