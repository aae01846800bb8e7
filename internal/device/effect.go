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

// compare reads what the device holds now, and says what that has of the request
// and which leaves are missing, or why the device could not be read.
func (t *transaction) compare(ctx context.Context) (effect Effect, missing []datatree.LeafChange, err error) {
	t.snapshot.drop()
	t.client.Retry()
	for _, p := range touched(t.req) {
		if err := t.snapshot.ensure(ctx, t.client, p); err != nil {
			return EffectUnknown, nil, err
		}
	}
	if t.now, err = t.snapshot.image(nil); err != nil {
		return EffectUnknown, nil, err
	}
	effect, missing = t.effect(&gpb.Path{}, t.path)
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
