package devicelock_test

import (
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
)

func TestALoneStepWaitsForTheQuietTimeOnlyIfOthersCouldPrecedeIt(t *testing.T) {
	tests := map[string]struct {
		step     devicelock.Step
		announce bool
		want     time.Duration
	}{
		"interface":                  {anInterface, false, 0},
		"announced interface":        {anInterface, true, 0},
		"VLAN":                       {aVLAN, false, 0},
		"neighbor":                   {aNeighbor, false, 100 * ms},
		"announced neighbor":         {aNeighbor, true, 50 * ms},
		"delete of a neighbor":       {deleting(aNeighbor), false, 0},
		"delete of a BGP instance":   {deleting(aBGP), false, 100 * ms},
		"delete of an interface":     {deleting(anInterface), false, 100 * ms},
		"update of a routing policy": {devicelock.Step{Operation: devicelock.Update, Rank: devicelock.RankRoutingPolicy}, false, 100 * ms},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			bubble(t, devicelock.Options{}, func(t *testing.T, _ *devicelock.Registry, gate *devicelock.Gate) {
				if test.announce {
					gate.Announce(test.step)
					time.Sleep(40 * ms)
				}
				if got := waited(func() { acquire(t, gate, test.step).Release() }); got != test.want {
					t.Errorf("waited %s, want %s", got, test.want)
				}
			})
		})
	}
}

func TestDependentsThatFollowOneAnotherPayTheQuietTimeOnce(t *testing.T) {
	bubble(t, devicelock.Options{}, func(t *testing.T, _ *devicelock.Registry, gate *devicelock.Gate) {
		got := waited(func() {
			for i := range 20 {
				acquire(t, gate, named(aNeighbor, strconv.Itoa(i))).Release()
				time.Sleep(100 * ms)
			}
		})
		if want := 100*ms + 20*100*ms; got != want {
			t.Errorf("took %s, want %s", got, want)
		}
	})
}

func TestABurstAfterAPauseIsGatheredAnew(t *testing.T) {
	bubble(t, devicelock.Options{}, func(t *testing.T, _ *devicelock.Registry, gate *devicelock.Gate) {
		var order log
		acquire(t, gate, named(aNeighbor, "first")).Release()
		time.Sleep(10 * time.Second)
		queueUp(t.Context(), t, gate, aNeighbor, ms, &order)
		time.Sleep(20 * ms)
		queueUp(t.Context(), t, gate, anInterface, ms, &order)
		time.Sleep(time.Second)
		if got, want := order.all(), []string{"interface", "neighbor"}; !slices.Equal(got, want) {
			t.Errorf("order %v, want %v", got, want)
		}
	})
}

func TestADependentWaitsForAnAnnouncedFoundation(t *testing.T) {
	bubble(t, devicelock.Options{}, func(t *testing.T, _ *devicelock.Registry, gate *devicelock.Gate) {
		var order log
		gate.Announce(anInterface)
		queueUp(t.Context(), t, gate, aNeighbor, ms, &order)
		time.Sleep(50 * ms)
		queueUp(t.Context(), t, gate, anInterface, ms, &order)
		time.Sleep(49 * ms)
		if got, want := order.all(), []string{"interface"}; !slices.Equal(got, want) {
			t.Errorf("order %v, want %v", got, want)
		}
		time.Sleep(2 * ms)
		if got, want := order.all(), []string{"interface", "neighbor"}; !slices.Equal(got, want) {
			t.Errorf("after the quiet time: order %v, want %v", got, want)
		}
	})
}

func TestTheQuietTimeGrowsWithThePaceOfTheWalkUpToThreefold(t *testing.T) {
	for lead, want := range map[time.Duration]time.Duration{
		30 * ms: 50 * ms, 80 * ms: 80 * ms, time.Second: 150 * ms,
	} {
		bubble(t, devicelock.Options{}, func(t *testing.T, _ *devicelock.Registry, gate *devicelock.Gate) {
			gate.Announce(aNeighbor)
			time.Sleep(lead)
			if got := waited(func() { acquire(t, gate, aNeighbor).Release() }); got != want {
				t.Errorf("announced %s before: waited %s, want %s", lead, got, want)
			}
		})
	}
}

