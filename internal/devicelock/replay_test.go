package devicelock_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
)

// walk is what Terraform makes of a configuration without references: 20
// interfaces, 20 VLANs and a network instance; a BGP instance, a peer group and
// 18 neighbors, in random order.
func walk(random *rand.Rand, operation devicelock.Operation) []devicelock.Step {
	var steps []devicelock.Step
	add := func(count int, rank devicelock.Rank) {
		for i := range count {
			steps = append(steps, devicelock.Step{Operation: operation, Rank: rank, Owner: fmt.Sprintf("%s %d", rank, i)})
		}
	}
	add(20, devicelock.RankInterface)
	add(20, devicelock.RankVLAN)
	add(1, devicelock.RankNetworkInstance)
	add(1, devicelock.RankBGP)
	add(1, devicelock.RankBGPPeerGroup)
	add(18, devicelock.RankBGPNeighbor)
	random.Shuffle(len(steps), func(i, j int) { steps[i], steps[j] = steps[j], steps[i] })
	return steps
}

// gap draws a log-normal gap between arrivals.
func gap(random *rand.Rand, median, largest time.Duration) time.Duration {
	drawn := time.Duration(float64(median) * math.Exp(1.25*random.NormFloat64()))
	return min(drawn, largest)
}

// inversions counts the pairs of steps that went in the wrong order.
func inversions(order []devicelock.Step) (foundation, all int) {
	for i, first := range order {
		for _, second := range order[i+1:] {
			before, after := first, second
			if first.Operation == devicelock.Delete {
				before, after = second, first
			}
			if before.Rank.Foundation() && after.Rank.Foundation() {
				continue
			}
			if before.Rank > after.Rank {
				all++
				if after.Rank.Foundation() {
					foundation++
				}
			}
		}
	}
	return foundation, all
}

// sets records the order in which a device is written.
type sets struct {
	mu    sync.Mutex
	steps []devicelock.Step
}

func (s *sets) write(t testing.TB, gate *devicelock.Gate, step devicelock.Step, length time.Duration) {
	grant := acquire(t, gate, step)
	defer grant.Release()
	s.mu.Lock()
	s.steps = append(s.steps, step)
	s.mu.Unlock()
	time.Sleep(length)
	grant.Changed()
}

func TestAnApplyWithEnoughParallelismIsOrderedCompletely(t *testing.T) {
	for seed := range uint64(120) {
		slowness := 1 + time.Duration(seed%2) // of the machine
		bubble(t, devicelock.Options{}, func(t *testing.T, registry *devicelock.Registry, gate *devicelock.Gate) {
			random := rand.New(rand.NewPCG(seed, 1))
			var sets sets
			var group sync.WaitGroup
			for _, step := range walk(random, devicelock.Create) {
				lead := slowness * (51*ms + time.Duration(random.NormFloat64()*float64(10*ms)))
				group.Go(func() {
					leave := registry.Enter()
					time.Sleep(500 * time.Microsecond)
					gate.Announce(step)
					leave()
					time.Sleep(lead)
					defer registry.Enter()()
					sets.write(t, gate, step, 5*ms)
				})
				time.Sleep(slowness * gap(random, 2500*time.Microsecond, 50*ms))
			}
			group.Wait()
			if _, all := inversions(sets.steps); all != 0 || len(sets.steps) != 61 {
				t.Errorf("seed %d: %d inversions in %d steps", seed, all, len(sets.steps))
			}
			if registry.OrderLimited() {
				t.Errorf("seed %d: parallelism is blamed", seed)
			}
		})
	}
}

func TestADestroyWithEnoughParallelismIsOrderedCompletely(t *testing.T) {
	for seed := range uint64(60) {
		bubble(t, devicelock.Options{}, func(t *testing.T, registry *devicelock.Registry, gate *devicelock.Gate) {
			random := rand.New(rand.NewPCG(seed, 2))
			var sets sets
			var group sync.WaitGroup
			for _, step := range walk(random, devicelock.Delete) {
				group.Go(func() {
					defer registry.Enter()()
					sets.write(t, gate, step, 5*ms)
				})
				time.Sleep(gap(random, 350*time.Microsecond, 5*ms))
			}
			group.Wait()
			if _, all := inversions(sets.steps); all != 0 || len(sets.steps) != 61 {
				t.Errorf("seed %d: %d inversions in %d steps", seed, all, len(sets.steps))
			}
			if registry.OrderLimited() {
				t.Errorf("seed %d: parallelism is blamed", seed)
			}
		})
	}
}

