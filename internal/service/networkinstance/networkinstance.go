// Package networkinstance declares the kind of the OpenConfig network instance
// model.
package networkinstance

import (
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/datatree"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/kind"
)

// NetworkInstance is /network-instances/network-instance, without its VLANs and
// protocols.
func NetworkInstance() kind.Kind {
	policies := "inter-instance-policies"
	return kind.Kind{
		Name: "network_instance",
		Rank: devicelock.RankNetworkInstance,
		Path: "/network-instances/network-instance[name={name}]",
		Text: "Manages a network instance (`/network-instances/network-instance`), such as a VRF. " +
			"The default network instance is always there: creating the resource takes it over, and destroying it takes back the leaves that the resource set.",
		Keys: map[string]string{"name": "Name of the network instance."},
		Fields: []kind.Field{
			{Path: "type", Text: "What the network instance is: `L3VRF` for a VRF, `DEFAULT_INSTANCE` for the default one."},
			{Path: "description", Text: "Text for people."},
			{Path: "router-id", Text: "Router identifier, which protocols use unless they have their own."},
			{Path: "route-distinguisher", Text: "Route distinguisher (RFC 4364), such as `65001:10`."},
			{Path: "fallback-network-instance", Text: "Network instance whose routes are used where this one has none."},
			{Path: policies, Text: "Routes exchanged with other network instances."},
			{Path: policies + "/apply-policy", Text: "Routing policies for the exchange."},
			{Path: policies + "/apply-policy/import-policy", Text: "Names of the policies for routes that come in, in the order in which they apply."},
			{Path: policies + "/apply-policy/default-import-policy", Text: "What happens to a route that comes in and that no policy decides on."},
			{Path: policies + "/apply-policy/export-policy", Text: "Names of the policies for routes that go out, in the order in which they apply."},
			{Path: policies + "/apply-policy/default-export-policy", Text: "What happens to a route that goes out and that no policy decides on."},
			{Path: policies + "/import-export-policy", Text: "Exchange by route targets (RFC 4364)."},
			{Path: policies + "/import-export-policy/import-route-target", Text: "Route targets of routes that come in."},
			{Path: policies + "/import-export-policy/export-route-target", Text: "Route targets that routes get that go out."},
			{Path: "interfaces", Text: "Interfaces that belong to the network instance."},
			{Path: "interfaces/interface", Text: "Name of the interface."},
			{Path: "interfaces/subinterface", Text: "Number of the subinterface."},
			{Path: "interfaces/associated-address-families", Text: "Address families for which the interface belongs here; all, when left out."},
			{Path: "interfaces/mac-pinning", Text: "Whether MAC addresses learned here may not move."},
			{Path: "interfaces/irb-anycast-gateway", Text: "How an anycast gateway works on an integrated routing and bridging interface."},
			{Path: "tables", Text: "Routing tables, one for each protocol and address family."},
			{Path: "tables/protocol", Text: "Protocol whose routes the table holds."},
			{Path: "tables/address-family", Text: "Address family of the routes."},
			{Path: "table-connections", Text: "Redistribution of routes between protocols."},
			{Path: "table-connections/src-protocol", Text: "Protocol that the routes come from."},
			{Path: "table-connections/dst-protocol", Text: "Protocol that the routes go to."},
			{Path: "table-connections/address-family", Text: "Address family of the routes."},
			{Path: "table-connections/import-policy", Text: "Names of the policies for the routes, in the order in which they apply."},
			{Path: "table-connections/default-import-policy", Text: "What happens to a route that no policy decides on."},
			{Path: "table-connections/disable-metric-propagation", Text: "Whether routes lose their metric on the way."},
		},
		Permanent: func(entry *datatree.Node) bool {
			t, _ := entry.Container("config").Leaf("type")
			return t == "DEFAULT_INSTANCE"
		},
	}
}
