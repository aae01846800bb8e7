package provider_test

import (
	"strings"
	"testing"

	"google.golang.org/grpc/codes"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/acctest"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/simulator"
)

func TestAResourceThatWasWrittenInPartsAndMissesSomethingIsInTheState(t *testing.T) {
	target := acctest.Device(t, "")
	s := acctest.NewSessionAt(t, target.Addr(), "openconfig_bgp", map[string]any{
		"profile": "nxos", "overrides": map[string]any{"network_instance": "DEFAULT", "bgp": "BGP"},
	})
	bgp := map[string]any{
		"device": "leaf1", "enabled": true,
		"global": map[string]any{"as": 65001, "dynamic_neighbor_prefixes": map[string]any{"192.0.2.0/24": map[string]any{"peer_group": "SPINES"}}},
	}
	_, problem := s.Try(bgp)
	if !strings.Contains(problem, "SPINES") || !strings.Contains(problem, "a part of the change") || strings.Contains(problem, "Nothing was written") {
		t.Errorf("the error is %q", problem)
	}
	if s.State.IsNull() || !s.Tainted {
		t.Error("the state does not have what is on the device")
	}
	delete(bgp["global"].(map[string]any), "dynamic_neighbor_prefixes")
	s.Apply(bgp)
	if s.Apply(bgp) {
		t.Error("there was still something to change")
	}
}

func TestAHalfDoneCommitLeavesNothingBehind(t *testing.T) {
	target := acctest.Simulate(t, simulator.Options{}, "commit=full")
	s := acctest.NewSessionAt(t, target.Addr(), "openconfig_interface", map[string]any{"commit_confirmed": map[string]any{"rollback_after": "1m"}})
	target.Inject(simulator.Fault{Kind: simulator.FaultPartialApply, After: 1, Code: codes.InvalidArgument}) // the first Set is the probe
	_, problem := s.Try(lagOf("first", 9000, 2))
	if !target.Injected() || !strings.Contains(problem, "holds nothing of the change") {
		t.Errorf("the error is %q", problem)
	}
	if !s.State.IsNull() || target.Exists("/interfaces/interface[name=Port-Channel1]") {
		t.Errorf("the state is %s, the device has %s", s.State, target.Config("/interfaces/interface[name=Port-Channel1]"))
	}
	s.Apply(lagOf("first", 9000, 2))
}

func TestAResourceIsNotDroppedBecauseReadingItFails(t *testing.T) {
	for _, fault := range []simulator.FaultKind{simulator.FaultSessions, simulator.FaultLostReply} {
		target := acctest.Simulate(t, simulator.Options{}, "false_empty_every=2")
		s := acctest.NewSessionAt(t, target.Addr(), "openconfig_vlan", map[string]any{"on_unreachable": "keep", "retry_timeout": "100ms", "read_timeout": "1s"})
		s.Apply(vlanNumber(1)) // one Get
		fresh := acctest.NewSessionAt(t, target.Addr(), "openconfig_vlan", map[string]any{"on_unreachable": "keep", "retry_timeout": "100ms", "read_timeout": "1s"})
		fresh.State = s.State
		target.Inject(simulator.Fault{Kind: fault, RPC: "Get", After: 1})
		_, problem := fresh.TryRefresh()
		target.Heal()
		if fresh.State.IsNull() {
			t.Errorf("%s: the resource is gone from the state, and the error is %q", fault, problem)
		}
	}
}
