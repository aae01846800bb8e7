package simulator

import (
	"fmt"
	"slices"
	"strings"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/schema"
)

// leafref is a leafref's path expression (RFC 7950, section 9.9.2), resolved
// against the model.
type leafref struct {
	leaf *def
	text string
	// ancestor is the container or list where the leaf's way up ends, the root
	// for an absolute path; steps lead from there down to target.
	ancestor *def
	steps    []refStep
	target   *def
}

// refStep is one step down. On a list, where says which entries count.
type refStep struct {
	def   *def
	where []refKey
}

// refKey is a predicate [key=current()/../from]: the entry's key leaf has the
// value of the leaf from, which is found below ancestor.
type refKey struct {
	key      *def
	ancestor *def
	from     []*def
}

// dependent says that ref has to be checked again below an instance of
// ancestor when a value of the leaf that holds the dependent goes. A value that
// comes breaks nothing: what led nowhere without it was refused before.
type dependent struct {
	ref      *leafref
	ancestor *def
}

// bindLeafrefs resolves the leafrefs of all leaves below d. A leafref that
// leads out of the model cannot be checked, and is not.
func bindLeafrefs(root, d *def) {
	if d.isLeaf() && d.Type.Base == schema.LeafRef {
		if ref := parseLeafref(root, d); ref != nil {
			d.ref = ref
			ref.target.dependents = append(ref.target.dependents, dependent{ref, ref.ancestor})
			for _, s := range ref.steps {
				for _, w := range s.where {
					from := w.from[len(w.from)-1]
					from.dependents = append(from.dependents, dependent{ref, w.ancestor})
				}
			}
		}
	}
	for _, c := range d.children {
		bindLeafrefs(root, c)
	}
}

// parseLeafref returns nil where the model lacks a part of the path.
func parseLeafref(root, leaf *def) *leafref {
	ref := &leafref{leaf: leaf, text: leaf.Type.Path}
	at, rest := climb(root, leaf, ref.text)
	if at == nil {
		return nil
	}
	ref.ancestor = at
	for _, part := range splitPath(rest) {
		name, predicates, _ := strings.Cut(part, "[")
		if at = at.byName[strings.TrimSpace(name)]; at == nil {
			return nil
		}
		step := refStep{def: at}
		for predicate := range strings.SplitSeq(predicates, "[") {
			predicate = strings.TrimSuffix(strings.TrimSpace(predicate), "]")
			if predicate == "" {
				continue
			}
			key, from, _ := strings.Cut(predicate, "=")
			from, relative := strings.CutPrefix(strings.TrimSpace(from), "current()/")
			w := refKey{key: at.byName[strings.TrimSpace(key)]}
			if w.key == nil || !relative {
				return nil
			}
			w.ancestor, from = climb(root, leaf, from)
			for below, parts := w.ancestor, splitPath(from); len(parts) > 0; parts = parts[1:] {
				if below == nil || below.byName[parts[0]] == nil {
					return nil
				}
				below = below.byName[parts[0]]
				w.from = append(w.from, below)
			}
			if len(w.from) == 0 {
				return nil
			}
			step.where = append(step.where, w)
		}
		ref.steps = append(ref.steps, step)
	}
	if !at.isLeaf() {
		return nil
	}
	ref.target = at
	return ref
}

// climb follows the leading .. of a path expression, and returns where they
// end and what remains.
func climb(root, leaf *def, path string) (*def, string) {
	if rest, absolute := strings.CutPrefix(path, "/"); absolute {
		return root, rest
	}
	at := leaf
	for {
		rest, up := strings.CutPrefix(path, "../")
		if !up {
			return at, path
		}
		if at == nil {
			return nil, ""
		}
		at, path = at.parent, rest
	}
}

// splitPath splits at the slashes outside of predicates.
func splitPath(path string) []string {
	var parts []string
	start, inside := 0, false
	for i := range len(path) {
		switch path[i] {
		case '[':
			inside = true
		case ']':
			inside = false
		case '/':
			if !inside {
				parts = append(parts, path[start:i])
				start = i + 1
			}
		}
	}
	return append(parts, path[start:])
}

// check reports the values of leaf, an instance of the reference's leaf whose
// containers and entries from the root are stack, that lead to nothing.
func (r *leafref) check(stack []*node, leaf *node) error {
	for _, value := range leaf.values {
		if !r.leads(stack, stack[r.ancestor.depth], r.steps, value) {
			return fmt.Errorf("leafref %s: %s has no value %q",
				instancePath(stack, leaf.def), r.describe(stack), value)
		}
	}
	return nil
}

// leads tells whether the steps from n reach a leaf that has value.
func (r *leafref) leads(stack []*node, n *node, steps []refStep, value string) bool {
	c := n.child(steps[0].def)
	if c == nil {
		return false
	}
	rest := steps[1:]
	if len(rest) == 0 {
		return slices.ContainsFunc(c.values, func(v string) bool { return c.def.same(v, value) })
	}
	if !c.isList() {
		return r.leads(stack, c, rest, value)
	}
	// Nearly all references lead to the only key of a list, or to the leaf
	// of config that repeats it: no need to look at every entry.
	last := rest[len(rest)-1].def
	if len(c.def.Keys) == 1 && (last.parent == c.def && last.isKey() || last.mirrors == 0 && last.parent.parent == c.def) {
		e := c.entries[c.def.entryName([]string{value})]
		return e != nil && steps[0].accept(stack, e) && r.leads(stack, e, rest, value)
	}
	for _, e := range c.entries {
		if steps[0].accept(stack, e) && r.leads(stack, e, rest, value) {
			return true
		}
	}
	return false
}

func (s refStep) accept(stack []*node, entry *node) bool {
	for _, w := range s.where {
		want, have := w.value(stack), entry.child(w.key)
		if want == nil || have == nil || !slices.EqualFunc(want.values, have.values, w.key.same) {
			return false
		}
	}
	return true
}

// value finds the leaf that the predicate compares with, or nil.
func (k refKey) value(stack []*node) *node {
	at := stack[k.ancestor.depth]
	for _, d := range k.from {
		if at = at.child(d); at == nil {
			return nil
		}
	}
	return at
}

// describe writes the path of the reference's target, with the keys filled in
// as far as they are known.
func (r *leafref) describe(stack []*node) string {
	if strings.HasPrefix(r.text, "../config/") {
		return r.text
	}
	var b strings.Builder
	if r.ancestor.depth > 0 {
		b.WriteString(instancePath(stack[:r.ancestor.depth+1], nil))
	}
	for _, s := range r.steps {
		b.WriteString("/" + s.def.Name)
		for _, w := range s.where {
			value := ""
			if leaf := w.value(stack); leaf != nil && len(leaf.values) > 0 {
				value = leaf.values[0]
			}
			writeKey(&b, w.key.Name, value)
		}
	}
	return b.String()
}
