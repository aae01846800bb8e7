package simulator

import (
	"time"

	"google.golang.org/grpc/codes"
)

// FaultKind is what goes wrong.
type FaultKind string

// What can go wrong. The kinds that speak of a Set hit nothing but Sets. Those
// that go on for Fault.For go on until Heal when it is 0, except where they say
// otherwise.
const (
	// FaultErrorAfterApply carries a Set out and answers it with an error.
	FaultErrorAfterApply FaultKind = "error_after_apply"
	// FaultPartialApply carries out the first half of a Set's operations, or of
	// the value of its only one, and answers it with an error.
	FaultPartialApply FaultKind = "partial_apply"
	// FaultLostReply carries an RPC out and cuts the connection instead of
	// answering it.
	FaultLostReply FaultKind = "lost_reply"
	// FaultLateApply never answers a Set, and carries it out Fault.For after it
	// arrived, whether its client still waits or not.
	FaultLateApply FaultKind = "late_apply"
	// FaultBlackHole takes RPCs from this one on, and neither carries them out nor
	// answers them.
	FaultBlackHole FaultKind = "black_hole"
	// FaultReboot cuts all connections before the RPC is carried out, takes no new
	// ones for Fault.For, and comes back with the configuration of the start. All
	// that waited is lost: Sets, late ones too, and a commit's confirmation.
	FaultReboot FaultKind = "reboot"
	// FaultStickyLock refuses this Set and all that follow with Aborted.
	FaultStickyLock FaultKind = "sticky_lock"
	// FaultSessions refuses RPCs from this one on with ResourceExhausted.
	FaultSessions FaultKind = "sessions"
	// FaultRate lets through one RPC each 100 ms from this one on, and refuses the
	// others with ResourceExhausted and a google.rpc.RetryInfo.
	FaultRate FaultKind = "rate"
)

// Fault is something that goes wrong once. It hits the RPC that comes after
// After RPCs of the kind RPC, which is the name of one, or empty for any. RPCs
// that are refused for their credentials, or that an earlier fault keeps from
// being carried out, are not counted.
type Fault struct {
	Kind  FaultKind
	RPC   string
	After int
	// For is how long it goes on.
	For time.Duration
	// Code is the answer of FaultErrorAfterApply and FaultPartialApply; OK, which
	// is the zero value, means Internal.
	Code codes.Code
}

// Inject lets f happen, in the place of an injected fault that has not happened
// yet. What an earlier one still does goes on.
func (t *Target) Inject(f Fault) { t.faults.arm(f) }

// Heal ends what faults still do to RPCs that come from now on, and lets an
// injected fault that has not happened never happen. A FaultLateApply that is due
// still comes, and what was never answered is not answered now.
func (t *Target) Heal() { t.faults.heal() }

// Injected tells whether the fault that was injected last has happened.
func (t *Target) Injected() (hit bool) { return t.faults.happened() }

// setsOnly tells whether a kind hits nothing but Sets.
func (k FaultKind) setsOnly() bool {
	switch k {
	case FaultErrorAfterApply, FaultPartialApply, FaultLateApply, FaultStickyLock:
		return true
	}
	return false
}

// code is the code of an error that f makes up.
func (f Fault) code() codes.Code {
	if f.Code == codes.OK {
		return codes.Internal
	}
	return f.Code
}
