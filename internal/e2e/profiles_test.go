package e2e

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/simulator"
)

// site has a resource of every kind, and no name that differs from system to
// system. What can change ends in note or depends on mtu.
func site(note string, mtu int) string {
	return fmt.Sprintf(`
resource "openconfig_interface" "lag" {
  name        = "Port-Channel1"
  type        = "ieee8023adLag"
  description = "uplink %[1]s"
  enabled     = true
  aggregation = { lag_type = "LACP", min_links = 1 }
}
resource "openconfig_interface" "member" {
  count       = 2
  name        = "Ethernet1/${count.index + 1}"
  description = "member ${count.index} %[1]s"
  enabled     = true
  ethernet    = { aggregate_id = openconfig_interface.lag.name }
}
resource "openconfig_interface" "port" {
  count       = 2
  name        = "Ethernet1/${count.index + 4}"
  description = "port %[1]s"
  enabled     = true
  mtu         = %[2]d
}
resource "openconfig_subinterface" "base" {
  count     = 2
  interface = openconfig_interface.port[count.index].name
  index     = 0
  enabled   = true
}
resource "openconfig_subinterface" "routed" {
  interface   = openconfig_interface.port[0].name
  index       = 10
  description = "routed %[1]s"
  enabled     = true
  vlan        = { match = { single_tagged = { vlan_id = 10 } } }
  ipv4        = { addresses = { "192.0.2.1" = { prefix_length = 31 } } }
  ipv6        = { enabled = true, addresses = { "2001:DB8::1" = { prefix_length = 127 } } }
  depends_on  = [openconfig_subinterface.base]
}
resource "openconfig_subinterface" "customer" {
  interface   = openconfig_interface.port[1].name
  index       = 20
  description = "customer %[1]s"
  enabled     = true
  vlan        = { match = { single_tagged = { vlan_id = 20 } } }
  depends_on  = [openconfig_subinterface.base]
}
resource "openconfig_network_instance" "customer" {
  name        = "customer"
  type        = "L3VRF"
  description = "customer %[1]s"
  interfaces = {
    "${openconfig_interface.port[1].name}.20" = {
      interface    = openconfig_interface.port[1].name
      subinterface = openconfig_subinterface.customer.index
    }
  }
}
resource "openconfig_vlan" "users" {
  vlan_id = 30
  name    = "users-%[1]s"
  status  = "ACTIVE"
}
resource "openconfig_bgp" "this" {
  global = { as = 65001, router_id = "192.0.2.7", afi_safis = { IPV4_UNICAST = { enabled = true } } }
}
resource "openconfig_bgp_peer_group" "spines" {
  network_instance = openconfig_bgp.this.network_instance
  protocol         = openconfig_bgp.this.name
  peer_group_name  = "spines"
  peer_as          = 65000
  description      = "spines %[1]s"
}
resource "openconfig_bgp_neighbor" "spine" {
  network_instance = openconfig_bgp.this.network_instance
  protocol         = openconfig_bgp.this.name
  neighbor_address = "192.0.2.0"
  peer_group       = openconfig_bgp_peer_group.spines.peer_group_name
  description      = "spine %[1]s"
  enabled          = true
  afi_safis        = { IPV4_UNICAST = { enabled = true } }
}
`, note, mtu)
}

// contents is what a device holds, whatever the order of its lists.
func (d *simulated) contents() map[string]any {
	d.tb.Helper()
	var out map[string]any
	if err := json.Unmarshal([]byte(d.Config("/")), &out); err != nil {
		d.tb.Fatal(err)
	}
	return out
}

func TestASiteWithEveryKindCanBeManagedOnEverySystem(t *testing.T) {
	eachCommand(t, func(t *testing.T, command string) {
		for _, profile := range simulator.Profiles() {
			t.Run(profile, func(t *testing.T) {
				t.Parallel()
				options := simulator.Options{Exclusive: true}
				if err := options.Profile(profile); err != nil {
					t.Fatal(err)
				}
				d := startDevice(t, options)
				before := d.contents()
				settings := fmt.Sprintf("%s, profile = %q", plaintext(d.Addr()), profile)
				if profile == "strict" { // which has no names of its own
					settings += `, overrides = { network_instance = "DEFAULT", bgp = "BGP" }`
				}
				block := connection(map[string]string{"leaf1": settings})
				w := newWorkspace(t, command, block+site("first", 9000))
				w.apply().succeeded()
				w.plansClean()
				w.write(block + site("second", 1500))
				w.apply().succeeded()
				w.plansClean()
				if lag := d.Config("/interfaces/interface[name=Port-Channel1]/aggregation/config/lag-type"); lag != `"LACP"` {
					t.Errorf("the type of the LAG is %s", lag)
				}
				w.destroy().succeeded()
				if after := d.contents(); !reflect.DeepEqual(after, before) {
					t.Errorf("after all was destroyed the device has\n%v, and had\n%v", after, before)
				}
			})
		}
	})
}
