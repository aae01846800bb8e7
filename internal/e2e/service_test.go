package e2e

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock/kubelease/kubetest"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/simulator"
)

// absent are settings for lock services that are not there, and what an error
// says of them.
func absent(t *testing.T) map[string]*service {
	t.Helper()
	address := refusedAddress(t)
	cluster := kubetest.Simulate(t)
	cluster.Stop()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return map[string]*service{
		"etcd":       {env: []string{"OPENCONFIG_LOCK_BACKEND=etcd", "OPENCONFIG_LOCK_ETCD_ENDPOINTS=http://" + address}},
		"redis":      {env: []string{"OPENCONFIG_LOCK_BACKEND=redis", "OPENCONFIG_LOCK_REDIS_URL=redis://" + address}},
		"kubernetes": {env: kubernetesEnv(cluster.Cluster)},
		"file":       {env: []string{"OPENCONFIG_LOCK_BACKEND=file", "OPENCONFIG_LOCK_FILE_DIRECTORY=" + file}},
	}
}

func TestWithoutTheLockServiceARunFailsWithNothingWrittenOrProceedsWithAWarning(t *testing.T) {
	t.Parallel()
	eachCommand(t, func(t *testing.T, command string) {
		for name, s := range absent(t) {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				d := startDevice(t, simulator.Options{Exclusive: true, SetLatency: 5 * time.Millisecond})
				w := newWorkspace(t, command, d.only()+interfaces("leaf1", 10, "x")).on(s)
				w.apply().failed("Cannot use the lock service", "lock service "+name, "Nothing was written", "on_failure")
				d.untouched()
				if state := w.state(); len(state) != 0 {
					t.Errorf("the state has %d resources", len(state))
				}
				w.on(s, "OPENCONFIG_LOCK_ON_FAILURE=proceed")
				r := w.apply().succeeded()
				d.expectSets("proceed", 10)
				if n := strings.Count(r.flat(), "Went on without the lock service"); n != 1 {
					t.Errorf("%d warnings, want one:\n%s", n, r.output)
				}
				w.plansClean()
			})
		}
	})
}

func TestALockServiceThatIsLostInTheMiddleStopsTheRunOrLetsItProceed(t *testing.T) {
	t.Parallel()
	const resources = 16
	eachBackend(t, func(t *testing.T, command string, s *service) {
		if s.stop == nil {
			return // files are not lost
		}
		d := startDevice(t, simulator.Options{Exclusive: true, SetLatency: 500 * time.Millisecond})
		w := newWorkspace(t, command, d.only()+interfaces("leaf1", resources, "x")).on(s,
			"OPENCONFIG_LOCK_TTL=4s", "OPENCONFIG_LOCK_LOCK_DELAY=2s", "OPENCONFIG_SET_TIMEOUT=2s")
		apply := w.start("apply", "-auto-approve", "-parallelism=30")
		d.awaitSets(2)
		s.stop()
		apply.wait().failed("lock")
		done := len(d.sets())
		if done >= resources {
			t.Errorf("all %d Sets were sent without a lock", done)
		}
		d.quiet("the service was lost")
		// What the state says is on the device, and the other way round.
		if state := w.state(); len(state) != done {
			t.Errorf("the state has %d resources, the device got %d Sets", len(state), done)
		}
		d.holds(w.state())
		w.on(s, "OPENCONFIG_LOCK_ON_FAILURE=proceed")
		w.apply("-parallelism=30").succeeded().says("Went on without the lock service")
		d.quiet("proceed")
		w.plansClean()
	})
}

// provider runs a subcommand of the provider's binary with the service.
func (s *service) provider(t *testing.T, stdin string, args ...string) (stdout string, err error) {
	t.Helper()
	var out, problems bytes.Buffer
	cmd := exec.Command(filepath.Join(filepath.Dir(cliConfig), "terraform-provider-openconfig"), args...)
	cmd.Env = append(os.Environ(), s.env...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &problems
	err = cmd.Run()
	t.Logf("%v: %v\n%s%s", args, err, &out, &problems)
	return out.String(), err
}

func TestALockThatIsFreedByForceGoesToTheNextOneAndTheRunThatHadItComesBack(t *testing.T) {
	t.Parallel()
	eachBackend(t, func(t *testing.T, command string, s *service) {
		d := startDevice(t, simulator.Options{SetLatency: 700 * time.Millisecond})
		w := newWorkspace(t, command, d.only()+interfaces("leaf1", 14, "x")).on(s, "TFC_RUN_ID=run-7", "OPENCONFIG_LOCK_LOCK_DELAY=2s")
		apply := w.start("apply", "-auto-approve", "-parallelism=40")
		d.awaitSets(2)
		out, err := s.provider(t, "", "lock", "status", "-json")
		var status struct {
			Device string
			Holder struct{ Run, Resource string }
		}
		if unmarshal := json.Unmarshal([]byte(out), &status); err != nil || unmarshal != nil || status.Device != d.Addr() || status.Holder.Run != "run-7" ||
			!strings.Contains(status.Holder.Resource, "openconfig_interface") {
			t.Fatalf("status %q: %v", out, err)
		}
		if out, err = s.provider(t, "yes\n", "lock", "release", d.Addr(), "-lock-delay", "2s"); err != nil || !strings.Contains(out, "run run-7") {
			t.Errorf("release: %v", err)
		}
		freed := len(d.sets())
		other := newWorkspace(t, command, d.only()+vlans("leaf1", 2, "x")).on(s)
		other.apply().succeeded()
		apply.wait()
		d.quiet("after the lock was freed")
		if late := len(d.sets()) - freed; late < 3 {
			t.Errorf("%d Sets after the lock was freed: the first run did not go on after the other one", late)
		}
	})
}
