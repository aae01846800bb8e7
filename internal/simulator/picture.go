package simulator

import (
	"slices"
	"sync/atomic"
	"time"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/schema"
)

// published is the tree that a target has, and the ones that it had.
type published struct {
	atomic.Pointer[node]
	// past are the trees that were replaced less than memory ago.
	past   atomic.Pointer[[]replaced]
	memory time.Duration
}

// replaced is a tree that another one replaced.
type replaced struct {
	root *node
	at   time.Time
}

// Store publishes a tree. Only one goroutine at a time may do so.
func (p *published) Store(root *node) {
	before := p.Load()
	if p.memory > 0 && before != nil {
		now := time.Now()
		past := append(p.recent(now), replaced{before, now})
		p.past.Store(&past)
	}
	p.Pointer.Store(root)
}

// recent are the trees that were replaced less than memory before now, the
// oldest first.
func (p *published) recent(now time.Time) []replaced {
	past := p.past.Load()
	if past == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(*past), func(r replaced) bool { return now.Sub(r.at) >= p.memory })
}

// seen is the tree that readers see: the one of memory ago.
func (p *published) seen() *node {
	if past := p.recent(time.Now()); len(past) > 0 {
		return past[0].root
	}
	return p.Load()
}

// picture is what readers see of a tree.
type picture struct{ of, shown *node }

// trees are a target's trees, and what reading them needs.
type trees struct {
	root     published
	pictured atomic.Pointer[picture]
	reads    atomic.Int64
}

// picture returns the tree as one read, of Get or Subscribe, sees it.
func (t *Target) picture() *node {
	q := &t.options.readQuirks
	if n := q.FalseEmptyEvery; n > 0 && t.reads.Add(1)%int64(n) == 0 {
		return &node{def: t.model}
	}
	return t.shown()
}

// shown is the tree that readers see.
func (t *Target) shown() *node {
	q := &t.options.readQuirks
	root := t.root.seen()
	if q.ReportDefaults == "" && q.SecretForm != "omitted" {
		return root
	}
	if p := t.pictured.Load(); p != nil && p.of == root {
		return p.shown
	}
	p := &picture{root, q.paint(root)}
	t.pictured.Store(p)
	return p.shown
}

// paint adds what is told although nobody set it, and takes away what is not
// told.
func (q *readQuirks) paint(root *node) *node {
	tx := newTxn(root)
	q.paintNode(tx, tx.root)
	return tx.seal()
}

func (q *readQuirks) paintNode(tx *txn, n *node) {
	for _, d := range n.def.children {
		c := n.child(d)
		switch {
		case d.isLeaf():
			q.paintLeaf(tx, n, c, d)
		case d.Kind == schema.List:
			if c != nil {
				list := tx.open(n, d)
				for _, e := range c.sorted() {
					q.paintNode(tx, tx.entry(list, e.keys))
				}
			}
		case c != nil || q.ReportDefaults == "explicit" && !conditional(d):
			q.paintNode(tx, tx.open(n, d))
		}
	}
}

func (q *readQuirks) paintLeaf(tx *txn, parent, leaf *node, d *def) {
	value, _ := d.Type.Canonical(d.Default)
	switch {
	case leaf == nil && d.Default != "" && q.ReportDefaults == "explicit":
		tx.open(parent, d).values = []string{value}
	case leaf == nil:
	case q.SecretForm == "omitted" && slices.Contains(secrets, d.path),
		d.Default != "" && q.ReportDefaults == "omit" && leaf.values[0] == value && d.keyIndex() < 0:
		tx.remove(parent, d)
	}
}

// conditional tells of a container that is there only for some of the entries
// around it (RFC 7950, section 7.21.5): what belongs to a type of interface, or
// to one protocol.
func conditional(d *def) bool {
	switch d.parent.path {
	case "/interfaces/interface":
		return d.Name != "config" && d.Name != "hold-time"
	case "/network-instances/network-instance/protocols/protocol":
		return true
	}
	return false
}
