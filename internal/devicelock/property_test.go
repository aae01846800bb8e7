package devicelock_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
)

// plan is one step of a random run, or one read.
type plan struct {
	step     devicelock.Step
	read     bool
	announce time.Duration // before the arrival; 0 for not at all
	arrive   time.Duration
	hold     time.Duration
	patience time.Duration // until it is cancelled; 0 for endless
	yields   bool          // once, before it changes the device
}

func drawPlans(t *rapid.T) []plan {
	instants := rapid.Custom(func(t *rapid.T) time.Duration {
		// Microseconds keep most instants apart, so that the model knows who came first.
		return time.Duration(rapid.IntRange(0, 600_000).Draw(t, "instant")) * time.Microsecond
	})
	count := rapid.IntRange(1, 40).Draw(t, "count")
	plans := make([]plan, count)
	for i := range plans {
		plans[i] = plan{
			step: devicelock.Step{
				Operation: devicelock.Operation(rapid.IntRange(0, 2).Draw(t, "operation")),
				Rank:      devicelock.Rank(rapid.IntRange(0, 9).Draw(t, "rank")),
				Owner:     strconv.Itoa(i),
			},
			read:   rapid.IntRange(0, 4).Draw(t, "read") == 0,
			arrive: instants.Draw(t, "arrive") + 100*ms,
			hold:   time.Duration(rapid.IntRange(1, 30_000).Draw(t, "hold")) * time.Microsecond,
			yields: rapid.IntRange(0, 9).Draw(t, "yields") == 0,
		}
		if rapid.Bool().Draw(t, "announced") {
			plans[i].announce = time.Duration(rapid.IntRange(1, 100_000).Draw(t, "lead")) * time.Microsecond
		}
		if rapid.IntRange(0, 3).Draw(t, "cancelled") == 0 {
			plans[i].patience = instants.Draw(t, "patience") + 1
		}
	}
	return plans
}

// modelClass says the order of the specification in another way than the code:
// by counting in the list of all steps.
func modelClass(step devicelock.Step) time.Duration {
	if step.Operation == devicelock.Update {
		step.Operation = devicelock.Create
	}
	var class time.Duration
	for _, other := range everyStep() {
		switch {
		case other.Operation == step.Operation && other.Rank == step.Rank:
			return class
		case other.Operation != devicelock.Update:
			class++
		}
	}
	panic("no such step")
}

// model watches a run and collects what must not happen.
type model struct {
	mu       sync.Mutex
	ageStep  time.Duration
	limit    int
	waiting  map[string]modelWaiter
	holder   string
	reads    int
	finished int
	faults   []string
}

type modelWaiter struct{ arrived, key, gone time.Duration }

func (m *model) fault(format string, arguments ...any) {
	m.faults = append(m.faults, fmt.Sprintf(format, arguments...))
}

func (m *model) arrives(step devicelock.Step, now, patience time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	waiter := modelWaiter{arrived: now, key: now + modelClass(step)*m.ageStep, gone: time.Hour}
	if patience > 0 {
		waiter.gone = now + patience
	}
	m.waiting[step.Owner] = waiter
}

func (m *model) goes(step devicelock.Step, now time.Duration, yielded bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.holder != "" || m.reads > 0 {
		m.fault("%s goes beside %q and %d reads", step, m.holder, m.reads)
	}
	m.holder = step.Owner
	own := m.waiting[step.Owner]
	delete(m.waiting, step.Owner)
	for owner, other := range m.waiting {
		// What comes or is cancelled at this very instant may be on either side.
		if !yielded && other.arrived < now && now < other.gone && other.key < own.key {
			m.fault("%s (key %s) goes at %s before %s (arrived %s, key %s)", step, own.key, now, owner, other.arrived, other.key)
		}
	}
}

func (m *model) leavesQueue(step devicelock.Step) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.waiting, step.Owner)
}

func (m *model) leaves() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.holder = ""
}

func (m *model) reading(change int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.reads += change
	if m.holder != "" || m.reads > m.limit {
		m.fault("%d reads beside %q", m.reads, m.holder)
	}
}

