package interfaces_test

import "github.com/terraform-openconfig/terraform-provider-openconfig/internal/acctest"

// interfaceRows are the attributes of openconfig_interface, and the leaves they are for.
func interfaceRows() []acctest.Row {
	return []acctest.Row{
		{Attribute: "type", First: `"ieee8023adLag"`, Second: `"softwareLoopback"`, Leaf: "config/type", FirstLeaf: `"iana-if-type:ieee8023adLag"`, SecondLeaf: `"iana-if-type:softwareLoopback"`},
		{Attribute: "description", First: `"first"`, Second: `"second"`, Leaf: "config/description", FirstLeaf: `"first"`, SecondLeaf: `"second"`},
		{Attribute: "enabled", First: `true`, Second: `false`, Leaf: "config/enabled", FirstLeaf: `true`, SecondLeaf: `false`},
		{Attribute: "mtu", First: `9000`, Second: `1500`, Leaf: "config/mtu", FirstLeaf: `9000`, SecondLeaf: `1500`},
		{Attribute: "loopback_mode", First: `"ASIC_MAC_LOCAL"`, Second: `"TERMINAL"`, Leaf: "config/loopback-mode", FirstLeaf: `"ASIC_MAC_LOCAL"`, SecondLeaf: `"TERMINAL"`},
		{Attribute: "tpid", First: `"TPID_0X8100"`, Second: `"TPID_ANY"`, Leaf: "config/tpid", FirstLeaf: `"openconfig-vlan-types:TPID_0X8100"`, SecondLeaf: `"openconfig-vlan-types:TPID_ANY"`},
		{Attribute: "hold_time/up", First: `10`, Second: `11`, Leaf: "hold-time/config/up", FirstLeaf: `10`, SecondLeaf: `11`},
		{Attribute: "hold_time/down", First: `10`, Second: `11`, Leaf: "hold-time/config/down", FirstLeaf: `10`, SecondLeaf: `11`},
		{Attribute: "ethernet/mac_address", First: `"00:53:00:ab:cd:ef"`, Second: `"00:53:00:ab:cd:f0"`, Leaf: "ethernet/config/mac-address", FirstLeaf: `"00:53:00:ab:cd:ef"`, SecondLeaf: `"00:53:00:ab:cd:f0"`},
		{Attribute: "ethernet/auto_negotiate", First: `true`, Second: `false`, Leaf: "ethernet/config/auto-negotiate", FirstLeaf: `true`, SecondLeaf: `false`},
		{Attribute: "ethernet/standalone_link_training", First: `true`, Second: `false`, Leaf: "ethernet/config/standalone-link-training", FirstLeaf: `true`, SecondLeaf: `false`},
		{Attribute: "ethernet/duplex_mode", First: `"FULL"`, Second: `"HALF"`, Leaf: "ethernet/config/duplex-mode", FirstLeaf: `"FULL"`, SecondLeaf: `"HALF"`},
		{Attribute: "ethernet/port_speed", First: `"SPEED_100GB"`, Second: `"SPEED_UNKNOWN"`, Leaf: "ethernet/config/port-speed", FirstLeaf: `"openconfig-if-ethernet:SPEED_100GB"`, SecondLeaf: `"openconfig-if-ethernet:SPEED_UNKNOWN"`},
		{Attribute: "ethernet/enable_flow_control", First: `true`, Second: `false`, Leaf: "ethernet/config/enable-flow-control", FirstLeaf: `true`, SecondLeaf: `false`},
		{Attribute: "ethernet/fec_mode", First: `"FEC_DISABLED"`, Second: `"FEC_RS544_LOW_LATENCY"`, Leaf: "ethernet/config/fec-mode", FirstLeaf: `"openconfig-if-ethernet:FEC_DISABLED"`, SecondLeaf: `"openconfig-if-ethernet:FEC_RS544_LOW_LATENCY"`},
		{Attribute: "ethernet/aggregate_id", First: `"first"`, Second: `"second"`, Leaf: "ethernet/config/aggregate-id", FirstLeaf: `"first"`, SecondLeaf: `"second"`},
		{Attribute: "ethernet/switched_vlan/interface_mode", First: `"TRUNK"`, Second: `"ACCESS"`, Leaf: "ethernet/switched-vlan/config/interface-mode", FirstLeaf: `"TRUNK"`, SecondLeaf: `"ACCESS"`, Without: []string{"ethernet/switched_vlan/native_vlan", "ethernet/switched_vlan/trunk_vlans"}},
		{Attribute: "ethernet/switched_vlan/native_vlan", First: `10`, Second: `11`, Leaf: "ethernet/switched-vlan/config/native-vlan", FirstLeaf: `10`, SecondLeaf: `11`},
		{Attribute: "ethernet/switched_vlan/access_vlan", First: `10`, Second: `11`, Leaf: "ethernet/switched-vlan/config/access-vlan", FirstLeaf: `10`, SecondLeaf: `11`, Without: []string{"ethernet/switched_vlan/interface_mode"}, Apart: true},
		{Attribute: "ethernet/switched_vlan/trunk_vlans", First: `["10-20", "30"]`, Second: `["10-20", "40"]`, Leaf: "ethernet/switched-vlan/config/trunk-vlans", FirstLeaf: `["10..20",30]`, SecondLeaf: `["10..20",40]`},
		{Attribute: "aggregation/lag_type", First: `"LACP"`, Second: `"STATIC"`, Leaf: "aggregation/config/lag-type", FirstLeaf: `"LACP"`, SecondLeaf: `"STATIC"`},
		{Attribute: "aggregation/min_links", First: `10`, Second: `11`, Leaf: "aggregation/config/min-links", FirstLeaf: `10`, SecondLeaf: `11`},
		{Attribute: "aggregation/switched_vlan/interface_mode", First: `"TRUNK"`, Second: `"ACCESS"`, Leaf: "aggregation/switched-vlan/config/interface-mode", FirstLeaf: `"TRUNK"`, SecondLeaf: `"ACCESS"`, Without: []string{"aggregation/switched_vlan/native_vlan", "aggregation/switched_vlan/trunk_vlans"}},
		{Attribute: "aggregation/switched_vlan/native_vlan", First: `10`, Second: `11`, Leaf: "aggregation/switched-vlan/config/native-vlan", FirstLeaf: `10`, SecondLeaf: `11`},
		{Attribute: "aggregation/switched_vlan/access_vlan", First: `10`, Second: `11`, Leaf: "aggregation/switched-vlan/config/access-vlan", FirstLeaf: `10`, SecondLeaf: `11`, Without: []string{"aggregation/switched_vlan/interface_mode"}, Apart: true},
		{Attribute: "aggregation/switched_vlan/trunk_vlans", First: `["100-200"]`, Second: `["7"]`, Leaf: "aggregation/switched-vlan/config/trunk-vlans", FirstLeaf: `["100..200"]`, SecondLeaf: `[7]`},
	}
}
