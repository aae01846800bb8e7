package provider_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/acctest"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/simulator"
)

const (
	ethernet2 = "/interfaces/interface[name=Ethernet1/2]"
	vlan10    = "/network-instances/network-instance[name=DEFAULT]/vlans/vlan[vlan-id=10]"
	neighbors = "/network-instances/network-instance[name=DEFAULT]/protocols/protocol[identifier=BGP][name=BGP]/bgp/neighbors"

	vlanServers = `resource "openconfig_vlan" "this" {
  device           = "leaf1"
  network_instance = "DEFAULT"
  vlan_id          = 10
  name             = "servers"
}
`
	bgpInstance = `resource "openconfig_bgp" "this" {
  device           = "leaf1"
  network_instance = "DEFAULT"
  name             = "BGP"
  global           = { as = 65001 }
}
`
)

func run(t *testing.T, steps ...resource.TestStep) {
	t.Helper()
	acctest.Terraform(t)
	resource.UnitTest(t, resource.TestCase{ProtoV6ProviderFactories: acctest.Factories(), Steps: steps})
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func holds(t *testing.T, target *simulator.Target, path, want string) {
	t.Helper()
	if got, _ := target.Leaf(path); got != want {
		t.Errorf("%s holds %q, want %q", path, got, want)
	}
}

// plans expects what the plan does with a resource.
func plans(address string, action plancheck.ResourceActionType) resource.ConfigPlanChecks {
	return resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(address, action)}}
}

func TestAChangeByOthersShowsInThePlanAndIsRepaired(t *testing.T) {
	target := acctest.Device(t, "")
	config := acctest.Provider(target) + vlanServers
	run(t, resource.TestStep{Config: config}, resource.TestStep{
		PreConfig: func() { must(t, target.Update(vlan10+"/config", `{"name":"guests"}`)) },
		Config:    config, ConfigPlanChecks: plans("openconfig_vlan.this", plancheck.ResourceActionUpdate),
		Check: func(*terraform.State) error { holds(t, target, vlan10+"/config/name", "servers"); return nil },
	})
}

func TestADeletionByOthersShowsAsCreation(t *testing.T) {
	target := acctest.Device(t, "")
	config := acctest.Provider(target) + vlanServers
	run(t, resource.TestStep{Config: config}, resource.TestStep{
		PreConfig: func() { must(t, target.Delete(vlan10)) },
		Config:    config, ConfigPlanChecks: plans("openconfig_vlan.this", plancheck.ResourceActionCreate),
		Check: func(*terraform.State) error { holds(t, target, vlan10+"/config/name", "servers"); return nil },
	})
}

func TestLeavesOfOthersSurviveAndAreIgnored(t *testing.T) {
	target := acctest.Device(t, "")
	must(t, target.Update(ethernet2+"/config", `{"mtu":4321}`))
	block := func(description string) string {
		return acctest.Provider(target) + fmt.Sprintf("resource \"openconfig_interface\" \"this\" {\n  device = \"leaf1\"\n  name = \"Ethernet1/2\"\n  description = %q\n}\n", description)
	}
	untouched := func(*terraform.State) error { holds(t, target, ethernet2+"/config/mtu", "4321"); return nil }
	run(t,
		resource.TestStep{Config: block("one"), Check: untouched},
		resource.TestStep{Config: block("two"), Check: untouched},
		resource.TestStep{
			PreConfig: func() { must(t, target.Update(ethernet2+"/hold-time/config", `{"up":7}`)) },
			Config:    block("two"), ConfigPlanChecks: plans("openconfig_interface.this", plancheck.ResourceActionNoop),
		},
	)
	holds(t, target, ethernet2+"/config/mtu", "4321")
	holds(t, target, ethernet2+"/hold-time/config/up", "7")
	holds(t, target, ethernet2+"/config/description", "")
	holds(t, target, ethernet2+"/config/type", "ethernetCsmacd")
}

