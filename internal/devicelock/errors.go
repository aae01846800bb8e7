package devicelock

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

var (
	// ErrHeld means that the context already holds the gate, so waiting for it would be
	// waiting for oneself.
	ErrHeld = errors.New("this context already holds the device")
	// ErrOrder means that the context holds a device whose key comes later: two
	// that take the same devices in different orders would wait for each other.
	ErrOrder = errors.New("devices must be taken in the order of their keys")
	// ErrNotHeld means that the grant does not hold its gate (any more).
	ErrNotHeld = errors.New("the grant does not hold the device")
	// ErrNoProgress means that the change that a yielding step hoped for did
	// not come.
	ErrNoProgress = errors.New("no further change of the device came")
	// ErrStalled means that one owner held the gate, or the device's lease, for
	// the whole stall limit.
	ErrStalled = errors.New("no progress by the holder")
	// ErrClosed means that the registry has been closed.
	ErrClosed = errors.New("the device locks have been closed")
)

// WaitError is why a step or a read did not get the gate. It wraps the context's
// cause, [ErrStalled], [ErrNoProgress], [ErrClosed], a [*StoreError] or a [*LostError].
type WaitError struct {
	// Key is the device's.
	Key string
	// Step is who waited; the zero Step for a read.
	Step Step
	// Waited is for how long.
	Waited time.Duration
	// Holder is who held the gate in the end, HolderFor for how long; the zero
	// Step when nobody did.
	Holder    Step
	HolderFor time.Duration
	// Elsewhere is who held the device's lease in another process in the end,
	// or was to have it next, ElsewhereFor for how long this process saw them
	// in the way, and Ahead how many others waited before this process.
	Elsewhere    *Owner
	ElsewhereFor time.Duration
	Ahead        int
	// Readers is how many reads ran in the end.
	Readers int
	// Err is the reason.
	Err error
}

// Error names the device, the waiter, the holder and the reason.
func (e *WaitError) Error() string {
	var text strings.Builder
	who := "a read"
	if e.Step != (Step{}) {
		who = e.Step.String()
	}
	fmt.Fprintf(&text, "device %q: %s waited %s", e.Key, who, e.Waited.Round(time.Millisecond))
	switch {
	case e.Holder != (Step{}):
		fmt.Fprintf(&text, " for %s, which has held the device for %s", e.Holder, e.HolderFor.Round(time.Millisecond))
	case e.Elsewhere != nil:
		fmt.Fprintf(&text, " for %s, in the way for %s", e.Elsewhere, e.ElsewhereFor.Round(time.Millisecond))
	case e.Readers > 0:
		fmt.Fprintf(&text, " for %d reads", e.Readers)
	}
	fmt.Fprintf(&text, ": %v", e.Err)
	return text.String()
}

// Unwrap returns the reason.
func (e *WaitError) Unwrap() error { return e.Err }

// LostError means that the lease a step relied on has ended: what the device
// holds has to be found out.
type LostError struct {
	// Key is the device's.
	Key string
	// Err is why; it wraps [ErrLeaseLost] or a [*StoreError].
	Err error
}

// Error names the device and the reason.
func (e *LostError) Error() string {
	return fmt.Sprintf("device %q: its lock was lost: %v", e.Key, e.Err)
}

// Unwrap returns the reason.
func (e *LostError) Unwrap() error { return e.Err }
