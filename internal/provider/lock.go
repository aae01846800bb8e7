package provider

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/device"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock/backend"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/gnmi"
)

// objectHelp describes the objects of the lock block.
var objectHelp = map[string]string{
	backend.File:       "The lock as files.",
	backend.Etcd:       "The lock in etcd.",
	backend.Redis:      "The lock in Redis. Set one of `url`, `sentinel_master` and `cluster`.",
	backend.Kubernetes: "The lock as Leases of Kubernetes, one for each device.",
}

// lockAttribute is the provider's lock block, made from the table of settings.
func lockAttribute() schema.SingleNestedAttribute {
	top := map[string]schema.Attribute{}
	objects := map[string]map[string]schema.Attribute{}
	for _, s := range backend.Table() {
		attributes := top
		name := s.Name
		if object, member, nested := strings.Cut(s.Name, "."); nested {
			if objects[object] == nil {
				objects[object] = map[string]schema.Attribute{}
			}
			attributes, name = objects[object], member
		}
		attributes[name] = lockSetting(&s)
	}
	for object, attributes := range objects {
		top[object] = schema.SingleNestedAttribute{Optional: true, MarkdownDescription: objectHelp[object], Attributes: attributes}
	}
	return schema.SingleNestedAttribute{
		Optional: true, Attributes: top,
		MarkdownDescription: "The lock that every write to a device goes through: who else takes part in it, and what happens when it cannot be had. " +
			"Runs exclude each other if they use the same backend with the same settings.",
	}
}

func lockSetting(s *backend.Setting) schema.Attribute {
	help := s.Help + " Environment: `" + s.Variable() + "`"
	switch s.Form {
	case backend.Flag:
		return schema.BoolAttribute{Optional: true, MarkdownDescription: help + "."}
	case backend.List:
		return schema.ListAttribute{ElementType: types.StringType, Optional: true, MarkdownDescription: help + ", separated by commas."}
	default:
		return schema.StringAttribute{Optional: true, Sensitive: s.Secret, MarkdownDescription: help + "."}
	}
}

// readLock returns the settings of the lock: the block's, then the
// environment's. What is not known yet can matter to writes alone, which come
// when it is known: until then the lock is this process's.
func readLock(ctx context.Context, block types.Object, diags *diag.Diagnostics) backend.Settings {
	var settings backend.Settings
	given := map[string]bool{}
	known := !block.IsUnknown()
	for _, s := range backend.Table() {
		value, at := lockValue(block, s.Name)
		switch {
		case value == nil || value.IsNull():
			continue
		case value.IsUnknown():
			known = false
			continue
		}
		given[s.Name] = true
		values, unknown := texts(ctx, value, diags)
		if unknown {
			known = false
			continue
		}
		if err := s.Set(&settings, values...); err != nil {
			diags.AddAttributeError(at, "Invalid setting of the lock", "lock."+err.Error()+".")
		}
	}
	if err := backend.FromEnvironment(&settings, os.Getenv, func(name string) bool { return given[name] }); err != nil {
		diags.AddError("Invalid environment", err.Error()+".")
	}
	if !known {
		return backend.Settings{Backend: backend.Memory}
	}
	return settings
}

// lockValue returns the value of a setting by its name, and where it is; nil if
// the object that it is in is not there.
func lockValue(block types.Object, name string) (attr.Value, path.Path) {
	at := path.Root("lock")
	var value attr.Value = block
	for part := range strings.SplitSeq(name, ".") {
		object, ok := value.(types.Object)
		if !ok || object.IsNull() || object.IsUnknown() {
			return value, at
		}
		value, at = object.Attributes()[part], at.AtName(part)
	}
	return value, at
}

// texts returns a setting's value as the table of settings takes it.
func texts(ctx context.Context, value attr.Value, diags *diag.Diagnostics) (values []string, unknown bool) {
	switch v := value.(type) {
	case types.Bool:
		return []string{strconv.FormatBool(v.ValueBool())}, false
	case types.List:
		var elements []types.String
		diags.Append(v.ElementsAs(ctx, &elements, false)...)
		for _, e := range elements {
			if e.IsUnknown() {
				return nil, true
			}
			values = append(values, e.ValueString())
		}
		return values, false
	case types.String:
		return []string{v.ValueString()}, false
	}
	return nil, false
}

// checkLock checks what the lock and the devices demand of each other. Without a
// ttl of its own the lock gets one that is long enough for every Set.
func checkLock(settings *backend.Settings, configs []device.Config, diags *diag.Diagnostics) {
	if !settings.Keeps() {
		for _, c := range configs {
			if c.Arbitration {
				diags.AddError("Arbitration needs a lock beyond this process", fmt.Sprintf(
					"Device %q has arbitration = true, which sends the lock's token to the device, but lock.backend = %q has no tokens. "+
						"Choose another backend, or leave arbitration out.", c.Name, settings.Backend))
			}
		}
		return
	}
	given := settings.TTL != 0
	for _, c := range configs {
		timeout := c.GNMI.SetTimeout
		if timeout == 0 {
			timeout = gnmi.DefaultSetTimeout
		}
		what := "set_timeout"
		if c.CommitConfirmed > 0 {
			timeout += c.CommitConfirmed
			what = "set_timeout, and commit_confirmed.rollback_after on top"
		}
		if !given {
			settings.TTL = max(settings.TTL, devicelock.DefaultTTL, timeout+2*devicelock.Margin(timeout+devicelock.DefaultTTL))
		}
		if longest := settings.Longest(); timeout > longest {
			diags.AddAttributeError(path.Root("lock").AtName("ttl"), "The lock is shorter than a Set", fmt.Sprintf(
				"A Set to device %q may take %v (%s), but under this lock.ttl no longer than %v: a Set must not outlive the lock that it is sent under. "+
					"Let lock.ttl be longer, or these shorter.", c.Name, timeout, what, longest))
		}
	}
}

// lockNames returns the names of devices by the keys of their locks. A key that
// the configuration chose is a name itself.
func lockNames(configs []device.Config) map[string]string {
	names := map[string]string{}
	for _, c := range configs {
		address, err := gnmi.CanonicalAddress(c.GNMI.Address)
		if err != nil || c.LockKey != "" || c.Name == onlyDevice || names[address] != "" {
			continue
		}
		names[address] = c.Name
	}
	return names
}
