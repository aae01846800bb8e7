package provider

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/device"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/gnmi"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/oc"
)

// overrides are settings that come before those of a profile. Null leaves the
// profile's.
type overrides struct {
	NetworkInstance  types.String `tfsdk:"network_instance"`
	BGP              types.String `tfsdk:"bgp"`
	Static           types.String `tfsdk:"static"`
	Encoding         types.String `tfsdk:"encoding"`
	Origin           types.Bool   `tfsdk:"origin"`
	Reads            types.String `tfsdk:"reads"`
	Writes           types.String `tfsdk:"writes"`
	MaxOperations    types.Int64  `tfsdk:"max_operations"`
	Separate         types.List   `tfsdk:"separate"`
	ExplicitEnabled  types.Bool   `tfsdk:"explicit_enabled"`
	AttachInterfaces types.Bool   `tfsdk:"attach_interfaces"`
	AtomicLAG        types.Bool   `tfsdk:"atomic_lag"`
	AbortedRefuses   types.Bool   `tfsdk:"aborted_refuses"`
}

// writings are the values of overrides.writes.
func writings() []string { return []string{"json", "leaves"} }

// profile returns how the device wants to be spoken to. A device's own overrides
// come before its own profile, that before the provider's overrides, and these
// before the provider's profile and the environment's: overrides correct the
// profile that they stand beside, not one that somebody chose for a single
// device.
func (s *settings) profile() device.Profile {
	name := s.choice("profile", "OPENCONFIG_PROFILE", device.ProfileNames(), func(l layer) types.String { return l.conn.Profile })
	if name == "" {
		name = "strict"
	}
	p, _ := device.ProfileByName(name)
	for i, l := range slices.Backward(s.layers) {
		if i > 0 && !s.layers[0].conn.Profile.IsNull() {
			continue
		}
		s.override(&p, &s.layers[i], l.over)
	}
	return p
}

func (s *settings) override(p *device.Profile, from *layer, o overrides) {
	s.overrideText(&p.NetworkInstance, from, "network_instance", o.NetworkInstance)
	s.overrideText(&p.BGP, from, "bgp", o.BGP)
	s.overrideText(&p.Static, from, "static", o.Static)
	s.overrideText(&p.Wire.Encoding, from, "encoding", o.Encoding, gnmi.Encodings()...)
	s.overrideText(&p.Wire.Read, from, "reads", o.Reads, gnmi.Reads()...)
	writes := ""
	if s.overrideText(&writes, from, "writes", o.Writes, writings()...) {
		p.Wire.Leaves = writes == "leaves"
	}
	origin := !p.Wire.NoOrigin
	s.overrideFlag(&origin, o.Origin)
	p.Wire.NoOrigin = !origin
	s.overrideFlag(&p.ExplicitEnabled, o.ExplicitEnabled)
	s.overrideFlag(&p.AttachInterfaces, o.AttachInterfaces)
	s.overrideFlag(&p.AtomicLAG, o.AtomicLAG)
	s.overrideFlag(&p.Wire.AbortedRefuses, o.AbortedRefuses)
	s.overrideOperations(p, from, o)
}

func (s *settings) overrideFlag(flag *bool, v types.Bool) {
	switch {
	case v.IsUnknown():
		s.config.Unknown = true
	case !v.IsNull():
		*flag = v.ValueBool()
	}
}

// overrideText sets text, if v is set and one of values, where there are some.
// It tells whether it did.
func (s *settings) overrideText(text *string, from *layer, name string, v types.String, values ...string) bool {
	switch given := v.ValueString(); {
	case v.IsUnknown():
		s.config.Unknown = true
	case v.IsNull():
	case given == "" || len(values) > 0 && !slices.Contains(values, given):
		problem := "is empty; leave it out, or set it to a name."
		if len(values) > 0 {
			problem = fmt.Sprintf("is %q; it must be one of %s.", given, quotedList(values))
		}
		s.fault("overrides."+name, "", from, "value", problem)
	default:
		*text = given
		return true
	}
	return false
}

// overrideOperations overrides how a step is split into several Sets.
func (s *settings) overrideOperations(p *device.Profile, from *layer, o overrides) {
	switch most := o.MaxOperations.ValueInt64(); {
	case o.MaxOperations.IsUnknown():
		s.config.Unknown = true
	case o.MaxOperations.IsNull():
	case most < 0:
		s.fault("overrides.max_operations", "", from, "value", fmt.Sprintf("is %d; it must be 0, for any number, or more.", most))
	default:
		p.MaxOperations = int(most)
	}
	if o.Separate.IsUnknown() {
		s.config.Unknown = true
	}
	if o.Separate.IsNull() || o.Separate.IsUnknown() {
		return
	}
	var paths []string
	for _, e := range o.Separate.Elements() {
		text, _ := e.(types.String) // the schema has it as a list of strings
		if text.IsUnknown() {
			s.config.Unknown = true
			continue
		}
		if _, err := oc.Model.Find(strings.TrimPrefix(text.ValueString(), "/")); err != nil {
			s.fault("overrides.separate", "", from, "path",
				fmt.Sprintf("has %q, which is no path of the model; it must be one without keys, such as \"/network-instances/network-instance/config\".", text.ValueString()))
			continue
		}
		paths = append(paths, text.ValueString())
	}
	p.Separate = paths
}
