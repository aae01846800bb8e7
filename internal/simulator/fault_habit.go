package simulator

import (
	"time"

	"github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/gnmi/proto/gnmi_ext"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// rebootTime is how long a reboot takes that is a habit.
const rebootTime = time.Second

// faultBusy refuses Sets with Unavailable and a google.rpc.RetryInfo. It comes
// from the quirk only: a device is busy after a Set, not instead of one.
const faultBusy FaultKind = "busy"

// habit is a fault that happens again and again.
type habit struct {
	fault Fault
	// every is how often: with every so many of the RPCs that it is about.
	every int
	// about tells which these are.
	about func(rpc string, req any) bool
	seen  int
}

// adopt prepares the faults that quirks bring. Of several that would hit one
// RPC, it is the first.
func (f *faults) adopt(q *Quirks) {
	sets := func(rpc string, _ any) bool { return rpc == "Set" }
	for _, h := range []*habit{
		{fault: Fault{Kind: FaultReboot, For: rebootTime}, every: q.RebootInSet, about: sets},
		{fault: Fault{Kind: FaultLostReply}, every: q.LoseCommitReply, about: startsCommit},
		{fault: Fault{Kind: FaultErrorAfterApply}, every: q.ApplyThenError, about: sets},
		{fault: Fault{Kind: FaultPartialApply}, every: q.PartialApplyThenError, about: sets},
	} {
		if h.every > 0 {
			f.habits = append(f.habits, h)
		}
	}
	if q.BlackHole > 0 {
		f.hole = &Fault{Kind: FaultBlackHole, After: q.BlackHole}
	}
	if q.RateLimit > 0 {
		f.limit = &pace{every: time.Second / time.Duration(q.RateLimit), burst: q.RateLimit}
	}
}

func startsCommit(_ string, req any) bool {
	set, ok := req.(*gnmi.SetRequest)
	if !ok {
		return false
	}
	_, starts := commitOf(set).GetAction().(*gnmi_ext.Commit_Commit)
	return starts
}

// habitual is the fault that an RPC meets by habit, of no kind if none.
func (f *faults) habitual(rpc string, req any) Fault {
	var met Fault
	for _, h := range f.habits {
		if !h.about(rpc, req) {
			continue
		}
		if h.seen++; h.seen%h.every == 0 && met.Kind == "" {
			met = h.fault
		}
	}
	return met
}

// standing is the refusal of quirks that do not come and go.
func (t *Target) standing(req any) error {
	set, ok := req.(*gnmi.SetRequest)
	if !ok {
		return nil
	}
	q := &t.options.Quirks
	operations := len(set.GetDelete()) + len(set.GetReplace()) + len(set.GetUpdate()) + len(set.GetUnionReplace())
	switch {
	case q.LockedForeverBy != "":
		return status.Error(codes.FailedPrecondition, "the configuration is locked by "+q.LockedForeverBy)
	case q.MaxOperations > 0 && operations > q.MaxOperations:
		return status.Errorf(codes.InvalidArgument, "%d operations are more than the %d that a Set may have", operations, q.MaxOperations)
	}
	return nil
}

// aftermath is what a Set that was let in leaves behind.
func (t *Target) aftermath(rpc string, err error) {
	if rpc != "Set" {
		return
	}
	q := &t.options.Quirks
	t.faults.mu.Lock()
	defer t.faults.mu.Unlock()
	switch {
	case err != nil && q.LockSticksAfterError > 0:
		t.faults.spell(FaultStickyLock, q.LockSticksAfterError)
	case err == nil && q.BusyFor > 0:
		t.faults.spell(faultBusy, q.BusyFor)
	}
}
