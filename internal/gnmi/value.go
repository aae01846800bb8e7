package gnmi

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
)

// Value is JSON that a device reports for a path.
type Value struct {
	Path *gpb.Path
	JSON []byte
}

// values returns what notifications report of paths, state left out. A value
// that no leaf of YANG has is passed over where it is one among others.
func values(notifications []*gpb.Notification, paths []*gpb.Path) ([]Value, error) {
	var out []Value
	var odd error
	for _, n := range notifications {
		for _, u := range n.GetUpdate() {
			v := Value{Path: &gpb.Path{Elem: append(append([]*gpb.PathElem{}, n.GetPrefix().GetElem()...), u.GetPath().GetElem()...)}}
			if slices.ContainsFunc(v.Path.GetElem(), isState) {
				continue
			}
			switch t := u.GetVal().GetValue().(type) {
			case *gpb.TypedValue_JsonIetfVal:
				v.JSON = t.JsonIetfVal
			case *gpb.TypedValue_JsonVal:
				v.JSON = t.JsonVal
			default:
				text, err := scalar(u.GetVal())
				if err != nil {
					err = fmt.Errorf("the device sent a value of type %T: %w", u.GetVal().GetValue(), err)
				}
				if errors.Is(err, errUnsupported) && deeper(v.Path, paths) {
					odd = err
					continue
				}
				if err != nil {
					return nil, err
				}
				v.JSON = text
			}
			if len(v.JSON) > 0 {
				out = append(out, v)
			}
		}
	}
	if len(out) == 0 {
		return nil, odd
	}
	return out, nil
}

// deeper tells whether p leads further than each of paths.
func deeper(p *gpb.Path, paths []*gpb.Path) bool {
	return !slices.ContainsFunc(paths, func(asked *gpb.Path) bool { return len(p.GetElem()) <= len(asked.GetElem()) })
}

// isState tells whether e is a container of operational state, whose name the
// OpenConfig style guide reserves.
func isState(e *gpb.PathElem) bool {
	return e.GetName() == "state" || strings.HasSuffix(e.GetName(), ":state")
}

// scalar is the JSON of a natively encoded leaf.
func scalar(v *gpb.TypedValue) ([]byte, error) {
	switch t := v.GetValue().(type) {
	case *gpb.TypedValue_StringVal:
		return json.Marshal(t.StringVal)
	case *gpb.TypedValue_AsciiVal:
		return json.Marshal(t.AsciiVal)
	case *gpb.TypedValue_IntVal:
		return json.Marshal(t.IntVal)
	case *gpb.TypedValue_UintVal:
		return json.Marshal(t.UintVal)
	case *gpb.TypedValue_BoolVal:
		return json.Marshal(t.BoolVal)
	case *gpb.TypedValue_DoubleVal:
		return json.Marshal(t.DoubleVal)
	case *gpb.TypedValue_FloatVal:
		return json.Marshal(t.FloatVal) //nolint:staticcheck // deprecated, and sent by older devices
	case *gpb.TypedValue_DecimalVal:
		return json.Marshal(decimal(t.DecimalVal)) //nolint:staticcheck // deprecated, and sent by older devices
	case *gpb.TypedValue_BytesVal:
		return json.Marshal(t.BytesVal)
	case *gpb.TypedValue_LeaflistVal:
		parts := make([]json.RawMessage, 0, len(t.LeaflistVal.GetElement()))
		for _, e := range t.LeaflistVal.GetElement() {
			p, err := scalar(e)
			if err != nil {
				return nil, err
			}
			parts = append(parts, p)
		}
		return json.Marshal(parts)
	case nil:
		return nil, nil
	default:
		return nil, errUnsupported
	}
}

// errUnsupported is a value of a kind that leaves of YANG do not have.
var errUnsupported = errors.New("no value of a leaf")

// decimal is the text of a decimal64, which has up to 18 fraction digits
// (RFC 7950, section 9.3.4).
func decimal(d *gpb.Decimal64) string { //nolint:staticcheck // deprecated, and sent by older devices
	digits := min(int(d.GetPrecision()), 18)
	one := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(digits)), nil)
	return new(big.Rat).SetFrac(big.NewInt(d.GetDigits()), one).FloatString(digits)
}
