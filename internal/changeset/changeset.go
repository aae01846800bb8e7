// Package changeset computes the smallest SetRequest that takes an entry of a
// device from what a resource set before to what it sets now. Its functions
// are pure.
//
// What neither image holds is not touched: leaves that others manage survive.
package changeset

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	gpb "github.com/openconfig/gnmi/proto/gnmi"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/datatree"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/schema"
)

// Diff returns the request that changes the entry at base from prior to
// desired. A nil prior means that all of desired is new. The request is empty
// when the two are equal.
//
// A leaf that went is deleted, a list entry that went is deleted as an entry,
// a changed leaf-list is replaced, because an update may merge it. Every other
// change is an update at the deepest container that holds it: some devices
// merge only the first level. An entry that loses all but its keys has them
// written again: some devices remove an entry that a delete leaves empty.
func Diff(base *gpb.Path, prior, desired *datatree.Node) (*gpb.SetRequest, error) {
	d := &differ{req: &gpb.SetRequest{}}
	if err := d.node(base, prior, desired); err != nil {
		return nil, err
	}
	return d.req, nil
}

// Empty tells whether a request changes nothing.
func Empty(req *gpb.SetRequest) bool {
	return len(req.GetDelete())+len(req.GetReplace())+len(req.GetUpdate()) == 0
}

// Delete returns the request that removes the entry at base.
func Delete(base *gpb.Path) *gpb.SetRequest { return &gpb.SetRequest{Delete: []*gpb.Path{base}} }

// Reset returns the request that takes the leaves and list entries of owned
// off the entry at base and leaves the entry itself: for what a device cannot
// remove. Its keys and mandatory leaves stay, which it cannot be without.
func Reset(base *gpb.Path, owned *datatree.Node) (*gpb.SetRequest, error) {
	keep := datatree.New(owned.Schema)
	keep.Keys = owned.Keys
	for _, name := range owned.Container("config").LeafNames() {
		s := owned.Schema.MustFind("config").MustFind(name)
		if s.Mandatory || owned.Schema.IsKey(name) {
			v, _ := owned.Container("config").Values(name)
			keep.Ensure("config").SetLeaf(name, v...)
		}
	}
	return Diff(base, owned, keep)
}

type differ struct{ req *gpb.SetRequest }

func (d *differ) node(p *gpb.Path, prior, desired *datatree.Node) error {
	s, deletes := desired.Schema, len(d.req.GetDelete())
	if err := d.leaves(p, s, prior, desired); err != nil {
		return err
	}
	for _, child := range configFirst(s.Children) {
		switch child.Kind {
		case schema.Container:
			before, after := prior.Container(child.Name), desired.Container(child.Name)
			if before == nil && after == nil {
				continue
			}
			if after == nil {
				after = datatree.New(child)
			}
			if err := d.node(datatree.Join(p, &gpb.PathElem{Name: child.Name}), before, after); err != nil {
				return err
			}
		case schema.List:
			if err := d.list(p, child, prior, desired); err != nil {
				return err
			}
		}
	}
	if keys := p.GetElem()[max(0, len(p.GetElem())-1):]; len(d.req.GetDelete()) > deletes && len(keys) > 0 && bare(desired, keys[0].GetKey()) {
		return d.keep(datatree.Join(p, &gpb.PathElem{Name: "config"}), s.Child("config"), keys[0].GetKey())
	}
	return nil
}

// bare tells whether n is a list entry with these keys and nothing else.
func bare(n *datatree.Node, keys map[string]string) bool {
	config := n.Schema.Child("config")
	empty := len(keys) > 0 && config != nil
	n.Walk(&gpb.Path{}, func(_ *gpb.Path, c *datatree.Node) {
		empty = empty && (c == n || c.Keys == nil)
		for _, name := range c.LeafNames() {
			_, isKey := keys[name]
			empty = empty && isKey && c.Schema == config
		}
	})
	return empty
}

// keep writes the keys of an entry whose config is at p.
func (d *differ) keep(p *gpb.Path, s *schema.Node, keys map[string]string) error {
	own := map[string][]string{}
	for name, text := range keys {
		own[name] = []string{text}
	}
	body, err := datatree.LeavesJSON(s, own)
	if err != nil {
		return fmt.Errorf("encoding %s: %w", datatree.PathText(p), err)
	}
	d.req.Update = append(d.req.Update, update(p, body))
	return nil
}

