// Package e2e tests the provider as it is used: the real binary, started by the
// real Terraform (and OpenTofu where it is on the PATH), against simulated
// devices that run inside the test. What a test asserts it mostly takes from a
// device's own log of RPCs.
package e2e

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// providerSource is the provider's address in a configuration, without the
// host: Terraform and OpenTofu have different default registries.
const providerSource = "terraform-openconfig/openconfig"

// commands are the command line interfaces on the PATH, and cliConfig names the
// file that makes them use the binary under test. Both are set before any test
// and only read afterwards.
var (
	commands  []string
	cliConfig string
)

func TestMain(m *testing.M) {
	flag.Parse()
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		code = 1
	}
	os.Exit(code)
}

func run(m *testing.M) (code int, err error) {
	for _, name := range []string{"terraform", "tofu"} {
		if path, err := exec.LookPath(name); err == nil {
			commands = append(commands, path)
		}
	}
	if len(commands) == 0 {
		if os.Getenv("CI") != "" {
			return 0, errors.New("neither terraform nor tofu is on the PATH")
		}
		fmt.Println("e2e: neither terraform nor tofu is on the PATH, so nothing is tested here")
		return 0, nil
	}
	dir, err := os.MkdirTemp("", "e2e-")
	if err != nil {
		return 0, err
	}
	// A provider may still let go of its lock, and what that leaves is not worth a
	// failure.
	defer func() { _ = os.RemoveAll(dir) }()
	build := exec.Command("go", "build", "-o", filepath.Join(dir, "terraform-provider-openconfig"), "../..")
	if out, err := build.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("building the provider: %w\n%s", err, out)
	}
	cliConfig = filepath.Join(dir, "cli.tfrc")
	text := fmt.Sprintf("provider_installation {\n  dev_overrides {\n    %q = %q\n  }\n  direct {}\n}\n", providerSource, dir)
	if err := os.WriteFile(cliConfig, []byte(text), 0o600); err != nil {
		return 0, err
	}
	return m.Run(), nil
}

// eachCommand runs a test under every command line interface.
func eachCommand(t *testing.T, test func(t *testing.T, command string)) {
	t.Helper()
	for _, command := range commands {
		t.Run(filepath.Base(command), func(t *testing.T) { test(t, command) })
	}
}
