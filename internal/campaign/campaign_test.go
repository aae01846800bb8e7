package campaign

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
	"google.golang.org/grpc/codes"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/acctest"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/datatree"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/oc"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/simulator"
)

var (
	runs = flag.Int("runs", 60, "how many random runs the campaign has")
	seed = flag.Uint64("seed", 1, "seed of the campaign's first run; run N has seed+N")
)

// faults are what can go wrong, and for how long.
var faults = []struct {
	kind simulator.FaultKind
	rpc  string
	// low and high bound how long it goes on, in milliseconds.
	low, high int
	// settles tells that the provider can find out what became of every step.
	settles bool
}{
	{simulator.FaultErrorAfterApply, "Set", 0, 0, true},
	{simulator.FaultPartialApply, "Set", 0, 0, true},
	{simulator.FaultLostReply, "Set", 0, 0, true},
	{simulator.FaultLostReply, "Get", 0, 0, true},
	{simulator.FaultLateApply, "Set", 200, 1400, true},
	{simulator.FaultBlackHole, "", 200, 1500, false},
	{simulator.FaultReboot, "", 50, 500, false},
	{simulator.FaultStickyLock, "Set", 50, 1500, true},
	{simulator.FaultSessions, "", 50, 1000, true},
	{simulator.FaultRate, "", 200, 1000, true},
}

// device starts a simulated device that somebody else has configured, too.
func device(t *testing.T) *workspace {
	t.Helper()
	target := acctest.Simulate(t, simulator.Options{Config: []byte(foreign)}, "exclusive=true")
	return &workspace{target: target, states: map[string]state{}, verify: "0s"}
}

func TestAfterAnyFaultOneMoreApplyReachesTheConfiguration(t *testing.T) {
	// They wait most of the time: -parallel, which counts cores, is too few.
	var all errgroup.Group
	var happened atomic.Int32
	all.SetLimit(6)
	for n := range uint64(*runs) {
		all.Go(func() error {
			t.Run(fmt.Sprint("seed ", *seed+n), func(t *testing.T) { survive(t, *seed+n, &happened) })
			return nil
		})
	}
	_ = all.Wait() // each run reports to its own test
	t.Logf("in %d of %d runs the fault happened", happened.Load(), *runs)
}

// survive is one run of the campaign: three configurations one after the other,
// with a fault in one of the applies, which is counted if it happens.
func survive(t *testing.T, seed uint64, happened *atomic.Int32) {
	t.Helper()
	g := generator{rand.New(rand.NewPCG(seed, 0))}
	w, peaceful := device(t), device(t)
	w.batch, w.verify = g.IntN(3) == 0, []string{"0s", "0s", "1s"}[g.IntN(3)]
	configurations := []desired{g.configuration(), g.configuration(), g.configuration()}
	if g.IntN(4) == 0 {
		configurations[2] = desired{}
	}
	faulty := g.IntN(len(configurations))
	f := faults[g.IntN(len(faults))]
	after := 8
	if w.batch {
		after = 4 // there are fewer RPCs
	}
	fault := simulator.Fault{
		Kind: f.kind, RPC: f.rpc, After: g.IntN(after), For: time.Duration(f.low+g.IntN(f.high-f.low+1)) * time.Millisecond,
		Code: []codes.Code{codes.Internal, codes.Aborted, codes.InvalidArgument, codes.Unknown}[g.IntN(4)],
	}
	for i, c := range configurations {
		if i == faulty {
			w.target.Inject(fault)
			err := w.run(func(r *run) { r.apply(c) })
			t.Logf("%s at RPC %d for %v (%s) in apply %d: happened %v: %v", fault.Kind, fault.After, fault.For, fault.Code, i, w.target.Injected(), err)
			w.target.Heal()
			if w.target.Injected() {
				happened.Add(1)
			}
			if f.settles {
				w.mustBeTrue(t)
			}
		}
		if err := w.run(func(r *run) { r.apply(c) }); err != nil {
			t.Fatalf("apply %d: %v", i, err)
		}
		if err := peaceful.run(func(r *run) { r.apply(c) }); err != nil {
			t.Fatalf("apply %d without a fault: %v", i, err)
		}
		var changed []string
		if err := w.run(func(r *run) { changed = r.apply(c) }); err != nil || len(changed) > 0 {
			t.Errorf("apply %d: the next plan is not empty: %q, %v", i, changed, err)
		}
	}
	acctest.Same(t, "at the end", meaningful(t, w.target), meaningful(t, peaceful.target))
	for path, value := range foreignLeaves {
		if got, _ := w.target.Leaf(path); got != value {
			t.Errorf("the foreign leaf %s is %q, and was %q", path, got, value)
		}
	}
	if n := w.target.Stats().PeakSets; n > 1 {
		t.Errorf("%d Sets ran at one moment", n)
	}
}

// meaningful returns the leaves of a device without those that have the model's
// default, which means the same as having none.
func meaningful(t *testing.T, target *simulator.Target) map[string]string {
	t.Helper()
	leaves := acctest.Leaves(t, target)
	maps.DeleteFunc(leaves, func(path, value string) bool {
		p, err := datatree.ParsePath(path)
		if err != nil {
			t.Fatal(err)
		}
		at := oc.Model
		for _, e := range p.GetElem() {
			at = at.MustFind(e.GetName())
		}
		return at.Default != "" && strings.Trim(value, `"`) == at.Default
	})
	return leaves
}

// mustBeTrue reports where the state is not what the device holds.
func (w *workspace) mustBeTrue(t *testing.T) {
	t.Helper()
	before := maps.Clone(w.states)
	var changed []string
	if err := w.run(func(r *run) { changed = r.refresh() }); err != nil {
		t.Errorf("reading after the fault: %v", err)
	}
	slices.Sort(changed)
	for _, address := range changed {
		t.Errorf("the state of %s was %s, the device has %s", address, before[address].value, w.states[address].value)
	}
}
