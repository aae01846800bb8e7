package vlan_test

import (
	"testing"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/acctest"
)

func vlanCase() acctest.Case {
	return acctest.Case{
		Type:      "openconfig_vlan",
		Keys:      map[string]any{"network_instance": "DEFAULT", "vlan_id": 10},
		Entry:     "/network-instances/network-instance[name=DEFAULT]/vlans/vlan[vlan-id=10]",
		KeyLeaves: map[string]string{"config/vlan-id": `10`},
		ID:        "leaf1,DEFAULT,10",
		Device: `{"openconfig-network-instance:network-instances":{"network-instance":[{"name":"DEFAULT","config":{"description":"site"},
			"vlans":{"vlan":[{"vlan-id":20,"config":{"vlan-id":20,"name":"other"}}]}}]}}`,
		Rows: vlanRows(),
	}
}

func TestEveryAttributeOfAVLANIsTested(t *testing.T) {
	acctest.EveryAttributeIsInTheTable(t, vlanCase())
}

func TestEachAttributeOfAVLANChangesItsLeafAlone(t *testing.T) {
	acctest.EachAttributeChangesItsLeafAlone(t, vlanCase())
}

func TestTerraformManagesAVLANFromCreationToImportToDestruction(t *testing.T) {
	acctest.Lifecycle(t, vlanCase())
}
