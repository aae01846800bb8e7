package kind

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/datatree"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/schema"
)

// valueOf checks values against the type of a leaf.
type valueOf struct {
	node   *schema.Node
	secret bool
}

var (
	_ validator.String = valueOf{}
	_ validator.Int64  = valueOf{}
	_ validator.Number = valueOf{}
	_ validator.List   = valueOf{}
	_ validator.Set    = valueOf{}
	_ validator.Map    = keysOf{}
)

// Description is part of the validator interfaces.
func (v valueOf) Description(context.Context) string { return "must be " + v.node.Type.Describe() }

// MarkdownDescription is part of the validator interfaces.
func (v valueOf) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (v valueOf) check(ctx context.Context, config tfsdk.Config, at path.Path, value attr.Value, diags *diag.Diagnostics) {
	if value.IsNull() || value.IsUnknown() {
		return
	}
	raw, err := value.ToTerraformValue(ctx)
	if err != nil {
		diags.AddAttributeError(at, "Unreadable value", err.Error())
		return
	}
	text := toText(v.node.Type, raw)
	_, err = v.node.Type.Canonical(text)
	if err == nil {
		return
	}
	problem, shown := err.Error(), fmt.Sprintf("%q", text)
	if datatree.HasVLANRange(v.node.Type) {
		problem, shown = userRange(problem), userRange(shown)
	}
	if v.secret {
		shown = "the value (which is secret)"
	}
	diags.AddAttributeError(at, "Invalid value for "+attributeName(v.node.Name),
		fmt.Sprintf("%s is %s, but it %s.%s", at, shown, problem, ofDevice(ctx, config)))
}

// ofDevice names the device of a resource's configuration, in a sentence.
func ofDevice(ctx context.Context, config tfsdk.Config) string {
	var device types.String
	if diags := config.GetAttribute(ctx, path.Root("device"), &device); diags.HasError() || device.ValueString() == "" {
		return ""
	}
	return fmt.Sprintf(" Nothing is written to device %q.", device.ValueString())
}

// ValidateString is part of validator.String.
func (v valueOf) ValidateString(ctx context.Context, req validator.StringRequest, res *validator.StringResponse) {
	v.check(ctx, req.Config, req.Path, req.ConfigValue, &res.Diagnostics)
}

// ValidateInt64 is part of validator.Int64.
func (v valueOf) ValidateInt64(ctx context.Context, req validator.Int64Request, res *validator.Int64Response) {
	v.check(ctx, req.Config, req.Path, req.ConfigValue, &res.Diagnostics)
}

// ValidateNumber is part of validator.Number.
func (v valueOf) ValidateNumber(ctx context.Context, req validator.NumberRequest, res *validator.NumberResponse) {
	v.check(ctx, req.Config, req.Path, req.ConfigValue, &res.Diagnostics)
}

// ValidateList is part of validator.List.
func (v valueOf) ValidateList(ctx context.Context, req validator.ListRequest, res *validator.ListResponse) {
	for i, e := range req.ConfigValue.Elements() {
		v.check(ctx, req.Config, req.Path.AtListIndex(i), e, &res.Diagnostics)
	}
}

// ValidateSet is part of validator.Set.
func (v valueOf) ValidateSet(ctx context.Context, req validator.SetRequest, res *validator.SetResponse) {
	for _, e := range req.ConfigValue.Elements() {
		v.check(ctx, req.Config, req.Path.AtSetValue(e), e, &res.Diagnostics)
	}
}

// keysOf checks the keys of a map: each is a value of the key leaf, and no two
// are spellings of one.
type keysOf struct{ node *schema.Node }

// Description is part of validator.Map.
func (v keysOf) Description(context.Context) string {
	return "each key must be " + v.node.Type.Describe()
}

// MarkdownDescription is part of validator.Map.
func (v keysOf) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

