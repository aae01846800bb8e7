package acctest

import (
	"slices"
	"strings"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/oc"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/simulator"
)

// quirkWays are the devices with each value of each quirk alone, apart from those
// that mean what a strict device does.
func quirkWays(c *Case) []way {
	return slices.Concat(readWays(), pathWays(), setWays(c), semanticWays(c), commitWays(), transportWays(c))
}

// profileWays are the systems that simulator and provider both know.
func profileWays(c *Case) []way {
	named := map[string]names{
		"eos": {instance: "default", bgp: "BGP", static: "STATIC"}, "iosxr": {instance: "DEFAULT", bgp: "default", static: "STATIC", unit: ".10"},
		"nxos": {instance: "default", bgp: "bgp"}, "junos": {instance: "DEFAULT", bgp: "bgp", static: "static", unit: ".10"},
		"srlinux": {instance: "DEFAULT", bgp: "BGP", static: "static"}, "sonic": {instance: "default", bgp: "bgp"},
	}
	const peer = "/network-instances/network-instance/protocols/protocol/bgp/neighbors/neighbor"
	var out []way
	for _, name := range simulator.Profiles() {
		w := way{profile: name, names: named[name]}
		switch name {
		case "strict": // also in words
			w.quirks = []string{
				"absent=not_found", "get_types=all", "leaf_replies=json", "ipv6_form=compressed", "as_form=plain", "ifname_case=sensitive",
				"merge=deep", "delete_absent=ok", "delete_physical=reject", "pending_blocks_others=reject", "arbitration=ignored",
			}
		case "eos":
			w.ignores, w.defaults = enabledByItself, true
			w.limit = lonelyLAG(c)
		case "iosxr":
			w.limit = unknown(c, "/interfaces/interface/subinterfaces/subinterface/ipv4/config/enabled")
		case "junos":
			w.ignores = attachedByItself(c)
			w.limit = unknown(c, peer+"/afi-safis/afi-safi/use-multiple-paths")
		case "srlinux":
			w.ignores, w.defaults = attachedByItself(c), true
			if w.limit = lonelyLAG(c); len(c.at(peer+"/config/peer-group")) > 0 {
				w.limit = &limit{stage: "remove", text: "is missing", keep: c.at(peer + "/config/peer-group")}
			}
		}
		out = append(out, w)
		if w.limit == nil {
			w.device = verified
			out = append(out, w)
		}
	}
	return out
}

// unknown is the limit of a device that does not know a part of the model, nil
// if the case has nothing in it.
func unknown(c *Case, path string) *limit {
	omit := c.at(path)
	if len(omit) == 0 {
		return nil
	}
	return &limit{stage: "create", text: "the model has no", omit: omit}
}

// lonelyLAG is the limit of a device that forgets the type of a LAG without
// members, as the cases' is; nil if the case is about something else.
func lonelyLAG(c *Case) *limit {
	omit := c.at("/interfaces/interface/aggregation/config/lag-type")
	if len(omit) == 0 {
		return nil
	}
	return &limit{stage: "create", text: "the device lacks " + c.Entry + "/aggregation/config/lag-type", omit: omit}
}

// enabledByItself tells leaves that the profile sets where the configuration
// does not, to what the model says is their default.
func enabledByItself(path, value string) bool {
	return strings.HasSuffix(path, "/config/enabled") && value == "true"
}

// attachedByItself tells the leaves that attach the case's subinterface to the
// default network instance.
func attachedByItself(c *Case) func(path, value string) bool {
	name, of, _ := strings.Cut(strings.TrimPrefix(c.Entry, "/interfaces/interface[name="), "]")
	_, index, isSub := strings.Cut(of, "subinterface[index=")
	return func(path, _ string) bool {
		return isSub && strings.HasPrefix(path, "/network-instances/") && strings.Contains(path, "/interface[id="+name+"."+strings.TrimSuffix(index, "]")+"]/")
	}
}

// defaulted tells leaves with the model's default.
func defaulted(path, value string) bool {
	leaf, err := oc.Model.Find(strings.TrimPrefix(modelPath(path), "/"))
	return err == nil && leaf.Default != "" && leaf.Default == strings.Trim(value, `"`)
}

// plain are ways about which a user tells the provider nothing.
func plain(quirks ...string) []way {
	out := make([]way, len(quirks))
	for i, q := range quirks {
		out[i].quirks = []string{q}
	}
	return out
}

// verified are the settings of a device that has to show each change.
var verified = map[string]any{"verify_timeout": "30s"}

// overriding are the settings of a device that is told from its profile.
func overriding(name string, value any) map[string]any {
	return map[string]any{"overrides": map[string]any{name: value}}
}

