package devicelock_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/anishathalye/porcupine"
	"pgregory.net/rapid"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock/leasetest"
)

// The world of these tests: a store of leases that fails and is slow, processes
// that die and whose clocks jump, and a device that may go on with a Set whose
// sender has given up, but for no longer than the lock delay.
const (
	worldTTL       = 20 * time.Second
	worldLockDelay = 3 * time.Second
	worldLimit     = 5 * time.Second // of one Set
)

// action is one step that a process will do.
type action struct {
	think time.Duration // before it asks
	read  time.Duration // after it was granted
	pause time.Duration // between the permission to send and the sending
	take  time.Duration // until the device has carried out the Set
}

// mishap is what goes wrong at some time.
type mishap struct {
	at, lasts time.Duration
	kind      string
	process   int
	jump      time.Duration
}

func drawActions(t *rapid.T, name string) []action {
	ms := func(most int, name string) time.Duration {
		return time.Duration(rapid.IntRange(0, most).Draw(t, name)) * time.Millisecond
	}
	actions := make([]action, rapid.IntRange(1, 8).Draw(t, name))
	for i := range actions {
		actions[i] = action{think: ms(4000, "think"), read: ms(50, "read"), take: ms(400, "take")}
		if rapid.IntRange(0, 3).Draw(t, "slow") == 0 {
			actions[i].take = ms(14000, "slow take")
		}
		if rapid.IntRange(0, 5).Draw(t, "paused") == 0 {
			actions[i].pause = ms(30000, "pause")
		}
	}
	return actions
}

func drawMishaps(t *rapid.T, processes int) []mishap {
	// Whoever frees a lock by force relies on its holder hearing of it.
	kinds := []string{"kill", "jump", "slow", "outage"}
	if rapid.Bool().Draw(t, "forced") {
		kinds = []string{"kill", "jump", "break"}
	}
	mishaps := make([]mishap, rapid.IntRange(0, 4).Draw(t, "mishaps"))
	for i := range mishaps {
		mishaps[i] = mishap{
			at:      time.Duration(rapid.IntRange(0, 30_000).Draw(t, "at")) * time.Millisecond,
			lasts:   time.Duration(rapid.IntRange(1, 30_000).Draw(t, "lasts")) * time.Millisecond,
			kind:    rapid.SampledFrom(kinds).Draw(t, "kind"),
			process: rapid.IntRange(0, processes-1).Draw(t, "process"),
			jump:    rapid.SampledFrom([]time.Duration{-10 * time.Minute, 10 * time.Minute}).Draw(t, "jump"),
		}
	}
	return mishaps
}

// done is one step in the history of a device: what it found and what it wrote,
// between when it was granted and when nothing of it could come any more.
type done struct {
	process     int
	found       string
	wrote       string
	landed      bool
	began, over time.Duration
}

// world is a device, with the history of what was done to it.
type world struct {
	start time.Time

	mu      sync.Mutex
	value   string
	fence   uint64
	history []*done
	faults  []string
	late    sync.WaitGroup
}

func (w *world) now() time.Duration { return time.Since(w.start) }

// granted begins a step's entry in the history.
func (w *world) granted(process int, value string, fence uint64) *done {
	w.mu.Lock()
	defer w.mu.Unlock()
	if fence < w.fence {
		w.faults = append(w.faults, fmt.Sprintf("the fence fell from %d to %d", w.fence, fence))
	}
	w.fence = fence
	entry := &done{process: process, found: w.value, wrote: value, began: w.now(), over: w.now()}
	w.history = append(w.history, entry)
	return entry
}

// set sends a Set, and returns when it was answered or its process died. A sender
// that gives up stays at the device until it is settled what became of the Set,
// which takes the lock delay at most.
func (w *world) set(sending, alive context.Context, entry *done, take time.Duration) {
	if sending.Err() != nil || alive.Err() != nil {
		return // nothing leaves with a context that has ended
	}
	answered := make(chan struct{})
	givenUp := make(chan struct{})
	w.late.Go(func() {
		timer := time.NewTimer(take)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-givenUp:
			select {
			case <-timer.C:
			case <-time.After(worldLockDelay - time.Millisecond):
			}
		}
		w.mu.Lock()
		w.value, entry.landed, entry.over = entry.wrote, true, w.now()
		w.mu.Unlock()
		close(answered)
	})
	select {
	case <-answered:
	case <-sending.Done():
		close(givenUp)
		<-answered
	case <-alive.Done():
		close(givenUp)
	}
}

