package interfaces_test

import (
	"testing"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/acctest"
)

func interfaceCase() acctest.Case {
	return acctest.Case{
		Type:      "openconfig_interface",
		Keys:      map[string]any{"name": "Port-Channel1"},
		Entry:     "/interfaces/interface[name=Port-Channel1]",
		KeyLeaves: map[string]string{"config/name": `"Port-Channel1"`},
		ID:        "leaf1,Port-Channel1",
		Keep:      []string{"type"},
		Device: `{"openconfig-interfaces:interfaces":{"interface":[
			{"name":"first","config":{"name":"first","type":"iana-if-type:ieee8023adLag","description":"LAG"}},
			{"name":"second","config":{"name":"second","type":"iana-if-type:ieee8023adLag"}}]}}`,
		Rows: interfaceRows(),
	}
}

func TestEveryAttributeOfAnInterfaceIsTested(t *testing.T) {
	acctest.EveryAttributeIsInTheTable(t, interfaceCase())
}

func TestEachAttributeOfAnInterfaceChangesItsLeafAlone(t *testing.T) {
	acctest.EachAttributeChangesItsLeafAlone(t, interfaceCase())
}

func TestTerraformManagesAnInterfaceFromCreationToImportToDestruction(t *testing.T) {
	acctest.Lifecycle(t, interfaceCase())
}
