package interfaces

import (
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/kind"
)

// Subinterface is /interfaces/interface/subinterfaces/subinterface.
func Subinterface() kind.Kind {
	fields := []kind.Field{
		{Path: "description", Text: "Text for people."},
		{Path: "enabled", Text: "Whether the subinterface is administratively up."},
		{Path: "vlan", Text: "Which frames of the interface belong to the subinterface."},
		{Path: "vlan/vlan-id", Text: "VLAN identifier, or a pair of them as the model writes it. Devices of today want `match` instead."},
		{Path: "vlan/match", Text: "VLAN tags that a frame must have."},
		{Path: "vlan/match/single-tagged", Text: "Frames with one tag of a given value."},
		{Path: "vlan/match/single-tagged/vlan-id", Text: "VLAN identifier of the tag."},
		{Path: "vlan/match/single-tagged-list", Text: "Frames with one tag out of a list."},
		{Path: "vlan/match/single-tagged-list/vlan-ids", Text: "VLAN identifiers of the tag."},
		{Path: "vlan/match/single-tagged-range", Text: "Frames with one tag out of a range."},
		{Path: "vlan/match/single-tagged-range/low-vlan-id", Text: "Lowest VLAN identifier, which is in the range."},
		{Path: "vlan/match/single-tagged-range/high-vlan-id", Text: "Highest VLAN identifier, which is in the range."},
	}
	fields = append(fields, ip("ipv4", "IPv4", "`PRIMARY` for the address that the device sends from, `SECONDARY` for others.")...)
	fields = append(fields,
		kind.Field{Path: "ipv4/gratuitous-arp-accepted", Text: "Whether gratuitous ARP packets are taken for new entries."},
	)
	fields = append(fields, ip("ipv6", "IPv6", "Scope of the address.")...)
	fields = append(fields,
		kind.Field{Path: "ipv6/dup-addr-detect-transmits", Text: "How many neighbor solicitations duplicate address detection sends (RFC 4862); 0 switches it off."},
		kind.Field{Path: "ipv6/learn-unsolicited", Text: "Which unsolicited neighbor advertisements make entries."},
	)
	return kind.Kind{
		Name: "subinterface",
		Rank: devicelock.RankSubinterface,
		Path: "/interfaces/interface[name={interface}]/subinterfaces/subinterface[index={index}]",
		Text: "Manages a subinterface (`/interfaces/interface/subinterfaces/subinterface`) with its IPv4 and IPv6 addresses. " +
			"The subinterface with index 0 is the interface itself where frames have no tag.",
		Keys: map[string]string{
			"interface": "Name of the interface, as the device writes it.",
			"index":     "Number of the subinterface.",
		},
		Fields:   fields,
		Switches: []kind.Switch{{}, {Path: "ipv4", With: "addresses/address"}, {Path: "ipv6", With: "addresses/address"}},
	}
}

func ip(at, version, types string) []kind.Field {
	return []kind.Field{
		{Path: at, Text: version + " on the subinterface."},
		{Path: at + "/enabled", Text: "Whether " + version + " is on."},
		{Path: at + "/dhcp-client", Text: "Whether addresses are asked of a DHCP server."},
		{Path: at + "/mtu", Text: "Largest " + version + " packet, in bytes."},
		{Path: at + "/addresses", Text: version + " addresses of the subinterface."},
		{Path: at + "/addresses/prefix-length", Text: "Length of the subnet prefix, in bits."},
		{Path: at + "/addresses/type", Text: types},
		{Path: at + "/unnumbered", Text: "Borrowing the address of another interface."},
		{Path: at + "/unnumbered/enabled", Text: "Whether an address is borrowed."},
		{Path: at + "/unnumbered/interface-ref", Text: "Whose address is borrowed."},
		{Path: at + "/unnumbered/interface-ref/interface", Text: "Name of the interface."},
		{Path: at + "/unnumbered/interface-ref/subinterface", Text: "Number of the subinterface."},
	}
}
