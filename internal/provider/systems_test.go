package provider_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/acctest"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/device"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/simulator"
)

// everywhere is a configuration that names no system: the order in which it is
// applied, and what each resource has.
var everywhere = []struct {
	kind             string
	attributes, next map[string]any
}{
	{
		"openconfig_interface",
		map[string]any{"name": "Ethernet1/1", "description": "to spine1", "mtu": 9100},
		map[string]any{"name": "Ethernet1/1", "description": "to spine2"},
	},
	{
		"openconfig_vlan",
		map[string]any{"vlan_id": 10, "name": "servers"},
		map[string]any{"vlan_id": 10, "name": "guests"},
	},
	{
		"openconfig_subinterface",
		map[string]any{"interface": "Ethernet1/1", "index": 0, "ipv4": map[string]any{"addresses": map[string]any{"192.0.2.0": map[string]any{"prefix_length": 31}}}},
		map[string]any{"interface": "Ethernet1/1", "index": 0, "ipv4": map[string]any{"addresses": map[string]any{"192.0.2.2": map[string]any{"prefix_length": 31}}}},
	},
	{
		"openconfig_bgp",
		map[string]any{"global": map[string]any{"as": 65001, "router_id": "192.0.2.1"}},
		map[string]any{"global": map[string]any{"as": 65001, "router_id": "192.0.2.2"}},
	},
	{
		"openconfig_bgp_peer_group",
		map[string]any{"peer_group_name": "spines", "peer_as": 65000},
		map[string]any{"peer_group_name": "spines", "peer_as": 65002},
	},
	{
		"openconfig_bgp_neighbor",
		map[string]any{"neighbor_address": "192.0.2.1", "peer_group": "spines", "description": "spine1"},
		map[string]any{"neighbor_address": "192.0.2.1", "peer_group": "spines"},
	},
}

func TestAConfigurationWithoutNamesFitsEverySystem(t *testing.T) {
	for _, name := range device.ProfileNames() {
		if profile, _ := device.ProfileByName(name); profile.NetworkInstance == "" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var o simulator.Options
			must(t, o.Profile(name))
			target := acctest.Simulate(t, o)
			before := acctest.Leaves(t, target)
			var sessions []*acctest.Session
			for _, r := range everywhere {
				s := acctest.NewSessionAt(t, target.Addr(), r.kind, map[string]any{"profile": name})
				sessions = append(sessions, s)
				for _, attributes := range []map[string]any{r.attributes, r.next} {
					s.Apply(attributes)
					fresh := acctest.NewSessionAt(t, target.Addr(), r.kind, map[string]any{"profile": name})
					fresh.State = s.State
					if fresh.Refresh(); !fresh.State.Equal(s.State) {
						t.Errorf("%s: reading makes\n%s\nof\n%s", r.kind, fresh.State, s.State)
					}
					if fresh.Apply(attributes) {
						t.Errorf("%s: the same configuration plans a change", r.kind)
					}
				}
			}
			for i := range sessions {
				sessions[len(sessions)-1-i].Destroy()
			}
			for path := range acctest.Leaves(t, target) {
				// A physical port is reset of what its resource set, and stays on.
				if _, ok := before[path]; !ok && path != "/interfaces/interface[name=Ethernet1/1]/config/enabled" {
					t.Errorf("%s is left behind", path)
				}
			}
		})
	}
}

func TestTheGuideHasEveryProfileAsItIs(t *testing.T) {
	text, err := os.ReadFile("../../templates/guides/profiles.md.tmpl")
	must(t, err)
	for _, name := range device.ProfileNames() {
		profile, _ := device.ProfileByName(name)
		var row string
		for line := range strings.Lines(string(text)) {
			if strings.HasPrefix(line, "| `"+name+"` (") {
				row = line
			}
		}
		cells := strings.Split(row, "|")
		if len(cells) != 7 {
			t.Errorf("the guide has no row for %s", name)
			continue
		}
		var others []string
		for setting, has := range map[string]bool{
			"explicit_enabled": profile.ExplicitEnabled, "attach_interfaces": profile.AttachInterfaces, "atomic_lag": profile.AtomicLAG, "aborted_refuses": profile.Wire.AbortedRefuses,
			fmt.Sprint("max_operations = ", profile.MaxOperations): profile.MaxOperations > 0, "separate": len(profile.Separate) > 0,
			"encoding": profile.Wire.Encoding != "", "origin": profile.Wire.NoOrigin, "reads": profile.Wire.Read != "", "writes": profile.Wire.Leaves,
		} {
			if has {
				others = append(others, setting)
			}
			if mentioned := strings.Contains(cells[5], "`"+setting+"`"); mentioned != has {
				t.Errorf("%s has %s: %t; the guide says %t", name, setting, has, mentioned)
			}
		}
		for i, want := range []string{profile.NetworkInstance, profile.BGP, profile.Static} {
			if got := strings.Trim(cells[i+2], " `"); got != want {
				t.Errorf("%s: the guide has the name %q, want %q", name, got, want)
			}
		}
		if n := strings.Count(cells[5], "`") / 2; n != len(others) {
			t.Errorf("%s: the guide has %d other settings, want %q", name, n, others)
		}
	}
}
