package devicelock

import (
	"cmp"
	"time"
)

// Options tune a [Registry] and all its gates. The zero value is ready for use:
// every zero field stands for the default named at the field.
type Options struct {
	// AgeStep is how long a step must have waited to be worth one class more:
	// a step is never overtaken by one that arrived later than this, times the
	// difference of their classes. Default 30s.
	AgeStep time.Duration
	// Quiet is how long no better step may have arrived or been announced
	// before a create or update that can be overtaken goes, in a run with
	// announcements. Where arrivals come later after their announcements than
	// this, because the machine is slow or busy, it is as long as they take,
	// up to three times this. Default 50ms.
	Quiet time.Duration
	// QuietBlind is the same where nothing is announced: for deletes, and for
	// every step in a run without announcements. Default 100ms.
	QuietBlind time.Duration
	// AnnounceFor is how long an announcement counts, and after how long
	// without activity a gate takes the next arrival as the start of a new
	// burst. Default 2s.
	AnnounceFor time.Duration
	// MaxGather bounds the time for which a gate that is free is withheld from
	// its waiters, counted anew after each grant; aging bounds the sum.
	// Default 2s.
	MaxGather time.Duration
	// MaxReaders is how many reads run on a device at once. Default 4.
	MaxReaders int
	// StallLimit is how long a waiter waits while nobody else makes progress:
	// one owner holds the gate all the while. Default 30s; negative means no
	// limit.
	StallLimit time.Duration
	// YieldLimit bounds the sum of the times that one grant spends in Yield.
	// Default 30s.
	YieldLimit time.Duration
	// YieldIdle is for how long nothing may be held, queued or announced
	// before a step that yielded gives up. Default 2s.
	YieldIdle time.Duration
	// LockDelay is the longest time that a device goes on with a change whose
	// sender has given up. Default that of Leases, or else [DefaultLockDelay].
	LockDelay time.Duration
	// Timeout is how long a step waits for what others than owners of the lock
	// have begun on the device. Default that of Leases, or else [DefaultTimeout].
	Timeout time.Duration
	// Off switches the lock off: every call of [Registry.Gate] returns a gate of
	// its own, which excludes nobody and keeps no step waiting.
	Off bool
	// Priority is this run's among the runs that wait for a device.
	Priority Priority
	// Leases make the order hold among processes; nil means that there is only
	// this one.
	Leases *Leases
	// Observer is told what happens. Default: nobody.
	Observer Observer
}

func (o Options) withDefaults() Options {
	if o.Off {
		const none = 1 // the shortest time that is not the default
		o.Quiet, o.QuietBlind, o.AnnounceFor, o.MaxGather, o.YieldIdle = none, none, none, none, none
		o.Leases = nil
	}
	o.AgeStep = cmp.Or(o.AgeStep, 30*time.Second)
	o.Quiet = cmp.Or(o.Quiet, 50*time.Millisecond)
	o.QuietBlind = cmp.Or(o.QuietBlind, 100*time.Millisecond)
	o.AnnounceFor = cmp.Or(o.AnnounceFor, 2*time.Second)
	o.MaxGather = cmp.Or(o.MaxGather, 2*time.Second)
	o.MaxReaders = cmp.Or(o.MaxReaders, 4)
	o.StallLimit = cmp.Or(o.StallLimit, 30*time.Second)
	o.YieldLimit = cmp.Or(o.YieldLimit, 30*time.Second)
	o.YieldIdle = cmp.Or(o.YieldIdle, 2*time.Second)
	return o
}
