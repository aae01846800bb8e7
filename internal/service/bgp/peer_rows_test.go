package bgp_test

import "github.com/terraform-openconfig/terraform-provider-openconfig/internal/acctest"

// neighborRows are the attributes of openconfig_bgp_neighbor, and the leaves they are for.
func neighborRows() []acctest.Row {
	return append(peerRows(), []acctest.Row{
		{Attribute: "enabled", First: `true`, Second: `false`, Leaf: "config/enabled", FirstLeaf: `true`, SecondLeaf: `false`},
		{Attribute: "peer_group", First: `"first"`, Second: `"second"`, Leaf: "config/peer-group", FirstLeaf: `"first"`, SecondLeaf: `"second"`},
		{Attribute: "neighbor_port", First: `10`, Second: `11`, Leaf: "config/neighbor-port", FirstLeaf: `10`, SecondLeaf: `11`},
	}...)
}

// peerGroupRows are the attributes of openconfig_bgp_peer_group, and the leaves they are for.
func peerGroupRows() []acctest.Row {
	return append(peerRows(), []acctest.Row{
		{Attribute: "use_multiple_paths/ebgp/maximum_paths", First: `10`, Second: `11`, Leaf: "use-multiple-paths/ebgp/config/maximum-paths", FirstLeaf: `10`, SecondLeaf: `11`},
		{Attribute: "use_multiple_paths/ibgp/maximum_paths", First: `10`, Second: `11`, Leaf: "use-multiple-paths/ibgp/config/maximum-paths", FirstLeaf: `10`, SecondLeaf: `11`},
		{Attribute: "afi_safis/IPV4_UNICAST/use_multiple_paths/ebgp/maximum_paths", First: `10`, Second: `11`, Leaf: "afi-safis/afi-safi[afi-safi-name=IPV4_UNICAST]/use-multiple-paths/ebgp/config/maximum-paths", FirstLeaf: `10`, SecondLeaf: `11`},
		{Attribute: "afi_safis/IPV4_UNICAST/use_multiple_paths/ibgp/maximum_paths", First: `10`, Second: `11`, Leaf: "afi-safis/afi-safi[afi-safi-name=IPV4_UNICAST]/use-multiple-paths/ibgp/config/maximum-paths", FirstLeaf: `10`, SecondLeaf: `11`},
	}...)
}

