package simulator

import (
	"fmt"
	"slices"
	"strings"
)

// protocols is where the model has the protocols of a network instance.
const protocols = "/network-instances/network-instance/protocols/protocol"

// profile is a system as a bundle of quirks.
type profile struct {
	name   string
	quirks []string
}

// profiles are the systems that the simulator can stand for, from their public
// lists of deviations and from reports. Of SONiC only names, the code of
// rejections and arbitration are known.
func profiles() []profile {
	return []profile{
		{"strict", nil},
		{"eos", []string{
			"default_ni_name=default", "bgp_instance_name=BGP", "static_instance_name=STATIC", "ifname_case=sensitive",
			"report_defaults=omit", "aggregate_atomic_update=true", "vrf_move_clears_addresses=true",
		}},
		{"iosxr", []string{
			"default_ni_name=DEFAULT", "bgp_instance_name=default", "static_instance_name=STATIC", "ifref_format=name_dot_unit",
			"unsupported=/interfaces/interface/subinterfaces/subinterface/ipv4/config/enabled",
		}},
		{"nxos", []string{
			"default_ni_name=default", "bgp_instance_name=bgp", "absent=null", "max_operations=20",
			"feature_gate=" + protocols, "mandatory=" + protocols + "/bgp/global/config/as",
		}},
		{"junos", []string{
			"default_ni_name=DEFAULT", "bgp_instance_name=bgp", "static_instance_name=static", "ifref_format=name_dot_unit",
			"explicit_interface_in_default_ni=true",
			"unsupported=" + protocols + "/bgp/neighbors/neighbor/afi-safis/afi-safi/use-multiple-paths",
		}},
		{"srlinux", []string{
			"default_ni_name=DEFAULT", "bgp_instance_name=BGP", "static_instance_name=static", "report_defaults=omit",
			"explicit_interface_in_default_ni=true", "aggregate_atomic_update=true", "vlan_exclusive_parent_child=true",
			"unsupported=/routing-policy/defined-sets/prefix-sets/prefix-set/config/mode",
			"mandatory=" + protocols + "/bgp/neighbors/neighbor/config/peer-group",
		}},
		{"sonic", []string{
			"default_ni_name=default", "bgp_instance_name=bgp", "get_types=all_only", "reject_code=aborted", "arbitration=full",
		}},
	}
}

// Profiles lists the names of the profiles, strict first.
func Profiles() []string {
	var names []string
	for _, p := range profiles() {
		names = append(names, p.name)
	}
	return names
}

// Profile sets the quirks of a system, and leaves others as they are. It reports
// names that there are not.
func (o *Options) Profile(name string) error {
	all := profiles()
	i := slices.IndexFunc(all, func(p profile) bool { return p.name == name })
	if i < 0 {
		return fmt.Errorf("there is no profile %q, only %s", name, strings.Join(Profiles(), ", "))
	}
	for _, quirk := range all[i].quirks {
		if err := o.Quirk(quirk); err != nil {
			return fmt.Errorf("profile %s: %w", name, err)
		}
	}
	return nil
}
