package datatree

import (
	"slices"

	gpb "github.com/openconfig/gnmi/proto/gnmi"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/schema"
)

// LeafChange is one leaf that two trees do not have in common. Values are
// canonical, nil where the leaf is absent.
type LeafChange struct {
	// Parent is the container that holds the leaf.
	Parent *gpb.Path
	Leaf   *schema.Node
	// Before and After are the leaf's values in the two trees.
	Before, After []string
}

// Path is the leaf's own path.
func (c LeafChange) Path() *gpb.Path {
	return Join(c.Parent, &gpb.PathElem{Name: c.Leaf.Name})
}

// In returns the leaf's values in the tree below root. A leaf that is absent
// there counts as its default.
func (c LeafChange) In(root *Node) []string {
	v, _ := root.At(c.Parent.GetElem()).Values(c.Leaf.Name)
	return c.orDefault(v)
}

func (c LeafChange) orDefault(v []string) []string {
	if v == nil && c.Leaf.Default != "" {
		return []string{c.Leaf.Default}
	}
	return v
}

// Changes returns the leaves that differ between two trees, nil ones being
// empty, except where only one has the leaf and it has its default. Both stand
// at base.
func Changes(base *gpb.Path, before, after *Node) []LeafChange {
	var changes []LeafChange
	s := either(before, after)
	if s == nil {
		return nil
	}
	names := append(before.LeafNames(), after.LeafNames()...)
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		c := LeafChange{Parent: base, Leaf: s.MustFind(name)}
		c.Before, _ = before.Values(name)
		c.After, _ = after.Values(name)
		if !SameValues(c.Leaf, c.orDefault(c.Before), c.orDefault(c.After)) {
			changes = append(changes, c)
		}
	}
	for _, child := range s.Children {
		switch child.Kind {
		case schema.Container:
			p := Join(base, &gpb.PathElem{Name: child.Name})
			changes = append(changes, Changes(p, before.Container(child.Name), after.Container(child.Name))...)
		case schema.List:
			changes = append(changes, entryChanges(base, child, before, after)...)
		}
	}
	return changes
}

func entryChanges(base *gpb.Path, list *schema.Node, before, after *Node) []LeafChange {
	var changes []LeafChange
	at := func(e *Node) *gpb.Path { return Join(base, &gpb.PathElem{Name: list.Name, Key: e.Keys}) }
	for _, e := range before.Entries(list.Name) {
		changes = append(changes, Changes(at(e), e, after.Entry(list.Name, e.Keys))...)
	}
	for _, e := range after.Entries(list.Name) {
		if before.Entry(list.Name, e.Keys) == nil {
			changes = append(changes, Changes(at(e), nil, e)...)
		}
	}
	return changes
}

func either(a, b *Node) *schema.Node {
	switch {
	case a != nil:
		return a.Schema
	case b != nil:
		return b.Schema
	}
	return nil
}
