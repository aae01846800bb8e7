package simulator

import (
	"slices"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/schema"
)

// checker validates a transaction's result against the tree it started from.
// It looks only at what the two do not share: leafrefs that came or changed,
// and leafrefs that may have led to what went.
type checker struct {
	factory map[string]bool
	// dangling lets leafrefs lead to nothing, except those of keys.
	dangling bool
	// before and after are the containers and entries from the root to where
	// the comparison is, nil where a tree does not have them.
	before, after []*node
	done          map[recheck]bool
	err           error
}

// recheck is a leafref to check again in all instances below a node.
type recheck struct {
	ref   *leafref
	below *node
}

// check compares the tree after a transaction with the one before, and reports
// FailedPrecondition when the result breaks a leafref, unless these may dangle,
// or lacks a node that cannot be removed.
func check(before, after *node, factory map[string]bool, dangling bool) error {
	c := &checker{factory: factory, dangling: dangling, done: map[recheck]bool{}}
	c.compare(before, after)
	return c.err
}

// compare walks two instances of the same node, either of which may be nil.
func (c *checker) compare(before, after *node) {
	if before == after || c.err != nil {
		return
	}
	d := pick(before, after).def
	switch {
	case d.isLeaf():
		c.leaf(d, before, after)
	case pick(before, after).isList():
		c.entries(before, after)
	default:
		if after == nil && before.keys != nil {
			path := instancePath(append(slices.Clone(c.before), before), nil)
			if c.factory[path] {
				c.err = status.Errorf(codes.FailedPrecondition, "%s cannot be removed", path)
				return
			}
		}
		c.before, c.after = append(c.before, before), append(c.after, after)
		c.children(before, after)
		c.before, c.after = c.before[:len(c.before)-1], c.after[:len(c.after)-1]
	}
}

func (c *checker) children(before, after *node) {
	if after != nil {
		for _, a := range after.children {
			var b *node
			if before != nil {
				b = before.child(a.def)
			}
			c.compare(b, a)
		}
	}
	if before != nil {
		for _, b := range before.children {
			if after == nil || after.child(b.def) == nil {
				c.compare(b, nil)
			}
		}
	}
}

func (c *checker) entries(before, after *node) {
	if after != nil {
		for _, name := range after.order {
			var b *node
			if before != nil {
				b = before.entries[name]
			}
			c.compare(b, after.entries[name])
		}
	}
	if before != nil {
		for _, name := range before.order {
			if after == nil || after.entries[name] == nil {
				c.compare(before.entries[name], nil)
			}
		}
	}
}

func (c *checker) leaf(d *def, before, after *node) {
	if before != nil && after != nil && slices.Equal(before.values, after.values) {
		return
	}
	if d.ref != nil && after != nil && c.holds(d.ref) {
		c.fail(d.ref.check(c.after, after))
	}
	if before == nil {
		return
	}
	for _, dep := range d.dependents {
		// An ancestor that is gone took the references below it with it.
		if below := c.after[dep.ancestor.depth]; below != nil && c.holds(dep.ref) {
			c.again(dep.ref, dep.ancestor, below)
		}
	}
}

// holds tells whether a leafref must lead to something. Those of keys, to the
// leaf of config that repeats them, always must.
func (c *checker) holds(ref *leafref) bool { return !c.dangling || ref.leaf.isKey() }

// again checks all instances of a leafref below one node.
func (c *checker) again(ref *leafref, ancestor *def, below *node) {
	key := recheck{ref, below}
	if c.done[key] {
		return
	}
	c.done[key] = true
	stack := slices.Clone(c.after[:ancestor.depth+1])
	c.descend(ref, stack, ref.leaf.chain(ancestor))
}

func (c *checker) descend(ref *leafref, stack []*node, chain []*def) {
	at := stack[len(stack)-1].child(chain[0])
	switch {
	case at == nil || c.err != nil:
	case len(chain) == 1:
		c.fail(ref.check(stack, at))
	case chain[0].Kind == schema.List:
		for _, name := range at.order {
			c.descend(ref, append(stack, at.entries[name]), chain[1:])
		}
	default:
		c.descend(ref, append(stack, at), chain[1:])
	}
}

func (c *checker) fail(err error) {
	if err != nil && c.err == nil {
		c.err = status.Error(codes.FailedPrecondition, err.Error())
	}
}

func pick(a, b *node) *node {
	if a != nil {
		return a
	}
	return b
}
