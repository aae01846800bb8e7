package datatree

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/schema"
)

// Decode reads JSON that a device sent for an instance of s and adds it to n.
// It passes over what the model does not know (state, augments, vendors'
// identities): a device may hold more than the provider manages. It fails only
// on text that is not JSON or not shaped like the model.
func (n *Node) Decode(data []byte) error {
	v, err := parse(data)
	if err != nil {
		return fmt.Errorf("reading JSON of %s: %w", n.Schema.Name, err)
	}
	return n.DecodeValue(v)
}

// parse reads JSON, with numbers as json.Number. No text is null.
func parse(data []byte) (any, error) {
	var v any
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(&v); err != nil && err != io.EOF {
		return nil, err
	}
	return v, nil
}

// DecodeValue is Decode for JSON already parsed, with numbers as json.Number.
func (n *Node) DecodeValue(v any) error {
	if list, ok := v.([]any); ok && n.Keys != nil && len(list) == 1 {
		v = list[0] // some devices answer a keyed path with an array of one
	}
	members, ok := v.(map[string]any)
	if !ok {
		if nothing(v) {
			return nil
		}
		return fmt.Errorf("%s: expected a JSON object, the device sent %T", n.Schema.Name, v)
	}
	// In order, so that a node under two names is read the same each time.
	for _, name := range slices.Sorted(maps.Keys(members)) {
		s, value := child(n.Schema, name), members[name]
		if s == nil || n.Schema.Kind == schema.List && n.Schema.IsKey(s.Name) {
			continue
		}
		switch s.Kind {
		case schema.Container:
			if _, ok := value.(map[string]any); !ok {
				continue
			}
			if err := n.Ensure(s.Name).DecodeValue(value); err != nil {
				return err
			}
		case schema.List:
			if err := n.decodeList(s, value); err != nil {
				return err
			}
		default:
			n.DecodeLeaf(s, value)
		}
	}
	return nil
}

// decodeList reads the entries of a list. What is no entry, or has no keys, is
// passed over.
func (n *Node) decodeList(s *schema.Node, v any) error {
	entries, _ := v.([]any)
	for _, e := range entries {
		members, ok := e.(map[string]any)
		if !ok || stateOnly(members) {
			continue
		}
		keys := map[string]string{}
		for _, name := range slices.Sorted(maps.Keys(members)) {
			if k := child(s, name); k != nil && s.IsKey(k.Name) && scalar(members[name]) {
				keys[k.Name] = keyText(k, Text(members[name]))
			}
		}
		if len(keys) < len(s.Keys) {
			continue
		}
		if err := n.EnsureEntry(s.Name, keys).DecodeValue(members); err != nil {
			return err
		}
	}
	return nil
}

// DecodeLeaf stores the value that a device sent for a leaf, unless the model
// does not have such a value. A leaf-list keeps what the model does not have.
func (n *Node) DecodeLeaf(s *schema.Node, v any) {
	raw, ok := v.([]any)
	if !ok || s.Kind == schema.Leaf {
		raw = []any{v}
	}
	values := make([]string, 0, len(raw))
	for _, r := range raw {
		if r == nil || s.Kind == schema.Leaf && !scalar(r) {
			continue // devices send null for a leaf that is absent
		}
		text := Text(r)
		c, err := asSent(s.Type, text)
		switch {
		case err == nil:
			values = append(values, c)
		case s.Kind == schema.LeafList:
			// Without it the list would look like one that lacks the value,
			// and be written so.
			values = append(values, text)
		}
	}
	if len(values) > 0 {
		n.SetLeaf(s.Name, values...)
	}
}

// scalar tells whether parsed JSON is a value of a leaf.
func scalar(v any) bool {
	switch v.(type) {
	case nil, []any, map[string]any:
		return false
	}
	return true
}

// Text is the YANG text of a JSON scalar.
func Text(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	case bool:
		return strconv.FormatBool(v)
	case nil:
		return ""
	}
	return fmt.Sprint(v)
}

func bare(name string) string { return name[strings.LastIndexByte(name, ':')+1:] }

// LeavesJSON returns the RFC 7951 object of leaves of the container parent, by
// their names.
func LeavesJSON(parent *schema.Node, leaves map[string][]string) ([]byte, error) {
	out := map[string]any{}
	for name, values := range leaves {
		s := parent.MustFind(name)
		v, err := LeafJSON(s, values)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		out[s.Module+":"+s.Name] = v
	}
	return json.Marshal(out)
}

// LeafJSON returns the RFC 7951 value of a leaf or leaf-list.
func LeafJSON(s *schema.Node, values []string) (any, error) {
	if s.Kind == schema.Leaf {
		return s.Type.JSON(values[0])
	}
	out := make([]any, len(values))
	for i, text := range values {
		v, err := s.Type.JSON(text)
		if err != nil {
			return nil, err
		}
		out[i] = v
	}
	return out, nil
}
