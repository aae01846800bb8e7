package device

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/datatree"
)

// verifyPause is how long after the first look at a change the second one
// follows; each later pause is twice as long, up to settlePause.
const verifyPause = 50 * time.Millisecond

// NotShownError is a Set that the device accepted and does not show.
type NotShownError struct {
	// After is for how long the device was looked at.
	After time.Duration
	// Leaves are the paths of what it does not show as it was set.
	Leaves []string
	// Err is why the device could not be read; nil if it could.
	Err error

	effect Effect
}

func (e *NotShownError) Error() string {
	text := fmt.Sprintf("the device accepted the change, and %s later", e.After)
	switch {
	case e.Err != nil:
		return fmt.Sprintf("%s cannot be read: %v", text, e.Err)
	case len(e.Leaves) == 0:
		return text + " has lost the entry"
	}
	return text + " does not show\n  " + strings.Join(e.Leaves, "\n  ")
}

// verify looks, where that is wanted, whether the device shows what it accepted,
// until it does. It returns a *NotShownError. Secrets, which devices do not show,
// are taken on trust.
func (t *transaction) verify(ctx context.Context) error {
	if t.verifyFor == 0 || !t.image() {
		return nil
	}
	over := time.Now().Add(t.verifyFor)
	for wait := verifyPause; ; wait = min(2*wait, settlePause) {
		effect, missing, err := t.compare(ctx)
		if err == nil && len(missing) == 0 && effect != EffectPart {
			t.untold.Took = time.Since(t.untold.Start)
			return nil
		}
		if left := time.Until(over); left > 0 {
			pause(ctx, min(wait, left))
			continue
		}
		failure := &NotShownError{After: t.verifyFor, Err: err, effect: effect}
		for _, c := range missing {
			failure.Leaves = append(failure.Leaves, datatree.PathText(c.Path()))
		}
		t.untold.Outcome = "not_shown"
		return failure
	}
}

// unshown ends a step whose change the device accepted and does not show. A
// commit that waits for its confirmation is cancelled.
func (t *transaction) unshown(ctx context.Context, err *NotShownError) error {
	effect := err.effect
	if t.commit != "" {
		effect = t.cancel(ctx)
	}
	t.told(ctx, effect)
	if effect == EffectAll {
		return t.awaitConfirmation(ctx, nil)
	}
	return t.failure(ctx, effect, err)
}
