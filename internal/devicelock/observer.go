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

// The kinds of events. Every Requested is followed by exactly one of Acquired,
// Cancelled and TimedOut; every Acquired by exactly one of Released and Yielded;
// every Yielded by exactly one of Acquired, Cancelled and GaveUp.
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
	// Waited is how long the step has waited since it last asked for the gate.
	Waited time.Duration
	// Held is how long the step held the gate, for Released and Yielded.
	Held time.Duration
	// Position is the step's place among those that wait, for Requested: 1 is
	// the next, 0 means it did not have to wait.
	Position int
	// Holder is who held the gate at the time, HolderFor for how long, for the
	// events of a step that waits. The zero Step means nobody.
	Holder    Step
	HolderFor time.Duration
}
