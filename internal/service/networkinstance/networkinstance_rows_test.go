package networkinstance_test

import "github.com/terraform-openconfig/terraform-provider-openconfig/internal/acctest"

// networkInstanceRows are the attributes of openconfig_network_instance, and the leaves they are for.
func networkInstanceRows() []acctest.Row {
	return []acctest.Row{
		{Attribute: "type", First: `"L3VRF"`, Second: `"L2VSI"`, Leaf: "config/type", FirstLeaf: `"openconfig-network-instance-types:L3VRF"`, SecondLeaf: `"openconfig-network-instance-types:L2VSI"`, Required: true},
		{Attribute: "description", First: `"first"`, Second: `"second"`, Leaf: "config/description", FirstLeaf: `"first"`, SecondLeaf: `"second"`},
		{Attribute: "router_id", First: `"192.0.2.7"`, Second: `"192.0.2.8"`, Leaf: "config/router-id", FirstLeaf: `"192.0.2.7"`, SecondLeaf: `"192.0.2.8"`},
		{Attribute: "route_distinguisher", First: `"65001:10"`, Second: `"192.0.2.1:10"`, Leaf: "config/route-distinguisher", FirstLeaf: `"65001:10"`, SecondLeaf: `"192.0.2.1:10"`},
		{Attribute: "fallback_network_instance", First: `"first"`, Second: `"second"`, Leaf: "config/fallback-network-instance", FirstLeaf: `"first"`, SecondLeaf: `"second"`},
		{Attribute: "inter_instance_policies/apply_policy/import_policy", First: `["first"]`, Second: `["second"]`, Leaf: "inter-instance-policies/apply-policy/config/import-policy", FirstLeaf: `["first"]`, SecondLeaf: `["second"]`},
		{Attribute: "inter_instance_policies/apply_policy/default_import_policy", First: `"ACCEPT_ROUTE"`, Second: `"REJECT_ROUTE"`, Leaf: "inter-instance-policies/apply-policy/config/default-import-policy", FirstLeaf: `"ACCEPT_ROUTE"`, SecondLeaf: `"REJECT_ROUTE"`},
		{Attribute: "inter_instance_policies/apply_policy/export_policy", First: `["first"]`, Second: `["second"]`, Leaf: "inter-instance-policies/apply-policy/config/export-policy", FirstLeaf: `["first"]`, SecondLeaf: `["second"]`},
		{Attribute: "inter_instance_policies/apply_policy/default_export_policy", First: `"ACCEPT_ROUTE"`, Second: `"REJECT_ROUTE"`, Leaf: "inter-instance-policies/apply-policy/config/default-export-policy", FirstLeaf: `"ACCEPT_ROUTE"`, SecondLeaf: `"REJECT_ROUTE"`},
		{Attribute: "inter_instance_policies/import_export_policy/import_route_target", First: `["65001:10"]`, Second: `["65001:11", "65001:12"]`, Leaf: "inter-instance-policies/import-export-policy/config/import-route-target", FirstLeaf: `["65001:10"]`, SecondLeaf: `["65001:11", "65001:12"]`},
		{Attribute: "inter_instance_policies/import_export_policy/export_route_target", First: `["65001:20"]`, Second: `["65001:21"]`, Leaf: "inter-instance-policies/import-export-policy/config/export-route-target", FirstLeaf: `["65001:20"]`, SecondLeaf: `["65001:21"]`},
		{Attribute: "interfaces/Ethernet1~2/interface", First: `"first"`, Second: `"second"`, Leaf: "interfaces/interface[id=Ethernet1/2]/config/interface", FirstLeaf: `"first"`, SecondLeaf: `"second"`, Without: []string{"interfaces/Ethernet1~2/subinterface"}},
		{Attribute: "interfaces/Ethernet1~2/subinterface", First: `10`, Second: `11`, Leaf: "interfaces/interface[id=Ethernet1/2]/config/subinterface", FirstLeaf: `10`, SecondLeaf: `11`},
		{Attribute: "interfaces/Ethernet1~2/associated_address_families", First: `["IPV4"]`, Second: `["MPLS"]`, Leaf: "interfaces/interface[id=Ethernet1/2]/config/associated-address-families", FirstLeaf: `["openconfig-types:IPV4"]`, SecondLeaf: `["openconfig-types:MPLS"]`},
		{Attribute: "interfaces/Ethernet1~2/mac_pinning", First: `true`, Second: `false`, Leaf: "interfaces/interface[id=Ethernet1/2]/config/mac-pinning", FirstLeaf: `true`, SecondLeaf: `false`},
		{Attribute: "interfaces/Ethernet1~2/irb_anycast_gateway", First: `"CENTRALIZED"`, Second: `"HYBRID"`, Leaf: "interfaces/interface[id=Ethernet1/2]/config/irb-anycast-gateway", FirstLeaf: `"CENTRALIZED"`, SecondLeaf: `"HYBRID"`},
		{Attribute: "tables/0/protocol", First: `"BGP"`, Second: `"STATIC"`, Leaf: "tables/table[address-family=IPV4][protocol=BGP]/config/protocol", FirstLeaf: `"openconfig-policy-types:BGP"`, SecondLeaf: `"openconfig-policy-types:STATIC"`, Key: true},
		{Attribute: "tables/0/address_family", First: `"IPV4"`, Second: `"MPLS"`, Leaf: "tables/table[address-family=IPV4][protocol=BGP]/config/address-family", FirstLeaf: `"openconfig-types:IPV4"`, SecondLeaf: `"openconfig-types:MPLS"`, Key: true},
		{Attribute: "table_connections/0/src_protocol", First: `"BGP"`, Second: `"STATIC"`, Leaf: "table-connections/table-connection[address-family=IPV4][dst-protocol=BGP][src-protocol=BGP]/config/src-protocol", FirstLeaf: `"openconfig-policy-types:BGP"`, SecondLeaf: `"openconfig-policy-types:STATIC"`, Key: true},
		{Attribute: "table_connections/0/dst_protocol", First: `"BGP"`, Second: `"BGP"`, Leaf: "table-connections/table-connection[address-family=IPV4][dst-protocol=BGP][src-protocol=BGP]/config/dst-protocol", FirstLeaf: `"openconfig-policy-types:BGP"`, SecondLeaf: `"openconfig-policy-types:BGP"`, Key: true},
		{Attribute: "table_connections/0/address_family", First: `"IPV4"`, Second: `"MPLS"`, Leaf: "table-connections/table-connection[address-family=IPV4][dst-protocol=BGP][src-protocol=BGP]/config/address-family", FirstLeaf: `"openconfig-types:IPV4"`, SecondLeaf: `"openconfig-types:MPLS"`, Key: true},
		{Attribute: "table_connections/0/import_policy", First: `["first"]`, Second: `["second"]`, Leaf: "table-connections/table-connection[address-family=IPV4][dst-protocol=BGP][src-protocol=BGP]/config/import-policy", FirstLeaf: `["first"]`, SecondLeaf: `["second"]`},
		{Attribute: "table_connections/0/default_import_policy", First: `"ACCEPT_ROUTE"`, Second: `"REJECT_ROUTE"`, Leaf: "table-connections/table-connection[address-family=IPV4][dst-protocol=BGP][src-protocol=BGP]/config/default-import-policy", FirstLeaf: `"ACCEPT_ROUTE"`, SecondLeaf: `"REJECT_ROUTE"`},
		{Attribute: "table_connections/0/disable_metric_propagation", First: `true`, Second: `false`, Leaf: "table-connections/table-connection[address-family=IPV4][dst-protocol=BGP][src-protocol=BGP]/config/disable-metric-propagation", FirstLeaf: `true`, SecondLeaf: `false`},
	}
}
