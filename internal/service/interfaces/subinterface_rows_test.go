package interfaces_test

import "github.com/terraform-openconfig/terraform-provider-openconfig/internal/acctest"

// subinterfaceRows are the attributes of openconfig_subinterface, and the leaves they are for.
func subinterfaceRows() []acctest.Row {
	return []acctest.Row{
		{Attribute: "description", First: `"first"`, Second: `"second"`, Leaf: "config/description", FirstLeaf: `"first"`, SecondLeaf: `"second"`},
		{Attribute: "enabled", First: `true`, Second: `false`, Leaf: "config/enabled", FirstLeaf: `true`, SecondLeaf: `false`},
		{Attribute: "vlan/vlan_id", First: `"10"`, Second: `"11"`, Leaf: "vlan/config/vlan-id", FirstLeaf: `10`, SecondLeaf: `11`},
		{Attribute: "vlan/match/single_tagged/vlan_id", First: `10`, Second: `11`, Leaf: "vlan/match/single-tagged/config/vlan-id", FirstLeaf: `10`, SecondLeaf: `11`},
		{Attribute: "vlan/match/single_tagged_list/vlan_ids", First: `[10]`, Second: `[11]`, Leaf: "vlan/match/single-tagged-list/config/vlan-ids", FirstLeaf: `[10]`, SecondLeaf: `[11]`},
		{Attribute: "vlan/match/single_tagged_range/low_vlan_id", First: `10`, Second: `11`, Leaf: "vlan/match/single-tagged-range/config/low-vlan-id", FirstLeaf: `10`, SecondLeaf: `11`},
		{Attribute: "vlan/match/single_tagged_range/high_vlan_id", First: `10`, Second: `11`, Leaf: "vlan/match/single-tagged-range/config/high-vlan-id", FirstLeaf: `10`, SecondLeaf: `11`},
		{Attribute: "ipv4/enabled", First: `true`, Second: `false`, Leaf: "ipv4/config/enabled", FirstLeaf: `true`, SecondLeaf: `false`},
		{Attribute: "ipv4/dhcp_client", First: `true`, Second: `false`, Leaf: "ipv4/config/dhcp-client", FirstLeaf: `true`, SecondLeaf: `false`},
		{Attribute: "ipv4/mtu", First: `1500`, Second: `1400`, Leaf: "ipv4/config/mtu", FirstLeaf: `1500`, SecondLeaf: `1400`},
		{Attribute: "ipv4/addresses/192.0.2.1/prefix_length", First: `24`, Second: `31`, Leaf: "ipv4/addresses/address[ip=192.0.2.1]/config/prefix-length", FirstLeaf: `24`, SecondLeaf: `31`},
		{Attribute: "ipv4/addresses/192.0.2.1/type", First: `"PRIMARY"`, Second: `"SECONDARY"`, Leaf: "ipv4/addresses/address[ip=192.0.2.1]/config/type", FirstLeaf: `"PRIMARY"`, SecondLeaf: `"SECONDARY"`},
		{Attribute: "ipv4/unnumbered/enabled", First: `true`, Second: `false`, Leaf: "ipv4/unnumbered/config/enabled", FirstLeaf: `true`, SecondLeaf: `false`},
		{Attribute: "ipv4/unnumbered/interface_ref/interface", First: `"first"`, Second: `"second"`, Leaf: "ipv4/unnumbered/interface-ref/config/interface", FirstLeaf: `"first"`, SecondLeaf: `"second"`, Without: []string{"ipv4/unnumbered/interface_ref/subinterface"}},
		{Attribute: "ipv4/unnumbered/interface_ref/subinterface", First: `10`, Second: `11`, Leaf: "ipv4/unnumbered/interface-ref/config/subinterface", FirstLeaf: `10`, SecondLeaf: `11`},
		{Attribute: "ipv4/gratuitous_arp_accepted", First: `true`, Second: `false`, Leaf: "ipv4/config/gratuitous-arp-accepted", FirstLeaf: `true`, SecondLeaf: `false`},
		{Attribute: "ipv6/enabled", First: `true`, Second: `false`, Leaf: "ipv6/config/enabled", FirstLeaf: `true`, SecondLeaf: `false`},
		{Attribute: "ipv6/dhcp_client", First: `true`, Second: `false`, Leaf: "ipv6/config/dhcp-client", FirstLeaf: `true`, SecondLeaf: `false`},
		{Attribute: "ipv6/mtu", First: `1500`, Second: `1400`, Leaf: "ipv6/config/mtu", FirstLeaf: `1500`, SecondLeaf: `1400`},
		{Attribute: "ipv6/addresses/2001:db8::1/prefix_length", First: `64`, Second: `127`, Leaf: "ipv6/addresses/address[ip=2001:db8::1]/config/prefix-length", FirstLeaf: `64`, SecondLeaf: `127`, Required: true},
		{Attribute: "ipv6/addresses/2001:db8::1/type", First: `"GLOBAL_UNICAST"`, Second: `"LINK_LOCAL_UNICAST"`, Leaf: "ipv6/addresses/address[ip=2001:db8::1]/config/type", FirstLeaf: `"GLOBAL_UNICAST"`, SecondLeaf: `"LINK_LOCAL_UNICAST"`},
		{Attribute: "ipv6/unnumbered/enabled", First: `true`, Second: `false`, Leaf: "ipv6/unnumbered/config/enabled", FirstLeaf: `true`, SecondLeaf: `false`},
		{Attribute: "ipv6/unnumbered/interface_ref/interface", First: `"first"`, Second: `"second"`, Leaf: "ipv6/unnumbered/interface-ref/config/interface", FirstLeaf: `"first"`, SecondLeaf: `"second"`, Without: []string{"ipv6/unnumbered/interface_ref/subinterface"}},
		{Attribute: "ipv6/unnumbered/interface_ref/subinterface", First: `10`, Second: `11`, Leaf: "ipv6/unnumbered/interface-ref/config/subinterface", FirstLeaf: `10`, SecondLeaf: `11`},
		{Attribute: "ipv6/dup_addr_detect_transmits", First: `10`, Second: `11`, Leaf: "ipv6/config/dup-addr-detect-transmits", FirstLeaf: `10`, SecondLeaf: `11`},
		{Attribute: "ipv6/learn_unsolicited", First: `"BOTH"`, Second: `"NONE"`, Leaf: "ipv6/config/learn-unsolicited", FirstLeaf: `"BOTH"`, SecondLeaf: `"NONE"`},
	}
}