// limitedWalk runs a walk that admits ten nodes at once and returns how long it
// took and the inversions between foundations and dependents.
func limitedWalk(t *testing.T, seed uint64, operation devicelock.Operation, registry *devicelock.Registry, gate *devicelock.Gate) (time.Duration, int) {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 3))
	var sets sets
	var group sync.WaitGroup
	start := time.Now()
	slots := make(chan struct{}, 10)
	for _, step := range walk(random, operation) {
		slots <- struct{}{}
		overhead := gap(random, 100*time.Microsecond, 2*ms)
		group.Go(func() {
			defer func() { <-slots }()
			time.Sleep(overhead)
			defer registry.Enter()()
			sets.write(t, gate, step, 5*ms)
		})
	}
	group.Wait()
	if len(sets.steps) != 61 {
		t.Errorf("seed %d: %d steps", seed, len(sets.steps))
	}
	foundation, _ := inversions(sets.steps)
	return time.Since(start), foundation
}

func TestWhereParallelismLimitsTheOrderItIsSaidOnce(t *testing.T) {
	for _, operation := range []devicelock.Operation{devicelock.Create, devicelock.Delete} {
		for seed := range uint64(10) {
			bubble(t, devicelock.Options{}, func(t *testing.T, registry *devicelock.Registry, gate *devicelock.Gate) {
				took, found := limitedWalk(t, seed, operation, registry, gate)
				t.Logf("%s, seed %d: %s, %d inversions", operation, seed, took, found)
				if first, second := registry.OrderLimited(), registry.OrderLimited(); !first || second {
					t.Errorf("%s, seed %d: said %v, then %v", operation, seed, first, second)
				}
			})
		}
	}
}

// fastWalk is limitedWalk on a device that takes no time: Terraform's own work
// dominates, so that most nodes that it has admitted are outside of calls.
func fastWalk(t *testing.T, seed uint64, parallelism int, slowness time.Duration, registry *devicelock.Registry, gate *devicelock.Gate) int {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 4))
	var sets sets
	var group sync.WaitGroup
	slots := make(chan struct{}, parallelism)
	for _, step := range walk(random, devicelock.Create) {
		slots <- struct{}{}
		before, lead, after := slowness*gap(random, 4*ms, 20*ms), slowness*gap(random, 5*ms, 20*ms), slowness*gap(random, 4*ms, 20*ms)
		group.Go(func() {
			defer func() { <-slots }()
			time.Sleep(before)
			leave := registry.Enter()
			gate.Announce(step)
			leave()
			time.Sleep(lead)
			leave = registry.Enter()
			sets.write(t, gate, step, 5*ms)
			leave()
			time.Sleep(after)
		})
	}
	group.Wait()
	foundation, _ := inversions(sets.steps)
	return foundation
}

func TestWhereParallelismLimitsTheOrderOnAFastDeviceItIsSaidOnce(t *testing.T) {
	for _, parallelism := range []int{1, 4, 10, 20} {
		for seed := range uint64(20) {
			slowness := 1 + 4*time.Duration(seed%2) // of the machine
			bubble(t, devicelock.Options{}, func(t *testing.T, registry *devicelock.Registry, gate *devicelock.Gate) {
				found := fastWalk(t, seed, parallelism, slowness, registry, gate)
				first, second := registry.OrderLimited(), registry.OrderLimited()
				// A few pairs out of 820 may go without a word.
				if found == 0 && first || found >= 50 && !first || second {
					t.Errorf("parallelism %d, seed %d, %d inversions: said %v, then %v", parallelism, seed, found, first, second)
				}
			})
		}
	}
}

