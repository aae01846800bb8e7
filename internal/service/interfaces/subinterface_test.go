package interfaces_test

import (
	"testing"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/acctest"
)

func subinterfaceCase() acctest.Case {
	return acctest.Case{
		Type:  "openconfig_subinterface",
		Keys:  map[string]any{"interface": "Ethernet1/1", "index": 7},
		Entry: "/interfaces/interface[name=Ethernet1/1]/subinterfaces/subinterface[index=7]",
		KeyLeaves: map[string]string{
			"config/index": `7`,
			"ipv4/addresses/address[ip=192.0.2.1]/config/ip":   `"192.0.2.1"`,
			"ipv6/addresses/address[ip=2001:db8::1]/config/ip": `"2001:db8::1"`,
		},
		ID: "leaf1,Ethernet1/1,7",
		Device: `{"openconfig-interfaces:interfaces":{"interface":[
			{"name":"Ethernet1/1","config":{"description":"port"},"subinterfaces":{"subinterface":[{"index":0,"config":{"index":0}}]}},
			{"name":"first","config":{"name":"first","type":"iana-if-type:softwareLoopback"},
				"subinterfaces":{"subinterface":[{"index":10,"config":{"index":10}},{"index":11,"config":{"index":11}}]}},
			{"name":"second","config":{"name":"second","type":"iana-if-type:softwareLoopback"},
				"subinterfaces":{"subinterface":[{"index":10,"config":{"index":10}},{"index":11,"config":{"index":11}}]}}]}}`,
		Rows: subinterfaceRows(),
	}
}

func TestEveryAttributeOfASubinterfaceIsTested(t *testing.T) {
	acctest.EveryAttributeIsInTheTable(t, subinterfaceCase())
}

func TestEachAttributeOfASubinterfaceChangesItsLeafAlone(t *testing.T) {
	acctest.EachAttributeChangesItsLeafAlone(t, subinterfaceCase())
}

func TestTerraformManagesASubinterfaceFromCreationToImportToDestruction(t *testing.T) {
	acctest.Lifecycle(t, subinterfaceCase())
}
