package schema_test

import (
	"regexp"
	"testing"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/oc"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/schema"
)

func TestEveryPatternOfTheModelCompiles(t *testing.T) {
	var walk func(*schema.Node)
	check := func(n *schema.Node, ty *schema.Type) {}
	check = func(n *schema.Node, ty *schema.Type) {
		for _, p := range ty.Patterns {
			if _, err := regexp.Compile(p); err != nil {
				t.Errorf("%s: %v", n.Name, err)
			}
		}
		for _, m := range ty.Members {
			check(n, m)
		}
		if ty.Target != nil {
			check(n, ty.Target)
		}
	}
	walk = func(n *schema.Node) {
		if n.Type != nil {
			check(n, n.Type)
		}
		for _, c := range n.Children {
			walk(c)
		}
	}
	walk(oc.Model)
}

func TestCanonicalForms(t *testing.T) {
	for _, tt := range []struct{ path, in, want string }{
		{"interfaces/interface/config/mtu", "09000", "9000"},
		{"interfaces/interface/config/type", "iana-if-type:ethernetCsmacd", "ethernetCsmacd"},
		{"interfaces/interface/subinterfaces/subinterface/ipv6/addresses/address/config/ip", "2001:DB8:0::1", "2001:db8::1"},
		{"network-instances/network-instance/protocols/protocol/bgp/global/dynamic-neighbor-prefixes/dynamic-neighbor-prefix/prefix", "2001:DB8:0::1/64", "2001:db8::/64"},
		{"network-instances/network-instance/protocols/protocol/bgp/global/dynamic-neighbor-prefixes/dynamic-neighbor-prefix/prefix", "192.0.2.1/24", "192.0.2.0/24"},
		{"interfaces/interface/ethernet/switched-vlan/config/trunk-vlans", "10..20", "10..20"},
		{"interfaces/interface/ethernet/config/mac-address", "00:53:00:AB:CD:EF", "00:53:00:ab:cd:ef"},
		{"network-instances/network-instance/protocols/protocol/bgp/neighbors/neighbor/neighbor-address", "2001:DB8::2", "2001:db8::2"},
		{"network-instances/network-instance/protocols/protocol/bgp/neighbors/neighbor/timers/config/hold-time", "30", "30"},
	} {
		got, err := oc.Model.MustFind(tt.path).Type.Canonical(tt.in)
		if err != nil || got != tt.want {
			t.Errorf("%s: canonical form of %q is %q (%v), want %q", tt.path, tt.in, got, err, tt.want)
		}
	}
}

func TestValuesOutsideTheTypeAreRefused(t *testing.T) {
	for _, tt := range []struct{ path, in string }{
		{"interfaces/interface/config/mtu", "65536"},
		{"interfaces/interface/config/mtu", "9k"},
		{"interfaces/interface/config/type", "carrierPigeon"},
		{"interfaces/interface/subinterfaces/subinterface/ipv4/addresses/address/config/ip", "192.0.2.256"},
		{"interfaces/interface/ethernet/switched-vlan/config/trunk-vlans", "4095"},
		{"network-instances/network-instance/vlans/vlan/config/vlan-id", "4095"},
		{"network-instances/network-instance/vlans/vlan/config/vlan-id", "0"},
	} {
		if got, err := oc.Model.MustFind(tt.path).Type.Canonical(tt.in); err == nil {
			t.Errorf("%s: %q was accepted as %q", tt.path, tt.in, got)
		}
	}
}
