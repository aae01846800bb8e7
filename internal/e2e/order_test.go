package e2e

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/simulator"
)

const (
	foundations = 40 // 20 interfaces and 20 VLANs
	dependents  = 22 // a BGP instance, a peer group and 20 neighbors

	// limitedWarning is what a run says whose order -parallelism limited.
	limitedWarning = "Order was limited by -parallelism"
)

// runsFromEnv returns how often the tests of order repeat their run.
func runsFromEnv(t *testing.T, usual int) int {
	t.Helper()
	text := os.Getenv("OPENCONFIG_ORDER_RUNS")
	if text == "" {
		return usual
	}
	runs, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("OPENCONFIG_ORDER_RUNS: %v", err)
	}
	return runs
}

// orderConfiguration has foundations and dependents without any reference
// between them in the configuration; on the device there are, and it enforces
// them.
func orderConfiguration(d *simulated) string {
	return d.only() + bgp("leaf1", 20) + vlans("leaf1", 20, "x") + interfaces("leaf1", 20, "x")
}

// inversions counts the pairs of a dependent and a foundation of which the
// wrong one went first, among the Sets that were carried out.
func inversions(sets []simulator.Record, dependentsFirst bool) int {
	late, count := 0, 0
	for _, r := range sets {
		switch {
		case r.Code != "OK":
		case dependent(r) != dependentsFirst:
			late++
		default:
			count += late
		}
	}
	return count
}

// Not in parallel with other tests: what it measures is a walk's timing.
func TestFoundationsComeFirstAndGoLastWithoutReferences(t *testing.T) {
	eachCommand(t, func(t *testing.T, command string) {
		for range runsFromEnv(t, 5) {
			d := startDevice(t, simulator.Options{Exclusive: true, SetLatency: 5 * time.Millisecond})
			w := newWorkspace(t, command, orderConfiguration(d))
			create := w.apply("-parallelism=100").succeeded()
			if n := inversions(d.sets(), false); n != 0 {
				t.Errorf("create: %d of %d pairs are inverted", n, foundations*dependents)
			}
			d.expectSets("create", foundations+dependents)
			destroy := w.destroy("-parallelism=100").succeeded()
			if n := inversions(d.sets(), true); n != 0 {
				t.Errorf("destroy: %d of %d pairs are inverted", n, foundations*dependents)
			}
			d.expectSets("destroy", foundations+dependents)
			for _, r := range []result{create, destroy} {
				if strings.Contains(r.output, limitedWarning) {
					t.Errorf("%s says that its order was limited:\n%s", r.what, r.output)
				}
			}
		}
	})
}

// measurement is one apply and destroy of the order configuration.
type measurement struct {
	create, destroy   int // inverted pairs
	created           int // resources that the first apply created
	repeated          int // Sets that the device refused at first
	createW, destroyW int // warnings
}

func measureOrder(t *testing.T, command string, parallelism int, latency time.Duration) measurement {
	t.Helper()
	d := startDevice(t, simulator.Options{Exclusive: true, SetLatency: latency})
	w := newWorkspace(t, command, orderConfiguration(d))
	flag := fmt.Sprintf("-parallelism=%d", parallelism)
	create := w.apply(flag)
	m := measurement{
		create: inversions(d.sets(), false), created: len(w.state()),
		createW: strings.Count(create.output, limitedWarning), repeated: d.Stats().Failed,
	}
	if create.code != 0 {
		t.Logf("%s\n%s", create.what, create.output)
		w.apply("-parallelism=100").succeeded()
	}
	if s := d.Stats(); s.Overlapping != 0 || s.Refused != 0 {
		t.Errorf("%d Sets overlap, %d were refused for it", s.Overlapping, s.Refused)
	}
	d.ResetLog()
	destroy := w.destroy(flag).succeeded()
	m.destroy, m.destroyW = inversions(d.sets(), true), strings.Count(destroy.output, limitedWarning)
	m.repeated += d.Stats().Failed
	t.Logf("-parallelism=%d, %s a Set: %+v", parallelism, latency, m)
	return m
}

// Fewer pairs than this may go unnoticed: the lock sees the walk only where it
// enters the provider.
const noticeable = 100

func TestARunWhoseOrderParallelismLimitsSaysSoOnce(t *testing.T) {
	t.Parallel()
	eachCommand(t, func(t *testing.T, command string) {
		for parallelism, latency := range map[int]time.Duration{4: 5 * time.Millisecond, 10: 50 * time.Millisecond} {
			m := measureOrder(t, command, parallelism, latency)
			for _, walk := range []struct {
				name            string
				found, warnings int
			}{{"create", m.create, m.createW}, {"destroy", m.destroy, m.destroyW}} {
				if walk.warnings > 1 || walk.warnings == 0 && walk.found >= noticeable {
					t.Errorf("%s at -parallelism=%d: %d pairs are inverted, said %d times", walk.name, parallelism, walk.found, walk.warnings)
				}
			}
		}
	})
}

// TestOrderTable prints the table of docs/order.md; it runs for minutes and
// only when it is asked for.
func TestOrderTable(t *testing.T) {
	if os.Getenv("OPENCONFIG_ORDER_TABLE") == "" {
		t.Skip("OPENCONFIG_ORDER_TABLE is not set")
	}
	fmt.Println("| A Set takes | `-parallelism` | Inverted pairs, create | Inverted pairs, destroy | Resources created | Sets repeated | Warnings, create | Warnings, destroy |")
	fmt.Println("|---|---|---|---|---|---|---|---|")
	for _, latency := range []time.Duration{5 * time.Millisecond, 50 * time.Millisecond} {
		for _, parallelism := range []int{4, 10, 20, 100} {
			var all []measurement
			for range runsFromEnv(t, 5) {
				all = append(all, measureOrder(t, commands[0], parallelism, latency))
			}
			row := fmt.Sprintf("| %s | %d |", latency, parallelism)
			for _, column := range []func(measurement) int{
				func(m measurement) int { return m.create },
				func(m measurement) int { return m.destroy },
				func(m measurement) int { return m.created },
				func(m measurement) int { return m.repeated },
				func(m measurement) int { return m.createW },
				func(m measurement) int { return m.destroyW },
			} {
				row += " " + spread(all, column) + " |"
			}
			fmt.Println(row)
		}
	}
}

// spread returns the median of a figure and, where they differ, its extremes.
func spread(all []measurement, figure func(measurement) int) string {
	values := make([]int, len(all))
	for i, m := range all {
		values[i] = figure(m)
	}
	slices.Sort(values)
	least, most := values[0], values[len(values)-1]
	if least == most {
		return strconv.Itoa(least)
	}
	return fmt.Sprintf("%d (%d–%d)", values[len(values)/2], least, most)
}
