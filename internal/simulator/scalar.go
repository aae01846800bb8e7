package simulator

import (
	"strconv"

	"github.com/openconfig/gnmi/proto/gnmi"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/schema"
)

// memberType is the type that decides on a canonical value: of a union the
// first member that takes it (RFC 7950, section 9.12).
func memberType(t *schema.Type, canonical string) *schema.Type {
	t = t.Resolved()
	for _, m := range t.Members {
		if _, err := m.Canonical(canonical); err == nil {
			return memberType(m, canonical)
		}
	}
	return t
}

// scalar writes a canonical value natively (gNMI specification, section 2.2.3).
func (v view) scalar(d *def, canonical string) (*gnmi.TypedValue, error) {
	t := memberType(d.Type, canonical)
	if s, other := v.quirks.text(d, t, canonical); other {
		return stringVal(s), nil
	}
	switch t.Base {
	case schema.Boolean:
		return &gnmi.TypedValue{Value: &gnmi.TypedValue_BoolVal{BoolVal: canonical == "true"}}, nil
	case schema.Int8, schema.Int16, schema.Int32, schema.Int64:
		n, err := strconv.ParseInt(canonical, 10, 64)
		return &gnmi.TypedValue{Value: &gnmi.TypedValue_IntVal{IntVal: n}}, err
	case schema.Uint8, schema.Uint16, schema.Uint32, schema.Uint64:
		n, err := strconv.ParseUint(canonical, 10, 64)
		return &gnmi.TypedValue{Value: &gnmi.TypedValue_UintVal{UintVal: n}}, err
	case schema.Decimal64:
		f, err := strconv.ParseFloat(canonical, 64)
		return &gnmi.TypedValue{Value: &gnmi.TypedValue_DoubleVal{DoubleVal: f}}, err
	case schema.Empty:
		return &gnmi.TypedValue{Value: &gnmi.TypedValue_BoolVal{BoolVal: true}}, nil
	case schema.IdentityRef:
		return stringVal(v.identity(t, canonical)), nil
	}
	return stringVal(canonical), nil
}

func stringVal(s string) *gnmi.TypedValue {
	return &gnmi.TypedValue{Value: &gnmi.TypedValue_StringVal{StringVal: s}}
}

// identity writes an identity with the prefix of its module, which RFC 7951,
// section 6.8, asks for, or without.
func (v view) identity(t *schema.Type, canonical string) string {
	prefixed := v.encoding == gnmi.Encoding_JSON_IETF && !v.scalars()
	switch v.quirks.IdentityPrefix {
	case "always":
		prefixed = true
	case "never":
		prefixed = false
	}
	if prefixed {
		for _, value := range t.Values {
			if value.Name == canonical {
				return value.Module + ":" + canonical
			}
		}
	}
	return canonical
}
