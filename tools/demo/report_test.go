package main

import "testing"

func TestAnOrderIsRightWhenFoundationsPrecedeDependents(t *testing.T) {
	const iface, vlan, subinterface, bgp, group, neighbor = 0, 1, 2, 3, 4, 5
	tests := map[string]struct {
		order   []int
		reverse bool
		want    bool
	}{
		"built":                       {[]int{iface, vlan, subinterface, bgp, group, neighbor}, false, true},
		"foundations among one":       {[]int{subinterface, vlan, iface, bgp}, false, true},
		"foundation after dependent":  {[]int{iface, bgp, vlan}, false, false},
		"neighbor before group":       {[]int{bgp, neighbor, group}, false, false},
		"torn down":                   {[]int{neighbor, group, bgp, vlan, iface}, true, true},
		"foundation torn down early":  {[]int{neighbor, iface, bgp}, true, false},
		"something that is not known": {[]int{iface, -1}, false, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := ordered(test.order, test.reverse); got != test.want {
				t.Errorf("ordered is %t", got)
			}
		})
	}
}

func TestASetIsOfTheDeepestKindOfItsPaths(t *testing.T) {
	for path, want := range map[string]string{
		"/interfaces/interface[name=Ethernet1/1]/config/mtu":                                             "interface",
		"/interfaces/interface[name=Ethernet1/1]/subinterfaces/subinterface[index=0]":                    "subinterface",
		"/network-instances/network-instance[name=DEFAULT]/vlans/vlan[vlan-id=10]":                       "VLAN",
		"/network-instances/network-instance[name=DEFAULT]/protocols/protocol[identifier=BGP][name=b]":   "BGP",
		"/n/protocols/protocol[identifier=BGP][name=b]/bgp/peer-groups/peer-group[peer-group-name=x]":    "peer group",
		"/n/protocols/protocol[identifier=BGP][name=b]/bgp/neighbors/neighbor[neighbor-address=1.1.1.1]": "neighbor",
	} {
		k := record{Update: []string{path}}.kind()
		if k < 0 || kinds[k].name != want {
			t.Errorf("%s is of kind %d, not %s", path, k, want)
		}
	}
	if k := (record{Delete: []string{"/system"}}).kind(); k != -1 {
		t.Errorf("/system is of kind %d", k)
	}
}

func TestRunsOfOneKindAreCounted(t *testing.T) {
	if got, want := runs([]int{1, 0, 0, 3, -1}), "1 VLAN → 2 interface → 1 BGP → 1 other"; got != want {
		t.Errorf("runs is %q, not %q", got, want)
	}
}
