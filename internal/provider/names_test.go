package provider_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/acctest"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/simulator"
)

// twoInstances is a device that calls its default network instance DEFAULT, and
// has one called default beside it.
const twoInstances = `{"openconfig-network-instance:network-instances":{"network-instance":[
	{"name":"default","config":{"name":"default","type":"openconfig-network-instance-types:L3VRF"}}]}}`

// nameless is BGP with a neighbor, and a VLAN, that leave their names to the
// device's profile.
const nameless = `resource "openconfig_vlan" "this" {
  vlan_id = 10
}
resource "openconfig_bgp" "this" {
  global = { as = 65001 }
}
resource "openconfig_bgp_neighbor" "this" {
  neighbor_address = "192.0.2.1"
  depends_on       = [openconfig_bgp.this]
}
`

// one is the provider block of one device with more settings.
func one(target *simulator.Target, settings string) string {
	return fmt.Sprintf("provider \"openconfig\" {\n  address = %q\n  plaintext = true\n  %s\n}\n", target.Addr(), settings)
}

func has(t *testing.T, target *simulator.Target, paths ...string) resource.TestCheckFunc {
	t.Helper()
	return func(*terraform.State) error {
		for _, path := range paths {
			if !target.Exists(path) {
				t.Errorf("the device has no %s", path)
			}
		}
		return nil
	}
}

func TestANameThatIsLeftOutIsTheOneOfTheProfile(t *testing.T) {
	target := acctest.Device(t, twoInstances)
	none := resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}
	protocol := func(instance, name string) []string {
		entry := fmt.Sprintf("/network-instances/network-instance[name=%s]", instance)
		return []string{
			entry + "/vlans/vlan[vlan-id=10]",
			entry + "/protocols/protocol[identifier=BGP][name=" + name + "]/bgp/neighbors/neighbor[neighbor-address=192.0.2.1]",
		}
	}
	run(t,
		resource.TestStep{Config: one(target, `profile = "eos"`) + nameless, Check: has(t, target, protocol("default", "BGP")...)},
		resource.TestStep{Config: one(target, `profile = "eos"`) + nameless, ConfigPlanChecks: none},
		resource.TestStep{
			Config:           one(target, `profile = "eos"`) + strings.Replace(nameless, "vlan_id = 10", "vlan_id = 10\n  network_instance = \"default\"", 1),
			ConfigPlanChecks: none,
		},
		resource.TestStep{
			Config: one(target, `profile = "srlinux"`) + nameless, Check: has(t, target, protocol("DEFAULT", "BGP")...),
			ConfigPlanChecks: plans("openconfig_bgp_neighbor.this", plancheck.ResourceActionDestroyBeforeCreate),
		},
	)
}

func TestALeftOutNameIsAFaultWhereTheDeviceHasNone(t *testing.T) {
	target := acctest.Device(t, "")
	run(t, resource.TestStep{
		Config:      one(target, "") + nameless,
		ExpectError: regexp.MustCompile(`(?s)No name for network_instance.*"default".*profile.*overrides\.network_instance`),
	})
	nothingWritten(t, target)
}

func TestANameThatIsLeftOutIsFoundWhenTheDeviceIsKnown(t *testing.T) {
	target := acctest.Device(t, "")
	run(t, resource.TestStep{
		Config: fmt.Sprintf("resource \"terraform_data\" \"address\" {\n  input = %q\n}\n", target.Addr()) +
			"provider \"openconfig\" {\n  address = terraform_data.address.output\n  plaintext = true\n  profile = \"srlinux\"\n}\n" + nameless,
		ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
			plancheck.ExpectUnknownValue("openconfig_vlan.this", tfjsonpath.New("network_instance")),
		}},
		Check: func(s *terraform.State) error {
			return resource.TestCheckResourceAttr("openconfig_vlan.this", "network_instance", "DEFAULT")(s)
		},
	})
}

func TestAResourceWithoutItsNamesIsCheckedLikeAnyOther(t *testing.T) {
	target := acctest.Device(t, "")
	run(t, resource.TestStep{
		Config: one(target, `profile = "srlinux"`) +
			"resource \"openconfig_bgp_neighbor\" \"this\" {\n  neighbor_address = \"192.0.2.1\"\n  timers = { hold_time = 2 }\n}\n",
		ExpectError: regexp.MustCompile(`at least 3`),
	})
}
