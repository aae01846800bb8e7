package kind

import (
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/device"
)

// Default is the value of a key that a configuration leaves out: a name that a
// system's devices have from the start.
type Default struct {
	// Name returns it; empty means that the system has no fixed name.
	Name func(device.Profile) string
	// Override is the setting of the provider's overrides that changes it.
	Override string
}

// NetworkInstance is the default of keys that name a network instance.
func NetworkInstance() Default {
	return Default{func(p device.Profile) string { return p.NetworkInstance }, "network_instance"}
}

// BGPInstance is the default of keys that name a BGP instance.
func BGPInstance() Default {
	return Default{func(p device.Profile) string { return p.BGP }, "bgp"}
}

// leftOut returns the keys with a default that config does not set.
func (c *compiled) leftOut(config tftypes.Value) []key {
	var out []key
	given := members(config)
	for _, k := range c.keys {
		if _, has := c.Defaults[k.name]; has && given[k.name].IsNull() {
			out = append(out, k)
		}
	}
	return out
}

// fillNames returns plan with the names of d for the keys that config leaves
// out. Without d, which means that it is not known yet, they stay as prior has
// them, or unknown. A name that is another than prior's replaces the resource:
// these keys are returned, too.
func (c *compiled) fillNames(config, prior, plan tftypes.Value, d *device.Device, diags *diag.Diagnostics) (filled tftypes.Value, replaced []path.Path) {
	keys := c.leftOut(config)
	if len(keys) == 0 {
		return plan, nil
	}
	out, before := copied(plan), members(prior)
	for _, k := range keys {
		old := before[k.name]
		if d == nil {
			if present(old) {
				out[k.name] = old
			}
			continue
		}
		name := c.Defaults[k.name].Name(d.Profile())
		if name == "" {
			diags.AddAttributeError(path.Root(k.name), "No name for "+k.name, c.namelessAdvice(k.name, d))
			continue
		}
		out[k.name] = toTerraform(k.node.Type, canonical(k.node, name))
		if !present(old) {
			continue
		}
		if canonical(k.node, toText(k.node.Type, old)) == canonical(k.node, name) {
			out[k.name] = old
			continue
		}
		replaced = append(replaced, path.Root(k.name))
	}
	return tftypes.NewValue(plan.Type(), out), replaced
}

func (c *compiled) namelessAdvice(attribute string, d *device.Device) string {
	return fmt.Sprintf("Device %q has a profile without a fixed name for it. Set %s here, or tell the provider what the device is (profile) or how it calls this (overrides.%s).",
		d.Name, attribute, c.Defaults[attribute].Override)
}

// defaultText says in a key's description that it may be left out.
func defaultText(text string) string {
	return strings.TrimSuffix(text, ".") + ". May be left out where the device's `profile` or `overrides` have a name for it."
}
