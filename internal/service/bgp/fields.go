// Package bgp declares the kinds of the OpenConfig BGP model: the BGP instance
// of a network instance, its peer groups and its neighbors.
package bgp

import (
	"slices"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/datatree"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/kind"
)

const (
	protocol = "/network-instances/network-instance[name={network_instance}]/protocols/protocol[identifier=BGP][name={protocol}]"

	networkInstanceText = "Name of the network instance, such as `DEFAULT`."
	protocolText        = "Name of the BGP instance, such as `BGP`: the `name` of its `openconfig_bgp`."
)

// peer returns the attributes that neighbors and peer groups have in common.
func peer() []kind.Field {
	return slices.Concat([]kind.Field{
		{Path: "description", Text: "Text for people."},
		{Path: "peer-as", Text: "AS number of the peer."},
		{Path: "local-as", Text: "AS number to use towards the peer, where it is not that of the BGP instance."},
		{Path: "peer-type", Text: "Whether the peer is in the same AS or in another."},
		{Path: "auth-password", Secret: true, Text: "Password of the TCP MD5 signature option (RFC 2385). Write-only: it is sent to the device and stored nowhere else."},
		{Path: "remove-private-as", Text: "What happens to private AS numbers in paths sent to the peer."},
		{Path: "route-flap-damping", Text: "Whether routes that flap are damped (RFC 2439)."},
		{Path: "send-community", Text: "Which communities are sent to the peer. The model favours `send_community_type`."},
		{Path: "send-community-type", Text: "Which communities are sent to the peer."},
		{Path: "timers", Text: "Timers of the session."},
		{Path: "timers/connect-retry", Text: "Time between attempts to connect."},
		{Path: "timers/hold-time", Text: "Time without a message after which the peer counts as lost (RFC 4271, section 4.2)."},
		{Path: "timers/keepalive-interval", Text: "Time between keepalive messages; a third of the hold time as a rule."},
		{Path: "timers/minimum-advertisement-interval", Text: "Shortest time between two updates of one route."},
		{Path: "timers/restart-time", Text: "Time before a session that was torn down for its prefix limit is tried again."},
		{Path: "transport", Text: "The session's TCP connection."},
		{Path: "transport/local-address", Text: "Address, or name of the interface, that the connection comes from."},
		{Path: "transport/passive-mode", Text: "Whether the device waits for the peer to connect."},
		{Path: "transport/mtu-discovery", Text: "Whether path MTU discovery is used."},
		{Path: "transport/tcp-mss", Text: "Largest TCP segment, in bytes."},
		{Path: "ebgp-multihop", Text: "Peers in other AS that are more than one hop away."},
		{Path: "ebgp-multihop/enabled", Text: "Whether such a peer may be more than one hop away."},
		{Path: "ebgp-multihop/multihop-ttl", Text: "TTL of packets to such a peer."},
		{Path: "route-reflector", Text: "Route reflection (RFC 4456)."},
		{Path: "route-reflector/route-reflector-client", Text: "Whether the peer is a client of this route reflector."},
		{Path: "route-reflector/route-reflector-cluster-id", Text: "Cluster identifier: a number or four bytes with dots."},
		{Path: "as-path-options", Text: "Handling of AS paths."},
		{Path: "as-path-options/allow-own-as", Text: "How often the own AS number may occur in a path from the peer."},
		{Path: "as-path-options/replace-peer-as", Text: "Whether the peer's AS number in paths is replaced by the own one."},
		{Path: "as-path-options/disable-peer-as-filter", Text: "Whether routes are sent to the peer that have its AS number in their path."},
		{Path: "error-handling", Text: "Handling of malformed updates."},
		{Path: "error-handling/treat-as-withdraw", Text: "Whether they count as withdrawals (RFC 7606) and do not end the session."},
		{Path: "logging-options", Text: "What is logged."},
		{Path: "logging-options/log-neighbor-state-changes", Text: "Whether changes of the session's state are logged."},
		{Path: "enable-bfd", Text: "Bidirectional forwarding detection (RFC 5880) for the session."},
		{Path: "enable-bfd/enabled", Text: "Whether BFD is used."},
		{Path: "enable-bfd/desired-minimum-tx-interval", Text: "Shortest time between control packets that the device wants to send."},
		{Path: "enable-bfd/required-minimum-receive", Text: "Shortest time between control packets that the device can receive."},
		{Path: "enable-bfd/detection-multiplier", Text: "How many control packets must be missed for the peer to count as lost."},
	}, gracefulRestart(""), applyPolicy(""), []kind.Field{
		{Path: "use-multiple-paths", Text: "Use of several paths to one destination."},
		{Path: "use-multiple-paths/enabled", Text: "Whether several paths are used."},
		{Path: "use-multiple-paths/ebgp", Text: "Paths from peers in other AS."},
		{Path: "use-multiple-paths/ebgp/allow-multiple-as", Text: "Whether the paths may lead through different neighboring AS."},
	}, afiSafi("afi-safis"), []kind.Field{
		{Path: "afi-safis/use-multiple-paths", Text: "Use of several paths to one destination."},
		{Path: "afi-safis/use-multiple-paths/enabled", Text: "Whether several paths are used."},
		{Path: "afi-safis/use-multiple-paths/ebgp", Text: "Paths from peers in other AS."},
		{Path: "afi-safis/use-multiple-paths/ebgp/allow-multiple-as", Text: "Whether the paths may lead through different neighboring AS."},
		{Path: "afi-safis/apply-policy/import-policy", Text: "Names of the policies for routes that come in, in the order in which they apply."},
		{Path: "afi-safis/apply-policy/export-policy", Text: "Names of the policies for routes that go out, in the order in which they apply."},
		{Path: "afi-safis/ipv4-unicast/enable-aigp", Text: "Whether the accumulated IGP metric (RFC 7311) is sent and received."},
		{Path: "afi-safis/ipv6-unicast/enable-aigp", Text: "Whether the accumulated IGP metric (RFC 7311) is sent and received."},
	})
}

