package gnmi

import (
	"context"
	"time"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// origin is the schema that all paths belong to (gNMI specification, section
// 2.7.1). It is always said: some devices need it.
const origin = "openconfig"

// Set sends one SetRequest: one transaction (gNMI specification, section 3.4).
// A failure is a *ConnectError, for which nothing was sent, or an *RPCError,
// whose Outcome says what is known. The request's own time limit applies;
// cancelling ctx does not take back what was sent, and leaves it Ambiguous. The
// device's words come without the secrets, and without the password.
func (c *Client) Set(ctx context.Context, req *gpb.SetRequest, secrets ...string) error {
	if err := c.Connect(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, c.config.SetTimeout)
	defer cancel()
	ctx, seen := withEvidence(ctx)
	sent := &gpb.SetRequest{
		Prefix: c.prefix(), Delete: req.GetDelete(), Replace: req.GetReplace(), Update: req.GetUpdate(), Extension: req.GetExtension(),
	}
	if _, err := c.stub.Set(ctx, sent); err != nil {
		return c.rpcError("Set", err, seen, c.config.SetTimeout, secrets...)
	}
	return nil
}

// prefix says the origin of all paths of a request, where the device wants it.
func (c *Client) prefix() *gpb.Path {
	if c.config.Wire.NoOrigin {
		return nil
	}
	return &gpb.Path{Origin: origin}
}

func (c *Client) rpcError(rpc string, err error, seen *evidence, deadline time.Duration, secrets ...string) error {
	s := status.Convert(err)
	failed := &RPCError{
		RPC: rpc, Address: c.config.Address, Outcome: classify(s, seen), Code: s.Code(), Deadline: deadline,
		Message:  Redact(s.Message(), append(secrets, c.config.Password)...),
		Answered: seen.answered.Load(), RetryAfter: retryAfter(s),
	}
	failed.final = failed.Code == codes.Aborted && c.config.Wire.AbortedRefuses
	if failed.Code == codes.Unauthenticated {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.refusal, c.refusalAt = failed, time.Now()
	}
	return failed
}
