package e2e

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/simulator"
)

func TestAnAddressThatOnlyTheApplyKnowsIsWaitedFor(t *testing.T) {
	t.Parallel()
	eachCommand(t, func(t *testing.T, command string) {
		d := startDevice(t, simulator.Options{})
		w := newWorkspace(t, command, fmt.Sprintf(`
resource "terraform_data" "address" {
  input = %q
}
`, d.Addr())+connection(map[string]string{"leaf1": "address = terraform_data.address.output, plaintext = true"})+interfaces("leaf1", 3, "x")+bgp("leaf1", 1))
		w.run("plan").succeeded()
		if s := d.Stats(); s != (simulator.Stats{}) {
			t.Errorf("the plan has contacted the device: %+v", s)
		}
		w.apply().succeeded()
		d.expectSets("apply", 6)
		w.plansClean()
		w.destroy().succeeded()
		d.quiet("destroy")
	})
}

func TestADeviceThatIsNotManagedKeepsItsStateAndIsNotContacted(t *testing.T) {
	t.Parallel()
	eachCommand(t, func(t *testing.T, command string) {
		d := startDevice(t, simulator.Options{})
		configuration := func(managed, note string) string {
			return connection(map[string]string{"leaf1": plaintext(d.Addr()) + ", managed = " + managed}) + interfaces("leaf1", 2, note)
		}
		w := newWorkspace(t, command, configuration("true", "x"))
		w.apply().succeeded()
		if err := d.Delete("/interfaces/interface[name=Ethernet1/1]/config/description"); err != nil {
			t.Fatal(err)
		}
		d.ResetLog()
		w.write(configuration("false", "x"))
		w.plansClean()
		w.apply().succeeded()
		w.write(configuration("false", "y"))
		w.apply().failed("not managed in this run", "managed = false")
		if s := d.Stats(); s != (simulator.Stats{}) {
			t.Errorf("the device was contacted: %+v", s)
		}
		if n := len(w.state()); n != 2 {
			t.Errorf("the state has %d resources", n)
		}
	})
}

func TestTwoNamesOfOneDeviceNeverOverlap(t *testing.T) {
	t.Parallel()
	eachCommand(t, func(t *testing.T, command string) {
		d := startDevice(t, simulator.Options{Exclusive: true, SetLatency: 10 * time.Millisecond})
		_, port, err := net.SplitHostPort(d.Addr())
		if err != nil {
			t.Fatal(err)
		}
		for name, devices := range map[string]map[string]string{
			"one address": {"leaf1": plaintext(d.Addr()), "rack7": plaintext(d.Addr())},
			"one lock key": {
				"leaf1": plaintext(d.Addr()) + `, lock_key = "chassis 7"`,
				"rack7": plaintext("localhost:"+port) + `, lock_key = "chassis 7"`,
			},
		} {
			w := newWorkspace(t, command, connection(devices)+interfaces("leaf1", 20, "x")+vlans("rack7", 20, "x"))
			w.apply("-parallelism=50").succeeded()
			d.expectSets(name, 40)
			w.plansClean()
			w.destroy("-parallelism=50").succeeded()
			d.expectSets(name, 40)
		}
	})
}

func TestMutualTLSWorksWithFilesAndText(t *testing.T) {
	t.Parallel()
	eachCommand(t, func(t *testing.T, command string) {
		o := secured(t)
		clientCert, clientKey := certificate(t, "provider")
		o.ClientCA = clientCert
		d := startDevice(t, o)
		dir := t.TempDir()
		file := func(name string, text []byte) string {
			path := filepath.Join(dir, name)
			if err := os.WriteFile(path, text, 0o600); err != nil {
				t.Fatal(err)
			}
			return path
		}
		leaf := func(tls string) string {
			return connection(map[string]string{"leaf1": fmt.Sprintf("address = %q", d.Addr())},
				strings.ReplaceAll(login, ",", "\n "), "tls = { "+tls+" }") + interfaces("leaf1", 2, "x")
		}
		w := newWorkspace(t, command, leaf(fmt.Sprintf("ca_cert = %q", o.TLSCert)))
		r := w.apply().failed("certificate required", "Set tls.client_cert and tls.client_key", "Nothing was written")
		t.Log(firstError(r))
		otherCert, otherKey := certificate(t, "somebody else")
		w.write(leaf(fmt.Sprintf("ca_cert = %q, client_cert = %q, client_key = %q", o.TLSCert, otherCert, otherKey)))
		r = w.apply().failed("check who signed them", "Nothing was written")
		t.Log(firstError(r))
		d.untouched()
		w.write(leaf(fmt.Sprintf("ca_cert = %q, client_cert = %q, client_key = %q", file("ca", o.TLSCert), file("cert", clientCert), file("key", clientKey))))
		w.apply().succeeded()
		d.expectSets("files", 2)
		w.write(leaf(fmt.Sprintf("ca_cert = %q, client_cert = %q, client_key = %q", o.TLSCert, clientCert, clientKey)))
		w.plansClean()
		w.destroy().succeeded()
		d.expectSets("text", 2)
	})
}

func TestTheEnvironmentConfiguresTheProvider(t *testing.T) {
	t.Parallel()
	eachCommand(t, func(t *testing.T, command string) {
		d := startDevice(t, secured(t))
		w := newWorkspace(t, command, `
provider "openconfig" {}
resource "openconfig_interface" "x" {
  name        = "Ethernet1/1"
  description = "from the environment"
}
`)
		w.env = []string{
			"OPENCONFIG_ADDRESS=" + d.Addr(), "OPENCONFIG_USERNAME=admin", "OPENCONFIG_PASSWORD=rosebud", "OPENCONFIG_TLS_SKIP_VERIFY=true",
		}
		w.apply().succeeded()
		d.expectSets("apply", 1)
		w.plansClean()
		w.env[3] = "OPENCONFIG_TLS_SKIP_VERIFY=perhaps"
		w.run("plan").failed("OPENCONFIG_TLS_SKIP_VERIFY", "must be true or false")
	})
}
