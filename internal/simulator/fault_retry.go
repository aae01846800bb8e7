package simulator

import (
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"
)

// retryLater is an error that tells its client when to try again, in a
// google.rpc.RetryInfo.
func retryLater(code codes.Code, message string, after time.Duration) error {
	st, err := status.New(code, message).WithDetails(&errdetails.RetryInfo{RetryDelay: durationpb.New(after)})
	if err != nil {
		return status.Error(code, message)
	}
	return st.Err()
}

// pace lets burst RPCs through at once, and one more for every time that passes.
type pace struct {
	every time.Duration
	burst int
	// used is when all that was let through will be paid for.
	used time.Time
}

// take lets an RPC through, or refuses it.
func (p *pace) take() error {
	now := time.Now()
	if p.used.Before(now) {
		p.used = now
	}
	if wait := p.used.Add(-time.Duration(p.burst-1) * p.every).Sub(now); wait > 0 {
		return retryLater(codes.ResourceExhausted, "too many requests", wait)
	}
	p.used = p.used.Add(p.every)
	return nil
}
