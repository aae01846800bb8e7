package device

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/gnmi/proto/gnmi_ext"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/gnmi"
)

// confirmPause is how long after an attempt to confirm the next one follows.
const confirmPause = time.Second

// CommitError is why a change was not made with a commit that has to be
// confirmed.
type CommitError struct {
	// Ignored means that the device confirmed a commit that there never was: it
	// would not roll back. Nothing was written.
	Ignored bool
	// Unsupported means that the device refuses the extension. Nothing was
	// written.
	Unsupported bool
	// RolledBack means that the change was made and could not be confirmed, and
	// that the device holds again what it held.
	RolledBack bool
	// After is the time that the device gave for the confirmation.
	After time.Duration
	// Err is what stood against it, nil if Ignored.
	Err error
}

// Error says what the device does.
func (e *CommitError) Error() string {
	switch {
	case e.Ignored:
		return "the device ignores commit-confirmed: it confirmed a commit that was never started"
	case e.Unsupported:
		return fmt.Sprintf("the device does not support commit-confirmed: %v", e.Err)
	case e.RolledBack:
		return fmt.Sprintf("the device could not be reached on a new connection to confirm the change, so it rolled back after %s: %v", e.After, e.Err)
	}
	return fmt.Sprintf("the change could not be confirmed, and the device did not roll back within %s: %v", e.After, e.Err)
}

// Unwrap returns what stood against it.
func (e *CommitError) Unwrap() error { return e.Err }

// effect is what the device holds of the change.
func (e *CommitError) effect() Effect {
	if e.RolledBack {
		return effectRolledBack
	}
	return EffectNone
}

// committing returns req with the commit extension (gNMI commit confirmed
// 0.1.0).
func committing(req *gpb.SetRequest, commit *gnmi_ext.Commit) *gpb.SetRequest {
	req, _ = proto.Clone(req).(*gpb.SetRequest)
	req.Extension = append(req.Extension, &gnmi_ext.Extension{Ext: &gnmi_ext.Extension_Commit{Commit: commit}})
	return req
}

func cancellation(id string) *gpb.SetRequest {
	return committing(&gpb.SetRequest{}, &gnmi_ext.Commit{Id: id, Action: &gnmi_ext.Commit_Cancel{Cancel: &gnmi_ext.CommitCancel{}}})
}

func confirmation(id string) *gpb.SetRequest {
	return committing(&gpb.SetRequest{}, &gnmi_ext.Commit{Id: id, Action: &gnmi_ext.Commit_Confirm{Confirm: &gnmi_ext.CommitConfirm{}}})
}

// start returns the transaction's request as it is sent: with commit-confirmed,
// it starts a commit. The id is the same in each repetition.
func (t *transaction) start() *gpb.SetRequest {
	if t.rollbackAfter == 0 {
		return t.req
	}
	if t.commit == "" {
		t.commit = rand.Text()
	}
	return committing(t.req, &gnmi_ext.Commit{Id: t.commit, Action: &gnmi_ext.Commit_Commit{
		Commit: &gnmi_ext.CommitRequest{RollbackDuration: durationpb.New(t.rollbackAfter)},
	}})
}

// probe finds out, once, whether the device knows commit-confirmed, by
// confirming a commit that was never started: a device that ignores the
// extension answers OK. One on which somebody else's commit waits answers as one
// that does not know the extension may; its answer to the first change decides.
func (d *Device) probe(ctx context.Context, grant *devicelock.Grant) error {
	if d.rollbackAfter == 0 || d.confirms {
		return nil
	}
	err := d.extension(ctx, grant, d.client, confirmation(rand.Text()))
	switch code := refusal(err); {
	case err == nil:
		return &CommitError{Ignored: true}
	case code == codes.Unimplemented:
		return &CommitError{Unsupported: true, Err: err}
	case code != codes.FailedPrecondition && code != codes.InvalidArgument:
		return err
	}
	d.confirms = true
	return nil
}

