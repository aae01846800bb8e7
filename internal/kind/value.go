package kind

import (
	"maps"
	"math/big"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/datatree"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/schema"
)

// scalarType is the Terraform type of one value of a leaf.
func scalarType(t *schema.Type) tftypes.Type {
	switch t.Resolved().Base {
	case schema.Boolean:
		return tftypes.Bool
	case schema.Int8, schema.Int16, schema.Int32, schema.Int64, schema.Uint8, schema.Uint16, schema.Uint32, schema.Uint64, schema.Decimal64:
		return tftypes.Number
	}
	return tftypes.String
}

// toText returns the model's text of a Terraform scalar, which is known and
// not null. It need not be canonical, nor valid.
func toText(t *schema.Type, v tftypes.Value) string {
	switch {
	case v.Type().Is(tftypes.Bool):
		var b bool
		_ = v.As(&b) // the type was just checked
		return strconv.FormatBool(b)
	case v.Type().Is(tftypes.Number):
		n := new(big.Float)
		_ = v.As(&n)
		return n.Text('f', -1)
	}
	var s string
	_ = v.As(&s)
	if datatree.HasVLANRange(t) {
		return wireRange(s)
	}
	return s
}

// toTerraform is the reverse of toText, for a canonical text.
func toTerraform(t *schema.Type, text string) tftypes.Value {
	switch ty := scalarType(t); {
	case ty.Is(tftypes.Bool):
		return tftypes.NewValue(ty, text == "true")
	case ty.Is(tftypes.Number):
		n, _, err := big.ParseFloat(text, 10, 512, big.ToNearestEven)
		if err != nil {
			return tftypes.NewValue(ty, nil)
		}
		return tftypes.NewValue(ty, n)
	}
	if datatree.HasVLANRange(t) {
		text = userRange(text)
	}
	return tftypes.NewValue(tftypes.String, text)
}

// wireRange writes a VLAN range as the model has it: "10-20" becomes "10..20".
func wireRange(s string) string {
	if low, high, ok := strings.Cut(s, "-"); ok {
		return strings.TrimSpace(low) + ".." + strings.TrimSpace(high)
	}
	return s
}

// userRange writes VLAN ranges as users do.
func userRange(s string) string { return strings.ReplaceAll(s, "..", "-") }

// copied is members for a caller that changes what it gets.
func copied(v tftypes.Value) map[string]tftypes.Value { return maps.Clone(members(v)) }

// members returns the members of an object or a map. The map is the value's
// own: it must not be changed.
func members(v tftypes.Value) map[string]tftypes.Value {
	m := map[string]tftypes.Value{}
	if v.IsKnown() && !v.IsNull() {
		_ = v.As(&m) // callers pass objects and maps
	}
	return m
}

// elements returns the values of a list or set.
func elements(v tftypes.Value) []tftypes.Value {
	var l []tftypes.Value
	if v.IsKnown() && !v.IsNull() {
		_ = v.As(&l) // callers pass lists and sets
	}
	return l
}

func present(v tftypes.Value) bool { return v.IsKnown() && !v.IsNull() }
