package simulator

import (
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// switching are the containers that make an interface switch VLANs.
var switching = [][]string{{"ethernet", "switched-vlan"}, {"aggregation", "switched-vlan"}}

// conditions refuses a tree with names that the device does not take, with
// InvalidArgument, or in which interfaces are configured in a way that the
// device does not have, with FailedPrecondition.
func (t *Target) conditions(after *node) error {
	if err := t.options.checkNames(after); err != nil {
		return err
	}
	q := &t.options.semanticQuirks
	if !q.ExplicitInterfaceInDefaultNI && !q.RequireSubinterface0 && !q.VLANExclusiveParentChild {
		return nil
	}
	attached := attachments(after)
	for _, e := range after.all("interfaces", "interface") {
		subs := e.all("subinterfaces", "subinterface")
		refuse := func(why string) error {
			return status.Errorf(codes.FailedPrecondition, "/interfaces%s: %s", instancePath([]*node{e}, nil), why)
		}
		if q.VLANExclusiveParentChild && len(subs) > 0 {
			for _, names := range switching {
				if e.at(names...) != nil {
					return refuse("an interface with subinterfaces cannot have a switched VLAN")
				}
			}
		}
		if q.RequireSubinterface0 && len(subs) > 0 && subs[0].keys[0] != "0" && e.value("config", "type") == "ethernetCsmacd" {
			return refuse("subinterface " + subs[0].keys[0] + " needs subinterface 0")
		}
		for _, sub := range subs {
			addresses := len(sub.all("ipv4", "addresses", "address")) + len(sub.all("ipv6", "addresses", "address"))
			if q.ExplicitInterfaceInDefaultNI && addresses > 0 && attached[unit{e.keys[0], sub.keys[0]}] == "" {
				return refuse("subinterface " + sub.keys[0] + " has addresses, but is attached to no network instance")
			}
		}
	}
	return nil
}