func TestAnAnnouncementThatIsNotFulfilledCountsForItsTimeOnly(t *testing.T) {
	bubble(t, devicelock.Options{AnnounceFor: 700 * ms}, func(t *testing.T, _ *devicelock.Registry, gate *devicelock.Gate) {
		gate.Announce(anInterface)
		time.Sleep(100 * ms)
		if got, want := waited(func() { acquire(t, gate, aNeighbor).Release() }), 600*ms; got != want {
			t.Errorf("waited %s, want %s", got, want)
		}
	})
}

func TestAnAnnouncedWorseStepHoldsNobodyUp(t *testing.T) {
	bubble(t, devicelock.Options{}, func(t *testing.T, _ *devicelock.Registry, gate *devicelock.Gate) {
		gate.Announce(aNeighbor)
		gate.Announce(named(aPeerGroup, "another"))
		if got, want := waited(func() { acquire(t, gate, aPeerGroup).Release() }), 50*ms; got != want {
			t.Errorf("waited %s, want %s", got, want)
		}
	})
}

func TestNoFreeGateIsWithheldForLongerThanMaxGather(t *testing.T) {
	bubble(t, devicelock.Options{MaxGather: 300 * ms}, func(t *testing.T, _ *devicelock.Registry, gate *devicelock.Gate) {
		done := make(chan struct{})
		go func() {
			for i := 0; ; i++ { // announced again and again, never coming
				select {
				case <-done:
					return
				case <-time.After(10 * ms):
					gate.Announce(named(anInterface, strconv.Itoa(i)))
				}
			}
		}()
		got := waited(func() { acquire(t, gate, aNeighbor).Release() })
		close(done)
		if want := 300 * ms; got != want {
			t.Errorf("waited %s, want %s", got, want)
		}
	})
}

func TestASlowDeviceCostsNoQuietTime(t *testing.T) {
	bubble(t, devicelock.Options{}, func(t *testing.T, _ *devicelock.Registry, gate *devicelock.Gate) {
		var order log
		slow := acquire(t, gate, anInterface)
		queueUp(t.Context(), t, gate, aNeighbor, ms, &order)
		time.Sleep(200 * ms)
		slow.Release()
		if got := waited(func() { acquire(t, gate, named(aNeighbor, "next")).Release() }); got != ms {
			t.Errorf("waited %s, want only the hold of the one before", got)
		}
	})
}

func TestWhileAWalkSetsOutAStepHeedsBetterOnesOfOtherDevices(t *testing.T) {
	const rush = 2000 * ms // MaxGather
	tests := map[string]struct {
		step, other devicelock.Step
		least, most time.Duration
	}{
		"better ones":        {aNeighbor, anInterface, rush - 50*ms, rush},
		"better ones, tears": {deleting(anInterface), deleting(aNeighbor), rush - 50*ms, rush},
		"no better ones":     {aNeighbor, aNeighbor, 50 * ms, 50 * ms},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			bubble(t, devicelock.Options{}, func(t *testing.T, registry *devicelock.Registry, gate *devicelock.Gate) {
				other := registry.Gate("other")
				var announcing sync.WaitGroup
				announcing.Go(func() {
					for i := range 200 {
						other.Announce(named(test.other, strconv.Itoa(i)))
						time.Sleep(20 * ms)
					}
				})
				gate.Announce(test.step)
				if got := waited(func() { acquire(t, gate, test.step).Release() }); got < test.least || got > test.most {
					t.Errorf("waited %s, want %s to %s", got, test.least, test.most)
				}
				announcing.Wait()
			})
		})
	}
}
