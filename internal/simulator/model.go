package simulator

import (
	"strings"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/schema"
)

// def is a node of the model with what the simulator looks up again and again:
// its parent, its children by name, and the leafrefs on both sides.
type def struct {
	*schema.Node
	parent   *def
	children []*def
	byName   map[string]*def
	path     string
	// depth counts the containers and lists from the root to this node; an
	// instance's containers and list entries are as many.
	depth int
	// mirrors is the index of the entry's key that this leaf of the entry's
	// config container repeats, or -1.
	mirrors int
	// fold tells that keys of the list, or values of the leaf, are the same
	// whatever their case.
	fold bool
	// ref is the leaf's own leafref, or nil.
	ref *leafref
	// dependents are the leafrefs whose outcome depends on this leaf.
	dependents []dependent
}

// newModel prepares the model below root, leafrefs included.
func newModel(root *schema.Node) *def {
	d := index(root, nil)
	bindLeafrefs(d, d)
	return d
}

func index(n *schema.Node, parent *def) *def {
	d := &def{Node: n, parent: parent, mirrors: -1, byName: make(map[string]*def, len(n.Children))}
	if parent != nil {
		d.path = parent.path + "/" + n.Name
		d.depth = parent.depth + 1
	}
	for _, c := range n.Children {
		child := index(c, d)
		d.children = append(d.children, child)
		d.byName[c.Name] = child
	}
	if n.Kind == schema.List {
		for i, key := range n.Keys {
			if config := d.byName["config"]; config != nil && config.byName[key] != nil {
				config.byName[key].mirrors = i
			}
		}
	}
	return d
}

// foldNames makes the names of interfaces the same whatever their case.
func (d *def) foldNames() {
	list := d.byName["interfaces"].byName["interface"]
	for _, named := range []*def{list, list.byName["name"], list.byName["config"].byName["name"]} {
		named.fold = true
	}
}

// same tells whether two canonical values of a leaf are the same.
func (d *def) same(a, b string) bool { return a == b || d.fold && strings.EqualFold(a, b) }

// entryName is what a list keeps the entry with these canonical keys under.
func (d *def) entryName(keys []string) string {
	name := strings.Join(keys, "\x00")
	if d.fold {
		return strings.ToLower(name)
	}
	return name
}

func (d *def) isLeaf() bool { return d.Kind == schema.Leaf || d.Kind == schema.LeafList }

// isKey tells whether d is a key leaf.
func (d *def) isKey() bool {
	return d.parent != nil && d.parent.Kind == schema.List && d.parent.IsKey(d.Name)
}

// member finds the child that a JSON member name of RFC 7951, section 4,
// means. The module prefix may be left out, but must be right where it is given.
func (d *def) member(name string) *def {
	module, bare, prefixed := strings.Cut(name, ":")
	if !prefixed {
		return d.byName[name]
	}
	if c := d.byName[bare]; c != nil && c.Module == module {
		return c
	}
	return nil
}

// chain lists the nodes from below ancestor down to d.
func (d *def) chain(ancestor *def) []*def {
	var up []*def
	for at := d; at != nil && at != ancestor; at = at.parent {
		up = append(up, at)
	}
	for i, j := 0, len(up)-1; i < j; i, j = i+1, j-1 {
		up[i], up[j] = up[j], up[i]
	}
	return up
}

// modules lists the modules of the model, each once, in the model's order.
func (d *def) modules() []string {
	var names []string
	seen := map[string]bool{"": true}
	var walk func(*def)
	walk = func(at *def) {
		if !seen[at.Module] {
			seen[at.Module] = true
			names = append(names, at.Module)
		}
		for _, c := range at.children {
			walk(c)
		}
	}
	walk(d)
	return names
}
