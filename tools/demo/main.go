// Command demo shows the provider at work: it builds it, starts four simulated
// devices that refuse a second Set while one runs, lets Terraform (or OpenTofu)
// apply, plan and destroy examples/fabric on them, and prints for each device
// what Terraform did and what the device saw. It ends with 0 only when the two
// agree, and leaves nothing behind.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"
)

// The fabric's devices, and how long a Set takes on them.
var devices = []string{"spine1", "spine2", "leaf1", "leaf2"}

const setLatency = 50 * time.Millisecond

// parallelism lets Terraform start all resources at once, so that the order is
// the device lock's alone.
const parallelism = "-parallelism=100"

func main() {
	root := flag.String("root", ".", "directory of the provider's repository")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, *root)
	if err != nil && ctx.Err() != nil {
		err = errors.New("interrupted")
	}
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

// run makes a directory for all that the demo needs, and removes it at the end.
func run(ctx context.Context, root string) (err error) {
	root, err = filepath.Abs(root)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "openconfig-demo-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	out := newPrinter(os.Stdout)

	out.step("Building the provider")
	binary := filepath.Join(dir, "bin", "terraform-provider-openconfig")
	build := exec.CommandContext(ctx, "go", "build", "-o", binary, ".")
	build.Dir = root
	if text, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("building the provider: %w\n%s", err, text)
	}
	command, err := findCommand(ctx, dir, out)
	if err != nil {
		return err
	}

	out.step(fmt.Sprintf("Starting %d simulated devices: a Set takes %s, and a second one meanwhile is refused", len(devices), setLatency))
	var fabric []*simulated
	defer func() {
		for _, d := range fabric {
			err = errors.Join(err, d.stop())
		}
	}()
	for _, name := range devices {
		d, err := simulate(ctx, binary, dir, name)
		if err != nil {
			return err
		}
		fabric = append(fabric, d)
		out.line(fmt.Sprintf("%-7s %s", name, d.address))
	}

	w, err := newWorkspace(dir, command, filepath.Join(root, "examples", "fabric"), fabric)
	if err != nil {
		return err
	}
	return show(ctx, out, w, fabric)
}

// show applies the fabric, plans it again and destroys it.
func show(ctx context.Context, out *printer, w *workspace, fabric []*simulated) error {
	if err := w.run(ctx, "get"); err != nil {
		return err
	}
	out.step("Applying examples/fabric")
	created, took, err := w.change(ctx, "apply")
	if err != nil {
		return err
	}
	devices, err := w.devices(ctx)
	if err != nil {
		return err
	}
	problems := out.report(took, count(created, devices), fabric, false)

	out.step("Planning again")
	if err := w.run(ctx, "plan", "-detailed-exitcode"); err != nil {
		return fmt.Errorf("the plan after the apply is not clean: %w", err)
	}
	out.line("no changes")

	out.step("Destroying")
	destroyed, took, err := w.change(ctx, "destroy")
	if err != nil {
		return err
	}
	problems = append(problems, out.report(took, count(destroyed, devices), fabric, true)...)
	if len(problems) > 0 {
		return errors.Join(problems...)
	}
	out.good("All numbers are as they should be: one Set for each step, none overlapping, none refused, in order.")
	return nil
}

// count returns the number of steps on each device.
func count(steps []string, devices map[string]string) map[string]int {
	n := map[string]int{}
	for _, address := range steps {
		n[devices[address]]++
	}
	return n
}
