package e2e

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/simulator"
)

const examples = "../../examples"

// copyFrom copies the configuration below an example's directory.
func (w *workspace) copyFrom(example string) {
	w.tb.Helper()
	from := os.DirFS(filepath.Join(examples, example))
	err := fs.WalkDir(from, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".tf" {
			return err
		}
		text, err := fs.ReadFile(from, path)
		if err != nil {
			return err
		}
		to := filepath.Join(w.dir, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			return err
		}
		return os.WriteFile(to, text, 0o600)
	})
	if err != nil {
		w.tb.Fatal(err)
	}
}

func read(tb testing.TB, elem ...string) string {
	tb.Helper()
	text, err := os.ReadFile(filepath.Join(elem...))
	if err != nil {
		tb.Fatal(err)
	}
	return string(text)
}

func TestEveryResourceHasAnExampleThatAppliesImportsAndDestroys(t *testing.T) {
	dirs, err := filepath.Glob(filepath.Join(examples, "resources", "openconfig_*"))
	if err != nil || len(dirs) == 0 {
		t.Fatalf("examples: %v %v", dirs, err)
	}
	eachCommand(t, func(t *testing.T, command string) {
		for _, dir := range dirs {
			t.Run(filepath.Base(dir), func(t *testing.T) {
				t.Parallel()
				d := startDevice(t, simulator.Options{Exclusive: true})
				w := newWorkspace(t, command, d.only()+read(t, dir, "resource.tf"))
				w.env = append(w.env, "TF_VAR_bgp_password=secret")
				w.apply().succeeded()
				d.quiet("apply")
				w.plansClean()

				words := strings.Fields(read(t, dir, "import.sh"))
				if len(words) != 4 || words[0] != "terraform" || words[1] != "import" {
					t.Fatalf("import.sh is %q", words)
				}
				address, id := words[2], strings.Trim(words[3], "'")
				w.run("state", "rm", address).succeeded()
				d.ResetLog()
				w.run("import", address, id).succeeded()
				d.untouched()
				// What the device does not show, a secret's version, is set anew.
				w.apply().succeeded().says("0 added", "0 destroyed")
				w.plansClean()
				w.destroy().succeeded()
				d.quiet("destroy")
			})
		}
	})
}

func TestTheExamplesOfTheLockApply(t *testing.T) {
	t.Parallel()
	eachCommand(t, func(t *testing.T, command string) {
		leaf1, leaf2 := startDevice(t, simulator.Options{Exclusive: true}), startDevice(t, simulator.Options{Exclusive: true})
		w := newWorkspace(t, command, connection(map[string]string{"leaf1": plaintext(leaf1.Addr()), "leaf2": plaintext(leaf2.Addr())})+
			read(t, examples, "data-sources", "openconfig_device_lock", "data-source.tf")+
			read(t, examples, "ephemeral-resources", "openconfig_device_lock", "ephemeral-resource.tf")).on(backends["file"](t))
		w.apply().succeeded()
		leaf1.expectSets("leaf1", 1)
		leaf2.expectSets("leaf2", 1)
	})
}

func TestTheProviderExampleConfiguresItsDevices(t *testing.T) {
	eachCommand(t, func(t *testing.T, command string) {
		w := &workspace{tb: t, command: command, dir: t.TempDir(), env: []string{"TF_VAR_password=secret"}}
		w.copyFrom("provider")
		authority, _ := certificate(t, "leaf1.example.net")
		for name, text := range map[string]string{
			"ca.pem":      string(authority),
			"resource.tf": "resource \"openconfig_interface\" \"port\" {\n  device = \"spine1\"\n  name   = \"Ethernet1/1\"\n}\n",
		} {
			if err := os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		w.run("plan").succeeded().says("1 to add") // which contacts no device
	})
}

func TestTheFabricAppliesPlansCleanAndDestroys(t *testing.T) {
	eachCommand(t, func(t *testing.T, command string) {
		devices, addresses := map[string]*simulated{}, map[string]string{}
		for _, name := range []string{"spine1", "spine2", "leaf1", "leaf2"} {
			devices[name] = startDevice(t, simulator.Options{Exclusive: true})
			addresses[name] = devices[name].Addr()
		}
		values, err := json.Marshal(map[string]any{"addresses": addresses})
		if err != nil {
			t.Fatal(err)
		}
		w := &workspace{tb: t, command: command, dir: t.TempDir(), env: []string{"OPENCONFIG_PLAINTEXT=true"}}
		w.copyFrom("fabric")
		if err := os.WriteFile(filepath.Join(w.dir, "test.auto.tfvars.json"), values, 0o600); err != nil {
			t.Fatal(err)
		}
		w.run("get").succeeded()
		w.apply("-parallelism=100").succeeded()
		w.plansClean()
		w.destroy("-parallelism=100").succeeded()
		// Order is a matter of timing, and tested elsewhere; this is not.
		for name, d := range devices {
			if s := d.Stats(); s.Overlapping != 0 || s.Refused != 0 {
				t.Errorf("%s: %d Sets overlap, %d were refused", name, s.Overlapping, s.Refused)
			}
		}
	})
}
