// Package acctest helps to test the provider against a device: a simulated one
// that each test starts, or a real one that the environment names.
package acctest

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	gpb "github.com/openconfig/gnmi/proto/gnmi"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/gnmi"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/provider"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/simulator"
)

// AddressVariable names the environment variable with the address of a real
// device. The settings of its connection are the provider's own variables.
const AddressVariable = "OPENCONFIG_TEST_ADDRESS"

// Device starts a simulated device with config (JSON_IETF of the root, or
// nothing) over its factory content. It ends with the test.
func Device(t testing.TB, config string) *simulator.Target {
	t.Helper()
	return Simulate(t, simulator.Options{Config: []byte(config)})
}

// Simulate starts a simulated device with options and, on top, quirks, each
// name=value. Without a certificate it speaks plaintext. It ends with the test.
func Simulate(t testing.TB, options simulator.Options, quirks ...string) *simulator.Target {
	t.Helper()
	options.Plaintext = len(options.TLSCert) == 0
	for _, q := range quirks {
		if err := options.Quirk(q); err != nil {
			t.Fatal(err)
		}
	}
	target, err := simulator.Start(context.Background(), options)
	if err != nil {
		t.Fatalf("starting the simulator: %v", err)
	}
	t.Cleanup(func() {
		if err := target.Close(); err != nil {
			t.Errorf("ending the simulator: %v", err)
		}
	})
	return target
}

// Factories are the provider for Terraform's plugin testing.
func Factories() map[string]func() (tfprotov6.ProviderServer, error) {
	return map[string]func() (tfprotov6.ProviderServer, error){
		"openconfig": providerserver.NewProtocol6WithError(provider.NewServer("test").Provider()),
	}
}

// Terraform prepares the environment for runs of the real Terraform, or of
// OpenTofu where that is all there is. A configuration of the command line that
// is not there would only add warnings.
func Terraform(t *testing.T) {
	t.Helper()
	if name := os.Getenv("TF_CLI_CONFIG_FILE"); name != "" {
		if _, err := os.Stat(name); err != nil {
			t.Setenv("TF_CLI_CONFIG_FILE", os.DevNull)
		}
	}
	t.Setenv("CHECKPOINT_DISABLE", "1")
	if _, err := exec.LookPath("terraform"); err == nil || os.Getenv("TF_ACC_TERRAFORM_PATH") != "" {
		return
	}
	if tofu, err := exec.LookPath("tofu"); err == nil {
		t.Setenv("TF_ACC_TERRAFORM_PATH", tofu)
		t.Setenv("TF_ACC_PROVIDER_HOST", "registry.opentofu.org")
	}
}

// Provider is the provider block for simulated devices: leaf1, leaf2 and on.
func Provider(targets ...*simulator.Target) string {
	var devices strings.Builder
	for i, target := range targets {
		fmt.Fprintf(&devices, "    leaf%d = { address = %q }\n", i+1, target.Addr())
	}
	return "provider \"openconfig\" {\n  plaintext = true\n  devices = {\n" + devices.String() + "  }\n}\n"
}

// RealProvider is the provider block for the real device that the environment
// names, as leaf1. The second result tells whether there is one.
func RealProvider() (block string, ok bool) {
	address := os.Getenv(AddressVariable)
	return fmt.Sprintf("provider \"openconfig\" {\n  devices = { leaf1 = { address = %q } }\n}\n", address), address != ""
}

