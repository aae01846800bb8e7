package vlan_test

import "github.com/terraform-openconfig/terraform-provider-openconfig/internal/acctest"

// vlanRows are the attributes of openconfig_vlan, and the leaves they are for.
func vlanRows() []acctest.Row {
	return []acctest.Row{
		{Attribute: "name", First: `"first"`, Second: `"second"`, Leaf: "config/name", FirstLeaf: `"first"`, SecondLeaf: `"second"`},
		{Attribute: "status", First: `"ACTIVE"`, Second: `"SUSPENDED"`, Leaf: "config/status", FirstLeaf: `"ACTIVE"`, SecondLeaf: `"SUSPENDED"`},
	}
}
