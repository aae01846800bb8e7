package simulator

import (
	"fmt"
	"maps"
	"slices"

	"github.com/openconfig/gnmi/proto/gnmi"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/schema"
)

// decoder merges values into a transaction's tree. Its errors say what is wrong
// and, for JSON, in which member; the caller adds the path and the code.
type decoder struct {
	txn *txn
	// ietf holds values to the JSON types of RFC 7951.
	ietf bool
}

// merge sets n, an instance that the transaction owns, to what it has and v on
// top. Entry is the innermost list entry around n, or nil.
func (d decoder) merge(entry, n *node, v *gnmi.TypedValue) error {
	var text []byte
	switch value := v.GetValue().(type) {
	case nil:
		return fmt.Errorf("there is no value")
	case *gnmi.TypedValue_JsonIetfVal:
		text, d.ietf = value.JsonIetfVal, true
	case *gnmi.TypedValue_JsonVal:
		text, d.ietf = value.JsonVal, false
	default:
		return d.native(entry, n, v)
	}
	body, err := decodeJSON(text)
	if err != nil {
		return err
	}
	return d.json(entry, n, body)
}

func (d decoder) native(entry, n *node, v *gnmi.TypedValue) error {
	if !n.def.isLeaf() {
		return fmt.Errorf("a %s needs a JSON value", kindName(n))
	}
	list, isList := v.GetValue().(*gnmi.TypedValue_LeaflistVal)
	if isList != (n.def.Kind == schema.LeafList) {
		return fmt.Errorf("leaflist_val is for leaf-lists, and they need it")
	}
	elements := []*gnmi.TypedValue{v}
	if isList {
		elements = list.LeaflistVal.GetElement()
	}
	values := make([]string, len(elements))
	for i, e := range elements {
		var err error
		if values[i], err = canonicalScalar(n.def.Type, e); err != nil {
			return err
		}
	}
	return d.set(entry, n, values)
}

func (d decoder) json(entry, n *node, v any) error {
	if n.def.isLeaf() {
		return d.jsonLeaf(entry, n, v)
	}
	if n.isList() {
		return d.jsonList(n, v)
	}
	body, ok := v.(map[string]any)
	if !ok {
		return fmt.Errorf("a %s needs a JSON object", kindName(n))
	}
	if n.keys != nil {
		entry = n
	}
	for _, name := range slices.Sorted(maps.Keys(body)) {
		child := n.def.member(name)
		if child == nil {
			return fmt.Errorf("the model has no member %q here", name)
		}
		if err := d.json(entry, d.txn.open(n, child), body[name]); err != nil {
			return fmt.Errorf("%s: %w", child.Name, err)
		}
	}
	return nil
}

func (d decoder) jsonList(list *node, v any) error {
	bodies, ok := v.([]any)
	if !ok {
		return fmt.Errorf("a list needs a JSON array")
	}
	seen := make(map[string]bool, len(bodies))
	for i, b := range bodies {
		body, ok := b.(map[string]any)
		if !ok {
			return fmt.Errorf("entry %d must be a JSON object", i)
		}
		keys, err := d.keys(list.def, body)
		if err != nil {
			return fmt.Errorf("entry %d: %w", i, err)
		}
		name := list.def.entryName(keys)
		if seen[name] {
			return fmt.Errorf("entry %d: there is more than one entry with the keys %q", i, keys)
		}
		seen[name] = true
		e := d.txn.entry(list, keys)
		if err := d.json(e, e, body); err != nil {
			return fmt.Errorf("entry %q: %w", keys, err)
		}
	}
	return nil
}

// keys takes an entry's keys from its body (RFC 7951, section 5.4).
func (d decoder) keys(list *def, body map[string]any) ([]string, error) {
	keys := make([]string, len(list.Keys))
	for i, key := range list.Keys {
		found := false
		for name, v := range body {
			if c := list.member(name); c == nil || c.Name != key {
				continue
			}
			c, err := canonicalJSON(list.byName[key].Type, v, d.ietf)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", key, err)
			}
			keys[i], found = c, true
		}
		if !found {
			return nil, fmt.Errorf("the key %q is missing", key)
		}
	}
	return keys, nil
}

func (d decoder) jsonLeaf(entry, n *node, v any) error {
	elements := []any{v}
	if n.def.Kind == schema.LeafList {
		var ok bool
		if elements, ok = v.([]any); !ok {
			return fmt.Errorf("a leaf-list needs a JSON array")
		}
	}
	values := make([]string, len(elements))
	for i, e := range elements {
		var err error
		if values[i], err = canonicalJSON(n.def.Type, e, d.ietf); err != nil {
			return err
		}
	}
	return d.set(entry, n, values)
}

// set gives a leaf its value, and adds to a leaf-list the values it does not
// have yet.
func (d decoder) set(entry, n *node, values []string) error {
	if n.def.Kind == schema.LeafList {
		for _, v := range values {
			if !slices.Contains(n.values, v) {
				n.values = append(n.values, v)
			}
		}
		return nil
	}
	if key := n.def.keyIndex(); key >= 0 {
		if !n.def.same(values[0], entry.keys[key]) {
			return fmt.Errorf("must be equal to the key %s of the list entry, which is %q",
				entry.def.Keys[key], entry.keys[key])
		}
		values = entry.keys[key : key+1 : key+1]
	}
	n.values = values
	return nil
}

// keyIndex is the index of the key that a leaf holds or repeats, or -1.
func (d *def) keyIndex() int {
	if d.isKey() {
		return slices.Index(d.parent.Keys, d.Name)
	}
	return d.mirrors
}

func kindName(n *node) string {
	switch {
	case n.isList():
		return "list"
	case n.keys != nil:
		return "list entry"
	case n.def.isLeaf():
		return "leaf"
	}
	return "container"
}
