package kubelease

import (
	"net/http"
	"sync"
	"time"
)

// serverClock estimates the API server's clock from the Date of its replies. It
// runs on this host's monotonic clock in between, so that neither host's wall
// clock matters when it is set.
type serverClock struct {
	now   func() time.Time
	start time.Time

	mu sync.Mutex
	// low and high bound the server's time at start.
	low, high time.Time
}

func newServerClock(now func() time.Time) *serverClock {
	return &serverClock{now: now, start: now()}
}

// elapsed is the time since start by the monotonic clock.
func (c *serverClock) elapsed() time.Duration { return c.now().Sub(c.start) }

// time returns the server's time, to half a second, or this host's if no reply
// has come yet.
func (c *serverClock) time() time.Time {
	elapsed := c.elapsed()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.low.IsZero() {
		return c.now()
	}
	return c.low.Add(c.high.Sub(c.low)/2 + elapsed)
}

// observe takes in that the server wrote date, which has whole seconds, between
// the instants sent and received. Bounds that contradict the earlier ones replace
// them: the server's clock was set, or this host slept.
func (c *serverClock) observe(sent, received time.Duration, date time.Time) {
	low, high := date.Add(-received), date.Add(time.Second-sent)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.low.IsZero() || low.After(c.high) || high.Before(c.low) {
		c.low, c.high = low, high
		return
	}
	if low.After(c.low) {
		c.low = low
	}
	if high.Before(c.high) {
		c.high = high
	}
}

// wrap makes the replies that come through next set the clock.
func (c *serverClock) wrap(next http.RoundTripper) http.RoundTripper {
	return &dateReader{clock: c, next: next}
}

type dateReader struct {
	clock *serverClock
	next  http.RoundTripper
}

// RoundTrip is part of http.RoundTripper.
func (r *dateReader) RoundTrip(request *http.Request) (*http.Response, error) {
	sent := r.clock.elapsed()
	response, err := r.next.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	if date, err := http.ParseTime(response.Header.Get("Date")); err == nil {
		r.clock.observe(sent, r.clock.elapsed(), date)
	}
	return response, nil
}

// WrappedRoundTripper lets the library find the transport below.
func (r *dateReader) WrappedRoundTripper() http.RoundTripper { return r.next }
