package simulator

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/openconfig/gnmi/proto/gnmi"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/schema"
)

// canonicalText is the canonical form of a value that came as text. Unlike
// schema.Type.Canonical it holds an identity's module prefix against the module.
func canonicalText(t *schema.Type, text string) (string, error) {
	if err := checkPrefix(t.Resolved(), text); err != nil {
		return "", err
	}
	return t.Canonical(text)
}

func checkPrefix(t *schema.Type, text string) error {
	module, name, prefixed := strings.Cut(text, ":")
	if t.Base != schema.IdentityRef || !prefixed {
		return nil
	}
	for _, v := range t.Values {
		if v.Name == name && v.Module == module {
			return nil
		}
	}
	return fmt.Errorf("must be %s, with no other prefix than that of the module that defines it", t.Describe())
}

// canonicalJSON is the canonical form of a value that came as JSON. With ietf,
// the JSON type must be the one that RFC 7951, section 6, has for t; without,
// numbers and booleans may also come as strings and the other way round.
func canonicalJSON(t *schema.Type, v any, ietf bool) (string, error) {
	t = t.Resolved()
	if t.Base == schema.Union {
		// RFC 7951, section 6.10: the first member with the right JSON type.
		for _, m := range t.Members {
			if c, err := canonicalJSON(m, v, ietf); err == nil {
				return c, nil
			}
		}
		return "", fmt.Errorf("must be %s", t.Describe())
	}
	var text, form string
	switch v := v.(type) {
	case string:
		text, form = v, "string"
	case json.Number:
		text, form = v.String(), "number"
	case bool:
		text, form = strconv.FormatBool(v), "boolean"
	case []any:
		if t.Base == schema.Empty && len(v) == 1 && v[0] == nil {
			return "", nil
		}
		return "", errors.New("must be one value, not an array")
	default:
		return "", errors.New("must be a value, not an object or null")
	}
	if want := jsonForm(t); ietf && form != want {
		return "", fmt.Errorf("must be a JSON %s (RFC 7951, section 6), not a %s", want, form)
	}
	return canonicalText(t, text)
}

// jsonForm is the JSON type of RFC 7951, section 6, for a type that is no union.
func jsonForm(t *schema.Type) string {
	switch t.Base {
	case schema.Int8, schema.Int16, schema.Int32, schema.Uint8, schema.Uint16, schema.Uint32:
		return "number"
	case schema.Boolean:
		return "boolean"
	case schema.Empty:
		return "array"
	}
	return "string"
}

// decodeJSON reads one JSON value, keeping numbers as they are written.
func decodeJSON(text []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, fmt.Errorf("not valid JSON: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("not valid JSON: there is more than one value")
	}
	return v, nil
}

// canonicalScalar is the canonical form of a native value (gNMI specification,
// section 2.2.3).
func canonicalScalar(t *schema.Type, v *gnmi.TypedValue) (string, error) {
	t = t.Resolved()
	if t.Base == schema.Union {
		for _, m := range t.Members {
			if c, err := canonicalScalar(m, v); err == nil {
				return c, nil
			}
		}
		return "", fmt.Errorf("must be %s", t.Describe())
	}
	var text string
	var fits bool
	integer := t.Base >= schema.Int8 && t.Base <= schema.Uint64
	switch v := v.GetValue().(type) {
	case *gnmi.TypedValue_StringVal:
		text, fits = v.StringVal, t.Base == schema.String || t.Base == schema.Enumeration || t.Base == schema.IdentityRef
	case *gnmi.TypedValue_IntVal:
		text, fits = strconv.FormatInt(v.IntVal, 10), integer
	case *gnmi.TypedValue_UintVal:
		text, fits = strconv.FormatUint(v.UintVal, 10), integer
	case *gnmi.TypedValue_BoolVal:
		text, fits = strconv.FormatBool(v.BoolVal), t.Base == schema.Boolean
		if t.Base == schema.Empty && v.BoolVal {
			return "", nil
		}
	case *gnmi.TypedValue_DoubleVal:
		text, fits = strconv.FormatFloat(v.DoubleVal, 'f', -1, 64), t.Base == schema.Decimal64
	case *gnmi.TypedValue_BytesVal:
		text, fits = base64.StdEncoding.EncodeToString(v.BytesVal), t.Base == schema.Binary
	default:
		return "", fmt.Errorf("a value of the form %T is not supported", v)
	}
	if !fits {
		return "", fmt.Errorf("must be %s, not a %s", t.Describe(), strings.TrimPrefix(fmt.Sprintf("%T", v.GetValue()), "*gnmi.TypedValue_"))
	}
	return canonicalText(t, text)
}
