package simulator

import (
	"fmt"
	"time"

	"github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/gnmi/proto/gnmi_ext"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"
)

// CommitConfirmed is what a target does with gNMI's commit-confirmed extension
// (gNMI commit confirmed, version 0.1.0).
type CommitConfirmed string

// The ways of targets.
const (
	// CommitIgnored accepts the extension and takes no notice, as targets do that
	// do not know it: what a Set writes stays. It is the default.
	CommitIgnored CommitConfirmed = "ignored"
	// CommitFull rolls back what is not confirmed, as specified.
	CommitFull CommitConfirmed = "full"
	// CommitNoSetDuration is CommitFull without the action that the extension got
	// last, SetRollbackDuration (section 3.2.4).
	CommitNoSetDuration CommitConfirmed = "no_set_duration"
	// CommitUnsupported refuses a Set with the extension.
	CommitUnsupported CommitConfirmed = "unsupported"
)

// Check returns an error unless c is one of the ways, or empty, which stands for
// the default.
func (c CommitConfirmed) Check() error {
	switch c {
	case "", CommitIgnored, CommitFull, CommitNoSetDuration, CommitUnsupported:
		return nil
	}
	return fmt.Errorf("commit %q must be full, no_set_duration, unsupported or ignored", c)
}

// PendingOthers is what a target does with a Set without the extension while a
// commit waits for its confirmation.
type PendingOthers string

// The ways of targets.
const (
	// PendingReject refuses such a Set, as specified (section 3.2.1). It is the
	// default.
	PendingReject PendingOthers = "reject"
	// PendingAllow carries it out. A rollback undoes it with the commit.
	PendingAllow PendingOthers = "allow"
)

// Check returns an error unless p is one of the ways, or empty, which stands for
// the default.
func (p PendingOthers) Check() error {
	switch p {
	case "", PendingReject, PendingAllow:
		return nil
	}
	return fmt.Errorf("pending-blocks-others %q must be reject or allow", p)
}

// defaultRollback is how long a commit waits that does not say so itself.
const defaultRollback = 10 * time.Minute

// commitStep is what a Set does to a commit that has to be confirmed; the zero
// value is that of a Set that has nothing to do with one.
type commitStep struct {
	action   any
	id       string
	rollback time.Duration
}

// commitOf returns the commit-confirmed extension of a request, nil if none.
func commitOf(req *gnmi.SetRequest) *gnmi_ext.Commit {
	for _, e := range req.GetExtension() {
		if c := e.GetCommit(); c != nil {
			return c
		}
	}
	return nil
}

// commitAction returns the name of an extension's action as the protocol spells
// it, empty when there is none.
func commitAction(c *gnmi_ext.Commit) string {
	switch c.GetAction().(type) {
	case *gnmi_ext.Commit_Commit:
		return "commit"
	case *gnmi_ext.Commit_Confirm:
		return "confirm"
	case *gnmi_ext.Commit_Cancel:
		return "cancel"
	case *gnmi_ext.Commit_SetRollbackDuration:
		return "set_rollback_duration"
	}
	return ""
}

// admit lets a Set through, or refuses one that the pending commit, or the lack
// of one, stands against (section 3.2). It must be called with the turn.
func (t *Target) admit(req *gnmi.SetRequest) (commitStep, error) {
	c := commitOf(req)
	switch {
	case c == nil:
		if t.pending != nil && t.options.PendingBlocksOthers != PendingAllow {
			return commitStep{}, status.Errorf(codes.FailedPrecondition, "the commit %q waits for its confirmation", t.pending.id)
		}
		return commitStep{}, nil
	case t.options.Commit == CommitUnsupported:
		return commitStep{}, status.Error(codes.Unimplemented, "the commit-confirmed extension is not supported")
	case t.options.Commit == CommitIgnored || t.options.Commit == "":
		return commitStep{}, nil
	case c.GetId() == "":
		return commitStep{}, status.Error(codes.InvalidArgument, "a commit without an id")
	}
	step := commitStep{action: c.GetAction(), id: c.GetId()}
	switch action := step.action.(type) {
	case *gnmi_ext.Commit_Commit:
		if t.pending != nil {
			return commitStep{}, status.Errorf(codes.FailedPrecondition, "the commit %q waits for its confirmation", t.pending.id)
		}
		step.rollback = defaultRollback
		if d := action.Commit.GetRollbackDuration(); d != nil {
			err := step.setRollback(d)
			return step, err
		}
		return step, nil
	case *gnmi_ext.Commit_Confirm, *gnmi_ext.Commit_Cancel:
		return step, t.belongs(req, step.id)
	case *gnmi_ext.Commit_SetRollbackDuration:
		if t.options.Commit == CommitNoSetDuration {
			return commitStep{}, status.Error(codes.Unimplemented, "the rollback duration of a commit cannot be changed")
		}
		if err := t.belongs(req, step.id); err != nil {
			return commitStep{}, err
		}
		err := step.setRollback(action.SetRollbackDuration.GetRollbackDuration())
		return step, err
	}
	return commitStep{}, status.Error(codes.InvalidArgument, "a commit without an action")
}

// belongs refuses a Set that is not about the pending commit, or would amend it
// (sections 2 and 3.2.2 to 3.2.4).
func (t *Target) belongs(req *gnmi.SetRequest, id string) error {
	switch {
	case t.pending == nil:
		return status.Error(codes.FailedPrecondition, "no commit waits for its confirmation")
	case t.pending.id != id:
		return status.Errorf(codes.InvalidArgument, "the commit that waits for its confirmation is %q, not %q", t.pending.id, id)
	case len(req.GetDelete())+len(req.GetReplace())+len(req.GetUpdate())+len(req.GetUnionReplace()) > 0:
		return status.Errorf(codes.InvalidArgument, "the commit %q cannot be amended", id)
	}
	return nil
}

// setRollback takes a duration from the client. One of 0 or less is refused, for
// the commit action too, of which the specification does not say it.
func (s *commitStep) setRollback(d *durationpb.Duration) error {
	if s.rollback = d.AsDuration(); !d.IsValid() || s.rollback <= 0 {
		return status.Error(codes.InvalidArgument, "rollback_duration must be greater than 0")
	}
	return nil
}
