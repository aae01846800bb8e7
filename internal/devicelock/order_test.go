package devicelock_test

import (
	"context"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock/leasetest"
)

func TestAWaitingFoundationGoesBeforeADependentThatCameFirst(t *testing.T) {
	bubble(t, devicelock.Options{}, func(t *testing.T, _ *devicelock.Registry, gate *devicelock.Gate) {
		var order log
		holder := acquire(t, gate, named(anInterface, "holder"))
		queueUp(t.Context(), t, gate, aNeighbor, ms, &order)
		queueUp(t.Context(), t, gate, anInterface, ms, &order)
		holder.Release()
		time.Sleep(time.Second)
		if got, want := order.all(), []string{"interface", "neighbor"}; !slices.Equal(got, want) {
			t.Errorf("order %v, want %v", got, want)
		}
	})
}

// everyStep lists one step of each class, in the order of the specification.
func everyStep() []devicelock.Step {
	var steps []devicelock.Step
	add := func(operation devicelock.Operation, rank devicelock.Rank) {
		owner := operation.String() + " " + rank.String()
		steps = append(steps, devicelock.Step{Operation: operation, Rank: rank, Owner: owner})
	}
	for rank := devicelock.RankBGPNeighbor; rank >= devicelock.RankDefinedSet; rank-- {
		add(devicelock.Delete, rank)
	}
	for rank := devicelock.RankInterface; rank <= devicelock.RankBGPNeighbor; rank++ {
		add(devicelock.Create, rank)
		add(devicelock.Update, rank)
	}
	for rank := devicelock.RankSubinterface; rank >= devicelock.RankInterface; rank-- {
		add(devicelock.Delete, rank)
	}
	return steps
}

func TestDependentsAreDeletedThenAllIsBuiltFromTheGroundThenFoundationsAreTornDown(t *testing.T) {
	bubble(t, devicelock.Options{}, func(t *testing.T, _ *devicelock.Registry, gate *devicelock.Gate) {
		steps := everyStep()
		var want []string
		for _, step := range steps {
			want = append(want, step.Owner)
		}
		// Creates and updates of a rank are equals: they keep their order of
		// arrival, so arrive in the opposite order pair by pair only.
		var order log
		holder := acquire(t, gate, named(anInterface, "holder"))
		for i := len(steps) - 1; i >= 0; i-- {
			if steps[i].Operation == devicelock.Update {
				queueUp(t.Context(), t, gate, steps[i-1], ms, &order)
				queueUp(t.Context(), t, gate, steps[i], ms, &order)
				i--
				continue
			}
			queueUp(t.Context(), t, gate, steps[i], ms, &order)
		}
		holder.Release()
		time.Sleep(10 * time.Second)
		if got := order.all(); !slices.Equal(got, want) {
			t.Errorf("order\n%q, want\n%q", got, want)
		}
	})
}

func TestFoundationsAreInterfacesNetworkInstancesVLANsAndSubinterfaces(t *testing.T) {
	for rank := devicelock.RankInterface; rank <= devicelock.RankBGPNeighbor; rank++ {
		if got, want := rank.Foundation(), rank < devicelock.RankDefinedSet; got != want {
			t.Errorf("%s: foundation %v, want %v", rank, got, want)
		}
	}
}

func TestEqualsGoInTheOrderTheyCame(t *testing.T) {
	bubble(t, devicelock.Options{}, func(t *testing.T, _ *devicelock.Registry, gate *devicelock.Gate) {
		var order log
		var want []string
		holder := acquire(t, gate, named(anInterface, "holder"))
		for i := range 50 { // all at the same instant of the fake clock
			want = append(want, strconv.Itoa(i))
			queueUp(t.Context(), t, gate, named(anInterface, want[i]), ms, &order)
		}
		holder.Release()
		time.Sleep(time.Second)
		if got := order.all(); !slices.Equal(got, want) {
			t.Errorf("order %v", got)
		}
	})
}

