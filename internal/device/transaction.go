package device

import (
	"context"
	"errors"
	"time"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/datatree"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/gnmi"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/oc"
)

// transaction is one request on its way to a device that is held for it.
type transaction struct {
	*Device
	grant  *devicelock.Grant
	change Change
	// path is the entry as the device spells it.
	path *gpb.Path
	req  *gpb.SetRequest
	// images are nil until the outcome is in doubt.
	images
	// quiet is when a Set that was not answered cannot be carried out any more.
	quiet time.Time
	// untold is the last Set, which the observer hears of when its effect is
	// known.
	untold *Sent
	// commit is the id of the commit that has to be confirmed, empty without.
	commit string
}

// run carries out the request, and does not return before it is known what
// became of it, as far as that can be found out.
//
// What was not sent, and what a device refuses because of a passing state and
// then does not hold, is sent again within the retry budget. What was not
// answered is sent again at once, which is harmless because the request is the
// same, and if that does not settle it, the device is read until nothing can
// come any more. Whatever was refused is looked for as well: devices refuse what
// they have carried out. Under a lost lock nothing is sent again.
//
// A device may go on with a request whose sender has given up, for as long as
// the lock delay. Until then nobody else gets the device, even if it is known
// what became of the request: carried out late, it would undo what a later step
// has done.
func (t *transaction) run(ctx context.Context) error {
	defer func() { pause(ctx, time.Until(t.quiet)) }()
	pace := gnmi.NewPace(t.client.RetryBudget())
	foreign := time.Now().Add(t.registry.Timeout())
	for resent := false; ; {
		err := t.send(ctx)
		inDoubt := !t.quiet.IsZero()
		var commit *CommitError
		var unshown *NotShownError
		switch {
		case err == nil, !inDoubt && (unauthenticated(err) || lost(err) && !sent(err)):
			t.told(ctx, "")
			return err
		case errors.As(err, &commit):
			t.told(ctx, commit.effect())
			return err
		case errors.As(err, &unshown):
			return t.unshown(ctx, unshown)
		case !inDoubt && time.Now().Before(foreign) && t.foreign(ctx, err):
			t.told(ctx, "")
			pause(t.grant.Context(), confirmPause)
			if err := context.Cause(t.grant.Context()); err != nil {
				return err
			}
			continue
		case !sent(err) && !inDoubt:
			// A device that cannot be reached has had its attempt, and what cannot be
			// sent at all never will be.
			if !notSent(err) || !pace.Wait(ctx, err) {
				t.told(ctx, "")
				return err
			}
			continue
		case ambiguous(err) && !resent && !lost(err):
			resent = true
			t.client.Retry()
			continue
		}
		effect := t.takeBack(ctx, t.settle(ctx))
		t.told(ctx, effect)
		if effect == EffectAll && t.rollbackAfter > 0 {
			return t.awaitConfirmation(ctx, nil)
		}
		if effect == EffectAll {
			t.change.warn(err)
			return nil
		}
		if effect == EffectNone && !lost(err) && !denied(err) {
			if !sent(err) || gnmi.Passing(err) {
				if pace.Wait(ctx, err) {
					resent = false
					continue
				}
			} else if t.withoutAbsent() {
				continue
			}
		}
		return t.failure(ctx, effect, err)
	}
}

// send sends the request once, and notes until when a Set without an answer may
// still be carried out.
func (t *transaction) send(ctx context.Context) error {
	t.told(ctx, "")
	err := t.set(ctx, t.grant, t.change, t.start(), func(s Sent) { t.untold = &s })
	if ambiguous(err) {
		wait := t.registry.LockDelay()
		if finished(err) {
			wait = min(wait, settleTime)
		}
		t.quiet = later(t.quiet, time.Now().Add(wait))
	}
	if err == nil {
		err = t.verify(ctx)
	}
	return t.conclude(ctx, err)
}

// told reports the last Set, with its effect where that is not its outcome.
func (t *transaction) told(ctx context.Context, effect Effect) {
	if t.untold == nil {
		return
	}
	switch effect {
	case EffectAll:
		t.untold.Outcome = "settled"
	case EffectPart:
		t.untold.Outcome = "half_applied"
	case effectRolledBack:
		t.untold.Outcome = "rolled_back"
	}
	if effect != "" {
		t.untold.Took = time.Since(t.untold.Start)
	}
	t.tell(ctx, *t.untold)
	t.untold = nil
}

// warn says that the device holds what it refused. That an answer was lost is
// no news for anybody.
func (c *Change) warn(err error) {
	absent := refusal(err) == codes.NotFound // as wanted: what was to be deleted is not there
	if c.Warn != nil && refusal(err) != codes.OK && !absent {
		c.Warn(err)
	}
}

// withoutAbsent takes out of the request what would delete nothing, and tells
// whether there was any: some devices refuse to delete what is not there.
func (t *transaction) withoutAbsent() bool {
	req := &gpb.SetRequest{Replace: t.req.GetReplace(), Update: t.req.GetUpdate()}
	for _, p := range t.req.GetDelete() {
		if t.snapshot.holds(p) {
			req.Delete = append(req.Delete, p)
		}
	}
	less := operations(req) < operations(t.req) && operations(req) > 0
	if less {
		t.req = req
	}
	return less
}

// failure is the error of a request of which the device holds not all.
func (t *transaction) failure(ctx context.Context, effect Effect, err error) error {
	problem := &SetError{Request: t.req, Effect: effect, Err: err, images: &t.images}
	switch {
	case effect == EffectPart:
		t.grant.Changed()
		problem.Entry, _ = t.snapshot.view(t.path)
		return problem
	case effect == EffectNone && (lost(err) || denied(err)):
		return err
	case lost(err) || denied(err) || ambiguous(err) || !sent(err):
		return problem
	}
	if reference := t.explain(ctx, problem); reference != nil {
		return reference
	}
	return problem
}

// later returns the later of two moments.
func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// pause waits for d, or for the end of ctx.
func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// explain finds out whether a Set was refused because something that it refers
// to is missing, or because something else refers to what it removes. Devices
// say so with many codes, so the device's own configuration decides. It returns
// nil when neither is the case.
func (t *transaction) explain(ctx context.Context, problem *SetError) *ReferenceError {
	image := known(t.snapshot.image(t.req))
	for _, r := range image.References(t.path) {
		if !t.reads(ctx, r.Target) {
			return nil
		}
	}
	image = known(t.snapshot.image(t.req))
	missing := image.Missing(t.path)
	for i := 1; i < len(t.path.GetElem()); i++ {
		above := &gpb.Path{Elem: t.path.GetElem()[:i]}
		if isEntry(t.path.GetElem()[i-1]) && !t.snapshot.holds(above) {
			missing = append(missing, datatree.Reference{Leaf: t.path, Target: above})
		}
	}
	var referrers []datatree.Reference
	if t.change.Step.Operation == devicelock.Delete {
		referrers = known(t.snapshot.image(nil)).Referrers(t.path)
	}
	if len(missing)+len(referrers) == 0 {
		return nil
	}
	return &ReferenceError{Path: t.path, Missing: missing, Referrers: referrers, Err: problem}
}

// reads tells whether the device lets what is at p be read.
func (t *transaction) reads(ctx context.Context, p *gpb.Path) bool {
	return t.snapshot.ensure(ctx, t.client, p) == nil
}

// known is an image of a device, empty if it could not be made: then nothing is
// known to be missing.
func known(image *datatree.Node, err error) *datatree.Node {
	if err != nil {
		return datatree.New(oc.Model)
	}
	return image
}
