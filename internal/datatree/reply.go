package datatree

import (
	"fmt"
	"strings"

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
	p, parent, s := locate(n.Schema, p)
	if s == nil {
		return nil
	}
	v = unwrapped(s, v)
	switch {
	case v == nil:
		return nil
	case s.Type == nil && (nothing(v) || stateOnly(v)):
		return nil
	case s.Type != nil && parent.IsKey(s.Name):
		return nil // entries that are state alone have it, too
	}
	within := p
	if last := p[len(p)-1]; s.Kind != schema.Container && len(last.GetKey()) == 0 {
		within = p[:len(p)-1]
		v = map[string]any{s.Name: v}
	}
	at, err := n.EnsureAt(within)
	if err != nil {
		return nil //nolint:nilerr // not of the model: not ours to manage
	}
	return at.DecodeValue(v)
}

// locate returns p without module prefixes, and the nodes of the model that its
// last element and the one above belong to; nil when the model lacks one.
func locate(s *schema.Node, p []*gpb.PathElem) (plain []*gpb.PathElem, parent, at *schema.Node) {
	at = s
	for _, e := range p {
		if parent, at = at, child(at, e.GetName()); at == nil {
			return nil, nil, nil
		}
		step := &gpb.PathElem{Name: at.Name}
		for name, value := range e.GetKey() {
			k := child(at, name)
			if k == nil || !at.IsKey(k.Name) {
				return nil, nil, nil
			}
			if step.Key == nil {
				step.Key = map[string]string{}
			}
			step.Key[k.Name] = keyText(k, value)
		}
		plain = append(plain, step)
	}
	return plain, parent, at
}

// child returns the model's node that a device's name below s means, or nil.
// Names come with a module's name or without; a vendor's augment may have the
// name of a node of OpenConfig's. Which of OpenConfig's modules has a node, or
// gives it which prefix, is not the same in all releases.
func child(s *schema.Node, name string) *schema.Node {
	module, plain, prefixed := strings.Cut(name, ":")
	if !prefixed {
		return s.Child(name)
	}
	c := s.Child(plain)
	if c == nil || module != c.Module && !strings.HasPrefix(module, "openconfig-") && !strings.HasPrefix(module, "oc-") {
		return nil
	}
	return c
}

// keyText is a key as entries have it: an identity goes without its module.
func keyText(k *schema.Node, text string) string {
	if k.Type.Resolved().Base == schema.IdentityRef {
		return bare(text)
	}
	return text
}

// unwrapped is the value of s out of an object with s as its only member, which
// some devices send for a path that ends at s.
func unwrapped(s *schema.Node, v any) any {
	if members, ok := v.(map[string]any); ok && len(members) == 1 && s.Child(s.Name) == nil {
		for name, value := range members {
			if bare(name) == s.Name {
				return value
			}
		}
	}
	return v
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
