package devicelock_test

import (
	"context"
	"strconv"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
)

// lock is what the benchmarks compare: take it, and get a hold to give back.
type lock func(ctx context.Context) (hold, error)

type hold interface{ Release() }

type weighted struct{ semaphore *semaphore.Weighted }

func (w weighted) Release() { w.semaphore.Release(1) }

type slot chan struct{}

func (s slot) Release() { <-s }

// locks returns the gate and two floors: the plain ways to exclude one another
// with a context.
func locks() map[string]func() lock {
	return map[string]func() lock{
		"gate": func() lock {
			gate := devicelock.New(devicelock.Options{}).Gate("device")
			return func(ctx context.Context) (hold, error) { return gate.Acquire(ctx, anInterface) }
		},
		"semaphore": func() lock {
			weighted := weighted{semaphore.NewWeighted(1)}
			return func(ctx context.Context) (hold, error) { return weighted, weighted.semaphore.Acquire(ctx, 1) }
		},
		"channel": func() lock {
			slot := make(slot, 1)
			return func(ctx context.Context) (hold, error) {
				select {
				case slot <- struct{}{}:
					return slot, nil
				case <-ctx.Done():
					return nil, ctx.Err()
				}
			}
		},
	}
}

var lockNames = []string{"gate", "semaphore", "channel"}

// passAround takes and releases the lock the given number of times, by so many
// goroutines at once that there are always that many waiters (0: nobody waits).
func passAround(b *testing.B, lock lock, waiters, times int) {
	b.Helper()
	ctx := b.Context()
	turns := func(count int) {
		for range count {
			hold, err := lock(ctx)
			if err != nil {
				b.Error(err)
				return
			}
			hold.Release()
		}
	}
	if waiters == 0 {
		turns(times)
		return
	}
	var group sync.WaitGroup
	for i := range waiters + 1 { // one holds it
		group.Go(func() { turns((times + i) / (waiters + 1)) })
	}
	group.Wait()
}

func BenchmarkUncontended(b *testing.B) {
	for _, name := range lockNames {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			passAround(b, locks()[name](), 0, b.N)
		})
	}
}

func BenchmarkHandOff(b *testing.B) {
	for _, waiters := range []int{1, 10, 1000} {
		for _, name := range lockNames {
			b.Run(strconv.Itoa(waiters)+"/"+name, func(b *testing.B) {
				b.ReportAllocs()
				passAround(b, locks()[name](), waiters, b.N)
			})
		}
	}
}

// BenchmarkRatios reports how many times as long the gate takes as each floor,
// measured by turns in one run.
func BenchmarkRatios(b *testing.B) {
	for _, waiters := range []int{0, 1, 10, 1000} {
		b.Run(strconv.Itoa(waiters), func(b *testing.B) {
			spent := map[string]float64{}
			for b.Loop() {
				for _, name := range lockNames {
					lock := locks()[name]()
					start := time.Now()
					passAround(b, lock, waiters, 20_000)
					spent[name] += time.Since(start).Seconds()
				}
			}
			b.ReportMetric(spent["gate"]/spent["semaphore"], "x-semaphore")
			b.ReportMetric(spent["gate"]/spent["channel"], "x-channel")
		})
	}
}
