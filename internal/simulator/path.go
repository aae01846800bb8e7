package simulator

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/schema"
)

// Origin is the origin of the paths that the target serves (gNMI
// specification, section 2.7). An empty origin means the same.
const Origin = "openconfig"

// step is one element of a path, resolved against the model. On a list, keys
// has the canonical value for each of the list's keys, or "*" for any.
type step struct {
	def  *def
	keys []string
	// state tells that the element names the state container that mirrors
	// the config container def.
	state bool
}

// wildcard tells whether the step stands for any number of entries.
func (s step) wildcard() bool { return slices.Contains(s.keys, "*") }

// resolvePath joins prefix and path, and resolves them against the model below
// root. Keys that are left out are wildcards (section 2.2.2 of the gNMI
// specification, and the path conventions document).
func resolvePath(root *def, prefix, path *gnmi.Path) ([]step, error) {
	if err := checkOrigin(prefix, path); err != nil {
		return nil, err
	}
	elems := make([]*gnmi.PathElem, 0, len(prefix.GetElem())+len(path.GetElem()))
	elems = append(append(elems, prefix.GetElem()...), path.GetElem()...)
	steps := make([]step, 0, len(elems))
	at := root
	for i, e := range elems {
		next, state := at.byName[e.GetName()], false
		if next == nil && e.GetName() == "state" && at.byName["config"] != nil {
			next, state = at.byName["config"], true
		}
		if next == nil {
			return nil, status.Errorf(codes.InvalidArgument, "%s: the model has no such node", pathText(elems[:i+1]))
		}
		s := step{def: next, state: state}
		if err := s.setKeys(e.GetKey()); err != nil {
			return nil, status.Errorf(codes.InvalidArgument, "%s: %v", pathText(elems[:i+1]), err)
		}
		steps = append(steps, s)
		at = next
	}
	return steps, nil
}

func checkOrigin(prefix, path *gnmi.Path) error {
	if prefix.GetOrigin() != "" && path.GetOrigin() != "" {
		return status.Errorf(codes.InvalidArgument, "origin is set in both prefix and path")
	}
	for _, p := range []*gnmi.Path{prefix, path} {
		if o := p.GetOrigin(); o != "" && o != Origin {
			return status.Errorf(codes.InvalidArgument, "origin %q is not supported, only %q is", o, Origin)
		}
		if len(p.GetElement()) > 0 { //nolint:staticcheck // refused because it is deprecated
			return status.Errorf(codes.InvalidArgument, "the deprecated field element of a path is not supported")
		}
	}
	return nil
}

func (s *step) setKeys(given map[string]string) error {
	if s.def.Kind != schema.List {
		if len(given) > 0 {
			return fmt.Errorf("only a list has keys")
		}
		return nil
	}
	for key := range given {
		if !s.def.IsKey(key) {
			return fmt.Errorf("the list has no key %q", key)
		}
	}
	s.keys = make([]string, len(s.def.Keys))
	for i, key := range s.def.Keys {
		text, ok := given[key]
		if !ok || text == "*" {
			s.keys[i] = "*"
			continue
		}
		canonical, err := canonicalText(s.def.byName[key].Type, text)
		if err != nil {
			return fmt.Errorf("key %s %w", key, err)
		}
		s.keys[i] = canonical
	}
	return nil
}

// matches tells whether an entry's keys are what the step asks for.
func (s step) matches(keys []string) bool {
	for i, key := range s.keys {
		if key != "*" && key != keys[i] {
			return false
		}
	}
	return true
}

// pathText writes a path as the gNMI path conventions have it. Keys are in
// alphabetical order; ] and \ in a value are escaped.
func pathText(elems []*gnmi.PathElem) string {
	var b strings.Builder
	for _, e := range elems {
		b.WriteString("/" + e.GetName())
		for _, key := range slices.Sorted(maps.Keys(e.GetKey())) {
			writeKey(&b, key, e.GetKey()[key])
		}
	}
	if b.Len() == 0 {
		return "/"
	}
	return b.String()
}

var escapeKey = strings.NewReplacer(`\`, `\\`, `]`, `\]`)

func writeKey(b *strings.Builder, key, value string) {
	b.WriteString("[" + key + "=" + escapeKey.Replace(value) + "]")
}

// joinedText is pathText of a path below a prefix.
func joinedText(prefix, path *gnmi.Path) string {
	return pathText(append(slices.Clone(prefix.GetElem()), path.GetElem()...))
}

// elemsOf returns the path of the innermost of stack, and of leaf below it
// when that is not nil. State writes the last container as its state.
func elemsOf(stack []*node, leaf *def, state bool) []*gnmi.PathElem {
	elems := make([]*gnmi.PathElem, 0, len(stack)+1)
	for i, n := range stack {
		if n.def.parent == nil {
			continue
		}
		e := &gnmi.PathElem{Name: n.def.Name}
		if i == len(stack)-1 && state {
			e.Name = "state"
		}
		if n.keys != nil {
			e.Key = make(map[string]string, len(n.keys))
			for j, key := range n.def.Keys {
				e.Key[key] = n.keys[j]
			}
		}
		elems = append(elems, e)
	}
	if leaf != nil {
		elems = append(elems, &gnmi.PathElem{Name: leaf.Name})
	}
	return elems
}

// instancePath is the text of elemsOf.
func instancePath(stack []*node, leaf *def) string {
	return pathText(elemsOf(stack, leaf, false))
}
