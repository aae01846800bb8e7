package simulator

import (
	"github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/schema"
)

// apply computes the tree after a SetRequest on the tree current, which stays
// as it is, without the quirks of Sets.
func (t *Target) apply(current *node, req *gnmi.SetRequest) (*node, error) {
	return t.transact(&ways{}, current, nil, req)
}

// transact is apply with the quirks of Sets. What is left of a refused Set comes
// first, as far as it goes. The result has been checked as a whole.
func (t *Target) transact(w *ways, current *node, left, req *gnmi.SetRequest) (*node, error) {
	if len(req.GetUnionReplace()) > 0 {
		return nil, status.Error(codes.Unimplemented, "union_replace is not supported")
	}
	tx := newTxn(current)
	_ = t.operate(w, tx, left) // it was refused, and is so again
	if err := t.operate(w, tx, req); err != nil {
		return nil, err
	}
	t.consequences(current, tx)
	if w.AutopruneEmptyParent {
		for _, path := range req.GetDelete() {
			if steps, err := resolvePath(t.model, req.GetPrefix(), path); err == nil {
				w.shed(tx, []*node{tx.root}, steps)
			}
		}
	}
	if len(w.shadow) > 0 {
		w.revert(tx, current, tx.root)
	}
	after := tx.seal()
	if err := check(current, after, t.factory, t.options.DanglingLeafrefs); err != nil {
		return nil, err
	}
	if err := w.permits(current, after); err != nil {
		return nil, err
	}
	return after, t.conditions(after)
}

// operate carries out the operations: deletes, then replaces, then updates,
// inside a group as listed (gNMI specification, section 3.4.3).
func (t *Target) operate(w *ways, tx *txn, req *gnmi.SetRequest) error {
	for _, path := range req.GetDelete() {
		if err := tx.deletePath(w, t.model, req.GetPrefix(), path); err != nil {
			return err
		}
	}
	for _, u := range req.GetReplace() {
		if err := tx.writePath(w, t.model, req.GetPrefix(), u, true); err != nil {
			return err
		}
	}
	for _, u := range req.GetUpdate() {
		if err := tx.writePath(w, t.model, req.GetPrefix(), u, false); err != nil {
			return err
		}
	}
	return nil
}

// results answers a SetRequest that was applied, operation by operation.
func results(req *gnmi.SetRequest) []*gnmi.UpdateResult {
	var all []*gnmi.UpdateResult
	for _, path := range req.GetDelete() {
		all = append(all, &gnmi.UpdateResult{Path: path, Op: gnmi.UpdateResult_DELETE})
	}
	for _, u := range req.GetReplace() {
		all = append(all, &gnmi.UpdateResult{Path: u.GetPath(), Op: gnmi.UpdateResult_REPLACE})
	}
	for _, u := range req.GetUpdate() {
		all = append(all, &gnmi.UpdateResult{Path: u.GetPath(), Op: gnmi.UpdateResult_UPDATE})
	}
	return all
}

// deletePath removes what path leads to. That nothing is there is no error by the
// specification (section 3.4.6).
func (t *txn) deletePath(w *ways, model *def, prefix, path *gnmi.Path) error {
	steps, err := resolveWritable(model, prefix, path)
	if err != nil {
		return err
	}
	if len(steps) == 0 {
		t.clear(t.root)
		return nil
	}
	if last := steps[len(steps)-1].def; last.isKey() {
		return status.Errorf(codes.InvalidArgument, "%s: a key leaf cannot be deleted, only its list entry", joinedText(prefix, path))
	}
	if len(find(t.root, steps)) == 0 {
		return w.absent(prefix, path)
	}
	t.deleteSteps(t.root, steps)
	return nil
}

// deleteSteps follows steps from parent, which the transaction owns, copying
// only what exists.
func (t *txn) deleteSteps(parent *node, steps []step) {
	s, rest := steps[0], steps[1:]
	c := parent.child(s.def)
	if c == nil {
		return
	}
	if !c.isList() {
		if len(rest) == 0 {
			t.remove(parent, s.def)
			return
		}
		t.deleteSteps(t.open(parent, s.def), rest)
		return
	}
	list := t.open(parent, s.def)
	for _, e := range c.find(s) {
		if len(rest) == 0 {
			t.removeEntry(list, list.def.entryName(e.keys))
		} else {
			t.deleteSteps(t.entry(list, e.keys), rest)
		}
	}
}

// find returns a list's entries that a step stands for.
func (n *node) find(s step) []*node {
	if !s.wildcard() {
		if e := n.entries[n.def.entryName(s.keys)]; e != nil {
			return []*node{e}
		}
		return nil
	}
	var found []*node
	for _, e := range n.sorted() {
		if s.matches(e.keys) {
			found = append(found, e)
		}
	}
	return found
}

// writePath merges an update's value into what its path leads to, or replaces
// it, and makes the containers and list entries on the way.
func (t *txn) writePath(w *ways, model *def, prefix *gnmi.Path, u *gnmi.Update, replace bool) error {
	steps, err := resolveWritable(model, prefix, u.GetPath())
	if err != nil {
		return err
	}
	invalid := func(what any) error {
		return status.Errorf(codes.InvalidArgument, "%s: %v", joinedText(prefix, u.GetPath()), what)
	}
	var entry *node
	at := t.root
	for i, s := range steps {
		at = t.open(at, s.def)
		if s.def.Kind != schema.List {
			continue
		}
		switch {
		case s.wildcard() && i == len(steps)-1 && allWild(s.keys):
			// The list as a whole; its value is an array of entries.
		case s.wildcard():
			return invalid("a path to write needs all keys of the list " + s.def.Name + ", and no wildcards")
		default:
			at = t.entry(at, s.keys)
			entry = at
		}
	}
	if replace {
		t.clear(at)
	} else {
		w.overwrite(t, at, u.GetVal())
	}
	if err := (decoder{txn: t}).merge(entry, at, u.GetVal()); err != nil {
		return invalid(err)
	}
	return nil
}

func allWild(keys []string) bool {
	for _, k := range keys {
		if k != "*" {
			return false
		}
	}
	return true
}

// resolveWritable is resolvePath for what a Set may name.
func resolveWritable(model *def, prefix, path *gnmi.Path) ([]step, error) {
	steps, err := resolvePath(model, prefix, path)
	if err != nil {
		return nil, err
	}
	for _, s := range steps {
		if s.state {
			return nil, status.Errorf(codes.InvalidArgument, "%s: state is read-only", joinedText(prefix, path))
		}
	}
	return steps, nil
}
