package kind

import (
	"errors"
	"fmt"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/device"
)

// held returns the state of a resource whose step from prior to plan failed with
// err, and whether that is known to be another one than prior: a device that
// carried out a part of a change holds neither. The state then has whatever of
// the two the device holds, and a secret that may not have arrived counts as not
// sent.
func (c *compiled) held(prior, plan tftypes.Value, err error) (tftypes.Value, bool) {
	var set *device.SetError
	if !errors.As(err, &set) || set.Effect != device.EffectPart {
		return prior, false
	}
	if set.Entry == nil {
		return tftypes.NewValue(plan.Type(), nil), true
	}
	both := copied(plan)
	maps.Copy(both, members(c.root.over(prior, plan)))
	state := c.decode(tftypes.NewValue(plan.Type(), both), set.Entry, false)
	out := copied(state)
	maps.Copy(out, members(c.root.withVersions(state, prior)))
	return tftypes.NewValue(plan.Type(), out), true
}

// over returns plan with prior's values where plan has none.
func (a *attribute) over(prior, plan tftypes.Value) tftypes.Value {
	switch {
	case !present(plan):
		return prior
	case !present(prior):
		return plan
	}
	switch a.form {
	case object:
		after, before := copied(plan), members(prior)
		for _, c := range a.children {
			after[c.name] = c.over(before[c.name], after[c.name])
		}
		return tftypes.NewValue(plan.Type(), after)
	case entryMap:
		entry := *a
		entry.form = object
		after := copied(plan)
		for name, v := range members(prior) {
			after[name] = entry.over(v, after[name])
		}
		return tftypes.NewValue(plan.Type(), after)
	case entrySet:
		return tftypes.NewValue(plan.Type(), append(elements(plan), a.without(elements(prior), elements(plan))...))
	}
	return plan
}

// without returns the entries that have other keys than all of others.
func (a *attribute) without(entries, others []tftypes.Value) []tftypes.Value {
	var left []tftypes.Value
	for _, e := range entries {
		known := false
		for _, o := range others {
			known = known || maps.Equal(a.keysOf(e), a.keysOf(o))
		}
		if !known {
			left = append(left, e)
		}
	}
	return left
}

// withVersions returns v, a value of an object, with prior's versions of
// secrets.
func (a *attribute) withVersions(v, prior tftypes.Value) tftypes.Value {
	if !present(v) {
		return v
	}
	out, before := copied(v), members(prior)
	for _, c := range a.children {
		if c.secret {
			version := c.name + versionSuffix
			out[version] = tftypes.NewValue(tftypes.Number, nil)
			if old, ok := before[version]; ok {
				out[version] = old
			}
		}
		if c.form == object {
			out[c.name] = c.withVersions(out[c.name], before[c.name])
		}
	}
	return tftypes.NewValue(v.Type(), out)
}

// secrets returns the texts of all secrets in a configuration of a.
func (a *attribute) secrets(config tftypes.Value) []string {
	var texts []string
	for _, c := range a.children {
		v := members(config)[c.name]
		switch {
		case c.secret && present(v):
			var text string
			_ = v.As(&text) // secrets are strings
			texts = append(texts, text)
		case c.form == object:
			texts = append(texts, c.secrets(v)...)
		}
	}
	return texts
}

// warnRefused returns what a step is to do when its device refuses what it
// holds.
func (r *managed) warnRefused(d *device.Device, diags *diag.Diagnostics) func(error) {
	return func(err error) {
		var memberless *device.MemberlessError
		if errors.As(err, &memberless) {
			diags.AddWarning("LAG without members",
				fmt.Sprintf("Device %q (%s): %v. The next plan will show its type as missing until an interface belongs to it.", d.Name, d.Address(), err))
			return
		}
		diags.AddWarning("Device "+quoted(d)+" reported an error for a change that it holds",
			fmt.Sprintf("Device %q (%s): %v. Reading it back showed the whole change, so it counts as done.", d.Name, d.Address(), err))
	}
}

// effectText says what a Set that failed has left on the device.
func effectText(e *device.SetError) string {
	switch e.Effect {
	case device.EffectPart:
		return "The device carried out a part of the change. The state says what it holds now; the next plan completes it."
	case device.EffectNone:
		return "The device holds nothing of the change."
	}
	return "What the device holds of the change could not be read. The next plan tells."
}

// commitAdvice says what can be done about a change that was not confirmed.
func commitAdvice(e *device.CommitError) string {
	switch {
	case e.Ignored, e.Unsupported:
		return e.Error() + ". Nothing was written. Leave commit_confirmed out for this device, and its changes are final at once."
	case e.RolledBack:
		return e.Error() + ". The device holds what it held before. Check whether the change cuts the way to it, such as the interface or the address that it is managed by."
	}
	return e.Error() + ". The next plan tells what the device holds."
}
