package campaign

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// want is one resource as a configuration has it.
type want struct {
	typeName   string
	attributes map[string]any
	// after are the addresses of the resources that it refers to.
	after []string
}

// desired is a configuration: resources by their addresses.
type desired map[string]want

// foreign is what somebody else has configured on the device, some of it inside
// of what the resources manage.
const foreign = `{
	"openconfig-interfaces:interfaces":{"interface":[
		{"name":"Ethernet1/1","hold-time":{"config":{"up":1000,"down":2000}}},
		{"name":"Ethernet1/2","subinterfaces":{"subinterface":[{"index":7,"config":{"index":7,"description":"theirs"}}]}},
		{"name":"Ethernet1/20","config":{"description":"theirs","mtu":1600}},
		{"name":"Port-Channel9","config":{"name":"Port-Channel9","type":"iana-if-type:ieee8023adLag","description":"theirs"}}]},
	"openconfig-network-instance:network-instances":{"network-instance":[
		{"name":"DEFAULT","config":{"description":"theirs"},"vlans":{"vlan":[{"vlan-id":999,"config":{"vlan-id":999,"name":"theirs"}}]}},
		{"name":"vrf-theirs","config":{"name":"vrf-theirs","type":"openconfig-network-instance-types:L3VRF"}}]}}`

// foreignLeaves are leaves that nobody here sets, and their values.
var foreignLeaves = map[string]string{
	"/interfaces/interface[name=Ethernet1/1]/hold-time/config/up":                                    "1000",
	"/interfaces/interface[name=Ethernet1/1]/hold-time/config/down":                                  "2000",
	"/interfaces/interface[name=Ethernet1/2]/subinterfaces/subinterface[index=7]/config/description": "theirs",
	"/interfaces/interface[name=Ethernet1/20]/config/description":                                    "theirs",
	"/interfaces/interface[name=Ethernet1/20]/config/mtu":                                            "1600",
	"/interfaces/interface[name=Port-Channel9]/config/description":                                   "theirs",
	"/network-instances/network-instance[name=DEFAULT]/config/description":                           "theirs",
	"/network-instances/network-instance[name=DEFAULT]/vlans/vlan[vlan-id=999]/config/name":          "theirs",
	"/network-instances/network-instance[name=vrf-theirs]/config/type":                               "L3VRF",
}

// generator makes configurations of one device.
type generator struct{ *rand.Rand }

func (g generator) flip() bool { return g.IntN(2) == 0 }

// text is a description, or nothing.
func (g generator) text(into map[string]any, name string) {
	if g.flip() {
		into[name] = fmt.Sprintf("text %d", g.IntN(100))
	}
}

// number is a number of a range, or nothing.
func (g generator) number(into map[string]any, name string, low, high int) {
	if g.flip() {
		into[name] = low + g.IntN(high-low+1)
	}
}

// configuration returns some of the resources that there can be, with some of
// their attributes.
func (g generator) configuration() desired {
	d := desired{}
	add := func(address, typeName string, attributes map[string]any, after ...string) {
		attributes["device"] = "leaf1"
		d[address] = want{typeName, attributes, after}
	}
	var lags []string
	for i := 1; i <= 2; i++ {
		if !g.flip() {
			continue
		}
		name := fmt.Sprintf("Port-Channel%d", i)
		lags = append(lags, name)
		a := map[string]any{"name": name, "type": "ieee8023adLag"}
		g.text(a, "description")
		g.number(a, "mtu", 1500, 9000)
		if g.flip() {
			aggregation := map[string]any{"lag_type": []string{"LACP", "STATIC"}[g.IntN(2)]}
			g.number(aggregation, "min_links", 1, 4)
			a["aggregation"] = aggregation
		}
		add(name, "openconfig_interface", a)
	}
	for i := 1; i <= 3; i++ {
		name := fmt.Sprintf("Ethernet1/%d", i)
		a := map[string]any{"name": name}
		g.text(a, "description")
		g.number(a, "mtu", 1500, 9000)
		if g.flip() {
			a["enabled"] = g.flip()
		}
		var after []string
		if len(lags) > 0 && g.flip() {
			lag := lags[g.IntN(len(lags))]
			a["ethernet"] = map[string]any{"aggregate_id": lag}
			after = append(after, lag)
		}
		if g.IntN(4) > 0 {
			add(name, "openconfig_interface", a, after...)
		}
	}
	g.subinterfaces(add)
	g.instances(add)
	g.bgp(add)
	return d
}