// conclude confirms a commit whose start ended with err, if it can have begun.
// The id tells a lost answer from a lost request: only a commit that has begun
// can be confirmed.
func (t *transaction) conclude(ctx context.Context, err error) error {
	switch {
	case t.rollbackAfter == 0:
		return err
	case err == nil, ambiguous(err):
		return t.awaitConfirmation(ctx, err)
	case !t.quiet.IsZero() && refusal(err) == codes.FailedPrecondition:
		if t.confirm(ctx) == nil {
			return nil
		}
	case refusal(err) == codes.Unimplemented:
		return &CommitError{Unsupported: true, Err: err}
	}
	return err
}

// awaitConfirmation confirms the commit on a new connection: that the old one
// still works does not show that the device can be reached. It tries until the
// device rolls back. A start without an answer, which ended with doubt, can have
// cut the way as well; where nothing waits before the device can have rolled
// back, nothing was started, and it is doubt that is returned.
func (t *transaction) awaitConfirmation(ctx context.Context, doubt error) error {
	until := time.Now().Add(t.rollbackAfter)
	for {
		err := t.confirm(ctx)
		switch code := refusal(err); {
		case err == nil:
			return nil
		case doubt != nil && code != codes.OK && time.Since(t.untold.Start) < t.rollbackAfter:
			return doubt
		case code == codes.FailedPrecondition:
			// Nothing waits: it was confirmed by an attempt without an answer, or
			// rolled back.
			return t.rolledBack(ctx, time.Now(), err)
		case code != codes.OK || lost(err):
			return t.rolledBack(ctx, until, err)
		}
		if !time.Now().Add(confirmPause).Before(until) {
			return t.rolledBack(ctx, until, err)
		}
		pause(ctx, confirmPause)
	}
}

// confirm confirms the commit once, on a new connection.
func (t *transaction) confirm(ctx context.Context) error {
	fresh, err := t.client.Fresh()
	if err != nil {
		return err
	}
	defer func() { _ = fresh.Close() }()
	return t.extension(ctx, t.grant, fresh, confirmation(t.commit))
}

// rolledBack says what became of a commit that could not be confirmed, and that
// the device rolls back at due.
func (t *transaction) rolledBack(ctx context.Context, due time.Time, err error) error {
	if !t.image() {
		return &SetError{Request: t.req, Effect: EffectUnknown, Err: err}
	}
	pause(ctx, time.Until(due))
	failure := &CommitError{After: t.rollbackAfter, Err: err}
	for late := due.Add(t.registry.LockDelay()); ; {
		effect := t.look(ctx)
		waiting := time.Now().Before(late)
		switch {
		case effect == EffectNone:
			failure.RolledBack = true
			return failure
		case effect == EffectAll && refusal(err) == codes.FailedPrecondition:
			return nil
		case effect == EffectAll && !waiting:
			if t.change.Warn != nil {
				t.change.Warn(failure)
			}
			return nil
		case !waiting:
			return &SetError{Request: t.req, Effect: effect, Err: failure}
		}
		pause(ctx, settlePause)
	}
}

// takeBack cancels a commit that was not carried out as a whole, or of which it
// is not known, and returns what the device holds then: it would take the commit
// back in any case, only later.
func (t *transaction) takeBack(ctx context.Context, effect Effect) Effect {
	if t.commit == "" || effect == EffectAll || effect == EffectNone {
		return effect
	}
	return t.cancel(ctx)
}

// cancel cancels the commit, and returns what the device holds then.
func (t *transaction) cancel(ctx context.Context) Effect {
	if err := t.extension(ctx, t.grant, t.client, cancellation(t.commit)); err != nil && refusal(err) != codes.FailedPrecondition {
		pause(ctx, t.rollbackAfter)
	}
	return t.look(ctx)
}

// extension sends a Set that has nothing but an extension.
func (d *Device) extension(ctx context.Context, grant *devicelock.Grant, client *gnmi.Client, req *gpb.SetRequest) error {
	sending, done, err := grant.Sending(ctx, d.client.SetTimeout())
	if err != nil {
		return err
	}
	defer done()
	return client.Set(sending, d.elect(grant, req))
}

// foreign tells whether somebody else's commit waits for its confirmation, after
// a refusal that may mean so.
func (t *transaction) foreign(ctx context.Context, err error) bool {
	return t.rollbackAfter > 0 && refusal(err) == codes.FailedPrecondition &&
		refusal(t.extension(ctx, t.grant, t.client, confirmation(rand.Text()))) == codes.InvalidArgument
}
