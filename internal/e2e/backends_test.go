package e2e

import (
	"fmt"
	"net"
	"os"
	"testing"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock/etcdlease/etcdtest"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock/kubelease/kubetest"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock/redislease/redistest"
)

// service is where a backend keeps the lock.
type service struct {
	// env are the settings that a run needs to use it.
	env []string
	// stop ends it for good; nil if there is nothing that could be down.
	stop func()
	// lapses tells that a lock lapses by time alone when its owner dies.
	lapses bool
}

// backends start the services of the lock's backends, which end with the test.
var backends = map[string]func(tb testing.TB) *service{
	"file": func(tb testing.TB) *service {
		return &service{env: []string{"OPENCONFIG_LOCK_BACKEND=file", "OPENCONFIG_LOCK_FILE_DIRECTORY=" + tb.TempDir()}}
	},
	"etcd": func(tb testing.TB) *service {
		server := etcdtest.Start(tb)
		return &service{env: []string{"OPENCONFIG_LOCK_BACKEND=etcd", "OPENCONFIG_LOCK_ETCD_ENDPOINTS=" + server.Endpoint}, stop: server.Stop, lapses: true}
	},
	"redis": func(tb testing.TB) *service {
		server := redistest.Run(tb, redistest.Options{})
		return &service{env: []string{"OPENCONFIG_LOCK_BACKEND=redis", "OPENCONFIG_LOCK_REDIS_URL=" + server.URL()}, stop: server.Stop, lapses: true}
	},
	"kubernetes": func(tb testing.TB) *service {
		if os.Getenv(kubetest.Environment) != "" {
			return &service{env: kubernetesEnv(kubetest.Start(tb)), lapses: true}
		}
		server := kubetest.Simulate(tb)
		return &service{env: kubernetesEnv(server.Cluster), stop: server.Stop, lapses: true}
	},
}

func kubernetesEnv(cluster kubetest.Cluster) []string {
	return []string{
		"OPENCONFIG_LOCK_BACKEND=kubernetes", "OPENCONFIG_LOCK_KUBERNETES_KUBECONFIG=" + cluster.Kubeconfig,
		"OPENCONFIG_LOCK_KUBERNETES_NAMESPACE=" + cluster.Namespace,
	}
}

// eachBackend runs a test with every backend and every command.
func eachBackend(t *testing.T, test func(t *testing.T, command string, s *service)) {
	t.Helper()
	for name, start := range backends {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachCommand(t, func(t *testing.T, command string) { test(t, command, start(t)) })
		})
	}
}

// on makes the workspace's runs use the service, with these further settings.
func (w *workspace) on(s *service, settings ...string) *workspace {
	w.env = append(append(w.env, s.env...), settings...)
	return w
}

// twoAliases is a configuration whose provider blocks, each a process, lead to
// one device by different names.
func twoAliases(tb testing.TB, d *simulated, note string) string {
	tb.Helper()
	_, port, err := net.SplitHostPort(d.Addr())
	if err != nil {
		tb.Fatal(err)
	}
	return fmt.Sprintf(`
provider "openconfig" {
  devices = { leaf1 = { %s, lock_key = "leaf1.example" } }
}
provider "openconfig" {
  alias   = "second"
  devices = { leaf1 = { %s, lock_key = "leaf1.example" } }
}
resource "openconfig_interface" "first" {
  count       = 20
  device      = "leaf1"
  name        = "Ethernet1/${count.index + 1}"
  description = "port ${count.index + 1} %[3]s"
}
resource "openconfig_vlan" "second" {
  provider         = openconfig.second
  count            = 20
  device           = "leaf1"
  network_instance = "DEFAULT"
  vlan_id          = count.index + 2
  name             = "vlan-${count.index + 2}-%[3]s"
}
`, plaintext(d.Addr()), plaintext("localhost:"+port), note)
}