func (g generator) subinterfaces(add func(string, string, map[string]any, ...string)) {
	for i := range 3 {
		if !g.flip() {
			continue
		}
		a := map[string]any{"interface": "Ethernet1/4", "index": i}
		g.text(a, "description")
		if g.flip() {
			addresses := map[string]any{}
			for range 1 + g.IntN(2) {
				addresses[fmt.Sprintf("192.0.2.%d", 1+16*i+g.IntN(14))] = map[string]any{"prefix_length": 28}
			}
			a["ipv4"] = map[string]any{"enabled": true, "addresses": addresses}
		}
		add(fmt.Sprintf("Ethernet1/4.%d", i), "openconfig_subinterface", a)
	}
}

func (g generator) instances(add func(string, string, map[string]any, ...string)) {
	for _, name := range []string{"vrf-a", "vrf-b"} {
		if !g.flip() {
			continue
		}
		a := map[string]any{"name": name, "type": "L3VRF"}
		g.text(a, "description")
		if g.flip() {
			a["router_id"] = fmt.Sprintf("192.0.2.%d", 1+g.IntN(200))
		}
		add(name, "openconfig_network_instance", a)
	}
	for _, id := range g.Perm(6)[:g.IntN(6)] {
		a := map[string]any{"network_instance": "DEFAULT", "vlan_id": 10 + id}
		g.text(a, "name")
		if g.flip() {
			a["status"] = []string{"ACTIVE", "SUSPENDED"}[g.IntN(2)]
		}
		add(fmt.Sprintf("vlan %d", 10+id), "openconfig_vlan", a)
	}
}

func (g generator) bgp(add func(string, string, map[string]any, ...string)) {
	if !g.flip() {
		return
	}
	global := map[string]any{"as": 65001}
	if g.flip() {
		global["router_id"] = fmt.Sprintf("192.0.2.%d", 1+g.IntN(200))
	}
	add("bgp", "openconfig_bgp", map[string]any{"network_instance": "DEFAULT", "name": "BGP", "global": global})
	of := map[string]any{"network_instance": "DEFAULT", "protocol": "BGP"}
	group := g.flip()
	if group {
		a := map[string]any{"network_instance": "DEFAULT", "protocol": "BGP", "peer_group_name": "SPINES", "peer_as": 65000 + g.IntN(100)}
		g.text(a, "description")
		add("group", "openconfig_bgp_peer_group", a, "bgp")
	}
	for i := range 1 + g.IntN(3) {
		a := map[string]any{"network_instance": of["network_instance"], "protocol": of["protocol"], "neighbor_address": fmt.Sprintf("198.51.100.%d", 1+i)}
		g.text(a, "description")
		g.number(a, "peer_as", 65100, 65200)
		if g.flip() {
			a["timers"] = map[string]any{"hold_time": 90, "keepalive_interval": 10 + g.IntN(20)}
		}
		after := []string{"bgp"}
		if group && g.flip() {
			a["peer_group"] = "SPINES"
			after = append(after, "group")
		}
		add(fmt.Sprintf("neighbor %d", i), "openconfig_bgp_neighbor", a, after...)
	}
}

// waves returns the addresses in groups, each of which refers to earlier ones
// only.
func (d desired) waves() [][]string {
	depth := map[string]int{}
	var of func(address string) int
	of = func(address string) int {
		if n, ok := depth[address]; ok {
			return n
		}
		n := 0
		for _, a := range d[address].after {
			n = max(n, of(a)+1)
		}
		depth[address] = n
		return n
	}
	var out [][]string
	for address := range d {
		n := of(address)
		for len(out) <= n {
			out = append(out, nil)
		}
		out[n] = append(out[n], address)
	}
	for _, wave := range out {
		slices.Sort(wave)
	}
	return out
}