func TestANewcomerCannotSlipInBetweenReleaseAndSuccessor(t *testing.T) {
	bubble(t, devicelock.Options{}, func(t *testing.T, _ *devicelock.Registry, gate *devicelock.Gate) {
		var order log
		holder := acquire(t, gate, named(anInterface, "holder"))
		queueUp(t.Context(), t, gate, named(anInterface, "waiter"), ms, &order)
		// The same goroutine releases and asks again, without giving way.
		holder.Release()
		again := acquire(t, gate, named(anInterface, "newcomer"))
		order.add("newcomer")
		again.Release()
		synctest.Wait()
		if got, want := order.all(), []string{"waiter", "newcomer"}; !slices.Equal(got, want) {
			t.Errorf("order %v, want %v", got, want)
		}
	})
}

func TestEndlessFoundationsHoldADependentUpForItsClassesInAgeStepsOnly(t *testing.T) {
	const ageStep = time.Second
	// The gate is never free in the one case, and mostly free in the other.
	for name, gap := range map[string]time.Duration{"busy": 4 * ms, "mostly free": 40 * ms} {
		t.Run(name, func(t *testing.T) {
			bubble(t, devicelock.Options{AgeStep: ageStep}, func(t *testing.T, _ *devicelock.Registry, gate *devicelock.Gate) {
				load, stop := context.WithCancel(t.Context())
				var group sync.WaitGroup
				group.Go(func() {
					for i := 0; load.Err() == nil; i++ {
						time.Sleep(gap)
						group.Go(func() {
							grant, err := gate.Acquire(load, named(anInterface, strconv.Itoa(i)))
							if err != nil { // the busy case leaves some behind
								return
							}
							time.Sleep(5 * ms)
							grant.Release()
						})
					}
				})
				time.Sleep(100 * ms)
				classes := time.Duration(devicelock.RankBGPNeighbor - devicelock.RankInterface)
				got := waited(func() {
					patience, cancel := context.WithTimeout(t.Context(), time.Minute)
					defer cancel()
					grant, err := gate.Acquire(patience, aNeighbor)
					if err != nil {
						t.Error(err)
						return
					}
					grant.Release()
				})
				stop()
				group.Wait()
				// What came before the limit has still to be worked off in the
				// busy case: a backlog of a fifth of the time.
				if limit := classes*ageStep*5/4 + 100*ms; got > limit {
					t.Errorf("the dependent waited %s, want at most %s", got, limit)
				}
				if least := time.Second; got < least {
					t.Errorf("the dependent waited only %s: the load was no load", got)
				}
			})
		})
	}
}

func TestDifferentDevicesNeverWaitForEachOther(t *testing.T) {
	bubble(t, devicelock.Options{}, func(t *testing.T, registry *devicelock.Registry, gate *devicelock.Gate) {
		if registry.Gate("device") != gate {
			t.Error("one key has two gates")
		}
		holder := acquire(t, gate, anInterface)
		defer holder.Release()
		gate.Announce(aVLAN)
		other := registry.Gate("other")
		if got := waited(func() { acquire(t, other, anInterface).Release() }); got != 0 {
			t.Errorf("waited %s", got)
		}
	})
}

func TestALockThatIsSwitchedOffKeepsNobodyWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := devicelock.New(devicelock.Options{Off: true, Leases: &devicelock.Leases{Store: leasetest.NewMemory().Open()}})
		start := time.Now()
		for _, step := range []devicelock.Step{aNeighbor, anInterface, {Operation: devicelock.Delete}} {
			grant, err := registry.Gate("leaf1").Acquire(t.Context(), step)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(grant.Release)
		}
		if waited := time.Since(start); waited > time.Millisecond {
			t.Errorf("three steps at once waited %v, want none", waited)
		}
		if got := registry.Backend(); got != "off" {
			t.Errorf("the backend is %q, want off", got)
		}
	})
}
