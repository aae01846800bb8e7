package networkinstance_test

import (
	"testing"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/acctest"
)

func networkInstanceCase() acctest.Case {
	return acctest.Case{
		Type:  "openconfig_network_instance",
		Keys:  map[string]any{"name": "red"},
		Entry: "/network-instances/network-instance[name=red]",
		KeyLeaves: map[string]string{
			"config/name": `"red"`,
			"interfaces/interface[id=Ethernet1/2]/config/id": `"Ethernet1/2"`,
		},
		ID: "leaf1,red",
		// The instance has protocols of others, which its tables refer to.
		Device: `{"openconfig-network-instance:network-instances":{"network-instance":[
			{"name":"red","config":{"name":"red"},"protocols":{"protocol":[
				{"identifier":"openconfig-policy-types:BGP","name":"BGP","config":{"identifier":"openconfig-policy-types:BGP","name":"BGP"}},
				{"identifier":"openconfig-policy-types:STATIC","name":"S","config":{"identifier":"openconfig-policy-types:STATIC","name":"S"}}]}},
			{"name":"first","config":{"name":"first","type":"openconfig-network-instance-types:L3VRF"}},
			{"name":"second","config":{"name":"second","type":"openconfig-network-instance-types:L3VRF"}}]},
			"openconfig-interfaces:interfaces":{"interface":[
			{"name":"first","config":{"name":"first","type":"iana-if-type:softwareLoopback"},
				"subinterfaces":{"subinterface":[{"index":10,"config":{"index":10}},{"index":11,"config":{"index":11}}]}},
			{"name":"second","config":{"name":"second","type":"iana-if-type:softwareLoopback"},
				"subinterfaces":{"subinterface":[{"index":10,"config":{"index":10}},{"index":11,"config":{"index":11}}]}}]},
			"openconfig-routing-policy:routing-policy":{"policy-definitions":{"policy-definition":[
			{"name":"first","config":{"name":"first"}},{"name":"second","config":{"name":"second"}}]}}}`,
		Rows: networkInstanceRows(),
	}
}

func TestEveryAttributeOfANetworkInstanceIsTested(t *testing.T) {
	acctest.EveryAttributeIsInTheTable(t, networkInstanceCase())
}

func TestEachAttributeOfANetworkInstanceChangesItsLeafAlone(t *testing.T) {
	acctest.EachAttributeChangesItsLeafAlone(t, networkInstanceCase())
}

func TestTerraformManagesANetworkInstanceFromCreationToImportToDestruction(t *testing.T) {
	acctest.Lifecycle(t, networkInstanceCase())
}
