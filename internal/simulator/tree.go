package simulator

import (
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/schema"
)

// node is one instance in the configuration tree. A tree that has been
// published never changes: a transaction copies the nodes on the way to what it
// changes and shares the rest, so that readers need no lock, a failed Set
// leaves no trace, and two trees are compared by what they do not share.
//
// A list is one node whose entries are nodes of the same definition.
type node struct {
	def *def
	// owner is the transaction that may change the node in place.
	owner *txn
	// children of a container or a list entry, in the model's order.
	children []*node
	// entries of a list by entryName, order their names as they arrived.
	entries map[string]*node
	order   []string
	// keys of a list entry, in canonical form.
	keys []string
	// values of a leaf (one) or a leaf-list, in canonical form.
	values []string
}

func (n *node) isList() bool { return n.entries != nil }

// child returns the child of a container or entry, or nil.
func (n *node) child(d *def) *node {
	for _, c := range n.children {
		if c.def == d {
			return c
		}
	}
	return nil
}

// sorted returns a list's entries: in the user's order where the model says so
// (RFC 7950, section 7.7.7), else by key.
func (n *node) sorted() []*node {
	names := n.order
	if !n.def.OrderedByUser {
		names = slices.Clone(names)
		sort.Slice(names, func(i, j int) bool { return natural(names[i], names[j]) })
	}
	entries := make([]*node, len(names))
	for i, name := range names {
		entries[i] = n.entries[name]
	}
	return entries
}

// natural orders 2 before 10: numbers in a name count as numbers.
func natural(a, b string) bool {
	for a != "" && b != "" {
		da, db := digits(a), digits(b)
		if da > 0 && db > 0 {
			na, nb := strings.TrimLeft(a[:da], "0"), strings.TrimLeft(b[:db], "0")
			if len(na) != len(nb) {
				return len(na) < len(nb)
			}
			if na != nb {
				return na < nb
			}
			if da != db {
				return da < db
			}
			a, b = a[da:], b[db:]
			continue
		}
		if a[0] != b[0] {
			return a[0] < b[0]
		}
		a, b = a[1:], b[1:]
	}
	return len(a) < len(b)
}

func digits(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}

// txn changes a tree without touching the published one.
type txn struct {
	root *node
}

func newTxn(published *node) *txn {
	t := &txn{}
	t.root = t.own(published)
	return t
}

// own returns n itself where the transaction made it, else a copy to change.
func (t *txn) own(n *node) *node {
	if n.owner == t {
		return n
	}
	c := *n
	c.owner = t
	c.children = slices.Clone(n.children)
	c.entries = maps.Clone(n.entries)
	c.order = slices.Clone(n.order)
	c.values = slices.Clone(n.values)
	return &c
}

// open returns the child d of parent for changing, which the transaction owns,
// and makes it when there is none.
func (t *txn) open(parent *node, d *def) *node {
	at, found := slices.BinarySearchFunc(parent.children, d.Name, byName)
	if found {
		parent.children[at] = t.own(parent.children[at])
		return parent.children[at]
	}
	n := &node{def: d, owner: t}
	if d.Kind == schema.List {
		n.entries = map[string]*node{}
	}
	parent.children = slices.Insert(parent.children, at, n)
	return n
}

func byName(n *node, name string) int { return strings.Compare(n.def.Name, name) }

// entry returns the entry of list with these canonical keys for changing, and
// makes it, with its key leaves, when there is none.
func (t *txn) entry(list *node, keys []string) *node {
	name := list.def.entryName(keys)
	if e := list.entries[name]; e != nil {
		e = t.own(e)
		list.entries[name] = e
		return e
	}
	e := &node{def: list.def, owner: t, keys: keys}
	t.fillKeys(e)
	list.entries[name] = e
	list.order = append(list.order, name)
	return e
}

// fillKeys sets the key leaves of an entry.
func (t *txn) fillKeys(e *node) {
	for i, key := range e.def.Keys {
		t.open(e, e.def.byName[key]).values = []string{e.keys[i]}
	}
}

// clear empties n, which the transaction owns. An entry keeps its keys.
func (t *txn) clear(n *node) {
	n.children, n.values = nil, nil
	switch {
	case n.isList():
		n.entries, n.order = map[string]*node{}, nil
	case n.keys != nil:
		t.fillKeys(n)
	}
}

// remove takes the child d away from parent.
func (t *txn) remove(parent *node, d *def) {
	parent.children = slices.DeleteFunc(parent.children, func(c *node) bool { return c.def == d })
}

// removeEntry takes one entry away from list.
func (t *txn) removeEntry(list *node, name string) {
	if list.entries[name] == nil {
		return
	}
	delete(list.entries, name)
	list.order = slices.DeleteFunc(list.order, func(n string) bool { return n == name })
}

// prune drops the empty containers, lists and leaf-lists among the nodes that
// the transaction made or copied: none of the model's containers has a presence
// of its own (RFC 7950, section 7.5.1). It tells whether n is empty.
func (t *txn) prune(n *node) bool {
	if n.owner != t {
		return false
	}
	if n.def.isLeaf() {
		return len(n.values) == 0
	}
	for _, e := range n.entries {
		t.prune(e)
	}
	n.children = slices.DeleteFunc(n.children, t.prune)
	return len(n.children) == 0 && len(n.entries) == 0
}

// seal returns the transaction's tree, to be checked and published. The
// transaction lets go of it: nodes keep pointing to their transaction, and must
// not keep the trees of the past alive.
func (t *txn) seal() *node {
	root := t.root
	t.prune(root)
	t.root = nil
	return root
}
