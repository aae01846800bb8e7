package provider

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/device"
)

// profile returns how the device wants to be spoken to: the profile that its
// configuration, the provider's or the environment's names, or else the
// specification to the letter.
func (s *settings) profile() device.Profile {
	name := s.choice("profile", "OPENCONFIG_PROFILE", device.ProfileNames(), func(l layer) types.String { return l.conn.Profile })
	if name == "" {
		name = "strict"
	}
	p, _ := device.ProfileByName(name)
	return p
}

// choice is text for a setting that has one of several values. It returns
// nothing, after it has told so, for any other.
func (s *settings) choice(name, env string, values []string, field func(layer) types.String) string {
	text, from := s.find(env, field)
	if text == "" && from == nil || slices.Contains(values, text) {
		return text
	}
	problem := fmt.Sprintf("is %q; it must be one of %s.", text, quotedList(values))
	if from == nil {
		s.diags.AddError("Invalid environment", env+" "+problem)
		return ""
	}
	s.diags.AddAttributeError(from.at.AtName(name), "Invalid "+name, s.what(name, from)+" "+problem)
	return ""
}

func quotedList(values []string) string {
	quoted := make([]string, len(values))
	for i, v := range values {
		quoted[i] = fmt.Sprintf("%q", v)
	}
	return strings.Join(quoted, ", ")
}

// what names a setting of a layer; what all devices share is told once.
func (s *settings) what(name string, from *layer) string {
	if from == &s.layers[0] {
		return fmt.Sprintf("%s of device %q", name, s.config.Name)
	}
	return name
}
