package kind

import (
	"context"
	"fmt"
	"slices"
	"strings"

	rschema "github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/device"
)

// The attributes of every resource that say what it does where users want
// different things, and the values that are not what happens anyway.
const (
	onDestroy  = "on_destroy"
	onExisting = "on_existing"
	keepEntry  = "keep"
	resetEntry = "reset"
	adoptEntry = "adopt"
	keepState  = "keep"
)

// policyAttributes come before the settings of the same names of the device.
func policyAttributes() map[string]rschema.Attribute {
	return map[string]rschema.Attribute{
		onDestroy: rschema.StringAttribute{
			Optional: true, Validators: []validator.String{oneOf(device.DestroyPolicies())},
			MarkdownDescription: "What becomes of the entry when the resource is destroyed: `delete` takes it off the device, `reset` takes back the attributes that the resource set and leaves the entry, " +
				"`keep` leaves all as it is. When left out, the device's `on_destroy` decides, and then it is `delete`. It has to be applied before the destruction.",
		},
		onExisting: rschema.StringAttribute{
			Optional: true, Validators: []validator.String{oneOf(device.ExistingPolicies())},
			MarkdownDescription: "What creating the resource does about an entry that the device has with other content: an `error`, or to `adopt` it: the resource's attributes are set, all else stays. " +
				"When left out, the device's `on_existing` decides, and then it is an `error`.",
		},
	}
}

// policy returns what the resource v says itself, or else the device.
func policy(v tftypes.Value, attribute, ofDevice string) string {
	own := members(v)[attribute]
	if !present(own) {
		return ofDevice
	}
	var text string
	_ = own.As(&text) // the schema has it as a string
	return text
}

// sameForDevice tells whether two values of a resource differ at most in what
// never reaches the device.
func sameForDevice(a, b tftypes.Value) bool {
	before, after := copied(a), copied(b)
	for _, name := range []string{onDestroy, onExisting, "timeouts"} {
		delete(before, name)
		delete(after, name)
	}
	if len(before) != len(after) {
		return false
	}
	for name, v := range after {
		if !v.Equal(before[name]) {
			return false
		}
	}
	return true
}

// oneOf checks that a text is one of several.
type oneOf []string

var _ validator.String = oneOf{}

// Description is part of validator.String.
func (v oneOf) Description(context.Context) string { return "must be one of " + strings.Join(v, ", ") }

// MarkdownDescription is part of validator.String.
func (v oneOf) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

// ValidateString is part of validator.String.
func (v oneOf) ValidateString(ctx context.Context, req validator.StringRequest, res *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() || slices.Contains(v, req.ConfigValue.ValueString()) {
		return
	}
	res.Diagnostics.AddAttributeError(req.Path, "Invalid value for "+req.Path.String(),
		fmt.Sprintf("%s is %q, but it %s.", req.Path, req.ConfigValue.ValueString(), v.Description(ctx)))
}
