package devicelock

import (
	"context"
	"fmt"
	"time"
)

// Observer is told what happens at the gates. It is called by the goroutine of
// the step in question, outside every mutex, with that step's context; calls for
// different steps run concurrently and may come out of order ([Event.At] tells).
type Observer interface {
	Observe(ctx context.Context, event Event)
}

// EventKind says what happened to a step.
type EventKind int

// The kinds of events of a step. Every Requested is followed by exactly one of
// Acquired, Cancelled, TimedOut and Failed; every Acquired by exactly one of
// Released and Yielded; every Yielded by exactly one of Acquired, Cancelled,
// TimedOut, Failed and GaveUp. Waiting may come in between, Lost between Acquired
// and its end.
const (
	// Requested: the step asked for the gate.
	Requested EventKind = iota
	// Acquired: the step holds the gate.
	Acquired
	// Released: the step let go of the gate.
	Released
	// Cancelled: the step's context ended while it waited.
	Cancelled
	// TimedOut: nobody made progress for the stall limit while it waited.
	TimedOut
	// Yielded: the step let go of the gate until the device changes.
	Yielded
	// GaveUp: no change came for a step that had yielded.
	GaveUp
	// Waiting: the step still waits; ten seconds after Requested or Yielded,
	// and every ten seconds from there.
	Waiting
	// Failed: the lock service failed the step while it waited.
	Failed
	// Lost: the lease that the step's hold rests on has ended.
	Lost
)

// The kinds of events of a lease, which serves many steps: their Step is zero.
// Every LeaseAcquired is followed by exactly one of LeaseReleased and LeaseLost.
const (
	// LeaseAcquired: this process holds the device's lease.
	LeaseAcquired EventKind = iota + Lost + 1
	// LeaseReleased: it let go of it.
	LeaseReleased
	// LeaseLost: the lease lapsed, was freed by force, or could not be renewed.
	LeaseLost
	// Unprotected: the lock service failed, and the configuration says to go on
	// without it.
	Unprotected
)

// String returns the kind's name in lower case.
func (k EventKind) String() string {
	switch k {
	case Requested:
		return "requested"
	case Acquired:
		return "acquired"
	case Released:
		return "released"
	case Cancelled:
		return "cancelled"
	case TimedOut:
		return "timed out"
	case Yielded:
		return "yielded"
	case GaveUp:
		return "gave up"
	case Waiting:
		return "waiting"
	case Failed:
		return "failed"
	case Lost:
		return "lost"
	case LeaseAcquired:
		return "lease acquired"
	case LeaseReleased:
		return "lease released"
	case LeaseLost:
		return "lease lost"
	case Unprotected:
		return "unprotected"
	default:
		return fmt.Sprintf("event %d", int(k))
	}
}

// Event is one thing that happened to a step at a gate.
type Event struct {
	Kind EventKind
	// Key is the device's.
	Key  string
	Step Step
	// At is when it happened, as the gate saw it.
	At time.Time
	// Waited is how long the step has waited since it last asked for the gate;
	// for LeaseAcquired, how long this process waited for the lease.
	Waited time.Duration
	// Held is how long the step held the gate, for Released, Yielded and Lost,
	// or this process the lease, for LeaseReleased and LeaseLost.
	Held time.Duration
	// Priority is the run's.
	Priority Priority
	// Fence is the token of the lease that the event is about or happened
	// under; 0 without a lease.
	Fence uint64
	// Position is the step's place among those of this process that wait, for
	// Requested and Waiting: 1 is the next, 0 means it did not have to wait.
	Position int
	// Holder is who held the gate at the time, HolderFor for how long, for the
	// events of a step that waits. The zero Step means nobody.
	Holder    Step
	HolderFor time.Duration
	// Elsewhere is who holds the device's lease in another process, for the
	// events of a step that waits; nil if nobody is known to. ElsewhereFor is
	// how long this process has seen them hold it.
	Elsewhere    *Owner
	ElsewhereFor time.Duration
	// Ahead is how many other processes are before this one in the queue for
	// the lease.
	Ahead int
	// Err is the reason, for Failed, Lost, LeaseLost and Unprotected.
	Err error
}
