package datatree

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	gpb "github.com/openconfig/gnmi/proto/gnmi"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/schema"
)

// ParsePath reads a gNMI path in text, such as
// /interfaces/interface[name=Ethernet1/1]/config.
func ParsePath(text string) (*gpb.Path, error) {
	steps, err := schema.ParsePath(text)
	if err != nil {
		return nil, err
	}
	p := &gpb.Path{}
	for _, s := range steps {
		p.Elem = append(p.Elem, &gpb.PathElem{Name: s.Name, Key: s.Keys})
	}
	return p, nil
}

// What ends a name, a key's name and a key's value needs a backslash to be part
// of it. The model's names have none of it, a device's may.
var (
	escapeName  = strings.NewReplacer(`\`, `\\`, `/`, `\/`, `[`, `\[`, `]`, `\]`)
	escapeKey   = strings.NewReplacer(`\`, `\\`, `=`, `\=`, `[`, `\[`, `]`, `\]`)
	escapeValue = strings.NewReplacer(`\`, `\\`, `]`, `\]`)
)

// PathText is the text of a gNMI path, for people, and one that ParsePath reads.
func PathText(p *gpb.Path) string {
	if len(p.GetElem()) == 0 {
		return "/"
	}
	var b strings.Builder
	for _, e := range p.GetElem() {
		b.WriteByte('/')
		b.WriteString(escapeName.Replace(e.GetName()))
		for _, key := range slices.Sorted(maps.Keys(e.GetKey())) {
			b.WriteString("[" + escapeKey.Replace(key) + "=" + escapeValue.Replace(e.GetKey()[key]) + "]")
		}
	}
	return b.String()
}

// Join returns the path p extended by elements.
func Join(p *gpb.Path, elems ...*gpb.PathElem) *gpb.Path {
	joined := make([]*gpb.PathElem, 0, len(p.GetElem())+len(elems))
	return &gpb.Path{Elem: append(append(joined, p.GetElem()...), elems...)}
}

// At returns the node at p below n, or nil when it is absent. Keys match
// whatever their spelling.
func (n *Node) At(p []*gpb.PathElem) *Node {
	for _, e := range p {
		if n == nil {
			return nil
		}
		if len(e.GetKey()) > 0 {
			n = n.Entry(e.GetName(), e.GetKey())
		} else {
			n = n.Container(e.GetName())
		}
	}
	return n
}

// EnsureAt returns the node at p below n and makes what is absent. It fails on
// a path that the model does not have or that ends in a leaf.
func (n *Node) EnsureAt(p []*gpb.PathElem) (*Node, error) {
	for _, e := range p {
		s := n.Schema.Child(e.GetName())
		switch {
		case s == nil:
			return nil, fmt.Errorf("the model has no node %q below %q", e.GetName(), n.Schema.Name)
		case s.Kind == schema.List && len(e.GetKey()) == len(s.Keys):
			n = n.EnsureEntry(s.Name, e.GetKey())
		case s.Kind == schema.Container:
			n = n.Ensure(s.Name)
		default:
			return nil, fmt.Errorf("%q does not lead to a container or a list entry", e.GetName())
		}
	}
	return n, nil
}

// Remove takes what is at p out of n. What is absent needs no removing.
func (n *Node) Remove(p []*gpb.PathElem) {
	if len(p) == 0 {
		n.leaves, n.containers, n.lists = nil, nil, nil
		return
	}
	parent, last := n.At(p[:len(p)-1]), p[len(p)-1]
	if parent == nil {
		return
	}
	if len(last.GetKey()) == 0 {
		delete(parent.leaves, last.GetName())
		delete(parent.containers, last.GetName())
		delete(parent.lists, last.GetName())
		return
	}
	l := parent.lists[last.GetName()]
	if l == nil {
		return
	}
	id := Identity(parent.Schema.MustFind(last.GetName()), last.GetKey())
	delete(l.entries, id)
	for i, have := range l.order {
		if have == id {
			l.order = append(l.order[:i:i], l.order[i+1:]...)
			break
		}
	}
}

// Apply does to n what a device does with a SetRequest of this provider:
// deletes, then replaces, then updates (gNMI specification, section 3.4.3).
func (n *Node) Apply(req *gpb.SetRequest) error {
	for _, p := range req.GetDelete() {
		n.Remove(p.GetElem())
	}
	for _, u := range req.GetReplace() {
		n.Remove(u.GetPath().GetElem())
		if err := n.applyUpdate(u); err != nil {
			return err
		}
	}
	for _, u := range req.GetUpdate() {
		if err := n.applyUpdate(u); err != nil {
			return err
		}
	}
	return nil
}

func (n *Node) applyUpdate(u *gpb.Update) error {
	return n.DecodeAt(u.GetPath().GetElem(), u.GetVal().GetJsonIetfVal())
}