// prepare writes what a test builds on to the real device that the environment
// names.
func prepare(t testing.TB, config string) {
	t.Helper()
	if config == "" {
		return
	}
	address, err := gnmi.CanonicalAddress(os.Getenv(AddressVariable))
	if err != nil {
		t.Fatal(err)
	}
	on := func(name string) bool { return os.Getenv(name) == "true" }
	client, err := gnmi.New(gnmi.Config{
		Address: address, Username: os.Getenv("OPENCONFIG_USERNAME"), Password: os.Getenv("OPENCONFIG_PASSWORD"), Plaintext: on("OPENCONFIG_PLAINTEXT"),
		TLS: gnmi.TLS{
			CACert: os.Getenv("OPENCONFIG_TLS_CA_CERT"), ClientCert: os.Getenv("OPENCONFIG_TLS_CLIENT_CERT"), ClientKey: os.Getenv("OPENCONFIG_TLS_CLIENT_KEY"),
			ServerName: os.Getenv("OPENCONFIG_TLS_SERVER_NAME"), SkipVerify: on("OPENCONFIG_TLS_SKIP_VERIFY"),
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Close() }()
	err = client.Set(context.Background(), &gpb.SetRequest{Update: []*gpb.Update{{
		Path: &gpb.Path{}, Val: &gpb.TypedValue{Value: &gpb.TypedValue_JsonIetfVal{JsonIetfVal: []byte(config)}},
	}}})
	if err != nil {
		t.Fatalf("preparing the device: %v", err)
	}
}

// Resource is the block of a resource called "this" on leaf1 whose attributes
// are a JSON object, which is also an HCL expression.
func Resource(typeName string, attributes map[string]any) string {
	var b strings.Builder
	fmt.Fprintf(&b, "resource %q \"this\" {\n  device = \"leaf1\"\n", typeName)
	for _, name := range slices.Sorted(maps.Keys(attributes)) {
		text, err := json.Marshal(attributes[name])
		if err != nil {
			panic(err) // attributes are what JSON was read into
		}
		fmt.Fprintf(&b, "  %s = %s\n", name, text)
	}
	return b.String() + "}\n"
}

// Sets returns the Sets that a device has seen.
func Sets(target *simulator.Target) []simulator.Record {
	var sets []simulator.Record
	for _, r := range target.Log() {
		if r.RPC == "Set" {
			sets = append(sets, r)
		}
	}
	return sets
}

// Leaves returns the whole configuration of a device as its leaves: path, with
// the keys of a list entry in the order of their names, to JSON text. It reads
// the JSON alone and knows no model.
func Leaves(t testing.TB, target *simulator.Target) map[string]string {
	t.Helper()
	var root any
	if err := json.Unmarshal([]byte(target.Config("/")), &root); err != nil {
		t.Fatalf("the device's configuration is not JSON: %v", err)
	}
	out := map[string]string{}
	flatten("", root, out)
	return out
}

func flatten(at string, v any, out map[string]string) {
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			name = bare(name)
			if entries, ok := member.([]any); ok && len(entries) > 0 && isObject(entries[0]) {
				for _, e := range entries {
					flattenEntry(at+"/"+name, e.(map[string]any), out)
				}
				continue
			}
			flatten(at+"/"+name, member, out)
		}
	default:
		text, err := json.Marshal(v)
		if err != nil {
			panic(err) // it was read from JSON
		}
		out[at] = string(text)
	}
}

// flattenEntry flattens a list entry, whose scalar members are its keys.
func flattenEntry(at string, entry map[string]any, out map[string]string) {
	rest := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(entry)) {
		switch value := entry[name].(type) {
		case map[string]any, []any:
			rest[name] = value
		default:
			at += fmt.Sprintf("[%s=%s]", bare(name), bareIdentity(fmt.Sprint(value)))
		}
	}
	flatten(at, rest, out)
}

func isObject(v any) bool { _, ok := v.(map[string]any); return ok }

func bare(name string) string { return name[strings.LastIndexByte(name, ':')+1:] }

func bareIdentity(key string) string {
	if strings.HasPrefix(key, "openconfig-") {
		return bare(key)
	}
	return key
}

// Same compares leaves and reports every difference.
func Same(t testing.TB, what string, have, want map[string]string) {
	t.Helper()
	for _, d := range differences(have, want) {
		t.Errorf("%s: %s", what, d)
	}
}

// differences says in what the leaves of a device are not those wanted.
func differences(have, want map[string]string) []string {
	var out []string
	for path, value := range want {
		if got, ok := have[path]; !ok {
			out = append(out, fmt.Sprintf("the device lacks %s = %s", path, value))
		} else if got != value {
			out = append(out, fmt.Sprintf("the device has %s = %s, want %s", path, got, value))
		}
	}
	for path, value := range have {
		if _, ok := want[path]; !ok {
			out = append(out, fmt.Sprintf("the device has %s = %s, which nobody set", path, value))
		}
	}
	return out
}
