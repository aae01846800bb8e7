package provider_test

import (
	"strings"
	"testing"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/acctest"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/simulator"
)

// spelled are resources with values that devices write in many ways.
var spelled = map[string]map[string]any{
	"openconfig_interface": {
		"name": "Ethernet1/2", "type": "ethernetCsmacd",
		"ethernet": map[string]any{
			"mac_address": "00:53:00:aa:bb:cc", "port_speed": "SPEED_10GB",
			"switched_vlan": map[string]any{"trunk_vlans": []any{"10-12", "20", "30", "31"}},
		},
	},
	"openconfig_subinterface": {
		"interface": "Ethernet1/1", "index": 7,
		"ipv6": map[string]any{"addresses": map[string]any{"2001:db8::a": map[string]any{"prefix_length": 64, "type": "GLOBAL_UNICAST"}, "2001:db8::b": map[string]any{"prefix_length": 64}}},
	},
	"openconfig_bgp": {
		"network_instance": "DEFAULT", "name": "BGP",
		"global": map[string]any{
			"as": 65546, "router_id": "192.0.2.1",
			"confederation":             map[string]any{"identifier": 4200000001, "member_as": []any{65001, 4200000002, 4200000003}},
			"dynamic_neighbor_prefixes": map[string]any{"2001:db8:a::/48": map[string]any{"peer_group": "leaves"}},
			"afi_safis":                 map[string]any{"IPV4_UNICAST": map[string]any{"enabled": true}, "IPV6_UNICAST": map[string]any{"enabled": true}},
		},
	},
	"openconfig_bgp_neighbor": {
		"network_instance": "DEFAULT", "protocol": "BGP", "neighbor_address": "2001:db8::2",
		"peer_as": 4200000001, "local_as": 65546,
		"apply_policy": map[string]any{"import_policy": []any{"b", "a"}},
	},
}

// spellingFabric has what the resources refer to.
const spellingFabric = `{"openconfig-network-instance:network-instances":{"network-instance":[{"name":"DEFAULT","protocols":{"protocol":[
	{"identifier":"openconfig-policy-types:BGP","name":"BGP","config":{"identifier":"openconfig-policy-types:BGP","name":"BGP"},
	"bgp":{"peer-groups":{"peer-group":[{"peer-group-name":"leaves","config":{"peer-group-name":"leaves"}}]}}}]}}]},
	"openconfig-routing-policy:routing-policy":{"policy-definitions":{"policy-definition":[
		{"name":"a","config":{"name":"a"}},{"name":"b","config":{"name":"b"}}]}}}`

// spelling is a device with quirks.
func spelling(t *testing.T, quirks ...string) *simulator.Target {
	t.Helper()
	return acctest.Simulate(t, simulator.Options{Config: []byte(spellingFabric)}, quirks...)
}

func TestHoweverADeviceSpellsAValueItPlansNoChange(t *testing.T) {
	for _, quirks := range []string{
		"ipv6_form=expanded", "ipv6_form=upper", "as_form=dot", "vlan_ranges=split", "vlan_ranges=merged", "identity_prefix=never", "identity_prefix=always",
		"uint32_as_string=true", "uint64_as_number=true", "shuffle_lists=true", "leaf_replies=scalar", "extra_fields=true",
		"report_defaults=explicit", "report_defaults=omit",
		"leaf_replies=scalar as_form=dot ipv6_form=upper vlan_ranges=split shuffle_lists=true identity_prefix=always",
		"uint32_as_string=true as_form=dot ipv6_form=expanded vlan_ranges=merged shuffle_lists=true identity_prefix=never",
	} {
		t.Run(quirks, func(t *testing.T) {
			t.Parallel()
			target := spelling(t, strings.Fields(quirks)...)
			for kind, attributes := range spelled {
				s := acctest.NewSession(t, target, kind)
				if kind == "openconfig_bgp" {
					s = acctest.NewSessionAt(t, target.Addr(), kind, map[string]any{"on_existing": "adopt"})
				}
				s.Apply(attributes)
				before := s.State
				// Another process reads what this one knows by heart.
				fresh := acctest.NewSession(t, target, kind)
				fresh.State = before
				if fresh.Refresh(); !fresh.State.Equal(before) {
					t.Errorf("%s: reading makes\n%s\nof\n%s", kind, fresh.State, before)
				}
				if fresh.Apply(attributes) {
					t.Errorf("%s: the same configuration plans a change", kind)
				}
			}
		})
	}
}

func TestAnOrderCountsOnlyWhereTheModelHasOne(t *testing.T) {
	target := spelling(t)
	bgp := acctest.NewSessionAt(t, target.Addr(), "openconfig_bgp", map[string]any{"on_existing": "adopt"})
	bgp.Apply(spelled["openconfig_bgp"])
	neighbor := acctest.NewSession(t, target, "openconfig_bgp_neighbor")
	policies := func(names ...any) map[string]any {
		return map[string]any{
			"network_instance": "DEFAULT", "protocol": "BGP", "neighbor_address": "192.0.2.1", "peer_as": 65001,
			"apply_policy": map[string]any{"import_policy": names},
		}
	}
	neighbor.Apply(policies("a", "b"))
	if !neighbor.Apply(policies("b", "a")) {
		t.Error("another order of policies plans nothing")
	}
	trunk := acctest.NewSession(t, target, "openconfig_interface")
	vlans := func(ranges ...any) map[string]any {
		return map[string]any{"name": "Ethernet1/2", "ethernet": map[string]any{"switched_vlan": map[string]any{"trunk_vlans": ranges}}}
	}
	trunk.Apply(vlans("10-12", "20"))
	if trunk.Apply(vlans("20", "12", "10-11")) {
		t.Error("another order of VLANs, which has no meaning, plans a change")
	}
}
