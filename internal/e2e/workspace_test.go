package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// runLimit bounds one run of a command, far above what it takes.
const runLimit = 3 * time.Minute

// workspace is a directory with a configuration and its state.
type workspace struct {
	tb      testing.TB
	command string
	dir     string
	env     []string
}

func newWorkspace(tb testing.TB, command, configuration string) *workspace {
	tb.Helper()
	w := &workspace{tb: tb, command: command, dir: tb.TempDir()}
	w.write(configuration)
	return w
}

// write replaces the configuration.
func (w *workspace) write(configuration string) {
	w.tb.Helper()
	text := fmt.Sprintf("terraform {\n  required_providers {\n    openconfig = { source = %q }\n  }\n}\n%s", providerSource, configuration)
	if err := os.WriteFile(filepath.Join(w.dir, "main.tf"), []byte(text), 0o600); err != nil {
		w.tb.Fatal(err)
	}
}

// process is a command that runs.
type process struct {
	w       *workspace
	cmd     *exec.Cmd
	cancel  context.CancelFunc
	started time.Time
	output  output
}

// output is what a command has written so far.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// result is how a command ended.
type result struct {
	tb     testing.TB
	what   string
	code   int
	output string
	took   time.Duration
}

// start starts the command line interface with args.
func (w *workspace) start(args ...string) *process {
	w.tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), runLimit)
	p := &process{w: w, cancel: cancel, started: time.Now()}
	p.cmd = exec.CommandContext(ctx, w.command, append(args, "-no-color")...)
	p.cmd.Dir = w.dir
	for _, setting := range os.Environ() {
		// Settings of whoever runs the tests are not part of them.
		if !strings.HasPrefix(setting, "TF_") && !strings.HasPrefix(setting, "OPENCONFIG_") {
			p.cmd.Env = append(p.cmd.Env, setting)
		}
	}
	// The locks, too, are the tests' own.
	p.cmd.Env = append(p.cmd.Env, "OPENCONFIG_LOCK_FILE_DIRECTORY="+filepath.Join(filepath.Dir(cliConfig), "locks"))
	p.cmd.Env = append(p.cmd.Env, "TF_CLI_CONFIG_FILE="+cliConfig, "CHECKPOINT_DISABLE=1", "TF_IN_AUTOMATION=1", "TF_INPUT=0")
	p.cmd.Env = append(p.cmd.Env, w.env...)
	p.cmd.Stdout, p.cmd.Stderr = &p.output, &p.output
	// A process group of its own, so that providers end with a command that
	// has to be killed.
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	p.cmd.Cancel = func() error { return syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL) }
	p.cmd.WaitDelay = 10 * time.Second
	if err := p.cmd.Start(); err != nil {
		cancel()
		w.tb.Fatal(err)
	}
	return p
}

// interrupt does what Ctrl-C does to the command.
func (p *process) interrupt() {
	p.w.tb.Helper()
	if err := p.cmd.Process.Signal(os.Interrupt); err != nil {
		p.w.tb.Fatal(err)
	}
}

// wait waits for the command's end.
func (p *process) wait() result {
	p.w.tb.Helper()
	defer p.cancel()
	err := p.cmd.Wait()
	r := result{tb: p.w.tb, what: strings.Join(p.cmd.Args[1:], " "), output: p.output.String(), took: time.Since(p.started)}
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit) && exit.Exited():
		r.code = exit.ExitCode()
	case err != nil:
		p.w.tb.Fatalf("%s: %v\n%s", r.what, err, r.output)
	}
	return r
}

func (w *workspace) run(args ...string) result {
	w.tb.Helper()
	return w.start(args...).wait()
}

func (w *workspace) apply(args ...string) result {
	w.tb.Helper()
	return w.run(append([]string{"apply", "-auto-approve"}, args...)...)
}

func (w *workspace) destroy(args ...string) result {
	w.tb.Helper()
	return w.run(append([]string{"destroy", "-auto-approve"}, args...)...)
}

// plansClean expects a plan without changes.
func (w *workspace) plansClean() {
	w.tb.Helper()
	w.run("plan", "-detailed-exitcode").succeeded()
}

// succeeded expects the exit code 0.
func (r result) succeeded() result {
	r.tb.Helper()
	if r.code != 0 {
		r.tb.Fatalf("%s ended with %d:\n%s", r.what, r.code, r.output)
	}
	return r
}

// failed expects the exit code 1 and an output with each of the texts, however
// its lines are broken.
func (r result) failed(texts ...string) result {
	r.tb.Helper()
	if r.code != 1 {
		r.tb.Fatalf("%s ended with %d:\n%s", r.what, r.code, r.output)
	}
	return r.says(texts...)
}

func (r result) says(texts ...string) result {
	r.tb.Helper()
	flat := r.flat()
	for _, text := range texts {
		if !strings.Contains(flat, text) {
			r.tb.Errorf("%s does not say %q:\n%s", r.what, text, r.output)
		}
	}
	return r
}

// flat is the output in one line, without the frame that Terraform draws.
func (r result) flat() string {
	return strings.Join(strings.Fields(strings.NewReplacer("│", " ", "╷", " ", "╵", " ").Replace(r.output)), " ")
}

// entry is a resource in the state.
type entry struct {
	Type, Name string
	Attributes map[string]any
}

// state returns the resources in the state by their address.
func (w *workspace) state() map[string]entry {
	w.tb.Helper()
	text, err := os.ReadFile(filepath.Join(w.dir, "terraform.tfstate"))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		w.tb.Fatal(err)
	}
	var file struct {
		Resources []struct {
			Type, Name string
			Instances  []struct {
				IndexKey   any `json:"index_key"`
				Attributes map[string]any
			}
		}
	}
	if err := json.Unmarshal(text, &file); err != nil {
		w.tb.Fatal(err)
	}
	entries := map[string]entry{}
	for _, r := range file.Resources {
		for _, i := range r.Instances {
			address := r.Type + "." + r.Name
			if i.IndexKey != nil {
				address += fmt.Sprintf("[%v]", i.IndexKey)
			}
			entries[address] = entry{r.Type, r.Name, i.Attributes}
		}
	}
	return entries
}