func readWays() []way {
	return append(
		plain("absent=empty_object", "absent=empty_notification", "absent=no_value", "absent=empty_text", "absent=null",
			"multi_get_any_missing_fails=true",
			"get_types=all_only", "get_types=ignored", "get_types=none",
			"uint64_as_number=true", "uint32_as_string=true", "identity_prefix=always", "identity_prefix=never",
			"leaf_replies=scalar", "ipv6_form=expanded", "ipv6_form=upper",
			"as_form=dot", "vlan_ranges=split", "vlan_ranges=merged", "shuffle_lists=true", "extra_fields=true",
			"secret_form=hashed", "secret_form=masked", "secret_form=omitted", "secret_form=new_salt",
			"false_empty_every=2", "false_empty_every=3"),
		way{quirks: []string{"report_defaults=omit"}, defaults: true},
		// What is shown as a default needs not be sent, and means the same.
		way{quirks: []string{"report_defaults=explicit"}, ignores: defaulted, defaults: true},
		way{quirks: []string{"eventual=100ms"}, late: true},
		way{quirks: []string{"eventual=100ms"}, device: verified},
	)
}

func pathWays() []way {
	return append(
		plain("origin=required", "origin=ignored", "origin=silent", "ifname_case=fold", "ifref_format=name"),
		way{quirks: []string{"origin=rejected"}, device: overriding("origin", false)},
		way{quirks: []string{"default_ni_name=global"}, device: overriding("network_instance", "global"), names: names{instance: "global"}},
		way{quirks: []string{"bgp_instance_name=main"}, device: overriding("bgp", "main"), names: names{bgp: "main"}},
		way{quirks: []string{"static_instance_name=main"}, device: overriding("static", "main"), names: names{static: "main"}},
		way{quirks: []string{"ifref_format=name_dot_unit"}, names: names{unit: ".10"}},
		way{quirks: []string{"set_only_at_root=true"}, limit: &limit{stage: "create", text: "only the root can be set"}},
	)
}

func setWays(c *Case) []way {
	sample := c.sample()
	path, attribute := c.path(sample), sample.Attribute
	parts := strings.Split(c.path(Row{Leaf: "config"}), "/")
	return append(
		plain("exclusive=true", "lock_sticks_after_error=1s", "dirty_candidate_on_reject=true",
			"merge=shallow", "delete_absent=not_found", "delete_absent=error",
			"reject_code=aborted", "reject_code=internal", "reject_code=invalid_argument", "reject_code=not_found",
			"autoprune_empty_parent=true", "commit_latency=20ms", "busy_for=50ms"),
		way{quirks: []string{"locked_forever_by=console of jane"}, limit: &limit{stage: "create", text: "the configuration is locked by console of jane"}},
		way{quirks: []string{"apply_then_error=1"}, block: impatient("100ms")},
		way{quirks: []string{"apply_then_error=2"}, block: impatient("100ms")},
		way{quirks: []string{"partial_apply_then_error=2"}, again: "The device carried out a part of the change", block: impatient("100ms")},
		way{quirks: []string{"optimistic=true", "commit_latency=20ms"}, late: true},
		way{quirks: []string{"optimistic=true", "commit_latency=20ms"}, device: verified},
		way{quirks: []string{"max_operations=3"}, device: overriding("max_operations", 3)},
		way{quirks: []string{"undeletable=" + path}, limit: &limit{stage: "remove", text: "cannot be deleted", at: attribute, keep: []string{attribute}}},
		way{quirks: []string{"readonly=" + path}, limit: &limit{stage: "create", text: "cannot be written", at: attribute, omit: []string{attribute}}},
		way{quirks: []string{"unsupported=" + path}, limit: &limit{stage: "create", text: sample.Leaf[strings.LastIndexByte(sample.Leaf, '/')+1:], at: attribute, omit: []string{attribute}}},
		way{quirks: []string{"mandatory=" + path}, limit: &limit{stage: "remove", text: "is missing", at: attribute, keep: []string{attribute}}},
		way{quirks: []string{"shadow_accept=" + path}, limit: &limit{stage: "create", text: "the device lacks", omit: []string{attribute}}},
		way{
			quirks: []string{"shadow_accept=" + path}, device: map[string]any{"verify_timeout": "50ms"},
			limit: &limit{stage: "create", text: "accepted the change, and 50ms later does not show", at: attribute, omit: []string{attribute}},
		},
		way{quirks: []string{"feature_gate=" + strings.Join(parts[:len(parts)-1], "/")}, device: overriding("separate", []string{strings.Join(parts, "/")})},
	)
}

func semanticWays(c *Case) []way {
	return append(
		plain("strict_leafref=false", "vrf_move_clears_addresses=true", "peer_group_removal_deletes_neighbor=true", "require_subinterface_0=true",
			"delete_physical=reset", "delete_physical=noop", "vlan_exclusive_parent_child=true"),
		way{quirks: []string{"aggregate_atomic_update=true"}, device: overriding("atomic_lag", true), limit: lonelyLAG(c)},
		way{
			quirks: []string{"explicit_interface_in_default_ni=true"}, ignores: attachedByItself(c),
			device: map[string]any{"overrides": map[string]any{"attach_interfaces": true, "network_instance": "DEFAULT"}},
		},
	)
}
