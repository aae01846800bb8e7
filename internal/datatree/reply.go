package datatree

import (
	"fmt"

	gpb "github.com/openconfig/gnmi/proto/gnmi"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/schema"
)

// DecodeAt adds the JSON that stands for the value at p to n. A path that the
// model does not have is passed over, as is state, and JSON that holds nothing
// adds nothing: devices answer so that a path is absent.
func (n *Node) DecodeAt(p []*gpb.PathElem, data []byte) error {
	v, err := parse(data)
	if err != nil {
		return fmt.Errorf("reading JSON of %s: %w", PathText(&gpb.Path{Elem: p}), err)
	}
	if len(p) == 0 {
		return n.DecodeValue(v)
	}
	parent, last := n.Schema, p[len(p)-1]
	for _, e := range p[:len(p)-1] {
		if parent = parent.Child(e.GetName()); parent == nil {
			return nil
		}
	}
	s := parent.Child(last.GetName())
	switch {
	case s == nil, v == nil:
		return nil
	case s.Type == nil && (nothing(v) || stateOnly(v)):
		return nil
	case s.Type != nil && parent.IsKey(s.Name):
		return nil // entries that are state alone have it, too
	}
	within := p
	if s.Kind != schema.Container && len(last.GetKey()) == 0 {
		within = p[:len(p)-1]
		v = map[string]any{s.Name: v}
	}
	at, err := n.EnsureAt(within)
	if err != nil {
		return nil //nolint:nilerr // not of the model: not ours to manage
	}
	return at.DecodeValue(v)
}

// nothing tells whether parsed JSON of a container, a list or an entry holds
// no value.
func nothing(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case []any:
		for _, e := range v {
			if !nothing(e) {
				return false
			}
		}
		return true
	case map[string]any:
		for _, member := range v {
			if !nothing(member) {
				return false
			}
		}
		return true
	}
	return false
}

// stateOnly tells whether parsed JSON of a container, a list or an entry
// reports operational state and no configuration. Where a device tells both,
// there are entries that nobody configured: learned neighbors and addresses,
// unused ports.
func stateOnly(v any) bool { return !holds(v, "config") && holds(v, "state") }

// holds tells whether parsed JSON has a container of that name, below state
// excepted.
func holds(v any, name string) bool {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			if holds(e, name) {
				return true
			}
		}
	case map[string]any:
		for member, value := range v {
			_, container := value.(map[string]any)
			if container && bare(member) == name || bare(member) != "state" && holds(value, name) {
				return true
			}
		}
	}
	return false
}
