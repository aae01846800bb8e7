package kind

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/datatree"
)

// encodeError is a value that the model does not accept.
type encodeError struct {
	path path.Path
	err  error
}

func (e *encodeError) Error() string { return fmt.Sprintf("%s: %v", e.path, e.err) }

// secretMark stands for a secret that a resource has set before: its text is
// not kept.
const secretMark = "secret"

// encode adds what v sets to the instance n of the attribute's parent. Null and
// unknown values set nothing. Secrets are left to encodeSecrets.
func (a *attribute) encode(at path.Path, v tftypes.Value, n *datatree.Node) error {
	if !present(v) || a.secret {
		return nil
	}
	for _, name := range a.through {
		n = n.Ensure(name)
	}
	switch a.form {
	case leaf, leafList:
		texts, err := a.texts(v)
		if err != nil {
			return &encodeError{at, err}
		}
		if len(texts) > 0 {
			n.SetLeaf(a.node.Name, texts...)
		}
	case object:
		return a.encodeMembers(at, v, n.Ensure(a.node.Name))
	case entryMap:
		for name, e := range members(v) {
			k := canonical(a.node.MustFind(a.node.Keys[0]), name)
			entry := n.EnsureEntry(a.node.Name, map[string]string{a.node.Keys[0]: k})
			if err := a.encodeMembers(at.AtMapKey(name), e, entry); err != nil {
				return err
			}
		}
	case entrySet:
		for _, e := range elements(v) {
			if err := a.encodeMembers(at, e, n.EnsureEntry(a.node.Name, a.keysOf(e))); err != nil {
				return err
			}
		}
	}
	return nil
}

func (a *attribute) encodeMembers(at path.Path, v tftypes.Value, n *datatree.Node) error {
	m := members(v)
	for _, c := range a.children {
		if err := c.encode(at.AtName(c.name), m[c.name], n); err != nil {
			return err
		}
	}
	return nil
}

// keysOf returns the keys of one element of a set of entries.
func (a *attribute) keysOf(e tftypes.Value) map[string]string {
	keys := map[string]string{}
	m := members(e)
	for _, k := range a.node.Keys {
		if v := m[attributeName(k)]; present(v) {
			keys[k] = canonical(a.node.MustFind(k), toText(a.node.MustFind(k).Type, v))
		}
	}
	return keys
}

// encodeSecrets adds the secrets that a step changes to desired, an instance of
// a, and those that it takes away to prior. Their text comes from the
// configuration alone; their versions tell what changed.
func (a *attribute) encodeSecrets(config, before, after tftypes.Value, prior, desired *datatree.Node) error {
	texts, old, plan := members(config), members(before), members(after)
	for _, c := range a.children {
		if c.form != object && !c.secret {
			continue
		}
		from, to := prior, desired
		for _, name := range c.through {
			from, to = from.Ensure(name), to.Ensure(name)
		}
		if c.form == object {
			if err := c.encodeSecrets(texts[c.name], old[c.name], plan[c.name], from.Ensure(c.node.Name), to.Ensure(c.node.Name)); err != nil {
				return err
			}
			continue
		}
		was, is := old[c.name+versionSuffix], plan[c.name+versionSuffix]
		switch {
		case present(is) && !is.Equal(was):
			set, err := c.texts(texts[c.name])
			if err != nil {
				return &encodeError{path.Root(c.name), err}
			}
			if len(set) > 0 {
				to.SetLeaf(c.node.Name, set...)
			}
		case !present(is) && present(was):
			from.SetLeaf(c.node.Name, secretMark)
		}
	}
	return nil
}

// texts returns the canonical values that a leaf or leaf-list is set to.
func (a *attribute) texts(v tftypes.Value) ([]string, error) {
	if !present(v) {
		return nil, nil
	}
	values := []tftypes.Value{v}
	if a.form == leafList {
		values = elements(v)
	}
	texts := make([]string, 0, len(values))
	for _, e := range values {
		if !present(e) {
			continue
		}
		text, err := a.node.Type.Canonical(toText(a.node.Type, e))
		if err != nil {
			return nil, err
		}
		texts = append(texts, text)
	}
	return texts, nil
}

// decode returns the value of the attribute that the device has, where n is the
// instance of the attribute's parent or nil. It returns only what prior sets,
// in prior's spelling where the meaning is the same; with all, it returns all
// that the device has.
func (a *attribute) decode(prior tftypes.Value, n *datatree.Node, all bool) tftypes.Value {
	ty := a.tftype
	if a.secret || !all && !present(prior) {
		return tftypes.NewValue(ty, nil)
	}
	for _, name := range a.through {
		n = n.Container(name)
	}
	switch a.form {
	case leaf, leafList:
		return a.decodeLeaf(prior, n)
	case object:
		child := n.Container(a.node.Name)
		if all && !a.anyIn(child) {
			return tftypes.NewValue(ty, nil)
		}
		return a.decodeMembers(prior, child, all)
	case entryMap:
		return a.decodeMap(prior, n, all)
	}
	return a.decodeSet(prior, n, all)
}

