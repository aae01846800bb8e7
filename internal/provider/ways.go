package provider

import (
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/device"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/gnmi"
)

// commitModel is how a device takes back a change that is not confirmed.
type commitModel struct {
	RollbackAfter types.String `tfsdk:"rollback_after"`
}

// leastRollback is the shortest time that leaves a device room to carry out a
// change and the provider room to look whether it is still there.
const leastRollback = 10 * time.Second

// waysAttributes are the settings of what a device is and what its resources do
// where there is a choice.
func waysAttributes(scope string) map[string]schema.Attribute {
	choice := func(what, env string) schema.StringAttribute {
		return schema.StringAttribute{Optional: true, MarkdownDescription: what + " Environment: `" + env + "`." + scope}
	}
	return map[string]schema.Attribute{
		"profile": choice("What the device is, which decides names that may be left out and ways of speaking to it: "+listed(device.ProfileNames())+
			". The default is `strict`, the gNMI specification to the letter. The guide on profiles has what each stands for.", "OPENCONFIG_PROFILE"),
		"overrides": overridesAttribute(scope),
		"commit_confirmed": schema.SingleNestedAttribute{
			Optional: true,
			MarkdownDescription: "Changes that the device takes back by itself unless the provider confirms them (gNMI's commit-confirmed). " +
				"The provider confirms a change when it reaches the device on a new connection." + scope,
			Attributes: map[string]schema.Attribute{"rollback_after": schema.StringAttribute{
				Required: true,
				MarkdownDescription: "How long the device waits for the confirmation, such as `2m`; at least `10s`. `0s` makes changes final at once. " +
					"Environment: `OPENCONFIG_COMMIT_CONFIRMED_ROLLBACK_AFTER`.",
			}},
		},
		"batch": schema.BoolAttribute{
			Optional: true,
			MarkdownDescription: "Whether steps that wait for the device go together in one Set. What the device refuses together goes one by one, so that an error stays with its resource. " +
				"For devices that take long for a commit. The default is `false`. Environment: `OPENCONFIG_BATCH`." + scope,
		},
		"on_destroy": choice("What becomes of an entry whose resource is destroyed: `delete` (the default) takes it off the device, `reset` takes back the attributes that the resource set and leaves the entry, "+
			"`keep` leaves all as it is and sends nothing. A physical port is never deleted, but reset.", "OPENCONFIG_ON_DESTROY"),
		"on_existing": choice("What creating a resource does about an entry that the device has with other content: an `error` (the default), or to `adopt` it: the resource's attributes are set, all else stays.",
			"OPENCONFIG_ON_EXISTING"),
		"on_unreachable": choice("What reading does when the device cannot be reached: an `error` (the default), or to `keep` the state as it is, with a warning. Changes fail in any case.",
			"OPENCONFIG_ON_UNREACHABLE"),
	}
}

func listed(values []string) string { return "`" + strings.Join(values, "`, `") + "`" }

func overridesAttribute(scope string) schema.SingleNestedAttribute {
	text := func(what string) schema.StringAttribute {
		return schema.StringAttribute{Optional: true, MarkdownDescription: what}
	}
	flag := func(what string) schema.BoolAttribute {
		return schema.BoolAttribute{Optional: true, MarkdownDescription: what}
	}
	if scope != "" {
		scope = " Holds for every device that sets no `profile` of its own; a device's own overrides come before these, one by one."
	}
	return schema.SingleNestedAttribute{
		Optional:            true,
		MarkdownDescription: "Settings of the profile that the device departs from." + scope,
		Attributes: map[string]schema.Attribute{
			"network_instance": text("Name of the default network instance, for resources that leave theirs out."),
			"bgp":              text("Name of the BGP instance, for resources that leave theirs out."),
			"static":           text("Name of the protocol of static routes, for resources that leave theirs out."),
			"encoding":         text("What values are read in: " + listed(gnmi.Encodings()) + "."),
			"origin":           flag("Whether paths have the origin `openconfig`."),
			"reads": text("The best way of reading that the device serves: `config` (Get of type CONFIG), `all` (Get of all data) or `subscribe` (Subscribe ONCE). " +
				"One that does not work is given up for the next."),
			"writes":            text("How values are sent: `json` for a container at a time, or `leaves` for each leaf with a scalar of its own."),
			"max_operations":    schema.Int64Attribute{Optional: true, MarkdownDescription: "How many operations a Set may have; `0` for any number. A change with more is sent as several Sets, one after the other under one hold of the lock."},
			"separate":          schema.ListAttribute{ElementType: types.StringType, Optional: true, MarkdownDescription: "Paths without keys, such as `/network-instances/network-instance/config`, whose changes go in a Set of their own: before the rest of a change, or after it where they delete."},
			"explicit_enabled":  flag("Whether `enabled = true` is sent with what is created, where the configuration does not say."),
			"attach_interfaces": flag("Whether a new subinterface is attached to the default network instance."),
			"atomic_lag":        flag("Whether a LAG's type and members are always sent together."),
			"aborted_refuses":   flag("Whether the device answers every refusal with `Aborted`, so that such a request is not sent again."),
		},
	}
}

// rollback returns how long the device waits for a confirmation; 0 is off.
func (s *settings) rollback() time.Duration {
	return s.durationThat(func(d time.Duration) bool { return d == 0 || d >= leastRollback },
		"commit_confirmed.rollback_after", "OPENCONFIG_COMMIT_CONFIRMED_ROLLBACK_AFTER",
		fmt.Sprintf("it must be a duration of at least %s, such as \"2m\", or \"0s\" to make changes final at once.", leastRollback),
		func(l layer) types.String { return l.commit.RollbackAfter })
}

// verification returns how long the device may take to show what it accepted.
func (s *settings) verification() time.Duration {
	return s.durationThat(func(d time.Duration) bool { return d >= 0 }, "verify_timeout", "OPENCONFIG_VERIFY_TIMEOUT",
		`it must be a duration such as "5s", or "0s" to take the device at its word.`,
		func(l layer) types.String { return l.conn.VerifyTimeout })
}

// policies returns what the device's resources do where there is a choice.
func (s *settings) policies() device.Policies {
	return device.Policies{
		OnDestroy:     s.choice("on_destroy", "OPENCONFIG_ON_DESTROY", device.DestroyPolicies(), func(l layer) types.String { return l.conn.OnDestroy }),
		OnExisting:    s.choice("on_existing", "OPENCONFIG_ON_EXISTING", device.ExistingPolicies(), func(l layer) types.String { return l.conn.OnExisting }),
		OnUnreachable: s.choice("on_unreachable", "OPENCONFIG_ON_UNREACHABLE", device.UnreachablePolicies(), func(l layer) types.String { return l.conn.OnUnreachable }),
	}
}