// ValidateMap is part of validator.Map.
func (v keysOf) ValidateMap(ctx context.Context, req validator.MapRequest, res *validator.MapResponse) {
	seen := map[string]string{}
	for name := range req.ConfigValue.Elements() {
		at := req.Path.AtMapKey(name)
		c, err := v.node.Type.Canonical(name)
		if err != nil {
			res.Diagnostics.AddAttributeError(at, "Invalid key", fmt.Sprintf("The key %q of %s %s.%s", name, req.Path, err, ofDevice(ctx, req.Config)))
			continue
		}
		if other, twice := seen[c]; twice {
			res.Diagnostics.AddAttributeError(at, "Key given twice", fmt.Sprintf("%q and %q are the same %s; keep one of them.", other, name, v.node.Name))
		}
		seen[c] = name
	}
}

// sameKey plans a replacement when a key changes, but not when only its
// spelling does. What the configuration leaves out is fillNames' to decide.
type sameKey struct{ node *schema.Node }

// Description is part of planmodifier.String.
func (m sameKey) Description(context.Context) string { return "a change replaces the resource" }

// MarkdownDescription is part of planmodifier.String.
func (m sameKey) MarkdownDescription(ctx context.Context) string { return m.Description(ctx) }

// PlanModifyString is part of planmodifier.String.
func (m sameKey) PlanModifyString(_ context.Context, req planmodifier.StringRequest, res *planmodifier.StringResponse) {
	if req.State.Raw.IsNull() || req.Plan.Raw.IsNull() || req.ConfigValue.IsNull() || req.StateValue.Equal(req.PlanValue) {
		return
	}
	if !req.PlanValue.IsUnknown() && canonical(m.node, req.PlanValue.ValueString()) == canonical(m.node, req.StateValue.ValueString()) {
		res.PlanValue = req.StateValue
		return
	}
	res.RequiresReplace = true
}

// validateConfig checks what concerns several attributes: secrets have
// versions, and the kind's rules hold.
func (c *compiled) validateConfig(config tftypes.Value, diags *diag.Diagnostics) {
	c.root.checkVersions(path.Empty(), config, diags)
	if diags.HasError() || !config.IsFullyKnown() {
		return
	}
	entry, err := c.encode(config)
	if err != nil {
		return // the attribute's own validator says so
	}
	for _, rule := range c.Rules {
		if at, problem := rule(entry); problem != "" {
			diags.AddAttributeError(attributePath(at), "Invalid combination", problem)
		}
	}
}

func (a *attribute) checkVersions(at path.Path, v tftypes.Value, diags *diag.Diagnostics) {
	m := members(v)
	for _, c := range a.children {
		if c.form == object {
			c.checkVersions(at.AtName(c.name), m[c.name], diags)
			continue
		}
		if !c.secret || !m[c.name].IsKnown() || !m[c.name+versionSuffix].IsKnown() {
			continue
		}
		if present(m[c.name]) != present(m[c.name+versionSuffix]) {
			diags.AddAttributeError(at.AtName(c.name+versionSuffix), "Secret and version belong together",
				fmt.Sprintf("%s and %s%s must be set together: the secret is not stored, and the version tells when it changed.", c.name, c.name, versionSuffix))
		}
	}
}

// encode returns the entry that the object v describes, secrets left out.
func (c *compiled) encode(v tftypes.Value) (*datatree.Node, error) {
	entry, err := datatree.New(modelRoot()).EnsureAt(c.path(c.keyTexts(v)).GetElem())
	if err != nil {
		return nil, err
	}
	return entry, c.root.encodeMembers(path.Empty(), v, entry)
}

// keyTexts returns the texts of the key attributes of v.
func (c *compiled) keyTexts(v tftypes.Value) map[string]string {
	m := members(v)
	texts := map[string]string{}
	for _, k := range c.keys {
		if present(m[k.name]) {
			texts[k.name] = toText(k.node.Type, m[k.name])
		}
	}
	return texts
}
