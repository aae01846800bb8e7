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
	began, over time.Time
	pause       *backoff.ExponentialBackOff
}

// abortedBudget bounds how long a request is repeated that ends with Aborted and
// no hint: it may mean another session, which ends, and on some devices it means
// every refusal.
const abortedBudget = 5 * time.Second

// NewPace begins a budget.
func NewPace(budget time.Duration) *Pace {
	now := time.Now()
	p := &Pace{began: now, over: now.Add(budget), pause: backoff.NewExponentialBackOff()}
	p.pause.InitialInterval, p.pause.MaxInterval = 200*time.Millisecond, 5*time.Second
	return p
}

// Wait waits until the request may be sent again after it failed with err, and
// tells whether there is time left for that.
func (p *Pace) Wait(ctx context.Context, err error) bool {
	d := p.pause.NextBackOff()
	over := p.over
	var failed *RPCError
	if errors.As(err, &failed) {
		d = max(d, failed.RetryAfter)
		if short := p.began.Add(abortedBudget); failed.Code == codes.Aborted && failed.RetryAfter == 0 && short.Before(over) {
			over = short
		}
	}
	if time.Now().Add(d).After(over) {
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
	return failed.RetryAfter > 0 || failed.Code == codes.Unavailable || failed.Code == codes.Aborted && !failed.final
}

// RetryBudget is how long a request that may safely be sent again is, in all.
func (c *Client) RetryBudget() time.Duration { return c.config.RetryBudget }