// anyIn tells whether n has something that an attribute below a stands for.
func (a *attribute) anyIn(n *datatree.Node) bool {
	for _, c := range a.children {
		at := n
		for _, name := range c.through {
			at = at.Container(name)
		}
		switch c.form {
		case leaf, leafList:
			if _, ok := at.Values(c.node.Name); ok && !c.secret {
				return true
			}
		case object:
			if c.anyIn(at.Container(c.node.Name)) {
				return true
			}
		default:
			if len(at.Entries(c.node.Name)) > 0 {
				return true
			}
		}
	}
	return false
}

func (a *attribute) decodeLeaf(prior tftypes.Value, n *datatree.Node) tftypes.Value {
	ty := a.tftype
	values, ok := n.Values(a.node.Name)
	if old, err := a.texts(prior); present(prior) && err == nil {
		if !ok && (len(old) == 0 || a.node.Default != "" && len(old) == 1 && old[0] == a.node.Default) {
			return prior // hidden defaults, and empty lists, are as they were
		}
		if ok && datatree.SameValues(a.node, old, values) {
			return prior
		}
	}
	if !ok {
		return tftypes.NewValue(ty, nil)
	}
	if a.form == leaf {
		return toTerraform(a.node.Type, values[0])
	}
	out := make([]tftypes.Value, len(values))
	for i, text := range values {
		out[i] = toTerraform(a.node.Type, text)
	}
	return tftypes.NewValue(ty, out)
}

func (a *attribute) decodeMembers(prior tftypes.Value, n *datatree.Node, all bool) tftypes.Value {
	before := members(prior)
	out := map[string]tftypes.Value{}
	for _, c := range a.children {
		out[c.name] = c.decode(before[c.name], n, all)
		if c.secret {
			version := c.name + versionSuffix
			out[version] = tftypes.NewValue(tftypes.Number, nil)
			if v, ok := before[version]; ok {
				out[version] = v
			}
		}
	}
	return tftypes.NewValue(a.members, out)
}

func (a *attribute) decodeMap(prior tftypes.Value, n *datatree.Node, all bool) tftypes.Value {
	out := map[string]tftypes.Value{}
	keyName := a.node.Keys[0]
	if all {
		for _, e := range n.Entries(a.node.Name) {
			out[canonical(a.node.MustFind(keyName), e.Keys[keyName])] = a.decodeMembers(tftypes.Value{}, e, true)
		}
		if len(out) == 0 {
			return tftypes.NewValue(a.tftype, nil)
		}
	}
	for name, before := range members(prior) {
		if e := n.Entry(a.node.Name, map[string]string{keyName: name}); e != nil {
			out[name] = a.decodeMembers(before, e, false)
		}
	}
	return tftypes.NewValue(a.tftype, out)
}

func (a *attribute) decodeSet(prior tftypes.Value, n *datatree.Node, all bool) tftypes.Value {
	out := []tftypes.Value{}
	if all {
		for _, e := range n.Entries(a.node.Name) {
			out = append(out, a.decodeMembers(tftypes.Value{}, e, true))
		}
		if len(out) == 0 {
			return tftypes.NewValue(a.tftype, nil)
		}
	}
	for _, before := range elements(prior) {
		if e := n.Entry(a.node.Name, a.keysOf(before)); e != nil {
			out = append(out, a.decodeMembers(before, e, false))
		}
	}
	return tftypes.NewValue(a.tftype, out)
}

// settle computes the Terraform types of a and of what is below it.
func (a *attribute) settle() {
	types := map[string]tftypes.Type{}
	for _, c := range a.children {
		c.settle()
		types[c.name] = c.tftype
		if c.secret {
			types[c.name+versionSuffix] = tftypes.Number
		}
	}
	a.members = tftypes.Object{AttributeTypes: types}
	switch a.form {
	case leaf:
		a.tftype = scalarType(a.node.Type)
	case leafList:
		a.tftype = tftypes.Set{ElementType: scalarType(a.node.Type)}
		if a.node.OrderedByUser {
			a.tftype = tftypes.List{ElementType: scalarType(a.node.Type)}
		}
	case entryMap:
		a.tftype = tftypes.Map{ElementType: a.members}
	case entrySet:
		a.tftype = tftypes.Set{ElementType: a.members}
	default:
		a.tftype = a.members
	}
}
