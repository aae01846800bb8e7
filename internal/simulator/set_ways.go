package simulator

import (
	"fmt"
	"slices"
	"strings"

	"github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/schema"
)

// ways are how a target's Sets depart from the specification: the quirks of
// Sets, with the parts of the model that they name. The zero value, which has
// none, is for what is no Set.
type ways struct {
	setQuirks
	readonly, undeletable, mandatory, shadow, gates marks
	factory                                         map[string]bool
}

// marks are parts of the model.
type marks map[*def]bool

// newWays finds the parts of the model that quirks name, and reports those that
// there are not.
func newWays(q setQuirks, model *def, factory map[string]bool) (*ways, error) {
	w := &ways{setQuirks: q, factory: factory}
	for _, m := range []struct {
		quirk string
		into  *marks
		paths []string
	}{
		{"readonly", &w.readonly, q.Readonly},
		{"undeletable", &w.undeletable, q.Undeletable},
		{"mandatory", &w.mandatory, q.Mandatory},
		{"shadow_accept", &w.shadow, q.ShadowAccept},
		{"feature_gate", &w.gates, q.FeatureGate},
	} {
		*m.into = marks{}
		for _, path := range m.paths {
			d, err := model.place(path)
			if err != nil {
				return nil, fmt.Errorf("quirk %s: %w", m.quirk, err)
			}
			(*m.into)[d] = true
		}
	}
	return w, nil
}

// place finds a part of the model by its path without keys. It must not be the
// root or a key.
func (d *def) place(path string) (*def, error) {
	at := d
	for name := range strings.SplitSeq(strings.TrimPrefix(path, "/"), "/") {
		if at = at.byName[name]; at == nil {
			return nil, fmt.Errorf("the model has no %s", path)
		}
	}
	if at.isKey() {
		return nil, fmt.Errorf("%s is a key", path)
	}
	return at, nil
}

// forget takes parts away from the model and from the tree that is there, as if
// the target had never known them.
func (t *Target) forget(paths []string) error {
	if len(paths) == 0 {
		return nil
	}
	tx := newTxn(t.root.Load())
	for _, path := range paths {
		d, err := t.model.place(path)
		if err != nil {
			return fmt.Errorf("quirk unsupported: %w", err)
		}
		tx.everywhere(tx.root, d.parent.chain(t.model), func(parent *node) { tx.remove(parent, d) })
		delete(d.parent.byName, d.Name)
		d.parent.children = slices.DeleteFunc(d.parent.children, func(c *def) bool { return c == d })
	}
	t.root.Store(tx.seal())
	return t.save(t.root.Load())
}

// everywhere opens all instances of the last of chain, below n, for changing.
func (t *txn) everywhere(n *node, chain []*def, change func(*node)) {
	if len(chain) == 0 {
		change(n)
		return
	}
	if n.child(chain[0]) == nil {
		return
	}
	below := t.open(n, chain[0])
	if chain[0].Kind != schema.List {
		t.everywhere(below, chain[1:], change)
		return
	}
	for _, e := range below.sorted() {
		t.everywhere(t.entry(below, e.keys), chain[1:], change)
	}
}

// absent is the answer to a delete that finds nothing, nil if that is no error.
func (w *ways) absent(prefix, path *gnmi.Path) error {
	switch w.DeleteAbsent {
	case "not_found":
		return status.Errorf(codes.NotFound, "%s: there is nothing to delete", joinedText(prefix, path))
	case "error":
		return status.Errorf(codes.Internal, "%s: the data is missing", joinedText(prefix, path))
	}
	return nil
}

// overwrite is a shallow merge: it empties the containers below n that a value
// mentions, apart from what repeats the keys around them.
func (w *ways) overwrite(t *txn, n *node, v *gnmi.TypedValue) {
	if w.Merge != "shallow" || n.isList() || n.def.isLeaf() {
		return
	}
	text := v.GetJsonIetfVal()
	if text == nil {
		text = v.GetJsonVal()
	}
	value, _ := decodeJSON(text) // what is no JSON is refused later
	body, _ := value.(map[string]any)
	for name := range body {
		d := n.def.member(name)
		if d == nil || d.isLeaf() || d.Kind == schema.List || n.child(d) == nil {
			continue
		}
		c := t.open(n, d)
		c.children = slices.DeleteFunc(c.children, func(leaf *node) bool { return leaf.def.mirrors < 0 })
	}
}

// shed removes the list entries on the way to what was deleted that have nothing
// but their keys left, unless the Set wrote these; stack is the way from the root to where steps begin.
func (w *ways) shed(t *txn, stack []*node, steps []step) {
	n := stack[len(stack)-1]
	if len(steps) < 2 || n.child(steps[0].def) == nil {
		return
	}
	below := t.open(n, steps[0].def)
	if !below.isList() {
		w.shed(t, append(stack, below), steps[1:])
		return
	}
	for _, e := range below.find(steps[0]) {
		inside := append(slices.Clone(stack), t.entry(below, e.keys))
		w.shed(t, inside, steps[1:])
		if inside[len(inside)-1].hollow() && !t.names(inside[len(inside)-1]) && !w.factory[instancePath(inside, nil)] {
			t.removeEntry(below, e.def.entryName(e.keys))
		}
	}
}

// names tells whether the transaction wrote the keys of an entry as its leaves.
func (t *txn) names(entry *node) bool {
	config := entry.at("config")
	return config != nil && slices.ContainsFunc(config.children, func(leaf *node) bool { return leaf.owner == t && leaf.def.keyIndex() >= 0 })
}

// hollow tells whether n holds no more than the keys around it.
func (n *node) hollow() bool {
	if n.def.isLeaf() {
		return len(n.values) == 0 || n.def.keyIndex() >= 0
	}
	return len(n.entries) == 0 && !slices.ContainsFunc(n.children, func(c *node) bool { return !c.hollow() })
}

// revert takes back what was done to the parts whose values have no effect; the
// transaction owns after, and before may be nil.
func (w *ways) revert(t *txn, before, after *node) {
	if after.owner != t || after.def.isLeaf() {
		return
	}
	for _, e := range after.entries {
		var b *node
		if before != nil {
			b = before.entries[e.def.entryName(e.keys)]
		}
		w.revert(t, b, e)
	}
	for _, d := range after.def.children {
		var b *node
		if before != nil {
			b = before.child(d)
		}
		a := after.child(d)
		switch {
		case !w.shadow[d]:
			if a != nil {
				w.revert(t, b, a)
			}
		case b == nil:
			t.remove(after, d)
		case a != b:
			t.open(after, d)
			after.children[slices.Index(after.children, after.child(d))] = b
		}
	}
}