// peerRows are the attributes that neighbors and peer groups share.
func peerRows() []acctest.Row {
	return []acctest.Row{
		{Attribute: "description", First: `"first"`, Second: `"second"`, Leaf: "config/description", FirstLeaf: `"first"`, SecondLeaf: `"second"`},
		{Attribute: "peer_as", First: `10`, Second: `11`, Leaf: "config/peer-as", FirstLeaf: `10`, SecondLeaf: `11`},
		{Attribute: "local_as", First: `10`, Second: `11`, Leaf: "config/local-as", FirstLeaf: `10`, SecondLeaf: `11`},
		{Attribute: "peer_type", First: `"EXTERNAL"`, Second: `"INTERNAL"`, Leaf: "config/peer-type", FirstLeaf: `"EXTERNAL"`, SecondLeaf: `"INTERNAL"`},
		{Attribute: "auth_password", First: `"first"`, Second: `"second"`, Leaf: "config/auth-password", FirstLeaf: `"first"`, SecondLeaf: `"second"`, Secret: true},
		{Attribute: "remove_private_as", First: `"PRIVATE_AS_REMOVE_ALL"`, Second: `"PRIVATE_AS_REPLACE_ALL"`, Leaf: "config/remove-private-as", FirstLeaf: `"openconfig-bgp-types:PRIVATE_AS_REMOVE_ALL"`, SecondLeaf: `"openconfig-bgp-types:PRIVATE_AS_REPLACE_ALL"`},
		{Attribute: "route_flap_damping", First: `true`, Second: `false`, Leaf: "config/route-flap-damping", FirstLeaf: `true`, SecondLeaf: `false`},
		{Attribute: "send_community", First: `"BOTH"`, Second: `"STANDARD"`, Leaf: "config/send-community", FirstLeaf: `"BOTH"`, SecondLeaf: `"STANDARD"`},
		{Attribute: "send_community_type", First: `["BOTH"]`, Second: `["STANDARD"]`, Leaf: "config/send-community-type", FirstLeaf: `["BOTH"]`, SecondLeaf: `["STANDARD"]`},
		{Attribute: "timers/connect_retry", First: `10`, Second: `11`, Leaf: "timers/config/connect-retry", FirstLeaf: `10`, SecondLeaf: `11`},
		{Attribute: "timers/hold_time", First: `90`, Second: `180`, Leaf: "timers/config/hold-time", FirstLeaf: `90`, SecondLeaf: `180`},
		{Attribute: "timers/keepalive_interval", First: `30`, Second: `60`, Leaf: "timers/config/keepalive-interval", FirstLeaf: `30`, SecondLeaf: `60`},
		{Attribute: "timers/minimum_advertisement_interval", First: `10`, Second: `11`, Leaf: "timers/config/minimum-advertisement-interval", FirstLeaf: `10`, SecondLeaf: `11`},
		{Attribute: "timers/restart_time", First: `10`, Second: `11`, Leaf: "timers/config/restart-time", FirstLeaf: `10`, SecondLeaf: `11`},
		{Attribute: "transport/local_address", First: `"192.0.2.7"`, Second: `"192.0.2.8"`, Leaf: "transport/config/local-address", FirstLeaf: `"192.0.2.7"`, SecondLeaf: `"192.0.2.8"`},
		{Attribute: "transport/passive_mode", First: `true`, Second: `false`, Leaf: "transport/config/passive-mode", FirstLeaf: `true`, SecondLeaf: `false`},
		{Attribute: "transport/mtu_discovery", First: `true`, Second: `false`, Leaf: "transport/config/mtu-discovery", FirstLeaf: `true`, SecondLeaf: `false`},
		{Attribute: "transport/tcp_mss", First: `10`, Second: `11`, Leaf: "transport/config/tcp-mss", FirstLeaf: `10`, SecondLeaf: `11`},
		{Attribute: "ebgp_multihop/enabled", First: `true`, Second: `false`, Leaf: "ebgp-multihop/config/enabled", FirstLeaf: `true`, SecondLeaf: `false`},
		{Attribute: "ebgp_multihop/multihop_ttl", First: `10`, Second: `11`, Leaf: "ebgp-multihop/config/multihop-ttl", FirstLeaf: `10`, SecondLeaf: `11`},
		{Attribute: "route_reflector/route_reflector_client", First: `true`, Second: `false`, Leaf: "route-reflector/config/route-reflector-client", FirstLeaf: `true`, SecondLeaf: `false`},
		{Attribute: "route_reflector/route_reflector_cluster_id", First: `"10"`, Second: `"192.0.2.9"`, Leaf: "route-reflector/config/route-reflector-cluster-id", FirstLeaf: `10`, SecondLeaf: `"192.0.2.9"`},
		{Attribute: "as_path_options/allow_own_as", First: `10`, Second: `11`, Leaf: "as-path-options/config/allow-own-as", FirstLeaf: `10`, SecondLeaf: `11`},
		{Attribute: "as_path_options/replace_peer_as", First: `true`, Second: `false`, Leaf: "as-path-options/config/replace-peer-as", FirstLeaf: `true`, SecondLeaf: `false`},
		{Attribute: "as_path_options/disable_peer_as_filter", First: `true`, Second: `false`, Leaf: "as-path-options/config/disable-peer-as-filter", FirstLeaf: `true`, SecondLeaf: `false`},
		{Attribute: "error_handling/treat_as_withdraw", First: `true`, Second: `false`, Leaf: "error-handling/config/treat-as-withdraw", FirstLeaf: `true`, SecondLeaf: `false`},
		{Attribute: "logging_options/log_neighbor_state_changes", First: `true`, Second: `false`, Leaf: "logging-options/config/log-neighbor-state-changes", FirstLeaf: `true`, SecondLeaf: `false`},
		{Attribute: "enable_bfd/enabled", First: `true`, Second: `false`, Leaf: "enable-bfd/config/enabled", FirstLeaf: `true`, SecondLeaf: `false`},
		{Attribute: "enable_bfd/desired_minimum_tx_interval", First: `10`, Second: `11`, Leaf: "enable-bfd/config/desired-minimum-tx-interval", FirstLeaf: `10`, SecondLeaf: `11`},
		{Attribute: "enable_bfd/required_minimum_receive", First: `10`, Second: `11`, Leaf: "enable-bfd/config/required-minimum-receive", FirstLeaf: `10`, SecondLeaf: `11`},
		{Attribute: "enable_bfd/detection_multiplier", First: `10`, Second: `11`, Leaf: "enable-bfd/config/detection-multiplier", FirstLeaf: `10`, SecondLeaf: `11`},
		{Attribute: "graceful_restart/enabled", First: `true`, Second: `false`, Leaf: "graceful-restart/config/enabled", FirstLeaf: `true`, SecondLeaf: `false`},
		{Attribute: "graceful_restart/helper_only", First: `true`, Second: `false`, Leaf: "graceful-restart/config/helper-only", FirstLeaf: `true`, SecondLeaf: `false`},
		{Attribute: "graceful_restart/restart_time", First: `10`, Second: `11`, Leaf: "graceful-restart/config/restart-time", FirstLeaf: `10`, SecondLeaf: `11`},
		{Attribute: "graceful_restart/stale_routes_time", First: `10`, Second: `11`, Leaf: "graceful-restart/config/stale-routes-time", FirstLeaf: `10`, SecondLeaf: `11`},
		{Attribute: "apply_policy/import_policy", First: `["first"]`, Second: `["second"]`, Leaf: "apply-policy/config/import-policy", FirstLeaf: `["first"]`, SecondLeaf: `["second"]`},
		{Attribute: "apply_policy/default_import_policy", First: `"ACCEPT_ROUTE"`, Second: `"REJECT_ROUTE"`, Leaf: "apply-policy/config/default-import-policy", FirstLeaf: `"ACCEPT_ROUTE"`, SecondLeaf: `"REJECT_ROUTE"`},
		{Attribute: "apply_policy/export_policy", First: `["first"]`, Second: `["second"]`, Leaf: "apply-policy/config/export-policy", FirstLeaf: `["first"]`, SecondLeaf: `["second"]`},
		{Attribute: "apply_policy/default_export_policy", First: `"ACCEPT_ROUTE"`, Second: `"REJECT_ROUTE"`, Leaf: "apply-policy/config/default-export-policy", FirstLeaf: `"ACCEPT_ROUTE"`, SecondLeaf: `"REJECT_ROUTE"`},
		{Attribute: "use_multiple_paths/enabled", First: `true`, Second: `false`, Leaf: "use-multiple-paths/config/enabled", FirstLeaf: `true`, SecondLeaf: `false`},
		{Attribute: "use_multiple_paths/ebgp/allow_multiple_as", First: `true`, Second: `false`, Leaf: "use-multiple-paths/ebgp/config/allow-multiple-as", FirstLeaf: `true`, SecondLeaf: `false`},
		{Attribute: "afi_safis/IPV4_UNICAST/enabled", First: `true`, Second: `false`, Leaf: "afi-safis/afi-safi[afi-safi-name=IPV4_UNICAST]/config/enabled", FirstLeaf: `true`, SecondLeaf: `false`},
		{Attribute: "afi_safis/IPV4_UNICAST/send_community_type", First: `["BOTH"]`, Second: `["STANDARD"]`, Leaf: "afi-safis/afi-safi[afi-safi-name=IPV4_UNICAST]/config/send-community-type", FirstLeaf: `["BOTH"]`, SecondLeaf: `["STANDARD"]`},
		{Attribute: "afi_safis/IPV4_UNICAST/add_paths/receive", First: `true`, Second: `false`, Leaf: "afi-safis/afi-safi[afi-safi-name=IPV4_UNICAST]/add-paths/config/receive", FirstLeaf: `true`, SecondLeaf: `false`},
		{Attribute: "afi_safis/IPV4_UNICAST/add_paths/send", First: `true`, Second: `false`, Leaf: "afi-safis/afi-safi[afi-safi-name=IPV4_UNICAST]/add-paths/config/send", FirstLeaf: `true`, SecondLeaf: `false`},
		{Attribute: "afi_safis/IPV4_UNICAST/add_paths/send_max", First: `10`, Second: `11`, Leaf: "afi-safis/afi-safi[afi-safi-name=IPV4_UNICAST]/add-paths/config/send-max", FirstLeaf: `10`, SecondLeaf: `11`},
		{Attribute: "afi_safis/IPV4_UNICAST/add_paths/eligible_prefix_policy", First: `"first"`, Second: `"second"`, Leaf: "afi-safis/afi-safi[afi-safi-name=IPV4_UNICAST]/add-paths/config/eligible-prefix-policy", FirstLeaf: `"first"`, SecondLeaf: `"second"`},
		{Attribute: "afi_safis/IPV4_UNICAST/graceful_restart/enabled", First: `true`, Second: `false`, Leaf: "afi-safis/afi-safi[afi-safi-name=IPV4_UNICAST]/graceful-restart/config/enabled", FirstLeaf: `true`, SecondLeaf: `false`},
		{Attribute: "afi_safis/IPV4_UNICAST/apply_policy/default_import_policy", First: `"ACCEPT_ROUTE"`, Second: `"REJECT_ROUTE"`, Leaf: "afi-safis/afi-safi[afi-safi-name=IPV4_UNICAST]/apply-policy/config/default-import-policy", FirstLeaf: `"ACCEPT_ROUTE"`, SecondLeaf: `"REJECT_ROUTE"`},
		{Attribute: "afi_safis/IPV4_UNICAST/apply_policy/default_export_policy", First: `"ACCEPT_ROUTE"`, Second: `"REJECT_ROUTE"`, Leaf: "afi-safis/afi-safi[afi-safi-name=IPV4_UNICAST]/apply-policy/config/default-export-policy", FirstLeaf: `"ACCEPT_ROUTE"`, SecondLeaf: `"REJECT_ROUTE"`},
		{Attribute: "afi_safis/IPV4_UNICAST/apply_policy/import_policy", First: `["first"]`, Second: `["second"]`, Leaf: "afi-safis/afi-safi[afi-safi-name=IPV4_UNICAST]/apply-policy/config/import-policy", FirstLeaf: `["first"]`, SecondLeaf: `["second"]`},
		{Attribute: "afi_safis/IPV4_UNICAST/apply_policy/export_policy", First: `["first"]`, Second: `["second"]`, Leaf: "afi-safis/afi-safi[afi-safi-name=IPV4_UNICAST]/apply-policy/config/export-policy", FirstLeaf: `["first"]`, SecondLeaf: `["second"]`},
		{Attribute: "afi_safis/IPV4_UNICAST/ipv4_unicast/send_default_route", First: `true`, Second: `false`, Leaf: "afi-safis/afi-safi[afi-safi-name=IPV4_UNICAST]/ipv4-unicast/config/send-default-route", FirstLeaf: `true`, SecondLeaf: `false`},
		{Attribute: "afi_safis/IPV4_UNICAST/ipv4_unicast/prefix_limit/max_prefixes", First: `10`, Second: `11`, Leaf: "afi-safis/afi-safi[afi-safi-name=IPV4_UNICAST]/ipv4-unicast/prefix-limit/config/max-prefixes", FirstLeaf: `10`, SecondLeaf: `11`},
		{Attribute: "afi_safis/IPV4_UNICAST/ipv4_unicast/prefix_limit/prevent_teardown", First: `true`, Second: `false`, Leaf: "afi-safis/afi-safi[afi-safi-name=IPV4_UNICAST]/ipv4-unicast/prefix-limit/config/prevent-teardown", FirstLeaf: `true`, SecondLeaf: `false`},
		{Attribute: "afi_safis/IPV4_UNICAST/ipv4_unicast/prefix_limit/warning_threshold_pct", First: `10`, Second: `11`, Leaf: "afi-safis/afi-safi[afi-safi-name=IPV4_UNICAST]/ipv4-unicast/prefix-limit/config/warning-threshold-pct", FirstLeaf: `10`, SecondLeaf: `11`},
		{Attribute: "afi_safis/IPV4_UNICAST/ipv4_unicast/prefix_limit_received/max_prefixes", First: `10`, Second: `11`, Leaf: "afi-safis/afi-safi[afi-safi-name=IPV4_UNICAST]/ipv4-unicast/prefix-limit-received/config/max-prefixes", FirstLeaf: `10`, SecondLeaf: `11`},
		{Attribute: "afi_safis/IPV4_UNICAST/ipv4_unicast/prefix_limit_received/prevent_teardown", First: `true`, Second: `false`, Leaf: "afi-safis/afi-safi[afi-safi-name=IPV4_UNICAST]/ipv4-unicast/prefix-limit-received/config/prevent-teardown", FirstLeaf: `true`, SecondLeaf: `false`},
		{Attribute: "afi_safis/IPV4_UNICAST/ipv4_unicast/prefix_limit_received/warning_threshold_pct", First: `10`, Second: `11`, Leaf: "afi-safis/afi-safi[afi-safi-name=IPV4_UNICAST]/ipv4-unicast/prefix-limit-received/config/warning-threshold-pct", FirstLeaf: `10`, SecondLeaf: `11`},
		{Attribute: "afi_safis/IPV4_UNICAST/ipv4_unicast/extended_next_hop_encoding", First: `true`, Second: `false`, Leaf: "afi-safis/afi-safi[afi-safi-name=IPV4_UNICAST]/ipv4-unicast/config/extended-next-hop-encoding", FirstLeaf: `true`, SecondLeaf: `false`},
		{Attribute: "afi_safis/IPV4_UNICAST/ipv4_unicast/enable_aigp", First: `true`, Second: `false`, Leaf: "afi-safis/afi-safi[afi-safi-name=IPV4_UNICAST]/ipv4-unicast/config/enable-aigp", FirstLeaf: `true`, SecondLeaf: `false`},
		{Attribute: "afi_safis/IPV4_UNICAST/ipv6_unicast/send_default_route", First: `true`, Second: `false`, Leaf: "afi-safis/afi-safi[afi-safi-name=IPV4_UNICAST]/ipv6-unicast/config/send-default-route", FirstLeaf: `true`, SecondLeaf: `false`},
		{Attribute: "afi_safis/IPV4_UNICAST/ipv6_unicast/prefix_limit/max_prefixes", First: `10`, Second: `11`, Leaf: "afi-safis/afi-safi[afi-safi-name=IPV4_UNICAST]/ipv6-unicast/prefix-limit/config/max-prefixes", FirstLeaf: `10`, SecondLeaf: `11`},
		{Attribute: "afi_safis/IPV4_UNICAST/ipv6_unicast/prefix_limit/prevent_teardown", First: `true`, Second: `false`, Leaf: "afi-safis/afi-safi[afi-safi-name=IPV4_UNICAST]/ipv6-unicast/prefix-limit/config/prevent-teardown", FirstLeaf: `true`, SecondLeaf: `false`},
		{Attribute: "afi_safis/IPV4_UNICAST/ipv6_unicast/prefix_limit/warning_threshold_pct", First: `10`, Second: `11`, Leaf: "afi-safis/afi-safi[afi-safi-name=IPV4_UNICAST]/ipv6-unicast/prefix-limit/config/warning-threshold-pct", FirstLeaf: `10`, SecondLeaf: `11`},
		{Attribute: "afi_safis/IPV4_UNICAST/ipv6_unicast/prefix_limit_received/max_prefixes", First: `10`, Second: `11`, Leaf: "afi-safis/afi-safi[afi-safi-name=IPV4_UNICAST]/ipv6-unicast/prefix-limit-received/config/max-prefixes", FirstLeaf: `10`, SecondLeaf: `11`},
		{Attribute: "afi_safis/IPV4_UNICAST/ipv6_unicast/prefix_limit_received/prevent_teardown", First: `true`, Second: `false`, Leaf: "afi-safis/afi-safi[afi-safi-name=IPV4_UNICAST]/ipv6-unicast/prefix-limit-received/config/prevent-teardown", FirstLeaf: `true`, SecondLeaf: `false`},
		{Attribute: "afi_safis/IPV4_UNICAST/ipv6_unicast/prefix_limit_received/warning_threshold_pct", First: `10`, Second: `11`, Leaf: "afi-safis/afi-safi[afi-safi-name=IPV4_UNICAST]/ipv6-unicast/prefix-limit-received/config/warning-threshold-pct", FirstLeaf: `10`, SecondLeaf: `11`},
		{Attribute: "afi_safis/IPV4_UNICAST/ipv6_unicast/enable_aigp", First: `true`, Second: `false`, Leaf: "afi-safis/afi-safi[afi-safi-name=IPV4_UNICAST]/ipv6-unicast/config/enable-aigp", FirstLeaf: `true`, SecondLeaf: `false`},
		{Attribute: "afi_safis/IPV4_UNICAST/use_multiple_paths/enabled", First: `true`, Second: `false`, Leaf: "afi-safis/afi-safi[afi-safi-name=IPV4_UNICAST]/use-multiple-paths/config/enabled", FirstLeaf: `true`, SecondLeaf: `false`},
		{Attribute: "afi_safis/IPV4_UNICAST/use_multiple_paths/ebgp/allow_multiple_as", First: `true`, Second: `false`, Leaf: "afi-safis/afi-safi[afi-safi-name=IPV4_UNICAST]/use-multiple-paths/ebgp/config/allow-multiple-as", FirstLeaf: `true`, SecondLeaf: `false`},
	}
}
