package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/hashicorp/go-version"
	install "github.com/hashicorp/hc-install"
	"github.com/hashicorp/hc-install/product"
	"github.com/hashicorp/hc-install/releases"
	"github.com/hashicorp/hc-install/src"
)

// fetched is the version of Terraform that the demo fetches where there is
// none.
var fetched = version.Must(version.NewVersion("1.11.4"))

// source is the provider's address in a configuration.
const source = "terraform-openconfig/openconfig"

// findCommand returns the path of terraform or tofu, and fetches Terraform into
// dir when there is neither.
func findCommand(ctx context.Context, dir string, out *printer) (string, error) {
	for _, name := range []string{"terraform", "tofu"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	out.step("Fetching Terraform " + fetched.String() + ", since neither terraform nor tofu is on the PATH")
	target := filepath.Join(dir, "terraform")
	if err := os.Mkdir(target, 0o700); err != nil {
		return "", err
	}
	path, err := install.NewInstaller().Ensure(ctx, []src.Source{
		&releases.ExactVersion{Product: product.Terraform, Version: fetched, InstallDir: target},
	})
	if err != nil {
		return "", fmt.Errorf("fetching Terraform (or put terraform or tofu on the PATH): %w", err)
	}
	return path, nil
}

// workspace is a copy of the fabric's configuration, with its state.
type workspace struct {
	command string
	dir     string
	env     []string
}

// newWorkspace copies the configuration at from, names the devices' addresses
// in it, and sees to it that the command takes the provider that was built.
func newWorkspace(dir, command, from string, fabric []*simulated) (*workspace, error) {
	w := &workspace{command: command, dir: filepath.Join(dir, "fabric")}
	if err := copyConfiguration(w.dir, from); err != nil {
		return nil, fmt.Errorf("copying the configuration: %w", err)
	}
	addresses := map[string]string{}
	for _, d := range fabric {
		addresses[d.name] = d.address
	}
	values, err := json.Marshal(map[string]any{"addresses": addresses})
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(w.dir, "demo.auto.tfvars.json"), values, 0o600); err != nil {
		return nil, err
	}
	config := filepath.Join(dir, "cli.tfrc")
	text := fmt.Sprintf("provider_installation {\n  dev_overrides {\n    %q = %q\n  }\n  direct {}\n}\n", source, filepath.Join(dir, "bin"))
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		return nil, err
	}
	for _, setting := range os.Environ() {
		// What is set for other runs of Terraform is not meant for this one.
		if !strings.HasPrefix(setting, "TF_") && !strings.HasPrefix(setting, "OPENCONFIG_") {
			w.env = append(w.env, setting)
		}
	}
	w.env = append(w.env, "TF_CLI_CONFIG_FILE="+config, "CHECKPOINT_DISABLE=1", "TF_IN_AUTOMATION=1", "TF_INPUT=0",
		"OPENCONFIG_USERNAME="+username, "OPENCONFIG_PASSWORD="+password, "OPENCONFIG_TLS_SKIP_VERIFY=true",
		"OPENCONFIG_LOCK_FILE_DIRECTORY="+filepath.Join(dir, "locks"))
	return w, nil
}

// copyConfiguration copies the configuration's files, and nothing that somebody
// has left beside them.
func copyConfiguration(to, from string) error {
	return filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		switch {
		case entry.IsDir() && entry.Name() == ".terraform":
			return filepath.SkipDir
		case entry.IsDir():
			return os.MkdirAll(filepath.Join(to, rel), 0o700)
		case filepath.Ext(path) != ".tf":
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, rel), text, 0o600)
	})
}

// exec runs the command and returns what it wrote to its output. When ctx ends
// it is interrupted, once, and ends what it has begun.
func (w *workspace) exec(ctx context.Context, args ...string) (stdout []byte, err error) {
	cmd := exec.CommandContext(ctx, w.command, args...)
	cmd.Dir, cmd.Env = w.dir, w.env
	var out, problems bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problems
	// Of two interrupts, the terminal's and this program's, the second would
	// count as impatience.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 30 * time.Second
	if err := cmd.Run(); err != nil {
		if errors.Is(err, exec.ErrWaitDelay) {
			_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // what it has started
		}
		return out.Bytes(), fmt.Errorf("%s %s: %w\n%s%s", filepath.Base(w.command), args[0], err, out.Bytes(), problems.Bytes())
	}
	return out.Bytes(), nil
}

func (w *workspace) run(ctx context.Context, args ...string) error {
	_, err := w.exec(ctx, append(args, "-no-color")...)
	return err
}

// change applies or destroys the configuration, and returns the addresses of
// the resources that were created, changed or destroyed, once for each time,
// and how long it took.
func (w *workspace) change(ctx context.Context, verb string) (steps []string, took time.Duration, err error) {
	start := time.Now()
	out, err := w.exec(ctx, verb, "-json", "-auto-approve", parallelism)
	took = time.Since(start)
	if err != nil {
		return nil, took, err
	}
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var event struct {
			Type string
			Hook struct {
				Resource struct{ Addr string }
			}
		}
		if err := json.Unmarshal(lines.Bytes(), &event); err != nil {
			return nil, took, fmt.Errorf("reading the output of %s: %w", verb, err)
		}
		if event.Type == "apply_complete" {
			steps = append(steps, event.Hook.Resource.Addr)
		}
	}
	return steps, took, lines.Err()
}

// module is a module of a state, as the command shows it.
type module struct {
	Resources []struct {
		Address string
		Values  struct{ Device string }
	}
	Modules []module `json:"child_modules"`
}

// devices returns the device of each resource in the state, by its address.
func (w *workspace) devices(ctx context.Context) (map[string]string, error) {
	out, err := w.exec(ctx, "show", "-json")
	if err != nil {
		return nil, err
	}
	var state struct {
		Values struct {
			Root module `json:"root_module"`
		}
	}
	if err := json.Unmarshal(out, &state); err != nil {
		return nil, fmt.Errorf("reading the state: %w", err)
	}
	devices := map[string]string{}
	var walk func(module)
	walk = func(m module) {
		for _, r := range m.Resources {
			devices[r.Address] = r.Values.Device
		}
		for _, child := range m.Modules {
			walk(child)
		}
	}
	walk(state.Values.Root)
	return devices, nil
}