func TestAFoundationThatComesLateForReasonsOfItsOwnIsNotBlamedOnParallelism(t *testing.T) {
	tests := map[string]struct{ before, after devicelock.Step }{
		"apply":   {aNeighbor, anInterface},
		"destroy": {deleting(anInterface), deleting(aNeighbor)},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			bubble(t, devicelock.Options{}, func(t *testing.T, registry *devicelock.Registry, gate *devicelock.Gate) {
				var sets sets
				var group sync.WaitGroup
				enter := func(step devicelock.Step, count int) {
					for i := range count {
						group.Go(func() {
							defer registry.Enter()()
							sets.write(t, gate, named(step, fmt.Sprintf("%s %d", step.Owner, i)), 5*ms)
						})
						time.Sleep(ms)
					}
				}
				enter(test.before, 20)
				time.Sleep(10 * time.Second) // for what it refers to
				enter(test.after, 20)
				time.Sleep(10 * time.Second)
				enter(test.before, 1)
				enter(test.after, 1)
				group.Wait()
				if registry.OrderLimited() {
					t.Error("parallelism is blamed")
				}
			})
		})
	}
}

func TestFoundationsThatReferToOneAnotherAreNotBlamedOnParallelism(t *testing.T) {
	for _, length := range []time.Duration{5 * ms, 50 * ms} { // of a Set
		bubble(t, devicelock.Options{}, func(t *testing.T, registry *devicelock.Registry, gate *devicelock.Gate) {
			var sets sets
			var group sync.WaitGroup
			enter := func(step devicelock.Step, count int, then func()) {
				for i := range count {
					group.Go(func() {
						leave := registry.Enter()
						gate.Announce(named(step, fmt.Sprintf("%s %d", step.Owner, i)))
						leave()
						time.Sleep(10 * ms)
						defer then()
						defer registry.Enter()()
						sets.write(t, gate, named(step, fmt.Sprintf("%s %d", step.Owner, i)), length)
					})
					time.Sleep(2500 * time.Microsecond)
				}
			}
			enter(aNeighbor, 10, func() {})
			enter(anInterface, 10, func() {})
			enter(devicelock.Step{Rank: devicelock.RankNetworkInstance, Owner: "network instance"}, 1, func() {
				time.Sleep(20 * ms)
				enter(devicelock.Step{Rank: devicelock.RankVLAN, Owner: "VLAN"}, 20, func() {})
			})
			group.Wait()
			if found, _ := inversions(sets.steps); registry.OrderLimited() {
				t.Errorf("parallelism is blamed for %d inversions at %s a Set", found, length)
			} else {
				t.Logf("%d inversions at %s a Set", found, length)
			}
		})
	}
}

func TestAWalkLooksFullOnlyWhenItsPeakIsACeilingAndNothingIsAnnounced(t *testing.T) {
	tests := map[string]struct {
		departures int
		announced  bool
		want       time.Duration
	}{
		"full":                        {10, false, 0},
		"too few departures to tell":  {7, false, 100 * ms},
		"somebody is still announced": {10, true, 50 * ms},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			bubble(t, devicelock.Options{}, func(t *testing.T, registry *devicelock.Registry, gate *devicelock.Gate) {
				defer registry.Enter()()
				leave := registry.Enter()
				for range test.departures {
					leave()
					leave() // a second time changes nothing
					leave = registry.Enter()
				}
				defer leave()
				if test.announced {
					gate.Announce(named(aNeighbor, "another"))
				}
				if got := waited(func() { acquire(t, gate, aNeighbor).Release() }); got != test.want {
					t.Errorf("waited %s, want %s", got, test.want)
				}
			})
		})
	}
}

func TestWhereNobodyElseCanComeNobodyWaitsForQuiet(t *testing.T) {
	bubble(t, devicelock.Options{}, func(t *testing.T, registry *devicelock.Registry, gate *devicelock.Gate) {
		var sum time.Duration
		const walks = 10
		for seed := range uint64(walks) {
			took, _ := limitedWalk(t, seed, devicelock.Create, registry, gate)
			sum += took
			time.Sleep(time.Minute) // another burst
		}
		// 61 sets take 305 ms; paying every quiet time takes about 700.
		if mean := sum / walks; mean > 600*ms {
			t.Errorf("a walk took %s", mean)
		} else {
			t.Logf("a walk took %s", mean)
		}
	})
}
