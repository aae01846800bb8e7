package gnmi

import (
	"context"
	"errors"
	"time"

	"github.com/cenkalti/backoff/v5"
	"google.golang.org/grpc/codes"
)

// DefaultRetryBudget is how long a request that may safely be sent again is, in
// all, if nothing else is said.
const DefaultRetryBudget = 30 * time.Second

// Pace says when a request is sent again: after pauses that grow, not before
// the device wants it, and not beyond a budget. It is for one request.
type Pace struct {
	over  time.Time
	pause *backoff.ExponentialBackOff
}

// NewPace begins a budget.
func NewPace(budget time.Duration) *Pace {
	p := &Pace{over: time.Now().Add(budget), pause: backoff.NewExponentialBackOff()}
	p.pause.InitialInterval, p.pause.MaxInterval = 200*time.Millisecond, 5*time.Second
	return p
}

// Wait waits until the request may be sent again after it failed with err, and
// tells whether there is time left for that.
func (p *Pace) Wait(ctx context.Context, err error) bool {
	d := p.pause.NextBackOff()
	var failed *RPCError
	if errors.As(err, &failed) {
		d = max(d, failed.RetryAfter)
	}
	if time.Now().Add(d).After(p.over) {
		return false
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// Passing tells whether a device may mean by err that the same request will
// succeed soon: it says so itself, or it is busy. A request that is too large is
// ResourceExhausted as well, so that code alone is no reason to repeat one.
func Passing(err error) bool {
	var failed *RPCError
	if !errors.As(err, &failed) {
		return false
	}
	return failed.RetryAfter > 0 || failed.Code == codes.Unavailable || failed.Code == codes.Aborted
}

// RetryBudget is how long a request that may safely be sent again is, in all.
func (c *Client) RetryBudget() time.Duration { return c.config.RetryBudget }