func TestAnotherSpellingOfAValuePlansNoChange(t *testing.T) {
	target := acctest.Device(t, "")
	block := func(address, mac, vlans, neighbor string) string {
		return acctest.Provider(target) + bgpInstance + fmt.Sprintf(`
resource "openconfig_subinterface" "this" {
  device    = "leaf1"
  interface = "Ethernet1/1"
  index     = 0
  ipv6      = { addresses = { %q = { prefix_length = 127 } } }
}
resource "openconfig_interface" "this" {
  device   = "leaf1"
  name     = "Ethernet1/2"
  ethernet = { mac_address = %q, switched_vlan = { trunk_vlans = %s } }
}
resource "openconfig_bgp_neighbor" "this" {
  device           = "leaf1"
  network_instance = "DEFAULT"
  protocol         = openconfig_bgp.this.name
  neighbor_address = %q
}
`, address, mac, vlans, neighbor)
	}
	first := block("2001:DB8::1", "00:53:00:AA:BB:CC", `["10-12"]`, "2001:DB8:0::2")
	run(t, resource.TestStep{Config: first}, resource.TestStep{
		Config:           block("2001:db8:0:0::1", "00:53:00:aa:bb:cc", `["10", "11", "12"]`, "2001:db8::2"),
		ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
	})
}

func TestDefaultsShownOrHiddenPlanNoChange(t *testing.T) {
	target := acctest.Device(t, "")
	config := acctest.Provider(target) + "resource \"openconfig_interface\" \"this\" {\n  device = \"leaf1\"\n  name = \"Ethernet1/2\"\n  enabled = true\n}\n"
	none := resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}
	run(t, resource.TestStep{Config: config},
		resource.TestStep{PreConfig: func() { must(t, target.Delete(ethernet2+"/config/enabled")) }, Config: config, ConfigPlanChecks: none},
		resource.TestStep{PreConfig: func() { must(t, target.Update(ethernet2+"/config", `{"loopback-mode":"NONE"}`)) }, Config: config, ConfigPlanChecks: none},
	)
}

func TestASecretIsSentWhenItsVersionChangesAndIsInNoState(t *testing.T) {
	target := acctest.Device(t, "")
	block := func(password string, version int) string {
		return acctest.Provider(target) + bgpInstance + fmt.Sprintf(`resource "openconfig_bgp_neighbor" "this" {
  device                = "leaf1"
  network_instance      = "DEFAULT"
  protocol              = openconfig_bgp.this.name
  neighbor_address      = "192.0.2.1"
  auth_password         = %q
  auth_password_version = %d
}
`, password, version)
	}
	leaf := neighbors + "/neighbor[neighbor-address=192.0.2.1]/config/auth-password"
	check := func(want string) resource.TestCheckFunc {
		return func(s *terraform.State) error {
			holds(t, target, leaf, want)
			if text := fmt.Sprint(s); strings.Contains(text, "tiger") || strings.Contains(text, "heron") {
				t.Errorf("the state has a secret: %s", text)
			}
			return nil
		}
	}
	run(t,
		resource.TestStep{Config: block("tiger", 1), Check: check("tiger")},
		resource.TestStep{Config: block("heron", 1), Check: check("tiger")},
		resource.TestStep{Config: block("heron", 2), Check: check("heron")},
	)
}

func TestAnEntryWithOtherContentIsNotTakenOver(t *testing.T) {
	target := acctest.Device(t, "")
	must(t, target.Update(vlan10, `{"vlan-id":10,"config":{"vlan-id":10,"name":"guests"}}`))
	run(t, resource.TestStep{
		Config:      acctest.Provider(target) + vlanServers,
		ExpectError: regexp.MustCompile(`(?s)exists already.*terraform import openconfig_vlan\.NAME 'leaf1,DEFAULT,10'`),
	})
	holds(t, target, vlan10+"/config/name", "guests")
	nothingWritten(t, target)
}

func nothingWritten(t *testing.T, target *simulator.Target) {
	t.Helper()
	if sets := acctest.Sets(target); len(sets) > 0 {
		t.Errorf("the device saw %d Sets, want none: %v", len(sets), sets)
	}
}

