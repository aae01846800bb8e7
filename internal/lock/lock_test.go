package lock_test

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/acctest"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock/filelease"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/simulator"
)

func run(t *testing.T, steps ...resource.TestStep) {
	t.Helper()
	resource.UnitTest(t, resource.TestCase{ProtoV6ProviderFactories: acctest.Factories(), Steps: steps})
}

// locks makes the provider keep its locks in a directory of the test's own, and
// returns what another process would see of them.
func locks(t *testing.T) *filelease.Store {
	t.Helper()
	acctest.Terraform(t)
	directory := t.TempDir()
	t.Setenv("OPENCONFIG_LOCK_FILE_DIRECTORY", directory)
	store := filelease.New(filelease.Options{Directory: directory})
	t.Cleanup(func() { _ = store.Close() })
	return store
}

// settled waits until nobody holds the device's lock.
func settled(t *testing.T, store *filelease.Store, key string) {
	t.Helper()
	deadline, look := time.After(10*time.Second), time.NewTicker(20*time.Millisecond)
	defer look.Stop()
	for {
		record, err := store.Inspect(t.Context(), key)
		switch {
		case err != nil:
			t.Fatal(err)
		case record.Holder == nil:
			return
		}
		select {
		case <-look.C:
		case <-deadline:
			t.Fatalf("the lock is still held by %s", record.Holder)
		}
	}
}

func TestTheDataSourceTellsWhoHoldsALockAndWhoWaits(t *testing.T) {
	store, target := locks(t), acctest.Device(t, "")
	ask := func(user string, priority devicelock.Priority) devicelock.Lease {
		lease, _, err := store.Acquire(t.Context(), target.Addr(), devicelock.Request{TTL: time.Minute, Owner: devicelock.Owner{
			ID: user, User: user, Host: "ci7", PID: 42, Run: "run-" + user, Workspace: "core", Resource: "create of x", Priority: priority,
			Since: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
		}})
		if err != nil {
			t.Fatal(err)
		}
		return lease
	}
	config := acctest.Provider(target) + "data \"openconfig_device_lock\" \"this\" {\n  device = \"leaf1\"\n}\n"
	is := func(name, value string) resource.TestCheckFunc {
		return resource.TestCheckResourceAttr("data.openconfig_device_lock.this", name, value)
	}
	var lease devicelock.Lease
	run(t,
		resource.TestStep{Config: config, Check: resource.ComposeAggregateTestCheckFunc(
			is("key", target.Addr()), is("backend", "file"), is("held", "false"), is("waiting.#", "0"),
			resource.TestCheckNoResourceAttr("data.openconfig_device_lock.this", "holder"),
		)},
		resource.TestStep{
			PreConfig: func() {
				lease = ask("ana", devicelock.Normal)
				ask("ben", devicelock.Normal)
				ask("eva", devicelock.Urgent)
			},
			Config: config,
			Check: resource.ComposeAggregateTestCheckFunc(
				is("held", "true"), is("holder.user", "ana"), is("holder.host", "ci7"), is("holder.process", "42"), is("holder.run", "run-ana"),
				is("holder.workspace", "core"), is("holder.resource", "create of x"), is("holder.since", "2026-01-02T03:04:05Z"), is("holder.priority", "normal"),
				is("waiting.#", "2"), is("waiting.0.user", "eva"), is("waiting.0.priority", "urgent"), is("waiting.1.user", "ben"),
			),
		},
	)
	if err := lease.Release(t.Context()); err != nil {
		t.Error(err)
	}
	if sets := acctest.Sets(target); len(sets) != 0 {
		t.Errorf("the device got %d Sets", len(sets))
	}
}

// watch collects what the holder of a lock does, until stop is called.
func watch(t *testing.T, store *filelease.Store, key string) (stop func() map[string]bool) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	seen := make(chan map[string]bool)
	go func() {
		resources, look := map[string]bool{}, time.NewTicker(5*time.Millisecond)
		defer look.Stop()
		for {
			select {
			case <-ctx.Done():
				seen <- resources
				return
			case <-look.C:
				if record, err := store.Inspect(ctx, key); err == nil && record.Holder != nil {
					resources[record.Holder.Resource] = true
				}
			}
		}
	}()
	return func() map[string]bool {
		cancel()
		return <-seen
	}
}

const heldRun = `
ephemeral "openconfig_device_lock" "run" {
  devices       = ["leaf1", "leaf2"]
  reason        = "change 4711"
  expires_after = "5m"
}
`

func vlans(target string) string {
	return fmt.Sprintf(`
resource "openconfig_vlan" %[1]q {
  count            = 5
  device           = %[1]q
  network_instance = "DEFAULT"
  vlan_id          = count.index + 2
  depends_on       = [ephemeral.openconfig_device_lock.run]
}
`, target)
}

func TestARunThatHoldsItsDevicesLetsItsOwnResourcesThroughAndNobodyElse(t *testing.T) {
	store, leaf1, leaf2 := locks(t), acctest.Device(t, ""), acctest.Device(t, "")
	stop := watch(t, store, leaf2.Addr())
	run(t, resource.TestStep{
		Config: acctest.Provider(leaf1, leaf2) + heldRun + vlans("leaf1"),
		Check: func(*terraform.State) error {
			for _, target := range []*simulator.Target{leaf1, leaf2} {
				settled(t, store, target.Addr())
			}
			return nil
		},
	})
	seen := stop()
	if !seen["hold for a whole run (openconfig_device_lock): change 4711"] {
		t.Errorf("nobody held the second device for the run: %v", seen)
	}
	if sets := acctest.Sets(leaf1); len(sets) != 10 {
		t.Errorf("%d Sets, want five to create and five to delete", len(sets))
	}
}

func TestAHoldOfARunThatCannotBeIsNamed(t *testing.T) {
	locks(t)
	target := acctest.Device(t, "")
	for _, tt := range []struct{ config, want string }{
		{strings.Replace(heldRun, `"5m"`, `"never"`, 1), `expires_after is "never"`},
		{heldRun, `no device "leaf2".*"leaf1"`},
	} {
		run(t, resource.TestStep{Config: acctest.Provider(target) + tt.config + vlans("leaf1"), ExpectError: regexp.MustCompile(`(?s)` + tt.want)})
	}
	if sets := acctest.Sets(target); len(sets) != 0 {
		t.Errorf("the device got %d Sets", len(sets))
	}
}

func TestAHoldThatExpiresIsOverAndTheRunGoesOnStepByStep(t *testing.T) {
	store := locks(t)
	target := acctest.Simulate(t, simulator.Options{}, "commit_latency=400ms")
	config := strings.NewReplacer(`"leaf1", "leaf2"`, `"leaf1"`, `"5m"`, `"1s"`).Replace(heldRun)
	run(t, resource.TestStep{Config: acctest.Provider(target) + config + vlans("leaf1")})
	settled(t, store, target.Addr())
}
