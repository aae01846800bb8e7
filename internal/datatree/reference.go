package datatree

import (
	"slices"
	"strings"

	gpb "github.com/openconfig/gnmi/proto/gnmi"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/schema"
)

// Reference is a leafref that leads to something (RFC 7950, section 9.9).
type Reference struct {
	// Leaf is the path of the leaf that refers.
	Leaf *gpb.Path
	// Value is what it refers to.
	Value string
	// Target is the path of the entry referred to, with the keys that the
	// reference determines.
	Target *gpb.Path
}

// References returns the leafrefs at and below the node at base that lead out
// of their own entry, with where they lead. n is the root.
func (n *Node) References(base *gpb.Path) []Reference {
	at := n.At(base.GetElem())
	if at == nil {
		return nil
	}
	var refs []Reference
	at.Walk(base, func(p *gpb.Path, node *Node) {
		for _, name := range node.LeafNames() {
			s := node.Schema.MustFind(name)
			if s.Type.Base != schema.LeafRef {
				continue
			}
			for _, v := range node.leaves[name] {
				leaf := Join(p, &gpb.PathElem{Name: name})
				if target := n.target(leaf, node, s.Type.Path, v); target != nil {
					refs = append(refs, Reference{Leaf: leaf, Value: v, Target: target})
				}
			}
		}
	})
	return refs
}

// Missing returns those References of base that lead to nothing.
func (n *Node) Missing(base *gpb.Path) []Reference {
	var missing []Reference
	for _, r := range n.References(base) {
		if n.At(r.Target.GetElem()) == nil {
			missing = append(missing, r)
		}
	}
	return missing
}

// Referrers returns the references from elsewhere in the tree to the entry at
// base or to what is below it. n is the root.
func (n *Node) Referrers(base *gpb.Path) []Reference {
	var refs []Reference
	for _, r := range n.References(&gpb.Path{}) {
		if within(n.Schema, r.Target, base) && !within(n.Schema, r.Leaf, base) {
			refs = append(refs, r)
		}
	}
	return refs
}

func within(root *schema.Node, p, base *gpb.Path) bool {
	if len(p.GetElem()) < len(base.GetElem()) {
		return false
	}
	s := root
	for i, b := range base.GetElem() {
		e := p.GetElem()[i]
		s = s.MustFind(b.GetName())
		if e.GetName() != b.GetName() || len(b.GetKey()) > 0 && Identity(s, e.GetKey()) != Identity(s, b.GetKey()) {
			return false
		}
	}
	return true
}

// Walk visits n, which is at p, and every node below it, in no order.
func (n *Node) Walk(p *gpb.Path, visit func(*gpb.Path, *Node)) {
	visit(p, n)
	for name, c := range n.containers {
		c.Walk(Join(p, &gpb.PathElem{Name: name}), visit)
	}
	for name, l := range n.lists {
		for _, e := range l.entries {
			e.Walk(Join(p, &gpb.PathElem{Name: name, Key: e.Keys}), visit)
		}
	}
}

// target evaluates a leafref's path from the leaf at leaf, an element of node,
// and returns the path of the list entry whose key it names, or nil for paths
// that stay in one entry or do not name a key.
func (n *Node) target(leaf *gpb.Path, node *Node, expression, value string) *gpb.Path {
	var at []*gpb.PathElem
	steps := splitSteps(strings.TrimPrefix(expression, "/"))
	if !strings.HasPrefix(expression, "/") {
		at = slices.Clone(leaf.GetElem())
		for len(steps) > 0 && steps[0] == ".." {
			at, steps = at[:len(at)-1], steps[1:]
		}
	}
	s := n.Schema
	for _, e := range at {
		s = s.MustFind(e.GetName())
	}
	found := false
	for i, step := range steps {
		name, predicate, _ := strings.Cut(step, "[")
		s = s.Child(name)
		if s == nil {
			return nil
		}
		switch s.Kind {
		case schema.Container:
			if name != "config" {
				at = append(at, &gpb.PathElem{Name: name})
			}
		case schema.List:
			e := &gpb.PathElem{Name: name, Key: map[string]string{}}
			if key, from, ok := strings.Cut(strings.TrimSuffix(predicate, "]"), "=current()/../"); ok {
				if v, ok := node.Leaf(from); ok {
					e.Key[key] = v
				}
			}
			if last := steps[len(steps)-1]; s.IsKey(last) && len(steps)-i <= 3 {
				e.Key[last] = value
				found = true
			}
			if len(e.Key) < len(s.Keys) {
				return nil
			}
			at = append(at, e)
		}
	}
	if !found {
		return nil
	}
	return &gpb.Path{Elem: at}
}

// splitSteps splits at slashes that are not inside a predicate.
func splitSteps(expression string) []string {
	var steps []string
	depth, start := 0, 0
	for i, r := range expression {
		switch r {
		case '[':
			depth++
		case ']':
			depth--
		case '/':
			if depth == 0 {
				steps = append(steps, expression[start:i])
				start = i + 1
			}
		}
	}
	return append(steps, expression[start:])
}
