package device

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	gpb "github.com/openconfig/gnmi/proto/gnmi"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/changeset"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/datatree"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
)

// batches collects the steps that wait for a device, so that the one whose turn
// it is takes the others along in its Set. The zero value is ready for use; nil
// takes nobody along.
type batches struct {
	mu      sync.Mutex
	waiting []*member
}

// member is one step of a batch.
type member struct {
	change Change
	// path is the entry as the device spells it, once the step has decided.
	path *gpb.Path
	// taken tells that another step carries this one out; done is then closed
	// when that has ended, and settled tells that err is how. It is the step's own
	// turn otherwise.
	taken   bool
	done    chan struct{}
	settled bool
	err     error
}

// join lets a step be taken along by others.
func (b *batches) join(change Change) *member {
	m := &member{change: change, done: make(chan struct{})}
	if b == nil {
		return m
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.waiting = append(b.waiting, m)
	return m
}

// leave ends that. It returns false, and waits for the result, if the step has
// been taken along already.
func (b *batches) leave(m *member) bool {
	if b == nil {
		return true
	}
	b.mu.Lock()
	i := slices.Index(b.waiting, m)
	if i >= 0 {
		b.waiting = slices.Delete(b.waiting, i, i+1)
	}
	taken := m.taken
	b.mu.Unlock()
	if taken {
		<-m.done
	}
	return !taken
}

// take returns all that wait, m among them, if it is still m's turn: foundations
// before what depends on them, and on deletion the other way round.
func (b *batches) take(m *member) []*member {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !slices.Contains(b.waiting, m) {
		return nil
	}
	all := b.waiting
	b.waiting = nil
	for _, other := range all {
		other.taken = other != m
	}
	slices.SortStableFunc(all, func(x, y *member) int { return order(x.change.Step) - order(y.change.Step) })
	return all
}

func order(s devicelock.Step) int {
	if s.Operation == devicelock.Delete {
		return -int(s.Rank)
	}
	return int(s.Rank)
}

// end tells those that were taken along what became of them.
func end(members []*member) {
	for _, m := range members {
		if m.taken {
			close(m.done)
		}
	}
}

// settle says how a step ended.
func (m *member) settle(err error) { m.settled, m.err = true, err }

// together carries out the steps that wait, own among them, as one Set, all of
// them or none. What does not fit in, or is refused together, is left to each
// step's own turn, so that an error stays with the step that it is about. It
// tells whether own has been settled.
func (d *Device) together(grant *devicelock.Grant, own *member) bool {
	if d.batches == nil {
		return false
	}
	members := d.batches.take(own)
	if members == nil {
		<-own.done
		return own.settled
	}
	defer end(members)
	if len(members) == 1 || d.profile.MaxOperations > 0 || len(d.profile.Separate) > 0 {
		return false
	}
	if d.prepare(grant, own.change.Step) != nil {
		return false // it will say so in its own turn
	}
	ctx := grant.Context()
	merged := &gpb.SetRequest{}
	var joined []*member
	for _, m := range members {
		at, req, err := d.decide(ctx, m.change, merged, nil)
		switch {
		case err != nil:
			continue // it will say so in its own turn
		case changeset.Empty(req):
			m.settle(nil)
			continue
		}
		merged.Delete = append(merged.Delete, req.GetDelete()...)
		merged.Replace = append(merged.Replace, req.GetReplace()...)
		merged.Update = append(merged.Update, req.GetUpdate()...)
		m.path = at.path
		joined = append(joined, m)
	}
	if len(joined) < 2 {
		return own.settled
	}
	d.settleAll(ctx, joined, d.carryOut(ctx, grant, common(own, joined), own.change.Path, merged))
	return own.settled
}

// common is the change that a batch is as a whole.
func common(own *member, joined []*member) Change {
	c := Change{Step: own.change.Step, Path: own.change.Path}
	for _, m := range joined {
		c.Secrets = append(c.Secrets, m.change.Secrets...)
	}
	c.Warn = func(err error) {
		for _, m := range joined {
			if m.change.Warn != nil {
				m.change.Warn(err)
			}
		}
	}
	return c
}

// settleAll tells the steps of a Set what came of it. A device may hold all of
// one step and nothing of the other.
func (d *Device) settleAll(ctx context.Context, joined []*member, err error) {
	var set *SetError
	var reference *ReferenceError
	if errors.As(err, &reference) {
		return // what is missing may be so for one of them only
	}
	apart := errors.As(err, &set) && set.divides(joined)
	for _, m := range joined {
		own := err
		if set != nil {
			own = d.share(ctx, m, *set, apart)
		}
		if left := effectOf(own) == EffectNone && !ambiguous(own); left {
			continue // its own turn tells what the device has against it
		}
		d.rememberLAG(m.change.Path)
		m.settle(own)
	}
}

// share is what came of one step in a Set that failed; nil if the device holds
// all of it. Steps that do not count apart share the effect of the whole.
func (d *Device) share(ctx context.Context, m *member, set SetError, apart bool) error {
	if apart {
		set.Effect, _ = set.images.effect(m.path, m.path)
	}
	set.Entry = nil
	switch set.Effect {
	case EffectAll:
		m.change.warn(&set)
		return nil
	case EffectPart:
		if d.snapshot.ensure(ctx, d.client, m.change.Path) == nil {
			set.Entry, _ = d.snapshot.view(m.change.Path)
		}
	}
	return &set
}

// divides tells whether what the device holds by half can be told of each step
// by its own entry: not where something beside the entries is missing, which may
// be anybody's.
func (e *SetError) divides(joined []*member) bool {
	if e.Effect != EffectPart || e.images == nil {
		return false
	}
	_, missing := e.images.effect(&gpb.Path{}, &gpb.Path{})
	return !slices.ContainsFunc(missing, func(c datatree.LeafChange) bool {
		return !slices.ContainsFunc(joined, func(m *member) bool {
			return strings.HasPrefix(datatree.PathText(c.Parent), datatree.PathText(m.path)+"/")
		})
	})
}

// effectOf is what the device holds of a step that failed with err; empty if
// that is not known to be about a Set.
func effectOf(err error) Effect {
	var set *SetError
	if !errors.As(err, &set) {
		return ""
	}
	return set.Effect
}
