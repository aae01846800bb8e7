package provider_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/acctest"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/simulator"
)

// servers is vlanServers with more settings.
func servers(settings string) string {
	return strings.Replace(vlanServers, "  name ", "  "+settings+"\n  name ", 1)
}

func TestADestroyedEntryIsResetOrKeptWhereThatIsThePolicy(t *testing.T) {
	for name, tt := range map[string]struct {
		device, resource string
		exists           bool
		vlanName         string
	}{
		"reset, by the device":            {`on_destroy = "reset"`, "", true, ""},
		"kept, by the device":             {`on_destroy = "keep"`, "", true, "servers"},
		"reset, by the resource":          {"", `on_destroy = "reset"`, true, ""},
		"kept, by the resource":           {`on_destroy = "reset"`, `on_destroy = "keep"`, true, "servers"},
		"deleted, by the resource itself": {`on_destroy = "keep"`, `on_destroy = "delete"`, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			target := acctest.Device(t, "")
			run(t, resource.TestStep{
				Config: one(target, tt.device) + strings.Replace(servers(tt.resource), `device           = "leaf1"`, "", 1),
				Check: func(*terraform.State) error {
					target.ResetLog()
					must(t, target.Update(vlan10+"/config", `{"status":"SUSPENDED"}`))
					return nil
				},
			})
			if target.Exists(vlan10) != tt.exists {
				t.Errorf("the VLAN is there: %t, want %t", target.Exists(vlan10), tt.exists)
			}
			holds(t, target, vlan10+"/config/name", tt.vlanName)
			if tt.exists {
				holds(t, target, vlan10+"/config/status", "SUSPENDED")
			}
			want := 1
			if tt.vlanName != "" {
				want = 0
			}
			if sets := acctest.Sets(target); len(sets) != want {
				t.Errorf("the device saw %d Sets, want %d", len(sets), want)
			}
		})
	}
}

func TestAKeptEntryIsForgottenWhereNobodyAnswers(t *testing.T) {
	target := acctest.Device(t, "")
	s := acctest.NewSession(t, target, "openconfig_vlan")
	s.Apply(vlanNumber(0))
	hole := acctest.StartBlackHole(t)
	byDevice := acctest.NewSessionAt(t, hole.Address, "openconfig_vlan", map[string]any{"connect_timeout": "100ms", "on_destroy": "keep"})
	byDevice.State = s.State
	byDevice.Destroy()
	own := vlanNumber(0)
	own["on_destroy"] = "keep"
	byResource := acctest.NewSessionAt(t, hole.Address, "openconfig_vlan", map[string]any{"connect_timeout": "100ms"})
	byResource.State = s.State
	byResource.Apply(own)
	byResource.Destroy()
	holds(t, target, vlan10+"/config/name", "vlan0")
}

func TestAnEntryWithOtherContentIsTakenOverWhereThatIsThePolicy(t *testing.T) {
	for name, tt := range map[string]struct{ device, resource string }{
		"by the device":   {`on_existing = "adopt"`, ""},
		"by the resource": {`on_existing = "error"`, `on_existing = "adopt"`},
	} {
		t.Run(name, func(t *testing.T) {
			target := acctest.Device(t, "")
			must(t, target.Update(vlan10, `{"vlan-id":10,"config":{"vlan-id":10,"name":"guests","status":"SUSPENDED"}}`))
			run(t, resource.TestStep{
				Config: one(target, tt.device) + strings.Replace(servers(tt.resource), `device           = "leaf1"`, "", 1),
				Check: func(*terraform.State) error {
					holds(t, target, vlan10+"/config/name", "servers")
					holds(t, target, vlan10+"/config/status", "SUSPENDED")
					return nil
				},
			})
		})
	}
}

func TestAChangeOfPolicyAloneIsNotSentToTheDevice(t *testing.T) {
	target := acctest.Device(t, "")
	run(t,
		resource.TestStep{Config: acctest.Provider(target) + servers("")},
		resource.TestStep{
			PreConfig: target.ResetLog, Config: acctest.Provider(target) + servers("on_destroy = \"reset\"\n  on_existing = \"adopt\""),
			ConfigPlanChecks: plans("openconfig_vlan.this", plancheck.ResourceActionUpdate),
			Check:            func(*terraform.State) error { nothingWritten(t, target); return nil },
		},
	)
}

func TestAnUnknownPolicyIsRefused(t *testing.T) {
	target := acctest.Device(t, "")
	run(t, resource.TestStep{
		Config:      acctest.Provider(target) + servers(`on_destroy = "forget"`),
		ExpectError: regexp.MustCompile(`on_destroy is "forget", but it must be one of\s+delete, reset, keep`),
	})
}

func vlanNumber(i int) map[string]any {
	return map[string]any{"device": "leaf1", "network_instance": "DEFAULT", "vlan_id": 10 + i, "name": fmt.Sprint("vlan", i)}
}

func TestAnUnreachableDevicesResourcesKeepTheirStateWithOneWarning(t *testing.T) {
	target := acctest.Device(t, "")
	hole := acctest.StartBlackHole(t)
	away := acctest.NewSessionAt(t, hole.Address, "openconfig_vlan", map[string]any{"on_unreachable": "keep", "connect_timeout": "1s"})
	states := make([]tftypes.Value, 8)
	for i := range states {
		s := acctest.NewSession(t, target, "openconfig_vlan")
		s.Apply(vlanNumber(i))
		states[i] = s.State
	}
	var warnings []string
	for i, state := range states {
		away.State = state
		texts, problem := away.TryRefresh()
		if problem != "" || !away.State.Equal(state) {
			t.Errorf("VLAN %d: the state is now %s, and the error %q", i, away.State, problem)
		}
		warnings = append(warnings, texts...)
	}
	if len(warnings) != 1 || !strings.Contains(warnings[0], `"leaf1"`) || !strings.Contains(warnings[0], "on_unreachable") {
		t.Errorf("the warnings are %q, want one about leaf1", warnings)
	}
	if n := hole.Accepted.Load(); n < 1 || n >= int32(len(states)) {
		t.Errorf("the device was called %d times for %d resources", n, len(states))
	}
	other := vlanNumber(7)
	other["name"] = "other"
	if _, problem := away.Try(other); !strings.Contains(problem, "Cannot reach device") {
		t.Errorf("a change ended with %q", problem)
	}
}

func TestARefusalIsAnErrorAlsoWhereStateOutlastsTheDevice(t *testing.T) {
	target := acctest.Device(t, "")
	s := acctest.NewSession(t, target, "openconfig_vlan")
	s.Apply(vlanNumber(0))
	locked := acctest.Simulate(t, simulator.Options{Username: "admin", Password: "tiger"})
	for name, c := range map[string]struct {
		address  string
		settings map[string]any
		says     string
	}{
		"TLS where there is none": {target.Addr(), map[string]any{"plaintext": false}, "plaintext = true"},
		"no login":                {locked.Addr(), map[string]any{}, "username or password"},
	} {
		t.Run(name, func(t *testing.T) {
			c.settings["on_unreachable"] = "keep"
			refused := acctest.NewSessionAt(t, c.address, "openconfig_vlan", c.settings)
			refused.State = s.State
			if _, problem := refused.TryRefresh(); !strings.Contains(problem, c.says) {
				t.Errorf("got %q, want %q", problem, c.says)
			}
		})
	}
}
