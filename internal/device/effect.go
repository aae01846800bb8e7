package device

import (
	"context"
	"slices"
	"time"

	gpb "github.com/openconfig/gnmi/proto/gnmi"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/datatree"
)

// Effect is what the device holds of a Set that did not end well.
type Effect string

// The effects.
const (
	// EffectUnknown means that the device could not be read.
	EffectUnknown Effect = "unknown"
	// EffectNone means that the device holds what it held.
	EffectNone Effect = "none"
	// EffectPart means that the device holds some of the change.
	EffectPart Effect = "part"
	// EffectAll means that the device holds the change.
	EffectAll Effect = "all"
	// effectRolledBack is that of a commit that was not confirmed.
	effectRolledBack Effect = "rolled back"
)

// settleTime is how long a device is looked at that says that something went
// wrong in it: it may show late what it did all the same.
const settleTime = 2 * time.Second

// settlePause is how long after one look at a device the next one follows.
const settlePause = 500 * time.Millisecond

// settle reads the device until it shows the whole change, or until it cannot
// come any more. What a first look finds half done, or not at all readable, is
// looked at once more: a device may show its configuration a moment late.
func (t *transaction) settle(ctx context.Context) Effect {
	if !t.image() {
		return EffectUnknown
	}
	for looks := 1; ; looks++ {
		effect := t.look(ctx)
		certain := effect == EffectNone || looks > 1
		if effect == EffectAll || certain && !time.Now().Before(t.quiet) || ctx.Err() != nil {
			return effect
		}
		pause(ctx, settlePause)
	}
}

// image keeps what the device holds without and with the request, before it is
// looked at anew. It tells whether that is known.
func (t *transaction) image() bool {
	if t.before != nil {
		return true
	}
	before, err := t.snapshot.image(nil)
	if err == nil {
		t.intended, err = t.snapshot.image(t.req)
	}
	if err != nil {
		t.snapshot.drop()
		return false
	}
	t.before = before
	return true
}

// look says what the device holds now of the request.
func (t *transaction) look(ctx context.Context) Effect {
	effect, _, _ := t.compare(ctx)
	return effect
}

// compare compares what the device holds now with what it would hold without
// and with the request. It returns the leaves that are not as they would be with
// it, secrets aside, or why the device could not be read.
func (t *transaction) compare(ctx context.Context) (effect Effect, missing []datatree.LeafChange, err error) {
	t.snapshot.drop()
	t.client.Retry()
	for _, p := range touched(t.req) {
		if err := t.snapshot.ensure(ctx, t.client, p); err != nil {
			return EffectUnknown, nil, err
		}
	}
	now, err := t.snapshot.image(nil)
	if err != nil {
		return EffectUnknown, nil, err
	}
	changes := datatree.Changes(&gpb.Path{}, t.before, t.intended)
	var undone, verifiable int
	for _, c := range changes {
		if datatree.Secret(c.Leaf) {
			continue
		}
		verifiable++
		v := c.In(now)
		if datatree.SameValues(c.Leaf, v, c.In(t.intended)) {
			continue
		}
		missing = append(missing, c)
		if datatree.SameValues(c.Leaf, v, c.In(t.before)) {
			undone++
		}
	}
	entry := t.path.GetElem()
	switch {
	case now.At(entry) == nil && t.intended.At(entry) != nil && t.before.At(entry) != nil:
		effect = EffectPart // what was to go went with all else
	case verifiable == 0 && len(changes) > 0:
		effect = EffectUnknown // nothing but secrets, which devices do not show
	case undone == verifiable:
		effect = EffectNone
	case len(missing) == 0:
		effect = EffectAll
	default:
		effect = EffectPart
	}
	return effect, missing, nil
}

// touched returns the paths of all that a request changes.
func touched(req *gpb.SetRequest) []*gpb.Path {
	paths := slices.Clone(req.GetDelete())
	for _, u := range slices.Concat(req.GetReplace(), req.GetUpdate()) {
		paths = append(paths, u.GetPath())
	}
	return paths
}
