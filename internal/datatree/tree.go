// Package datatree holds configuration as instances of the model: containers,
// list entries and leaves, whose values are in canonical text (RFC 7950,
// section 9.1), so that two spellings of one value are equal.
//
// A tree reads whatever a device sends (module prefixes or none, numbers as
// strings, nodes the model does not know) and writes RFC 7951 JSON.
package datatree

import (
	"maps"
	"slices"
	"strings"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/schema"
)

// Node is an instance of a container, of the root, or of a list entry.
type Node struct {
	Schema *schema.Node
	// Keys are the keys of a list entry by name, as its device spells them;
	// nil for other nodes.
	Keys map[string]string

	leaves     map[string][]string
	containers map[string]*Node
	lists      map[string]*list
}

type list struct {
	order   []string // identities, as added
	entries map[string]*Node
}

// New returns an empty instance of s.
func New(s *schema.Node) *Node { return &Node{Schema: s} }

// Empty tells whether n holds no leaf and no list entry.
func (n *Node) Empty() bool {
	if n == nil {
		return true
	}
	if len(n.leaves) > 0 {
		return false
	}
	for _, l := range n.lists {
		if len(l.order) > 0 {
			return false
		}
	}
	for _, c := range n.containers {
		if !c.Empty() {
			return false
		}
	}
	return true
}

// Leaf returns the canonical value of a leaf. The second result tells whether
// it is present.
func (n *Node) Leaf(name string) (string, bool) {
	v, ok := n.Values(name)
	if !ok || len(v) != 1 {
		return "", false
	}
	return v[0], true
}

// Values returns the canonical values of a leaf or leaf-list.
func (n *Node) Values(name string) ([]string, bool) {
	if n == nil {
		return nil, false
	}
	v, ok := n.leaves[name]
	return v, ok
}

// SetLeaf stores canonical values: one for a leaf, any number for a leaf-list.
func (n *Node) SetLeaf(name string, values ...string) {
	if n.leaves == nil {
		n.leaves = map[string][]string{}
	}
	n.leaves[name] = values
}

// Container returns the child container, or nil when it is absent.
func (n *Node) Container(name string) *Node {
	if n == nil {
		return nil
	}
	return n.containers[name]
}

// Ensure returns the child container and makes it when it is absent. The model
// must have it.
func (n *Node) Ensure(name string) *Node {
	if c := n.containers[name]; c != nil {
		return c
	}
	c := New(n.Schema.MustFind(name))
	if n.containers == nil {
		n.containers = map[string]*Node{}
	}
	n.containers[name] = c
	return c
}

// Entries returns the entries of a child list in their order.
func (n *Node) Entries(name string) []*Node {
	if n == nil || n.lists[name] == nil {
		return nil
	}
	l := n.lists[name]
	out := make([]*Node, len(l.order))
	for i, id := range l.order {
		out[i] = l.entries[id]
	}
	return out
}

// Entry returns the entry of a child list that has the keys, whatever their
// spelling, or nil.
func (n *Node) Entry(name string, keys map[string]string) *Node {
	if n == nil || n.lists[name] == nil {
		return nil
	}
	return n.lists[name].entries[Identity(n.Schema.MustFind(name), keys)]
}

// EnsureEntry returns the entry that has the keys and makes it when it is
// absent, its key leaves in config included.
func (n *Node) EnsureEntry(name string, keys map[string]string) *Node {
	s := n.Schema.MustFind(name)
	id := Identity(s, keys)
	if n.lists == nil {
		n.lists = map[string]*list{}
	}
	l := n.lists[name]
	if l == nil {
		l = &list{entries: map[string]*Node{}}
		n.lists[name] = l
	}
	if e := l.entries[id]; e != nil {
		return e
	}
	e := New(s)
	e.Keys = maps.Clone(keys)
	if config := s.Child("config"); config != nil {
		for _, k := range s.Keys {
			leaf := config.Child(k)
			if leaf == nil {
				continue
			}
			e.Ensure("config").SetLeaf(k, canonical(leaf, keys[k]))
		}
	}
	l.entries[id] = e
	l.order = append(l.order, id)
	return e
}

