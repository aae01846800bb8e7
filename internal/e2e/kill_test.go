package e2e

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/simulator"
)

// await polls until the condition holds.
func await(tb testing.TB, what string, holds func() bool) {
	tb.Helper()
	limit, look := time.NewTimer(runLimit), time.NewTicker(10*time.Millisecond)
	defer limit.Stop()
	defer look.Stop()
	for !holds() {
		select {
		case <-look.C:
		case <-limit.C:
			tb.Fatalf("still waiting until %s", what)
		}
	}
}

// killTerraform ends the command as a kill by its number does, and leaves its
// providers alone until the test ends.
func (p *process) killTerraform() {
	p.w.tb.Helper()
	group := p.cmd.Process.Pid
	p.w.tb.Cleanup(func() { _ = syscall.Kill(-group, syscall.SIGKILL) })
	if err := p.cmd.Process.Kill(); err != nil {
		p.w.tb.Fatal(err)
	}
	_ = p.cmd.Wait()
	p.cancel()
}

// writer is the number of the process that sends the Sets: the one that got the
// lock last, by its own events.
func (w *workspace) writer() int {
	w.tb.Helper()
	text, err := os.ReadFile(w.events())
	if err != nil {
		w.tb.Fatal(err)
	}
	pid := 0
	for line := range strings.Lines(string(text)) {
		var event struct {
			Event string
			PID   int
		}
		if err := json.Unmarshal([]byte(line), &event); err != nil {
			w.tb.Fatal(err)
		}
		if event.Event == "acquired" {
			pid = event.PID
		}
	}
	if pid == 0 {
		w.tb.Fatalf("no process says that it got the lock:\n%s", text)
	}
	return pid
}

// events is the file that the workspace's providers write their events to.
func (w *workspace) events() string { return filepath.Join(w.dir, "events.jsonl") }

// restore does what users have to do where Terraform was stopped while it wrote
// the state, which it empties first: they take the backup, if there is one.
func (w *workspace) restore() {
	w.tb.Helper()
	file := filepath.Join(w.dir, "terraform.tfstate")
	text, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) || err == nil && json.Valid(text) {
		return
	}
	w.tb.Logf("Terraform left a state of %d bytes", len(text))
	if err = os.Rename(file+".backup", file); errors.Is(err, os.ErrNotExist) {
		err = os.Remove(file)
	}
	if err != nil {
		w.tb.Fatal(err)
	}
}

// interruptions end an apply in the middle of a Set.
var interruptions = map[string]func(t *testing.T, apply *process){
	"Terraform is killed": func(_ *testing.T, apply *process) { apply.killTerraform() },
	"the provider is killed": func(t *testing.T, apply *process) {
		if err := syscall.Kill(apply.w.writer(), syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		apply.wait().failed("openconfig")
	},
	"both are killed": func(_ *testing.T, apply *process) { apply.kill() },
	"two interrupts": func(t *testing.T, apply *process) {
		apply.interrupt()
		await(t, "Terraform has noticed the first interrupt", func() bool {
			return strings.Contains(apply.output.String(), "Interrupt received")
		})
		apply.interrupt()
		apply.wait().failed("Two interrupts received")
	},
}

// fabric is a configuration of all kinds that depend on one another on the
// device. Some of it holds note.
func fabric(d *simulated, note string) string {
	return d.only() + interfaces("leaf1", 4, note) + loopbacks("leaf1", 3, note) + vlans("leaf1", 4, note) + bgp("leaf1", 2)
}

func TestAfterAnApplyThatDiedInASetTheNextOneHeals(t *testing.T) {
	t.Parallel()
	eachCommand(t, func(t *testing.T, command string) {
		undisturbed := startDevice(t, simulator.Options{})
		reference := newWorkspace(t, command, fabric(undisturbed, "new"))
		reference.apply().succeeded()
		want := reference.state()
		for name, end := range interruptions {
			for _, step := range []string{"create", "update"} {
				t.Run(name+" in "+step, func(t *testing.T) {
					t.Parallel()
					d := startDevice(t, simulator.Options{})
					w := newWorkspace(t, command, fabric(d, "old")).on(backends["file"](t), "OPENCONFIG_LOCK_LOCK_DELAY=2s")
					w.env = append(w.env, "OPENCONFIG_EVENTS_FILE="+w.events())
					before := 0
					if step == "update" {
						w.apply("-parallelism=30").succeeded()
						before = d.Stats().Sets
					}
					d.SetLatency(time.Second)
					w.write(fabric(d, "new"))
					apply := w.start("apply", "-auto-approve", "-parallelism=30")
					d.awaitArrivals(before + 2)
					end(t, apply)
					d.SetLatency(0)
					w.restore()

					r := w.apply("-parallelism=30").succeeded()
					t.Logf("the next apply took %s", r.took.Round(time.Millisecond))
					w.plansClean()
					if got, want := d.Config("/"), undisturbed.Config("/"); got != want {
						t.Errorf("the device holds\n%s\nand after an undisturbed apply\n%s", got, want)
					}
					if got := w.state(); !reflect.DeepEqual(got, want) {
						t.Errorf("the state is\n%v\nand after an undisturbed apply\n%v", got, want)
					}
				})
			}
		}
	})
}

func TestAnInterruptInASetLetsItFinishAndItsResultIsInTheState(t *testing.T) {
	t.Parallel()
	eachCommand(t, func(t *testing.T, command string) {
		for _, step := range []string{"create", "update"} {
			t.Run(step, func(t *testing.T) {
				t.Parallel()
				d := startDevice(t, simulator.Options{})
				w := newWorkspace(t, command, d.only()+interfaces("leaf1", 4, "old"))
				if step == "update" {
					w.apply().succeeded()
				}
				d.ResetLog()
				before := d.Stats().Sets
				d.SetLatency(2 * time.Second)
				w.write(d.only() + interfaces("leaf1", 4, "new"))
				apply := w.start("apply", "-auto-approve")
				d.awaitArrivals(before + 1)
				if d.Stats().Sets != before+1 || len(d.sets()) != 0 {
					t.Fatal("the first Set is over before the interrupt")
				}
				apply.interrupt()
				apply.wait().failed("Interrupt received")
				sets, state, news := d.sets(), w.state(), 0
				if len(sets) != 1 || sets[0].Code != "OK" {
					t.Fatalf("the device has carried out %v, want the Set of before the interrupt", sets)
				}
				for _, e := range state {
					if strings.HasSuffix(e.Attributes["description"].(string), "new") {
						news++
						if entry := "/interfaces/interface[name=" + e.Attributes["name"].(string) + "]"; entry != entryOf(sets[0]) {
							t.Errorf("the state has the change of %s, the device that of %s", entry, entryOf(sets[0]))
						}
					}
				}
				if news != 1 {
					t.Errorf("the state has %d changes, want that of the Set", news)
				}
				d.holds(state)

				d.SetLatency(0)
				w.apply().succeeded()
				w.plansClean()
				d.holds(w.state())
			})
		}
	})
}
