package bgp_test

import (
	"testing"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/acctest"
)

const bgpEntry = "/network-instances/network-instance[name=DEFAULT]/protocols/protocol[identifier=BGP][name=BGP]"

// fabric has the policies, and in the BGP instance the groups, that the
// configurations refer to.
const fabric = `{"openconfig-network-instance:network-instances":{"network-instance":[{"name":"DEFAULT","protocols":{"protocol":[
	{"identifier":"openconfig-policy-types:BGP","name":"BGP","config":{"identifier":"openconfig-policy-types:BGP","name":"BGP"},
	"bgp":{"peer-groups":{"peer-group":[
		{"peer-group-name":"first","config":{"peer-group-name":"first","peer-as":65000}},
		{"peer-group-name":"second","config":{"peer-group-name":"second"}}]},
	"neighbors":{"neighbor":[{"neighbor-address":"192.0.2.200","config":{"neighbor-address":"192.0.2.200","description":"other"}}]}}}]}}]},
	"openconfig-routing-policy:routing-policy":{"policy-definitions":{"policy-definition":[
		{"name":"first","config":{"name":"first"}},{"name":"second","config":{"name":"second"}}]}}}`

func instanceCase() acctest.Case {
	return acctest.Case{
		Type:  "openconfig_bgp",
		Keys:  map[string]any{"network_instance": "DEFAULT", "name": "BGP"},
		Entry: bgpEntry,
		KeyLeaves: map[string]string{
			"config/identifier": `"openconfig-policy-types:BGP"`,
			"config/name":       `"BGP"`,
			"bgp/global/afi-safis/afi-safi[afi-safi-name=IPV4_UNICAST]/config/afi-safi-name":                     `"openconfig-bgp-types:IPV4_UNICAST"`,
			"bgp/global/dynamic-neighbor-prefixes/dynamic-neighbor-prefix[prefix=198.51.100.0/24]/config/prefix": `"198.51.100.0/24"`,
		},
		ID:     "leaf1,DEFAULT,BGP",
		Device: fabric,
		Rows:   instanceRows(),
	}
}

func peerGroupCase() acctest.Case {
	return acctest.Case{
		Type:  "openconfig_bgp_peer_group",
		Keys:  map[string]any{"network_instance": "DEFAULT", "protocol": "BGP", "peer_group_name": "leaves"},
		Entry: bgpEntry + "/bgp/peer-groups/peer-group[peer-group-name=leaves]",
		KeyLeaves: map[string]string{
			"config/peer-group-name": `"leaves"`,
			"afi-safis/afi-safi[afi-safi-name=IPV4_UNICAST]/config/afi-safi-name": `"openconfig-bgp-types:IPV4_UNICAST"`,
		},
		ID:     "leaf1,DEFAULT,BGP,leaves",
		Device: fabric,
		Rows:   peerGroupRows(),
	}
}

func neighborCase() acctest.Case {
	return acctest.Case{
		Type:  "openconfig_bgp_neighbor",
		Keys:  map[string]any{"network_instance": "DEFAULT", "protocol": "BGP", "neighbor_address": "192.0.2.1"},
		Entry: bgpEntry + "/bgp/neighbors/neighbor[neighbor-address=192.0.2.1]",
		KeyLeaves: map[string]string{
			"config/neighbor-address": `"192.0.2.1"`,
			"afi-safis/afi-safi[afi-safi-name=IPV4_UNICAST]/config/afi-safi-name": `"openconfig-bgp-types:IPV4_UNICAST"`,
		},
		ID:     "leaf1,DEFAULT,BGP,192.0.2.1",
		Device: fabric,
		Rows:   neighborRows(),
	}
}

func TestEveryAttributeOfBGPIsTested(t *testing.T) {
	for _, c := range []acctest.Case{instanceCase(), peerGroupCase(), neighborCase()} {
		t.Run(c.Type, func(t *testing.T) { acctest.EveryAttributeIsInTheTable(t, c) })
	}
}

func TestEachAttributeOfBGPChangesItsLeafAlone(t *testing.T) {
	for _, c := range []acctest.Case{instanceCase(), peerGroupCase(), neighborCase()} {
		t.Run(c.Type, func(t *testing.T) { acctest.EachAttributeChangesItsLeafAlone(t, c) })
	}
}

func TestTerraformManagesBGPFromCreationToImportToDestruction(t *testing.T) {
	for _, c := range []acctest.Case{instanceCase(), peerGroupCase(), neighborCase()} {
		t.Run(c.Type, func(t *testing.T) { acctest.Lifecycle(t, c) })
	}
}
