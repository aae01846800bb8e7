package e2e

import (
	"fmt"
	"testing"
)

// instance is the network instance that all tests configure.
const instance = "/network-instances/network-instance[name=DEFAULT]"

// onDevice returns the path of the leaf that tells a resource's content, and
// what it must be.
func onDevice(tb testing.TB, e entry) (path, want string) {
	tb.Helper()
	attribute := ""
	switch of := e.Attributes; e.Type {
	case "openconfig_interface":
		path, attribute = fmt.Sprintf("/interfaces/interface[name=%v]/config/description", of["name"]), "description"
	case "openconfig_vlan":
		path, attribute = fmt.Sprintf(instance+"/vlans/vlan[vlan-id=%v]/config/name", of["vlan_id"]), "name"
	case "openconfig_bgp":
		return fmt.Sprintf(instance+"/protocols/protocol[identifier=BGP][name=%v]/bgp/global/config/as", of["name"]),
			fmt.Sprint(of["global"].(map[string]any)["as"])
	case "openconfig_bgp_peer_group":
		path, attribute = fmt.Sprintf(instance+"/protocols/protocol[identifier=BGP][name=%v]/bgp/peer-groups/peer-group[peer-group-name=%v]/config/peer-as",
			of["protocol"], of["peer_group_name"]), "peer_as"
	case "openconfig_bgp_neighbor":
		path, attribute = fmt.Sprintf(instance+"/protocols/protocol[identifier=BGP][name=%v]/bgp/neighbors/neighbor[neighbor-address=%v]/config/peer-group",
			of["protocol"], of["neighbor_address"]), "peer_group"
	default:
		tb.Fatalf("there is no check for %s", e.Type)
	}
	return path, fmt.Sprint(e.Attributes[attribute])
}

// holds expects the device to hold what a state says.
func (d *simulated) holds(state map[string]entry) {
	d.tb.Helper()
	for address, e := range state {
		path, want := onDevice(d.tb, e)
		if got, _ := d.Leaf(path); got != want {
			d.tb.Errorf("%s: the device has %q, the state %q", address, got, want)
		}
	}
}