func TestAnIdenticalEntryIsAdoptedWithoutASet(t *testing.T) {
	target := acctest.Device(t, "")
	must(t, target.Update(vlan10, `{"vlan-id":10,"config":{"vlan-id":10,"name":"servers"}}`))
	run(t, resource.TestStep{
		Config: acctest.Provider(target) + vlanServers,
		Check:  func(*terraform.State) error { nothingWritten(t, target); return nil },
	})
	if target.Exists(vlan10) {
		t.Error("the adopted VLAN is still there after the destroy")
	}
}

func TestOneDeviceNeedsNoName(t *testing.T) {
	target := acctest.Device(t, "")
	run(t, resource.TestStep{
		Config: fmt.Sprintf("provider \"openconfig\" {\n  address = %q\n  plaintext = true\n}\n", target.Addr()) + strings.Replace(vlanServers, `device           = "leaf1"`, "", 1),
		Check:  func(*terraform.State) error { holds(t, target, vlan10+"/config/name", "servers"); return nil },
	})
}

func TestBadInputIsRefusedAndNothingIsWritten(t *testing.T) {
	iface := func(body string) string {
		return "resource \"openconfig_interface\" \"this\" {\n  device = \"leaf1\"\n  name = \"Ethernet1/2\"\n  " + body + "\n}\n"
	}
	addresses := func(body string) string {
		return "resource \"openconfig_subinterface\" \"this\" {\n  device = \"leaf1\"\n  interface = \"Ethernet1/1\"\n  index = 0\n  ipv6 = { addresses = { " + body + " } }\n}\n"
	}
	neighbor := func(body string) string {
		return "resource \"openconfig_bgp_neighbor\" \"this\" {\n  device = \"leaf1\"\n  network_instance = \"DEFAULT\"\n  protocol = \"BGP\"\n  " + body + "\n}\n"
	}
	for _, tt := range []struct{ name, config, want string }{
		{"VLAN 4095", strings.Replace(vlanServers, "= 10", "= 4095", 1), `vlan_id is "4095", but it must be a whole number\s+between 1 and 4094`},
		{"VLAN range backwards", iface(`ethernet = { switched_vlan = { trunk_vlans = ["20-10"] } }`), `trunk_vlans`},
		{"unknown identity", iface(`type = "carrierPigeon"`), `type is "carrierPigeon"`},
		{"MTU too large", iface(`mtu = 70000`), `mtu is "70000"`},
		{"malformed neighbor", neighbor(`neighbor_address = "192.0.2.256"`), `neighbor_address is "192.0.2.256"`},
		{"malformed address", addresses(`"2001:db8::zz" = { prefix_length = 64 }`), `(?s)2001:db8::zz.*IPv6 address`},
		{"address given twice", addresses(`"2001:db8::1" = { prefix_length = 64 }, "2001:DB8::1" = { prefix_length = 64 }`), `Key given twice`},
		{"trunk VLANs of an access port", iface(`ethernet = { switched_vlan = { interface_mode = "ACCESS", trunk_vlans = ["10"] } }`), `Invalid combination`},
		{"hold time of two seconds", neighbor("neighbor_address = \"192.0.2.1\"\n  timers = { hold_time = 2 }"), `at least 3`},
		{"secret without version", neighbor("neighbor_address = \"192.0.2.1\"\n  auth_password = \"tiger\""), `belong\s+together`},
		{"unknown device", strings.Replace(vlanServers, "leaf1", "leaf9", 1), `no device "leaf9".*"leaf1"`},
		{"no BGP instance", neighbor(`neighbor_address = "192.0.2.1"`), `(?s)protocol\[identifier=BGP\]\[name=BGP\] does not exist.*Nothing was written`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			target := acctest.Device(t, "")
			run(t, resource.TestStep{Config: acctest.Provider(target) + tt.config, ExpectError: regexp.MustCompile(tt.want)})
			nothingWritten(t, target)
		})
	}
}
