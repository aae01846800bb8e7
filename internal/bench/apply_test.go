package bench

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/simulator"
)

const resources = 500

// phases are what a round measures, in order.
var phases = []struct {
	name string
	args []string
	mtu  int
}{
	{"apply", []string{"apply", "-auto-approve"}, 1500},
	{"plan", []string{"plan", "-detailed-exitcode"}, 1500},
	{"change", []string{"apply", "-auto-approve"}, 9000},
	{"destroy", []string{"destroy", "-auto-approve"}, 9000},
}

// BenchmarkApply500 reports how many times as long 500 interfaces take with the
// provider, on a device without latency, as with one that does nothing. Each of
// its iterations is one round through all phases.
func BenchmarkApply500(b *testing.B) {
	terraform, err := exec.LookPath("terraform")
	if err != nil {
		b.Skip("terraform is not on the PATH")
	}
	device, err := simulator.Start(context.Background(), simulator.Options{Plaintext: true})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = device.Close() }()
	ours, floor := newWorkspace(b, terraform, build(b, "../.."), device.Addr()), newWorkspace(b, terraform, build(b, "./floor"), device.Addr())
	for round := 0; b.Loop(); round++ {
		first, second := floor, ours
		if round%2 == 1 { // being first favours neither
			first, second = ours, floor
		}
		for i := range phases {
			first.run(i)
			second.run(i)
		}
	}
	if sets := device.Stats().Sets; sets%(3*resources) != 0 {
		b.Errorf("the device got %d Sets, not one for each step", sets)
	}
	for i, phase := range phases {
		took, cpu := ratios(ours.took[i], floor.took[i]), ratios(ours.cpu[i], floor.cpu[i])
		b.ReportMetric(took, "ratio-"+phase.name)
		b.Logf("%-8s %6.2f s, floor %6.2f s; processor time %.2f times the floor's", phase.name, median(ours.took[i]), median(floor.took[i]), cpu)
	}
	b.ReportMetric(ratios(sums(ours.took), sums(floor.took)), "ratio-total")
	b.ReportMetric(ratios(sums(ours.cpu), sums(floor.cpu)), "ratio-total-cpu")
}

// sums returns for each round the sum over the phases.
func sums(phases [][]time.Duration) []time.Duration {
	total := make([]time.Duration, len(phases[0]))
	for _, rounds := range phases {
		for i, d := range rounds {
			total[i] += d
		}
	}
	return total
}

// workspace is a configuration and its state, with the provider to use.
type workspace struct {
	b         *testing.B
	terraform string
	dir       string
	address   string
	took, cpu [][]time.Duration // by phase and round
}

func newWorkspace(b *testing.B, terraform, providerDir, address string) *workspace {
	b.Helper()
	w := &workspace{b: b, terraform: terraform, dir: b.TempDir(), address: address}
	w.took, w.cpu = make([][]time.Duration, len(phases)), make([][]time.Duration, len(phases))
	w.write("cli.tfrc", fmt.Sprintf("provider_installation {\n  dev_overrides {\n    \"terraform-openconfig/openconfig\" = %q\n  }\n  direct {}\n}\n", providerDir))
	return w
}

func (w *workspace) write(name, text string) {
	w.b.Helper()
	if err := os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o600); err != nil {
		w.b.Fatal(err)
	}
}

// run carries out a phase.
func (w *workspace) run(phase int) {
	w.b.Helper()
	p := phases[phase]
	w.write("main.tf", fmt.Sprintf(`
terraform {
  required_providers {
    openconfig = { source = "terraform-openconfig/openconfig" }
  }
}
provider "openconfig" {
  address   = %q
  plaintext = true
}
resource "openconfig_interface" "all" {
  count       = %d
  name        = "Port-Channel${count.index}"
  type        = "ieee8023adLag"
  description = "bundle ${count.index}"
  mtu         = %d
}
`, w.address, resources, p.mtu))
	cmd := exec.CommandContext(w.b.Context(), w.terraform, append(p.args, "-no-color")...)
	cmd.Dir = w.dir
	for _, setting := range os.Environ() {
		// Settings of whoever runs the benchmark are not part of it.
		if !strings.HasPrefix(setting, "TF_") && !strings.HasPrefix(setting, "OPENCONFIG_") {
			cmd.Env = append(cmd.Env, setting)
		}
	}
	cmd.Env = append(cmd.Env, "TF_CLI_CONFIG_FILE="+filepath.Join(w.dir, "cli.tfrc"), "CHECKPOINT_DISABLE=1", "TF_IN_AUTOMATION=1", "TF_INPUT=0")
	started := time.Now()
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.b.Fatalf("%s: %v\n%s", p.name, err, out)
	}
	w.took[phase] = append(w.took[phase], time.Since(started))
	// Terraform's own, and that of the providers that it has waited for.
	w.cpu[phase] = append(w.cpu[phase], cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
}
