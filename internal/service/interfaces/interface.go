// Package interfaces declares the kinds of the OpenConfig interfaces model:
// interfaces and their subinterfaces.
package interfaces

import (
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/datatree"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/kind"
)

// Interface is /interfaces/interface, without its subinterfaces.
func Interface() kind.Kind {
	return kind.Kind{
		Name: "interface",
		Rank: devicelock.RankInterface,
		Path: "/interfaces/interface[name={name}]",
		Text: "Manages an interface (`/interfaces/interface`): a physical port, a LAG, a loopback, a VLAN interface. " +
			"A physical port is always there: creating the resource takes the port over, and destroying it takes back the leaves that the resource set.",
		Keys: map[string]string{"name": "Name of the interface, as the device writes it, such as `Ethernet1/1`."},
		Fields: append([]kind.Field{
			{Path: "type", Optional: true, Text: "What the interface is. Needed for interfaces that the device does not have by itself. An identity of the IANA interface types, such as `ethernetCsmacd`, `ieee8023adLag`, `softwareLoopback`, `l3ipvlan` or `tunnel`."},
			{Path: "description", Text: "Text for people."},
			{Path: "enabled", Text: "Whether the interface is administratively up."},
			{Path: "mtu", Text: "Largest frame or packet that the interface sends, in bytes. What counts towards it is up to the device."},
			{Path: "loopback-mode", Text: "Where traffic is looped back, for tests."},
			{Path: "tpid", Text: "Tag protocol identifier of VLAN tags."},
			{Path: "hold-time", Text: "How long the state of the link must last before it counts."},
			{Path: "hold-time/up", Text: "Delay before a link that came up is reported."},
			{Path: "hold-time/down", Text: "Delay before a link that went down is reported."},
			{Path: "ethernet", Text: "Settings of an Ethernet port."},
			{Path: "ethernet/mac-address", Text: "MAC address to use instead of the burned-in one."},
			{Path: "ethernet/auto-negotiate", Text: "Whether speed and duplex are negotiated."},
			{Path: "ethernet/standalone-link-training", Text: "Whether link training runs without auto-negotiation."},
			{Path: "ethernet/duplex-mode", Text: "Duplex mode, where it is not negotiated."},
			{Path: "ethernet/port-speed", Text: "Speed of the port, where it is not negotiated."},
			{Path: "ethernet/enable-flow-control", Text: "Whether Ethernet flow control (IEEE 802.3x) is used."},
			{Path: "ethernet/fec-mode", Text: "Forward error correction."},
			{Path: "ethernet/aggregate-id", Text: "Name of the LAG that the port is a member of."},
		}, append(append(switchedVLAN("ethernet"),
			kind.Field{Path: "aggregation", Text: "Settings of a LAG."},
			kind.Field{Path: "aggregation/lag-type", Text: "Whether members join by LACP or by configuration alone."},
			kind.Field{Path: "aggregation/min-links", Text: "How many members must be up for the LAG to be."},
		), switchedVLAN("aggregation")...)...),
		Permanent: permanent,
		Switches:  []kind.Switch{{}},
		Rules:     []kind.Rule{switchedVLANRule("ethernet"), switchedVLANRule("aggregation")},
	}
}

// permanent tells whether an interface is a physical port. An entry that does
// not say what it is counts as one: resetting too little harms less than
// removing too much.
func permanent(entry *datatree.Node) bool {
	t, known := entry.Container("config").Leaf("type")
	return !known || t == "ethernetCsmacd"
}

func switchedVLAN(parent string) []kind.Field {
	at := parent + "/switched-vlan"
	return []kind.Field{
		{Path: at, Text: "VLANs of a port that switches."},
		{Path: at + "/interface-mode", Text: "Whether the port carries one VLAN untagged (`ACCESS`) or several tagged (`TRUNK`)."},
		{Path: at + "/native-vlan", Text: "VLAN of untagged frames on a trunk."},
		{Path: at + "/access-vlan", Text: "VLAN of an access port."},
		{Path: at + "/trunk-vlans", Text: "VLANs of a trunk: numbers and ranges, such as `[\"10-20\", \"30\"]`."},
	}
}

// switchedVLANRule holds the attributes of a port's mode to that mode.
func switchedVLANRule(parent string) kind.Rule {
	return func(entry *datatree.Node) (attribute, problem string) {
		config := entry.Container(parent).Container("switched-vlan").Container("config")
		mode, _ := config.Leaf("interface-mode")
		at := parent + ".switched_vlan."
		for _, c := range []struct{ leaf, attribute, mode string }{
			{"access-vlan", "access_vlan", "ACCESS"}, {"native-vlan", "native_vlan", "TRUNK"}, {"trunk-vlans", "trunk_vlans", "TRUNK"},
		} {
			if _, set := config.Values(c.leaf); set && mode != "" && mode != c.mode {
				return at + c.attribute, c.attribute + " is for interface_mode = \"" + c.mode + "\", but interface_mode is \"" + mode + "\"."
			}
		}
		return "", ""
	}
}