// Identity is the text by which list entries are told apart: the canonical
// keys, in the model's order.
func Identity(s *schema.Node, keys map[string]string) string {
	parts := make([]string, len(s.Keys))
	for i, k := range s.Keys {
		parts[i] = canonical(s.MustFind(k), keys[k])
	}
	return strings.Join(parts, "\x00")
}

// canonical is the canonical form of a leaf's text, or the text where the model
// does not have it.
func canonical(s *schema.Node, text string) string {
	if c, err := s.Type.Canonical(text); err == nil {
		return c
	}
	return text
}

// ID is the node's Identity among the entries of its list.
func (n *Node) ID() string { return Identity(n.Schema, n.Keys) }

// LeafNames returns the names of the leaves that n holds, sorted.
func (n *Node) LeafNames() []string {
	if n == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(n.leaves))
}

// Clone returns a deep copy of n.
func (n *Node) Clone() *Node {
	if n == nil {
		return nil
	}
	c := &Node{Schema: n.Schema, Keys: maps.Clone(n.Keys), leaves: maps.Clone(n.leaves)}
	if n.containers != nil {
		c.containers = make(map[string]*Node, len(n.containers))
		for name, child := range n.containers {
			c.containers[name] = child.Clone()
		}
	}
	if n.lists != nil {
		c.lists = make(map[string]*list, len(n.lists))
		for name, l := range n.lists {
			copied := &list{order: slices.Clone(l.order), entries: make(map[string]*Node, len(l.entries))}
			for id, e := range l.entries {
				copied.entries[id] = e.Clone()
			}
			c.lists[name] = copied
		}
	}
	return c
}

// Merge adds the leaves and entries of from to n. A leaf of both takes from's
// value, leaf-lists included.
func (n *Node) Merge(from *Node) {
	if from == nil {
		return
	}
	for name, v := range from.leaves {
		n.SetLeaf(name, v...)
	}
	for name, c := range from.containers {
		n.Ensure(name).Merge(c)
	}
	for name, l := range from.lists {
		for _, id := range l.order {
			n.EnsureEntry(name, l.entries[id].Keys).Merge(l.entries[id])
		}
	}
}

// Restrict returns what of n is also in shape: its leaves and entries, with
// n's values.
func (n *Node) Restrict(shape *Node) *Node {
	if n == nil {
		return nil
	}
	out := &Node{Schema: n.Schema, Keys: n.Keys}
	for name, v := range n.leaves {
		if _, ok := shape.leaves[name]; ok {
			out.SetLeaf(name, v...)
		}
	}
	for name, c := range n.containers {
		if s := shape.containers[name]; s != nil {
			out.Ensure(name).Merge(c.Restrict(s))
		}
	}
	for name, l := range n.lists {
		for _, id := range l.order {
			if s := shape.Entry(name, l.entries[id].Keys); s != nil {
				out.EnsureEntry(name, l.entries[id].Keys).Merge(l.entries[id].Restrict(s))
			}
		}
	}
	return out
}

// Covers tells whether n holds every leaf and entry of want with the same
// value. A leaf that n hides counts as its default.
func (n *Node) Covers(want *Node) bool {
	for name, v := range want.leaves {
		s := want.Schema.MustFind(name)
		have, ok := n.Values(name)
		if !ok && s.Default != "" {
			have = []string{s.Default}
		}
		if !SameValues(s, have, v) {
			return false
		}
	}
	for name, c := range want.containers {
		if !n.Container(name).Covers(c) {
			return false
		}
	}
	for name, l := range want.lists {
		for _, id := range l.order {
			e := n.Entry(name, l.entries[id].Keys)
			if e == nil || !e.Covers(l.entries[id]) {
				return false
			}
		}
	}
	return true
}