func (m *model) run(ctx context.Context, gate *devicelock.Gate, p plan, start time.Time) {
	if p.announce > 0 && !p.read && p.step.Operation != devicelock.Delete {
		time.Sleep(p.arrive - p.announce)
		gate.Announce(p.step)
		time.Sleep(p.announce)
	} else {
		time.Sleep(p.arrive)
	}
	cancellable := ctx
	if p.patience > 0 {
		var cancel context.CancelFunc
		cancellable, cancel = context.WithTimeout(ctx, p.patience)
		defer cancel()
	}
	if p.read {
		release, err := gate.Read(cancellable)
		if err == nil {
			m.reading(1)
			time.Sleep(p.hold)
			m.reading(-1)
			release()
		}
		m.ends(p, err)
		return
	}
	m.arrives(p.step, time.Since(start), p.patience)
	grant, err := gate.Acquire(cancellable, p.step)
	if err == nil {
		m.goes(p.step, time.Since(start), false)
		time.Sleep(p.hold)
		m.leaves()
		if p.yields {
			err = grant.Yield(cancellable)
			if err == nil {
				m.goes(p.step, time.Since(start), true)
				time.Sleep(p.hold)
				m.leaves()
			} else if p.patience == 0 {
				err = nil // nothing changed the device after it: as it should be
			}
		}
		grant.Changed()
		grant.Release()
	}
	m.leavesQueue(p.step)
	m.ends(p, err)
}

func (m *model) ends(p plan, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.finished++
	if err != nil && p.patience == 0 {
		m.fault("%s: %v", p.step, err)
	}
}

func TestEveryRunKeepsTheOrderTheExclusionAndEveryTurn(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		plans := drawPlans(rt)
		ageStep := time.Duration(rapid.SampledFrom([]int{5, 50, 500, 30_000}).Draw(rt, "age step")) * ms
		m := &model{ageStep: ageStep, limit: 4, waiting: map[string]modelWaiter{}}
		// A lost hand-off deadlocks the bubble or ends in ErrStalled.
		bubble(t, devicelock.Options{AgeStep: ageStep}, func(t *testing.T, _ *devicelock.Registry, gate *devicelock.Gate) {
			var group sync.WaitGroup
			start := time.Now()
			for _, p := range plans {
				group.Go(func() { m.run(t.Context(), gate, p, start) })
			}
			group.Wait()
			synctest.Wait()
			if status := gate.Status(); status != (devicelock.Status{Key: "device"}) {
				m.fault("left over: %+v", status)
			}
			if got := waited(func() { acquire(t, gate, anInterface).Release() }); got != 0 {
				m.fault("the gate is not free: %s", got)
			}
		})
		if m.finished != len(plans) {
			m.fault("%d of %d ended", m.finished, len(plans))
		}
		if len(m.faults) > 0 {
			slices.Sort(m.faults)
			rt.Fatalf("%q", m.faults)
		}
	})
}

// A step that came more than the age step times the difference of the classes
// before another is never overtaken by it; so what waits on a gate that never
// rests is through by then, plus what was there before it.
func TestNobodyIsBypassedByWhatCameTooMuchLater(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		const ageStep = 20 * ms
		worse := everyStep()[rapid.IntRange(0, len(everyStep())-1).Draw(rt, "step")]
		hold := time.Duration(rapid.IntRange(1, 20).Draw(rt, "hold")) * ms
		best := devicelock.Step{Operation: devicelock.Delete, Rank: devicelock.RankBGPNeighbor}
		var overtaken time.Duration
		bubble(t, devicelock.Options{AgeStep: ageStep}, func(t *testing.T, _ *devicelock.Registry, gate *devicelock.Gate) {
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			var mu sync.Mutex
			var since time.Time // while the worse step waits
			note := func(arrived time.Time) {
				mu.Lock()
				defer mu.Unlock()
				if !since.IsZero() {
					overtaken = max(overtaken, arrived.Sub(since))
				}
			}
			waits := func(from time.Time) {
				mu.Lock()
				defer mu.Unlock()
				since = from
			}
			var group sync.WaitGroup
			for i := range 200 {
				group.Go(func() {
					time.Sleep(time.Duration(i) * hold / 2)
					arrived := time.Now()
					grant, err := gate.Acquire(ctx, named(best, strconv.Itoa(i)))
					if err != nil {
						return
					}
					note(arrived)
					time.Sleep(hold)
					grant.Release()
				})
			}
			time.Sleep(hold/2 + 1)
			waits(time.Now())
			grant := acquire(t, gate, named(worse, "worse"))
			waits(time.Time{})
			grant.Release()
			stop()
			group.Wait()
		})
		if limit := modelClass(worse) * ageStep; overtaken > limit {
			rt.Fatalf("%s was overtaken by what came %s later, want at most %s", worse, overtaken, limit)
		}
	})
}
