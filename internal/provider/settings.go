package provider

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/device"
)

// settings collects a device's settings: its own, then the provider's, then the
// environment's.
type settings struct {
	layers []layer
	diags  *diag.Diagnostics
	config device.Config
}

type layer struct {
	at   path.Path
	conn connection
	tls  tlsModel
	over overrides
	// commit is what commit_confirmed has.
	commit commitModel
}

func newLayer(ctx context.Context, at path.Path, c connection, diags *diag.Diagnostics) layer {
	l := layer{at: at, conn: c}
	for _, o := range []struct {
		from types.Object
		into any
	}{{c.TLS, &l.tls}, {c.Overrides, &l.over}, {c.CommitConfirmed, &l.commit}} {
		if !o.from.IsNull() && !o.from.IsUnknown() {
			diags.Append(o.from.As(ctx, o.into, basetypes.ObjectAsOptions{})...)
		}
	}
	return l
}

// unknown tells whether an object is not known yet as a whole.
func (l layer) unknown() bool {
	return l.conn.TLS.IsUnknown() || l.conn.Overrides.IsUnknown() || l.conn.CommitConfirmed.IsUnknown()
}

// text returns the first setting there is. A setting that is not known yet
// makes the device one that cannot be contacted yet.
func (s *settings) text(env string, field func(layer) types.String) string {
	text, _ := s.find(env, field)
	return text
}

// find is text, and also returns the layer that has the setting, nil for the
// environment.
func (s *settings) find(env string, field func(layer) types.String) (string, *layer) {
	for i, l := range s.layers {
		v := field(l)
		if v.IsUnknown() {
			s.config.Unknown = true
			return "", nil
		}
		if !v.IsNull() {
			return v.ValueString(), &s.layers[i]
		}
	}
	return os.Getenv(env), nil
}

func (s *settings) flag(env string, field func(layer) types.Bool) bool {
	for _, l := range s.layers {
		v := field(l)
		if v.IsUnknown() {
			s.config.Unknown = true
			return false
		}
		if !v.IsNull() {
			return v.ValueBool()
		}
	}
	text := os.Getenv(env)
	if text == "" {
		return false
	}
	b, err := strconv.ParseBool(text)
	if err != nil {
		s.diags.AddError("Invalid environment", fmt.Sprintf("%s is %q; it must be true or false.", env, text))
	}
	return b
}

func (s *settings) duration(name, env string, field func(layer) types.String) time.Duration {
	return s.durationThat(func(d time.Duration) bool { return d > 0 }, name, env, `it must be a positive duration such as "90s" or "2m".`, field)
}

// durationThat is duration for a setting with bounds of its own, which want
// says.
func (s *settings) durationThat(fits func(time.Duration) bool, name, env, want string, field func(layer) types.String) time.Duration {
	text, from := s.find(env, field)
	if text == "" {
		return 0
	}
	d, err := time.ParseDuration(text)
	if err != nil || !fits(d) {
		s.fault(name, env, from, "duration", fmt.Sprintf("is %q; %s", text, want))
		return 0
	}
	return d
}

// choice is text for a setting that has one of several values. It returns
// nothing, after it has told so, for any other.
func (s *settings) choice(name, env string, values []string, field func(layer) types.String) string {
	text, from := s.find(env, field)
	if text == "" && from == nil || slices.Contains(values, text) {
		return text
	}
	s.fault(name, env, from, "value", fmt.Sprintf("is %q; it must be one of %s.", text, quotedList(values)))
	return ""
}

func quotedList(values []string) string {
	quoted := make([]string, len(values))
	for i, v := range values {
		quoted[i] = fmt.Sprintf("%q", v)
	}
	return strings.Join(quoted, ", ")
}

// fault tells what is wrong with a setting, whose name may have dots, of a layer
// or, if that is nil, of the environment. What all devices share is told once.
func (s *settings) fault(name, env string, from *layer, kind, problem string) {
	if from == nil {
		s.diags.AddError("Invalid environment", env+" "+problem)
		return
	}
	at, what := from.at, name
	for part := range strings.SplitSeq(name, ".") {
		at = at.AtName(part)
	}
	if from == &s.layers[0] {
		what = fmt.Sprintf("%s of device %q", name, s.config.Name)
	}
	s.diags.AddAttributeError(at, "Invalid "+kind, what+" "+problem)
}
