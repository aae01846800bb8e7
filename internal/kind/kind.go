// Package kind is the one path of every resource: it makes a Terraform resource
// of a declaration. Schema, mapping, planning, reading, import and errors are
// done here, once for all kinds; a declaration names what a kind consists of.
//
// The Terraform schema follows the model by rule. Attribute names are the
// model's names with _ for -; containers are nested attributes; config is left
// out; a container that only encloses a list is one attribute; a list with one
// key is a map keyed by it, a list with several keys a set; a leaf-list is a
// list where its order has a meaning, and otherwise a set.
package kind

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
	gpb "github.com/openconfig/gnmi/proto/gnmi"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/datatree"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/oc"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/schema"
)

// Kind declares a resource type.
type Kind struct {
	// Name is the type's name without the provider's: "interface".
	Name string
	// Rank is the kind's place in the order of work on a device.
	Rank devicelock.Rank
	// Path is the entry that a resource manages, with the attributes that are
	// keys in braces: "/interfaces/interface[name={name}]".
	Path string
	// Keys describes the attributes in Path.
	Keys map[string]string
	// Defaults are of those keys that a configuration may leave out.
	Defaults map[string]Default
	// Text describes the resource for its users, in Markdown.
	Text string
	// Fields are the attributes below the entry, parents before children.
	Fields []Field
	// Requires are entries above that have to exist, as prefixes of Path.
	Requires []string
	// Permanent tells whether an entry is one that a device always has: it is
	// adopted on create and reset on delete. Nil means none is.
	Permanent func(entry *datatree.Node) bool
	// Switches are set explicitly where the device's profile wants that.
	Switches []Switch
	// Rules are checked when a resource is planned.
	Rules []Rule
}

// Field declares an attribute: what it is in the model, and what its users
// should know.
type Field struct {
	// Path is the node, from the entry, with config and the names of enclosed
	// lists left out: "ethernet/switched-vlan/native-vlan". A container that is
	// not declared itself is passed through.
	Path string
	Text string
	// Secret makes the attribute write-only and adds one for its version.
	Secret bool
	// Optional says that the attribute may be absent although the model has it
	// mandatory.
	Optional bool
}

// Rule checks an entry as a whole. It returns the attribute at fault, as names
// joined by dots, and what is wrong, or nothing.
type Rule func(entry *datatree.Node) (attribute, problem string)

// form is what an attribute is in Terraform.
type form int

const (
	leaf form = iota
	leafList
	object
	entryMap
	entrySet
)

// attribute is a Field resolved against the model.
type attribute struct {
	name     string
	form     form
	node     *schema.Node
	through  []string // containers between the parent's node and node
	text     string
	secret   bool
	required bool
	children []*attribute
	tftype   tftypes.Type   // of the attribute
	members  tftypes.Object // of an object, or of one element of a map or set
}

// key is an attribute that is a key in the kind's path.
type key struct {
	name string
	node *schema.Node
	elem int    // the element of the path
	leaf string // the key's name there
}

// compiled is a Kind resolved against the model.
type compiled struct {
	Kind
	entry    *schema.Node
	template *gpb.Path
	keys     []key
	root     *attribute
	requires []int // lengths of prefixes of template
}

// versionSuffix names the attribute that says when a secret changed.
const versionSuffix = "_version"

func attributeName(node string) string { return strings.ReplaceAll(node, "-", "_") }

// compile resolves a declaration. A declaration that does not fit the model is
// a fault of the program; it panics.
func compile(k Kind) *compiled {
	template, err := datatree.ParsePath(k.Path)
	if err != nil {
		panic(fmt.Sprintf("kind %s: %v", k.Name, err))
	}
	c := &compiled{Kind: k, template: template, entry: oc.Model}
	for i, e := range template.GetElem() {
		c.entry = c.entry.MustFind(e.GetName())
		for _, name := range c.entry.Keys {
			attr, isKey := strings.CutPrefix(e.GetKey()[name], "{")
			if !isKey {
				continue
			}
			c.keys = append(c.keys, key{strings.TrimSuffix(attr, "}"), c.entry.MustFind(name), i, name})
		}
	}
	for _, r := range k.Requires {
		p, err := datatree.ParsePath(r)
		if err != nil {
			panic(fmt.Sprintf("kind %s: %v", k.Name, err))
		}
		c.requires = append(c.requires, len(p.GetElem()))
	}
	c.root = &attribute{form: object, node: c.entry}
	declared := map[string]*attribute{"": c.root}
	for _, f := range k.Fields {
		parent, rest := "", f.Path
		for p := f.Path; strings.Contains(p, "/"); {
			p = p[:strings.LastIndexByte(p, '/')]
			if declared[p] != nil {
				parent, rest = p, strings.TrimPrefix(f.Path, p+"/")
				break
			}
		}
		a := resolve(k.Name, declared[parent].node, f, strings.Split(rest, "/"))
		declared[f.Path] = a
		declared[parent].children = append(declared[parent].children, a)
	}
	c.root.settle()
	return c
}

func resolve(kind string, at *schema.Node, f Field, names []string) *attribute {
	last := names[len(names)-1]
	a := &attribute{name: attributeName(last), text: f.Text, secret: f.Secret, through: slices.Clone(names[:len(names)-1])}
	for _, name := range a.through {
		at = at.MustFind(name)
	}
	if config := at.Child("config"); config != nil && config.Child(last) != nil {
		a.through = append(a.through, "config")
		a.node = config.Child(last)
		a.form = leaf
		if a.node.Kind == schema.LeafList {
			a.form = leafList
		}
		a.required = (a.node.Mandatory || at.IsKey(last)) && !f.Optional
		return a
	}
	a.node = at.Child(last)
	if a.node == nil {
		panic(fmt.Sprintf("kind %s: the model has no node %s", kind, f.Path))
	}
	a.form = object
	if len(a.node.Children) == 1 && a.node.Children[0].Kind == schema.List {
		a.through = append(a.through, last)
		a.node = a.node.Children[0]
		a.form = entryMap
		if len(a.node.Keys) > 1 {
			a.form = entrySet
		}
	}
	return a
}

// path returns the path of the entry whose keys have the given texts, by
// attribute name.
func (c *compiled) path(keys map[string]string) *gpb.Path {
	p := &gpb.Path{}
	for i, e := range c.template.GetElem() {
		out := &gpb.PathElem{Name: e.GetName()}
		for name, value := range e.GetKey() {
			if out.Key == nil {
				out.Key = map[string]string{}
			}
			out.Key[name] = value
			for _, k := range c.keys {
				if k.elem == i && k.leaf == name {
					out.Key[name] = canonical(k.node, keys[k.name])
				}
			}
		}
		p.Elem = append(p.Elem, out)
	}
	return p
}

func canonical(n *schema.Node, text string) string {
	if c, err := n.Type.Canonical(text); err == nil {
		return c
	}
	return text
}
