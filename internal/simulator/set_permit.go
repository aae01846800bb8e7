package simulator

import (
	"slices"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/schema"
)

// permit holds what a Set changes against the parts of the model of which
// quirks say what may be done.
type permit struct {
	*ways
	// opened are the stacks of the nodes below which the Set brings up a feature,
	// and changed those of the leaves that it changes, from the root down.
	opened, changed [][]*node
}

// permits refuses a Set that does what these quirks do not let it do.
func (w *ways) permits(before, after *node) error {
	if len(w.readonly)+len(w.undeletable)+len(w.mandatory)+len(w.gates) == 0 {
		return nil
	}
	p := &permit{ways: w}
	if err := p.compare(nil, before, after, false, false); err != nil {
		return err
	}
	return p.alone()
}

// compare walks two instances of the same node, either of which may be nil, below
// stack. They are frozen in a part that cannot be written, and gone with the list
// entry around them.
func (p *permit) compare(stack []*node, before, after *node, frozen, gone bool) error {
	if before == after {
		return nil
	}
	n := pick(after, before)
	stack = append(slices.Clip(stack), n)
	frozen = frozen || p.readonly[n.def]
	switch {
	case n.isList():
		return p.each(stack[:len(stack)-1], before, after, frozen, gone)
	case after == nil && !gone && p.undeletable[n.def]:
		return refuse(codes.FailedPrecondition, stack, "cannot be deleted")
	case n.def.isLeaf():
		if before != nil && after != nil && slices.Equal(before.values, after.values) {
			return nil
		}
		if frozen && !gone {
			return refuse(codes.InvalidArgument, stack, "cannot be written")
		}
		p.changed = append(p.changed, stack)
		return nil
	}
	if after == nil {
		after, gone = &node{def: n.def}, gone || n.keys != nil
	} else if err := p.complete(stack, before, after); err != nil {
		return err
	}
	if before == nil {
		before = &node{def: n.def}
	}
	for _, d := range n.def.children {
		if err := p.compare(stack, before.child(d), after.child(d), frozen, gone); err != nil {
			return err
		}
	}
	return nil
}

// each compares the entries of a list.
func (p *permit) each(stack []*node, before, after *node, frozen, gone bool) error {
	none := &node{}
	if before == nil {
		before = none
	}
	if after == nil {
		after = none
	}
	for _, name := range after.order {
		if err := p.compare(stack, before.entries[name], after.entries[name], frozen, gone); err != nil {
			return err
		}
	}
	for _, name := range before.order {
		if after.entries[name] == nil {
			if err := p.compare(stack, before.entries[name], nil, frozen, gone); err != nil {
				return err
			}
		}
	}
	return nil
}

// complete wants what must be there below a node that the Set made or changed,
// and the features up that it needs; before may be nil.
func (p *permit) complete(stack []*node, before, after *node) error {
	for _, d := range after.def.children {
		down := before == nil || before.child(d) == nil
		switch {
		case p.mandatory[d] && after.child(d) == nil:
			return refuse(codes.FailedPrecondition, append(stack, &node{def: d}), "is missing")
		case p.gates[d] && d.Kind != schema.List && down:
			if err := p.open(append(slices.Clip(stack), pick(after.child(d), &node{def: d})), after, d); err != nil {
				return err
			}
		}
	}
	if p.gates[after.def] && after.keys != nil && before == nil {
		return p.open(stack, after, nil)
	}
	return nil
}

// open notes that a Set brings up the feature that ends the stack, if it does, and
// refuses what needs it: all below n but the feature itself, and the config
// container of a list entry.
func (p *permit) open(feature []*node, n *node, itself *def) error {
	for _, c := range n.children {
		around := n.keys != nil && c.def.Name == "config"
		if c.def != itself && !around && !c.hollow() {
			return refuse(codes.FailedPrecondition, feature, "must be brought up by a Set of its own before "+c.def.Name)
		}
	}
	if itself == nil || n.child(itself) != nil {
		p.opened = append(p.opened, feature)
	}
	return nil
}

// alone refuses a Set that brings up a feature and has something else in it than
// the list entries around the feature.
func (p *permit) alone() error {
	for _, feature := range p.opened {
		for _, leaf := range p.changed {
			inside := slices.Contains(leaf, feature[len(feature)-1])
			around := leaf[len(leaf)-2]
			if around.def.Name == "config" {
				around = leaf[len(leaf)-3]
			}
			if !inside && (around.keys == nil || !slices.Contains(feature, around)) {
				return refuse(codes.FailedPrecondition, feature, "must be brought up by a Set of its own, without "+instancePath(leaf, nil))
			}
		}
	}
	return nil
}

func refuse(code codes.Code, stack []*node, what string) error {
	return status.Errorf(code, "%s %s", instancePath(stack, nil), what)
}
