package kind

import (
	"context"
	"fmt"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	rschema "github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/schema"
)

// schema returns the resource's Terraform schema.
func (c *compiled) schema(ctx context.Context) rschema.Schema {
	attributes := c.root.attributes()
	attributes["device"] = rschema.StringAttribute{
		Optional:            true,
		MarkdownDescription: "Name of the device, as in the provider's `devices`. It may be left out when the provider has one device.",
		PlanModifiers:       []planmodifier.String{stringplanmodifier.RequiresReplace()},
	}
	for _, k := range c.keys {
		attributes[k.name] = c.keyAttribute(k)
	}
	maps.Copy(attributes, policyAttributes())
	attributes["timeouts"] = timeouts.Attributes(ctx, timeouts.Opts{Create: true, Read: true, Update: true, Delete: true})
	return rschema.Schema{MarkdownDescription: c.Text, Attributes: attributes}
}

func (c *compiled) keyAttribute(k key) rschema.Attribute {
	text := c.Keys[k.name]
	if text == "" {
		panic(fmt.Sprintf("kind %s: key %s has no text", c.Name, k.name))
	}
	if scalarType(k.node.Type).Is(tftypes.Number) {
		return rschema.Int64Attribute{
			Required: true, MarkdownDescription: text,
			Validators:    []validator.Int64{valueOf{k.node, false}},
			PlanModifiers: []planmodifier.Int64{int64planmodifier.RequiresReplace()},
		}
	}
	_, hasDefault := c.Defaults[k.name]
	if hasDefault {
		text = defaultText(text)
	}
	return rschema.StringAttribute{
		Required: !hasDefault, Optional: hasDefault, Computed: hasDefault, MarkdownDescription: text,
		Validators:    []validator.String{valueOf{k.node, false}},
		PlanModifiers: []planmodifier.String{sameKey{k.node}},
	}
}

func (a *attribute) attributes() map[string]rschema.Attribute {
	out := map[string]rschema.Attribute{}
	for _, c := range a.children {
		out[c.name] = c.attribute()
		if c.secret {
			out[c.name+versionSuffix] = rschema.Int64Attribute{
				Optional: true,
				MarkdownDescription: fmt.Sprintf("Version of `%s`. Terraform does not store the secret, so it cannot see that it changed: "+
					"change this number, and the secret is sent again. Set it together with `%s`.", c.name, c.name),
			}
		}
	}
	return out
}

// attribute returns the schema of one attribute.
func (a *attribute) attribute() rschema.Attribute {
	if a.text == "" {
		panic("attribute " + a.name + " has no text")
	}
	text, optional := a.text, !a.required
	switch a.form {
	case object:
		return rschema.SingleNestedAttribute{Optional: true, MarkdownDescription: text, Attributes: a.attributes()}
	case entryMap:
		return rschema.MapNestedAttribute{
			Optional: true, MarkdownDescription: text + " A map by `" + attributeName(a.node.Keys[0]) + "`.",
			Validators:   []validator.Map{keysOf{a.node.MustFind(a.node.Keys[0])}},
			NestedObject: rschema.NestedAttributeObject{Attributes: a.attributes()},
		}
	case entrySet:
		return rschema.SetNestedAttribute{
			Optional: true, MarkdownDescription: text,
			NestedObject: rschema.NestedAttributeObject{Attributes: a.attributes()},
		}
	}
	text += a.facts()
	check := valueOf{a.node, a.secret}
	if a.form == leafList {
		element := types.StringType
		if scalarType(a.node.Type).Is(tftypes.Number) {
			if a.node.OrderedByUser {
				return rschema.ListAttribute{Optional: true, ElementType: types.Int64Type, MarkdownDescription: text, Validators: []validator.List{check}}
			}
			return rschema.SetAttribute{Optional: true, ElementType: types.Int64Type, MarkdownDescription: text, Validators: []validator.Set{check}}
		}
		if a.node.OrderedByUser {
			return rschema.ListAttribute{Optional: true, ElementType: element, MarkdownDescription: text, Validators: []validator.List{check}}
		}
		return rschema.SetAttribute{Optional: true, ElementType: element, MarkdownDescription: text, Validators: []validator.Set{check}}
	}
	switch t := a.node.Type.Resolved(); t.Base {
	case schema.Boolean:
		return rschema.BoolAttribute{Optional: optional, Required: a.required, MarkdownDescription: text}
	case schema.Decimal64, schema.Uint64:
		return rschema.NumberAttribute{Optional: optional, Required: a.required, MarkdownDescription: text, Validators: []validator.Number{check}}
	case schema.Int8, schema.Int16, schema.Int32, schema.Int64, schema.Uint8, schema.Uint16, schema.Uint32:
		return rschema.Int64Attribute{Optional: optional, Required: a.required, MarkdownDescription: text, Validators: []validator.Int64{check}}
	}
	return rschema.StringAttribute{
		Optional: optional, Required: a.required, MarkdownDescription: text, Validators: []validator.String{check},
		WriteOnly: a.secret, Sensitive: a.secret,
	}
}

// facts says what the model knows of a leaf: its values, unit and default.
func (a *attribute) facts() string {
	text := ""
	switch t := a.node.Type.Resolved(); t.Base {
	case schema.Enumeration, schema.IdentityRef:
		if len(t.Values) > 24 {
			break // nobody reads them; the field's own text gives examples
		}
		text += " One of"
		for i, v := range t.Values {
			if i > 0 {
				text += ","
			}
			text += " `" + v.Name + "`"
		}
		text += "."
	}
	if a.node.Units != "" {
		text += " In " + a.node.Units + "."
	}
	if a.node.Default != "" {
		text += " The model's default is `" + a.node.Default + "`."
	}
	return text
}
