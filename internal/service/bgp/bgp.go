package bgp

import (
	"slices"
	"strconv"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/datatree"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/kind"
)

// Instance is the protocol entry of BGP with its global settings.
func Instance() kind.Kind {
	global := "bgp/global"
	families := global + "/afi-safis"
	return kind.Kind{
		Name: "bgp",
		Rank: devicelock.RankBGP,
		Path: "/network-instances/network-instance[name={network_instance}]/protocols/protocol[identifier=BGP][name={name}]",
		Text: "Manages a BGP instance (`/network-instances/network-instance/protocols/protocol` with the identifier `BGP`) and its global settings. " +
			"Peer groups and neighbors are resources of their own.",
		Keys: map[string]string{
			"network_instance": networkInstanceText,
			"name":             "Name of the BGP instance, as the device wants it, such as `BGP`.",
		},
		Defaults: map[string]kind.Default{"network_instance": kind.NetworkInstance(), "name": kind.BGPInstance()},
		Fields: slices.Concat([]kind.Field{
			{Path: "enabled", Text: "Whether the protocol runs."},
			{Path: "default-metric", Text: "Metric of routes that have none."},
			{Path: global, Text: "Settings of the BGP instance as a whole."},
			{Path: global + "/as", Text: "AS number of the device."},
			{Path: global + "/router-id", Text: "Router identifier: four bytes with dots (RFC 6286)."},
			{Path: global + "/confederation", Text: "Confederation of AS (RFC 5065)."},
			{Path: global + "/confederation/identifier", Text: "AS number by which the confederation is known outside."},
			{Path: global + "/confederation/member-as", Text: "AS numbers of the confederation's members."},
			{Path: global + "/default-route-distance", Text: "Administrative distance of routes."},
			{Path: global + "/default-route-distance/external-route-distance", Text: "Distance of routes from other AS."},
			{Path: global + "/default-route-distance/internal-route-distance", Text: "Distance of routes from the own AS."},
			{Path: global + "/dynamic-neighbor-prefixes", Text: "Prefixes whose addresses may become neighbors without being configured one by one."},
			{Path: global + "/dynamic-neighbor-prefixes/peer-group", Text: "Name of the peer group that such neighbors belong to."},
			{Path: global + "/apply-policy", Text: "Routing policies."},
			{Path: global + "/apply-policy/default-import-policy", Text: "What happens to a route that comes in and that no policy decides on."},
			{Path: global + "/apply-policy/default-export-policy", Text: "What happens to a route that goes out and that no policy decides on."},
		}, gracefulRestart(global+"/"), selection(global), multiplePaths(global), afiSafi(families), selection(families), multiplePaths(families)),
	}
}

func selection(parent string) []kind.Field {
	at := parent + "/route-selection-options"
	return []kind.Field{
		{Path: at, Text: "How the best of several routes is found."},
		{Path: at + "/always-compare-med", Text: "Whether the multi-exit discriminator is compared between different AS."},
		{Path: at + "/ignore-as-path-length", Text: "Whether the length of AS paths is left out of account."},
		{Path: at + "/external-compare-router-id", Text: "Whether router identifiers decide between equal routes from other AS."},
		{Path: at + "/advertise-inactive-routes", Text: "Whether routes are sent that the device does not use itself."},
		{Path: at + "/enable-aigp", Text: "Whether the accumulated IGP metric (RFC 7311) is taken into account."},
		{Path: at + "/ignore-next-hop-igp-metric", Text: "Whether the IGP metric to the next hop is left out of account."},
	}
}

func multiplePaths(parent string) []kind.Field {
	at := parent + "/use-multiple-paths"
	return append([]kind.Field{
		{Path: at, Text: "Use of several paths to one destination."},
		{Path: at + "/enabled", Text: "Whether several paths are used."},
		{Path: at + "/ebgp", Text: "Paths from peers in other AS."},
		{Path: at + "/ebgp/allow-multiple-as", Text: "Whether the paths may lead through different neighboring AS."},
	}, maximumPaths(at)...)
}

// maximumPaths needs ebgp to be declared before.
func maximumPaths(at string) []kind.Field {
	return []kind.Field{
		{Path: at + "/ebgp/maximum-paths", Text: "How many paths are used."},
		{Path: at + "/ibgp", Text: "Paths from peers in the same AS."},
		{Path: at + "/ibgp/maximum-paths", Text: "How many paths are used."},
	}
}

// protocolDefaults are of the keys of what is inside a BGP instance.
func protocolDefaults() map[string]kind.Default {
	return map[string]kind.Default{"network_instance": kind.NetworkInstance(), "protocol": kind.BGPInstance()}
}

// PeerGroup is .../bgp/peer-groups/peer-group.
func PeerGroup() kind.Kind {
	return kind.Kind{
		Name:     "bgp_peer_group",
		Rank:     devicelock.RankBGPPeerGroup,
		Path:     protocol + "/bgp/peer-groups/peer-group[peer-group-name={peer_group_name}]",
		Requires: []string{protocol},
		Text:     "Manages a BGP peer group (`…/bgp/peer-groups/peer-group`): settings that its neighbors share.",
		Keys: map[string]string{
			"network_instance": networkInstanceText,
			"protocol":         protocolText,
			"peer_group_name":  "Name of the peer group.",
		},
		Defaults: protocolDefaults(),
		Fields:   slices.Concat(peer(), maximumPaths("use-multiple-paths"), maximumPaths("afi-safis/use-multiple-paths")),
		Rules:    []kind.Rule{timersRule},
	}
}

// Neighbor is .../bgp/neighbors/neighbor.
func Neighbor() kind.Kind {
	return kind.Kind{
		Name:     "bgp_neighbor",
		Rank:     devicelock.RankBGPNeighbor,
		Path:     protocol + "/bgp/neighbors/neighbor[neighbor-address={neighbor_address}]",
		Requires: []string{protocol},
		Text:     "Manages a BGP neighbor (`…/bgp/neighbors/neighbor`).",
		Keys: map[string]string{
			"network_instance": networkInstanceText,
			"protocol":         protocolText,
			"neighbor_address": "IPv4 or IPv6 address of the neighbor.",
		},
		Defaults: protocolDefaults(),
		Fields: slices.Concat([]kind.Field{
			{Path: "enabled", Text: "Whether the session is to be up."},
			{Path: "peer-group", Text: "Name of the peer group that the neighbor belongs to."},
			{Path: "neighbor-port", Text: "TCP port of the neighbor."},
		}, peer()),
		Switches: []kind.Switch{{}},
		Rules:    []kind.Rule{timersRule},
	}
}

func number(n *datatree.Node, leaf string) (value int, set bool) {
	text, ok := n.Leaf(leaf)
	if !ok {
		return 0, false
	}
	value, err := strconv.Atoi(text)
	return value, err == nil
}