func gracefulRestart(parent string) []kind.Field {
	at := parent + "graceful-restart"
	return []kind.Field{
		{Path: at, Text: "Graceful restart (RFC 4724)."},
		{Path: at + "/enabled", Text: "Whether graceful restart is used."},
		{Path: at + "/helper-only", Text: "Whether the device only helps peers that restart."},
		{Path: at + "/restart-time", Text: "How long a restart of the session may take."},
		{Path: at + "/stale-routes-time", Text: "How long routes of a restarting peer are kept."},
	}
}

func applyPolicy(parent string) []kind.Field {
	at := parent + "apply-policy"
	return []kind.Field{
		{Path: at, Text: "Routing policies."},
		{Path: at + "/import-policy", Text: "Names of the policies for routes that come in, in the order in which they apply."},
		{Path: at + "/default-import-policy", Text: "What happens to a route that comes in and that no policy decides on."},
		{Path: at + "/export-policy", Text: "Names of the policies for routes that go out, in the order in which they apply."},
		{Path: at + "/default-export-policy", Text: "What happens to a route that goes out and that no policy decides on."},
	}
}

// afiSafi returns the attributes that address families have wherever they are.
func afiSafi(at string) []kind.Field {
	fields := []kind.Field{
		{Path: at, Text: "Address families, such as `IPV4_UNICAST` or `L2VPN_EVPN`."},
		{Path: at + "/enabled", Text: "Whether the address family is used."},
		{Path: at + "/send-community-type", Text: "Which communities are sent."},
		{Path: at + "/add-paths", Text: "Several paths to one destination in updates (RFC 7911)."},
		{Path: at + "/add-paths/receive", Text: "Whether several paths are received."},
		{Path: at + "/add-paths/send", Text: "Whether several paths are sent."},
		{Path: at + "/add-paths/send-max", Text: "How many paths to one destination are sent."},
		{Path: at + "/add-paths/eligible-prefix-policy", Text: "Name of the policy that says for which prefixes several paths are sent."},
		{Path: at + "/graceful-restart", Text: "Graceful restart (RFC 4724)."},
		{Path: at + "/graceful-restart/enabled", Text: "Whether graceful restart is used for the address family."},
		{Path: at + "/apply-policy", Text: "Routing policies."},
		{Path: at + "/apply-policy/default-import-policy", Text: "What happens to a route that comes in and that no policy decides on."},
		{Path: at + "/apply-policy/default-export-policy", Text: "What happens to a route that goes out and that no policy decides on."},
	}
	for _, family := range []struct{ name, text string }{{"ipv4-unicast", "IPv4 unicast"}, {"ipv6-unicast", "IPv6 unicast"}} {
		f := at + "/" + family.name
		fields = append(fields,
			kind.Field{Path: f, Text: "Settings of " + family.text + "."},
			kind.Field{Path: f + "/send-default-route", Text: "Whether a default route is sent."},
		)
		fields = append(fields, prefixLimit(f+"/prefix-limit", "all prefixes of a peer, before policies")...)
		fields = append(fields, prefixLimit(f+"/prefix-limit-received", "the prefixes that a peer sends")...)
	}
	return append(fields, kind.Field{Path: at + "/ipv4-unicast/extended-next-hop-encoding", Text: "Whether IPv4 routes may have IPv6 next hops (RFC 8950)."})
}

func prefixLimit(at, what string) []kind.Field {
	return []kind.Field{
		{Path: at, Text: "Limit for " + what + "."},
		{Path: at + "/max-prefixes", Text: "How many prefixes are accepted."},
		{Path: at + "/prevent-teardown", Text: "Whether the session goes on when there are more."},
		{Path: at + "/warning-threshold-pct", Text: "Share of the limit, in per cent, from which on a warning is logged."},
	}
}

// timersRule holds the keepalive interval below the hold time (RFC 4271,
// sections 4.2 and 4.4).
func timersRule(entry *datatree.Node) (attribute, problem string) {
	timers := entry.Container("timers").Container("config")
	hold, set := number(timers, "hold-time")
	if !set {
		return "", ""
	}
	if hold == 1 || hold == 2 {
		return "timers.hold_time", "hold_time must be 0 or at least 3 seconds (RFC 4271, section 4.2)."
	}
	if keepalive, set := number(timers, "keepalive-interval"); set && hold > 0 && keepalive >= hold {
		return "timers.keepalive_interval", "keepalive_interval must be shorter than hold_time, or the peer counts as lost between two keepalive messages."
	}
	return "", ""
}
