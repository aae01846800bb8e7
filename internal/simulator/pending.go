package simulator

import (
	"time"

	"github.com/openconfig/gnmi/proto/gnmi_ext"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// pending is a commit that waits for its confirmation. Until then the state file
// keeps the tree from before, so that a restart rolls back too: the extension
// does not say, but takes after RFC 6241, whose section 8.4.1 has it so.
type pending struct {
	id     string
	before *node
	// until is when the rollback comes; the timer asks for it then.
	until time.Time
	timer *time.Timer
}

// conclude carries out a Set that admit has let through. It must be called with
// the turn; write applies the Set's content, as the start of a commit if it is
// given one.
func (t *Target) conclude(step commitStep, write func(*pending) error) error {
	switch step.action.(type) {
	case *gnmi_ext.Commit_Commit:
		return write(t.await(step.id, step.rollback))
	case *gnmi_ext.Commit_Confirm:
		return t.confirm()
	case *gnmi_ext.Commit_Cancel:
		t.rollBack()
		return nil
	case *gnmi_ext.Commit_SetRollbackDuration:
		// The new duration counts from now on.
		wait := step.rollback + t.options.RollbackLate
		t.pending.until = time.Now().Add(wait)
		t.pending.timer.Reset(wait)
		return nil
	}
	return write(nil)
}

// await returns a commit whose time runs. While a late rollback is overdue, the
// commit can still be confirmed.
func (t *Target) await(id string, rollback time.Duration) *pending {
	wait := rollback + t.options.RollbackLate
	p := &pending{id: id, until: time.Now().Add(wait)}
	p.timer = time.AfterFunc(wait, func() { t.expire(p) })
	return p
}

// expire rolls p back when it is due, if it is the pending commit at all. A
// confirmation that has its turn already comes first.
func (t *Target) expire(p *pending) {
	select {
	case t.turn <- struct{}{}:
		defer func() { <-t.turn }()
	case <-t.stopping:
		return
	}
	if t.pending == p && !time.Now().Before(p.until) {
		t.rollBack()
	}
}

// confirm ends the pending commit and keeps what it wrote.
func (t *Target) confirm() error {
	t.publish.Lock()
	defer t.publish.Unlock()
	if err := t.save(t.root.Load()); err != nil {
		return status.Errorf(codes.Internal, "the commit was not confirmed: %v", err)
	}
	t.pending.timer.Stop()
	t.pending = nil
	return nil
}

// rollBack ends the pending commit and brings back the tree from before it.
func (t *Target) rollBack() {
	t.publish.Lock()
	defer t.publish.Unlock()
	t.replace(t.pending.before)
	t.pending.timer.Stop()
	t.pending = nil
}
