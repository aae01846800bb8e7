package provider_test

import (
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/acctest"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/simulator"
)

// lagOf are the attributes of a LAG.
func lagOf(description string, mtu, links int) map[string]any {
	return map[string]any{
		"device": "leaf1", "name": "Port-Channel1", "type": "ieee8023adLag", "description": description, "mtu": mtu,
		"aggregation": map[string]any{"lag_type": "LACP", "min_links": links},
	}
}

func TestAChangeThatADeviceRefusesAndHoldsIsDoneWithAWarning(t *testing.T) {
	target := acctest.Device(t, "")
	s := acctest.NewSession(t, target, "openconfig_interface")
	for _, c := range []codes.Code{codes.Internal, codes.FailedPrecondition} {
		target.Inject(simulator.Fault{Kind: simulator.FaultErrorAfterApply, Code: c})
		s.Apply(lagOf("after "+c.String(), 9000, 2))
		if c == codes.FailedPrecondition && (len(s.Warnings) != 1 || !strings.Contains(s.Warnings[0], "holds")) {
			t.Errorf("%s: the warnings are %q", c, s.Warnings)
		}
		if s.Apply(lagOf("after "+c.String(), 9000, 2)) {
			t.Errorf("%s: there was still something to change", c)
		}
	}
}

func TestAChangeThatADeviceCarriesOutByHalfIsInTheStateAsItIs(t *testing.T) {
	target := acctest.Device(t, "")
	s := acctest.NewSession(t, target, "openconfig_interface")
	target.Inject(simulator.Fault{Kind: simulator.FaultPartialApply, Code: codes.InvalidArgument})
	_, problem := s.Try(lagOf("first", 9000, 2))
	if !strings.Contains(problem, "a part of the change") {
		t.Errorf("the error is %q", problem)
	}
	if s.State.IsNull() || !s.Tainted {
		t.Error("the state does not have what was created by half")
	}
	before := s.State
	if s.Refresh(); !s.State.Equal(before) {
		t.Errorf("the state was %s, and the device holds %s", before, s.State)
	}
	s.Apply(lagOf("second", 9000, 2))
	target.Inject(simulator.Fault{Kind: simulator.FaultPartialApply, Code: codes.InvalidArgument})
	if _, problem := s.Try(map[string]any{"device": "leaf1", "name": "Port-Channel1", "type": "ieee8023adLag", "mtu": 1500}); !strings.Contains(problem, "a part of the change") {
		t.Errorf("the error is %q", problem)
	}
	before = s.State
	if s.Refresh(); !s.State.Equal(before) || s.Tainted {
		t.Errorf("the state was %s, and the device holds %s", before, s.State)
	}
	s.Apply(map[string]any{"device": "leaf1", "name": "Port-Channel1", "type": "ieee8023adLag", "mtu": 1500})
	for _, leaf := range []string{"config/description", "aggregation/config/lag-type"} {
		if target.Exists("/interfaces/interface[name=Port-Channel1]/" + leaf) {
			t.Errorf("%s was forgotten on the device", leaf)
		}
	}
}

func TestASecretThatMayNotHaveArrivedIsSentAgain(t *testing.T) {
	target := acctest.Device(t, `{"openconfig-network-instance:network-instances":{"network-instance":[{"name":"DEFAULT","protocols":{"protocol":[
		{"identifier":"BGP","name":"BGP","config":{"identifier":"BGP","name":"BGP"},"bgp":{"global":{"config":{"as":65001}}}}]}}]}}`)
	s := acctest.NewSession(t, target, "openconfig_bgp_neighbor")
	neighbor := map[string]any{
		"device": "leaf1", "network_instance": "DEFAULT", "protocol": "BGP", "neighbor_address": "192.0.2.1",
		"peer_as": 65002, "auth_password": "hunter2", "auth_password_version": 1, "timers": map[string]any{"hold_time": 90},
	}
	s.Apply(neighbor)
	neighbor["auth_password"], neighbor["auth_password_version"], neighbor["peer_as"] = "hunter3", 2, 65003
	neighbor["timers"] = map[string]any{"hold_time": 60}
	target.Inject(simulator.Fault{Kind: simulator.FaultPartialApply, Code: codes.InvalidArgument})
	if _, problem := s.Try(neighbor); !strings.Contains(problem, "a part of the change") || strings.Contains(problem, "hunter3") {
		t.Errorf("the error is %q", problem)
	}
	s.Refresh()
	s.Apply(neighbor)
	const at = "/network-instances/network-instance[name=DEFAULT]/protocols/protocol[identifier=BGP][name=BGP]/bgp/neighbors/neighbor[neighbor-address=192.0.2.1]/config/auth-password"
	if has, _ := target.Leaf(at); has != "hunter3" {
		t.Errorf("the device has %q", has)
	}
}

func TestADevicesWordsAreTheErrorOfTheAttributeThatTheyName(t *testing.T) {
	target := acctest.Device(t, "")
	s := acctest.NewSession(t, target, "openconfig_interface")
	target.FailNextSet(status.Error(codes.InvalidArgument, "/interfaces/interface[name=Port-Channel1]/config/mtu: 9000 is more than this line card does"))
	_, problem := s.Try(lagOf("first", 9000, 2))
	for _, want := range []string{`AttributeName("mtu")`, "this line card", "update /interfaces/interface[name=Port-Channel1]/config", "holds nothing of the change", `"leaf1"`} {
		if !strings.Contains(problem, want) {
			t.Errorf("%q is not in %q", want, problem)
		}
	}
}
