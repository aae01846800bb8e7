package gnmi

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync/atomic"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/stats"
	"google.golang.org/grpc/status"
)

// Outcome is what is known of a Set that did not return OK.
type Outcome int

const (
	// NotSent means that the request did not leave: the device holds what it
	// held.
	NotSent Outcome = iota + 1
	// Refused means that the device answered no.
	Refused
	// Ambiguous means that the request left and no answer came: the device may
	// hold either image, or take on the new one later.
	Ambiguous
)

// RPCError is a failed RPC.
type RPCError struct {
	// RPC is "Get", "Set" or "Subscribe".
	RPC     string
	Address string
	Outcome Outcome
	Code    codes.Code
	// Message is the device's own text, or gRPC's, without the client's password.
	Message string
	// Answered tells that the device ended the RPC itself. What it did not
	// answer it may still be at work on.
	Answered bool
	// RetryAfter is when the device says that the same request may succeed
	// (google.rpc.RetryInfo); 0 when it does not say so.
	RetryAfter time.Duration
	// final tells that the same request cannot succeed later.
	final bool
	// Deadline is the time that the RPC was given.
	Deadline time.Duration
}

func (e *RPCError) Error() string {
	switch {
	case e.Code == codes.Unauthenticated:
		return fmt.Sprintf("%s does not accept the username or password: %s", e.Address, e.Message)
	case e.Code == codes.PermissionDenied:
		return fmt.Sprintf("%s does not permit this user to %s: %s", e.Address, e.RPC, e.Message)
	case e.Code == codes.DeadlineExceeded:
		return fmt.Sprintf("%s did not answer a %s within %s", e.Address, e.RPC, e.Deadline)
	case e.Outcome == NotSent:
		return fmt.Sprintf("a %s could not be sent to %s: %s", e.RPC, e.Address, e.Message)
	case e.Outcome == Ambiguous && !e.Answered:
		return fmt.Sprintf("the answer of %s to a %s was lost: %s", e.Address, e.RPC, e.Message)
	}
	return fmt.Sprintf("%s refused the %s: %s", e.Address, e.RPC, e.Message)
}

// ConnectError is a failed connection attempt.
type ConnectError struct {
	Address   string
	Plaintext bool
	Took      time.Duration
	Err       error
}

func (e *ConnectError) Error() string {
	how := "TLS"
	if e.Plaintext {
		how = "plaintext"
	}
	return fmt.Sprintf("connecting to %s (%s, %s): %v", e.Address, how, e.Took.Round(time.Millisecond), e.Err)
}

func (e *ConnectError) Unwrap() error { return e.Err }

// ClosedError is a connection that the device closed without an answer.
type ClosedError struct{ Err error }

func (e *ClosedError) Error() string {
	return "the device closed the connection without an answer: " + e.Err.Error()
}

func (e *ClosedError) Unwrap() error { return e.Err }

// ClientCertificateRefused tells whether err is the device's word, by a TLS
// alert, that it does not accept the client's certificate or the lack of one.
func ClientCertificateRefused(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "remote error" && strings.Contains(op.Err.Error(), "certificate")
}

// Untrusted tells whether err is about the device's certificate.
func Untrusted(err error) bool {
	var authority x509.UnknownAuthorityError
	var host x509.HostnameError
	var invalid x509.CertificateInvalidError
	return errors.As(err, &authority) || errors.As(err, &host) || errors.As(err, &invalid)
}

// classify says what became of an RPC: by whether its request left, whether the
// device itself ended the RPC, and says when to come again, which is evidence,
// and only then by the code, of which devices make free use.
//
// A device may end an RPC on its headers alone, while the request is still being
// written. Its word counts then, unless others than the device use the code too:
// of these it is only certain that nothing was carried out.
func classify(s *status.Status, seen *evidence) Outcome {
	answered, left := seen.answered.Load(), seen.left.Load()
	switch s.Code() {
	case codes.DeadlineExceeded, codes.Unavailable, codes.Canceled, codes.Unknown, codes.Internal:
		switch {
		case answered && retryAfter(s) > 0:
			return Refused
		case !left:
			return NotSent
		}
		return Ambiguous
	}
	if !left && !answered {
		return NotSent
	}
	return Refused
}

// evidence is what was seen of an RPC on the wire.
type evidence struct {
	left     atomic.Bool // its request left
	answered atomic.Bool // the device's own status came
}

type evidenceKey struct{}

// withEvidence returns a context for one RPC, and what is seen of it.
func withEvidence(ctx context.Context) (context.Context, *evidence) {
	seen := &evidence{}
	return context.WithValue(ctx, evidenceKey{}, seen), seen
}

// witness is a stats handler that collects evidence.
type witness struct{}

func (witness) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context { return ctx }

func (witness) HandleRPC(ctx context.Context, s stats.RPCStats) {
	seen, ok := ctx.Value(evidenceKey{}).(*evidence)
	if !ok {
		return
	}
	switch s.(type) {
	case *stats.OutPayload:
		seen.left.Store(true)
	case *stats.InTrailer:
		seen.answered.Store(true)
	}
}

func (witness) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }

func (witness) HandleConn(context.Context, stats.ConnStats) {}

// retryAfter is the device's own word on when to ask again, 0 without.
func retryAfter(s *status.Status) time.Duration {
	for _, detail := range s.Details() {
		if hint, ok := detail.(*errdetails.RetryInfo); ok {
			return max(hint.GetRetryDelay().AsDuration(), 0)
		}
	}
	return 0
}
