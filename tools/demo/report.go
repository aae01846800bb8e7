package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// printer writes what the demo has to say. On a terminal, headings are bold.
type printer struct {
	w          io.Writer
	bold, mark string
	plain      string
}

func newPrinter(f *os.File) *printer {
	p := &printer{w: f}
	info, err := f.Stat()
	if err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" {
		p.bold, p.mark, p.plain = "\x1b[1m", "\x1b[32m", "\x1b[0m"
	}
	return p
}

func (p *printer) step(text string) { fmt.Fprintf(p.w, "%s%s%s\n", p.bold, text, p.plain) }
func (p *printer) line(text string) { fmt.Fprintf(p.w, "  %s\n", text) }
func (p *printer) good(text string) { fmt.Fprintf(p.w, "%s%s%s\n", p.mark, text, p.plain) }

// report prints, for each device, the steps that Terraform counted and the Sets
// that the device logged since the last report, and returns what is wrong with
// them.
func (p *printer) report(took time.Duration, steps map[string]int, fabric []*simulated, destroy bool) (problems []error) {
	total := 0
	table := tabwriter.NewWriter(p.w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "  device\tCRUD steps\tSets\toverlapping\trefused\torder of the Sets")
	for _, d := range fabric {
		sets, err := d.sets()
		if err != nil {
			problems = append(problems, err)
			continue
		}
		overlapping, refused := 0, 0
		for _, s := range sets {
			if s.Overlap > 0 {
				overlapping++
			}
			if s.Code != "OK" {
				refused++
			}
		}
		order := make([]int, len(sets))
		for i, s := range sets {
			order[i] = s.kind()
		}
		fmt.Fprintf(table, "  %s\t%d\t%d\t%d\t%d\t%s\n", d.name, steps[d.name], len(sets), overlapping, refused, runs(order))
		total += steps[d.name]
		if steps[d.name] == 0 || steps[d.name] != len(sets) || overlapping > 0 || refused > 0 {
			problems = append(problems, fmt.Errorf("%s: %d steps, %d Sets, %d overlapping, %d refused", d.name, steps[d.name], len(sets), overlapping, refused))
		}
		if !ordered(order, destroy) {
			problems = append(problems, fmt.Errorf("%s: the order is wrong", d.name))
		}
	}
	_ = table.Flush()
	p.line(fmt.Sprintf("%d steps in %s", total, took.Round(10*time.Millisecond)))
	return problems
}

// runs writes an order of kinds with each run of one kind as its length and
// name.
func runs(order []int) string {
	var parts []string
	for len(order) > 0 {
		n := slices.IndexFunc(order, func(k int) bool { return k != order[0] })
		if n < 0 {
			n = len(order)
		}
		name := "other"
		if order[0] >= 0 {
			name = kinds[order[0]].name
		}
		parts = append(parts, fmt.Sprintf("%d %s", n, name))
		order = order[n:]
	}
	return strings.Join(parts, " → ")
}

// ordered tells whether all foundations precede all dependents and dependents
// are in order among themselves, or the reverse of it.
func ordered(order []int, reverse bool) bool {
	order = slices.Clone(order)
	if reverse {
		slices.Reverse(order)
	}
	for i, k := range order {
		if k < 0 {
			return false
		}
		order[i] = max(k, firstDependent-1)
	}
	return slices.IsSorted(order)
}
