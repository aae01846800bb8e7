package devicelock_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const ms = time.Millisecond

// The steps that most tests are about.
var (
	anInterface = devicelock.Step{Operation: devicelock.Create, Rank: devicelock.RankInterface, Owner: "interface"}
	aVLAN       = devicelock.Step{Operation: devicelock.Create, Rank: devicelock.RankVLAN, Owner: "vlan"}
	aBGP        = devicelock.Step{Operation: devicelock.Create, Rank: devicelock.RankBGP, Owner: "bgp"}
	aPeerGroup  = devicelock.Step{Operation: devicelock.Create, Rank: devicelock.RankBGPPeerGroup, Owner: "peer group"}
	aNeighbor   = devicelock.Step{Operation: devicelock.Create, Rank: devicelock.RankBGPNeighbor, Owner: "neighbor"}
)

func named(step devicelock.Step, owner string) devicelock.Step {
	step.Owner = owner
	return step
}

func deleting(step devicelock.Step) devicelock.Step {
	step.Operation = devicelock.Delete
	return step
}

// acquire fails the test unless the step gets the gate.
func acquire(t testing.TB, gate *devicelock.Gate, step devicelock.Step) *devicelock.Grant {
	t.Helper()
	grant, err := gate.Acquire(t.Context(), step)
	if err != nil {
		t.Fatalf("acquire for %s: %v", step, err)
	}
	return grant
}

// log collects who went, in order.
type log struct {
	mu      sync.Mutex
	entries []string
}

func (l *log) add(entry string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.entries = append(l.entries, entry)
}

func (l *log) all() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]string(nil), l.entries...)
}

// queueUp starts a step in its own goroutine and returns when it waits or is
// through; it notes its owner and holds the gate for the given time.
func queueUp(ctx context.Context, t testing.TB, gate *devicelock.Gate, step devicelock.Step, hold time.Duration, order *log) {
	t.Helper()
	go func() {
		grant, err := gate.Acquire(ctx, step)
		if err != nil {
			order.add(step.Owner + ": " + err.Error())
			return
		}
		defer grant.Release()
		order.add(step.Owner)
		time.Sleep(hold)
	}()
	synctest.Wait()
}

// bubble runs a test under a fake clock with a gate of its own.
func bubble(t *testing.T, options devicelock.Options, test func(t *testing.T, registry *devicelock.Registry, gate *devicelock.Gate)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		registry := devicelock.New(options)
		test(t, registry, registry.Gate("device"))
	})
}

// waited returns how long the function takes.
func waited(function func()) time.Duration {
	start := time.Now()
	function()
	return time.Since(start)
}