// linearizable reports whether the history is one that steps could have made one
// after the other.
func (w *world) linearizable() bool {
	model := porcupine.Model{
		Init: func() any { return "" },
		Step: func(state, input, _ any) (bool, any) {
			step := input.(*done)
			if step.found != state.(string) {
				return false, state
			}
			if step.landed {
				return true, step.wrote
			}
			return true, state
		},
	}
	operations := make([]porcupine.Operation, len(w.history))
	for i, entry := range w.history {
		operations[i] = porcupine.Operation{ClientId: i, Input: entry, Call: int64(entry.began), Return: int64(entry.over)}
	}
	return porcupine.CheckOperations(model, operations)
}

// inhabitant is a process of the world.
type inhabitant struct {
	*devicelock.Registry
	store devicelock.Store
	alive context.Context
	die   context.CancelFunc

	mu     sync.Mutex
	offset time.Duration // of its wall clock
}

func (p *inhabitant) clock() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return time.Now().Add(p.offset)
}

func (p *inhabitant) live(w *world, index int, actions []action) {
	gate := p.Gate("device")
	for i, a := range actions {
		select {
		case <-time.After(a.think):
		case <-p.alive.Done():
			return
		}
		grant, err := gate.Acquire(p.alive, named(anInterface, fmt.Sprint(index, ".", i)))
		if err != nil {
			continue
		}
		entry := w.granted(index, fmt.Sprint(index, ".", i), grant.Fence())
		p.step(w, grant, entry, a)
		grant.Release()
	}
}

func (p *inhabitant) step(w *world, grant *devicelock.Grant, entry *done, a action) {
	time.Sleep(a.read)
	sending, end, err := grant.Sending(p.alive, worldLimit)
	if err != nil {
		return
	}
	defer end()
	time.Sleep(a.pause)
	limited, cancel := context.WithTimeout(sending, worldLimit)
	defer cancel()
	w.set(limited, p.alive, entry, a.take)
}

// happen lets a mishap happen.
func happen(t *testing.T, engine *leasetest.Memory, people []*inhabitant, m mishap) {
	time.Sleep(m.at)
	p := people[m.process]
	switch m.kind {
	case "kill":
		engine.Kill(p.store)
		p.die()
	case "jump":
		p.mu.Lock()
		p.offset += m.jump
		p.mu.Unlock()
	case "slow":
		engine.Delay(m.lasts / 20)
		time.Sleep(m.lasts)
		engine.Delay(0)
	case "outage":
		engine.Fail(errors.New("the network is down"))
		time.Sleep(m.lasts)
		engine.Fail(nil)
	case "break":
		store := engine.Open()
		record, err := store.Inspect(context.Background(), "device")
		if err == nil && record.Holder != nil {
			err = store.Break(context.Background(), "device", record.Holder.ID, devicelock.Owner{ID: devicelock.NewID(), User: "somebody"}, worldLockDelay)
		}
		if err != nil && !errors.Is(err, devicelock.ErrLeaseLost) {
			t.Error(err)
		}
	}
}

// inhabit lets processes live in a world, and returns it when all is over. The
// store may reclaim what a dead process held at once.
func inhabit(t *testing.T, lives [][]action, mishaps []mishap, reclaim bool) *world {
	engine := leasetest.NewMemory()
	if reclaim {
		engine.Reclaim()
	}
	w := &world{start: time.Now()}
	var all sync.WaitGroup
	people := make([]*inhabitant, len(lives))
	for i := range lives {
		p := &inhabitant{store: engine.Open()}
		p.alive, p.die = context.WithCancel(context.Background())
		p.Registry = devicelock.New(devicelock.Options{StallLimit: -1, Leases: &devicelock.Leases{
			Store: p.store, TTL: worldTTL, LockDelay: worldLockDelay, Timeout: time.Minute, Clock: p.clock,
		}})
		people[i] = p
	}
	for i, p := range people {
		all.Go(func() { p.live(w, i, lives[i]) })
	}
	for _, m := range mishaps {
		all.Go(func() { happen(t, engine, people, m) })
	}
	all.Wait()
	w.late.Wait()
	for _, p := range people {
		if err := p.Close(context.Background()); err != nil {
			t.Error(err)
		}
		p.die()
	}
	if !w.linearizable() {
		w.faults = append(w.faults, "the history is not one of steps that went one after the other")
	}
	return w
}

func TestWhateverGoesWrongNoSetOfAnEarlierOwnerComesAmongALaterOnes(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		lives := make([][]action, rapid.IntRange(2, 3).Draw(rt, "processes"))
		for i := range lives {
			lives[i] = drawActions(rt, fmt.Sprint("actions of ", i))
		}
		mishaps := drawMishaps(rt, len(lives))
		reclaim := rapid.Bool().Draw(rt, "reclaim")
		var w *world
		synctest.Test(t, func(t *testing.T) { w = inhabit(t, lives, mishaps, reclaim) })
		for _, fault := range w.faults {
			text := ""
			for _, entry := range w.history {
				text += fmt.Sprintf("\n  %+v", *entry)
			}
			rt.Fatalf("%s:%s", fault, text)
		}
	})
}
