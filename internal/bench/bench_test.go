// Package bench measures the real binary against providers that do nothing.
// Only ratios count: both sides run by turns in one run of the benchmark, so
// that what else the host does touches them alike.
package bench

import (
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// binary is what both Terraform and the benchmarks look for in a directory.
const binary = "terraform-provider-openconfig"

// build builds the command in a directory of this module, and returns the
// directory of its binary.
func build(b *testing.B, source string) string {
	b.Helper()
	dir := b.TempDir()
	out, err := exec.CommandContext(b.Context(), "go", "build", "-o", filepath.Join(dir, binary), source).CombinedOutput()
	if err != nil {
		b.Fatalf("building %s: %v\n%s", source, err, out)
	}
	return dir
}

// median returns the middle of the durations, in seconds.
func median(times []time.Duration) float64 {
	sorted := slices.Sorted(slices.Values(times))
	return sorted[len(sorted)/2].Seconds()
}

// ratios returns the median of what each measurement is of its floor, which was
// measured just before or after it.
func ratios(took, floor []time.Duration) float64 {
	each := make([]float64, len(took))
	for i := range took {
		each[i] = took[i].Seconds() / floor[i].Seconds()
	}
	slices.Sort(each)
	return each[len(each)/2]
}