// configFirst moves the container of a node's own leaves to the front: what an
// entry is comes before what is in it, for devices that look at a request's
// operations one by one.
func configFirst(children []*schema.Node) []*schema.Node {
	i := slices.IndexFunc(children, func(c *schema.Node) bool { return c.Name == "config" })
	if i <= 0 {
		return children
	}
	return slices.Concat(children[i:i+1], children[:i], children[i+1:])
}

func (d *differ) list(p *gpb.Path, s *schema.Node, prior, desired *datatree.Node) error {
	for _, e := range prior.Entries(s.Name) {
		if desired.Entry(s.Name, e.Keys) == nil {
			d.req.Delete = append(d.req.Delete, datatree.Join(p, &gpb.PathElem{Name: s.Name, Key: e.Keys}))
		}
	}
	for _, e := range desired.Entries(s.Name) {
		before := prior.Entry(s.Name, e.Keys)
		keys := e.Keys
		if before != nil {
			keys = before.Keys
		}
		if err := d.node(datatree.Join(p, &gpb.PathElem{Name: s.Name, Key: keys}), before, e); err != nil {
			return err
		}
	}
	return nil
}

// leaves compares the leaves of one container. A container of an entry that
// gets an update carries the key, so that the update stands by itself.
func (d *differ) leaves(p *gpb.Path, s *schema.Node, prior, desired *datatree.Node) error {
	for _, name := range dependentFirst(s, prior.LeafNames()) {
		if _, ok := desired.Values(name); !ok {
			d.req.Delete = append(d.req.Delete, datatree.Join(p, &gpb.PathElem{Name: name}))
		}
	}
	changed := map[string][]string{}
	for _, name := range desired.LeafNames() {
		after, _ := desired.Values(name)
		before, had := prior.Values(name)
		leaf := s.MustFind(name)
		if had && datatree.SameValues(leaf, before, after) {
			continue
		}
		if had && leaf.Kind == schema.LeafList {
			if err := d.replace(datatree.Join(p, &gpb.PathElem{Name: name}), leaf, after); err != nil {
				return err
			}
			continue
		}
		changed[name] = after
	}
	if len(changed) == 0 {
		return nil
	}
	if s.Name == "config" {
		for name, text := range keysAbove(p) {
			if s.Child(name) != nil {
				changed[name] = []string{text} // as in the path, or the two contradict
			}
		}
	}
	body, err := datatree.LeavesJSON(s, changed)
	if err != nil {
		return fmt.Errorf("encoding %s: %w", datatree.PathText(p), err)
	}
	d.req.Update = append(d.req.Update, update(p, body))
	return nil
}

// dependentFirst moves leaves whose references lead by way of others beside them
// to the front: where a request has to be sent in pieces, no reference may be
// left that leads nowhere.
func dependentFirst(s *schema.Node, names []string) []string {
	var first, rest []string
	for _, name := range names {
		if t := s.MustFind(name).Type; t != nil && t.Base == schema.LeafRef && strings.Contains(t.Path, "current()/../") {
			first = append(first, name)
		} else {
			rest = append(rest, name)
		}
	}
	return append(first, rest...)
}

// keysAbove returns the keys of the list entry that p is the config of.
func keysAbove(p *gpb.Path) map[string]string {
	if n := len(p.GetElem()); n > 1 {
		return p.GetElem()[n-2].GetKey()
	}
	return nil
}

func (d *differ) replace(p *gpb.Path, s *schema.Node, values []string) error {
	v, err := datatree.LeafJSON(s, values)
	if err != nil {
		return fmt.Errorf("encoding %s: %w", datatree.PathText(p), err)
	}
	body, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encoding %s: %w", datatree.PathText(p), err)
	}
	d.req.Replace = append(d.req.Replace, update(p, body))
	return nil
}

func update(p *gpb.Path, body []byte) *gpb.Update {
	return &gpb.Update{Path: p, Val: &gpb.TypedValue{Value: &gpb.TypedValue_JsonIetfVal{JsonIetfVal: body}}}
}
