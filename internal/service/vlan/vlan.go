// Package vlan declares the kind of the OpenConfig VLAN model.
package vlan

import (
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/kind"
)

// VLAN is /network-instances/network-instance/vlans/vlan.
func VLAN() kind.Kind {
	return kind.Kind{
		Name: "vlan",
		Rank: devicelock.RankVLAN,
		Path: "/network-instances/network-instance[name={network_instance}]/vlans/vlan[vlan-id={vlan_id}]",
		Text: "Manages a VLAN (`/network-instances/network-instance/vlans/vlan`).",
		Keys: map[string]string{
			"network_instance": "Name of the network instance, such as `DEFAULT`.",
			"vlan_id":          "VLAN identifier, between 1 and 4094.",
		},
		Defaults: map[string]kind.Default{"network_instance": kind.NetworkInstance()},
		Fields: []kind.Field{
			{Path: "name", Text: "Name of the VLAN."},
			{Path: "status", Text: "Whether the VLAN forwards (`ACTIVE`) or not (`SUSPENDED`)."},
		},
	}
}
