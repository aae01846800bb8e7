package gnmi

import (
	"context"
	"errors"
	"io"
	"slices"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"
)

// way is how a device lets its configuration be read, the best one first.
type way int

const (
	getConfig way = iota // Get of type CONFIG
	getAll               // Get of type ALL
	subscribe            // Subscribe in mode ONCE
)

// Get reads the configuration at paths (gNMI specification, section 3.3). An
// absent path gives no value, or one of "{}" or "null", as the device likes. A
// device that does not serve type CONFIG is asked for ALL, and one without Get
// is subscribed to in mode ONCE (section 3.5.1.5.1); what a device serves is
// remembered. Either way a value's path is not one of operational state, but
// state may be inside its JSON. What a passing state of the device stands
// against is asked again within the retry budget. Errors are *ConnectError and
// *RPCError.
func (c *Client) Get(ctx context.Context, paths ...*gpb.Path) ([]Value, error) {
	pace := NewPace(c.config.RetryBudget)
	for {
		values, err := c.getOnce(ctx, paths)
		if err == nil || !Passing(err) || !pace.Wait(ctx, err) {
			return values, err
		}
	}
}

// getOnce is one attempt of Get.
func (c *Client) getOnce(ctx context.Context, paths []*gpb.Path) ([]Value, error) {
	if err := c.Connect(ctx); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, c.config.ReadTimeout)
	defer cancel()
	served := c.served()
	var refusal error // of Get
	if served != subscribe {
		found, err := c.get(ctx, served, paths)
		if served == getConfig && unserved(err) {
			served = getAll
			found, err = c.get(ctx, served, paths)
		}
		if codeOf(err) != codes.Unimplemented {
			return c.read(paths, served, found, err)
		}
		refusal = err
	}
	found, err := c.once(ctx, paths)
	if refusal != nil && unserved(err) {
		return nil, refusal
	}
	return c.read(paths, subscribe, found, err)
}

// unserved tells whether a device may mean by err that it does not serve the
// kind of request. It may also mean the path.
func unserved(err error) bool {
	return codeOf(err) == codes.Unimplemented || codeOf(err) == codes.InvalidArgument
}

// codeOf is the status code of an RPC, OK if it did not fail.
func codeOf(err error) codes.Code {
	var failed *RPCError
	if !errors.As(err, &failed) {
		return codes.OK
	}
	return failed.Code
}

// read is the result of reading in a way. A way that brought something is the
// device's from then on; nothing is also what some devices report of a path
// that they do not know.
func (c *Client) read(paths []*gpb.Path, by way, found []*gpb.Notification, err error) ([]Value, error) {
	if codeOf(err) == codes.NotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(found, func(n *gpb.Notification) bool { return len(n.GetUpdate()) > 0 }) {
		c.mu.Lock()
		c.way = max(c.way, by)
		c.mu.Unlock()
	}
	return values(found, paths)
}

func (c *Client) served() way {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.way
}

func (c *Client) get(ctx context.Context, by way, paths []*gpb.Path) ([]*gpb.Notification, error) {
	req := &gpb.GetRequest{
		Prefix:   c.prefix(),
		Path:     paths,
		Type:     gpb.GetRequest_CONFIG,
		Encoding: c.config.Wire.encoding(),
	}
	if by == getAll {
		req.Type = gpb.GetRequest_ALL
	}
	ctx, seen := withEvidence(ctx)
	res, err := c.stub.Get(ctx, req)
	if err != nil {
		return nil, c.rpcError("Get", err, seen, c.config.ReadTimeout)
	}
	return res.GetNotification(), nil
}

// once subscribes in mode ONCE and returns what came until the device said
// that it was all, or ended the stream without an error. The caller cancels
// ctx.
func (c *Client) once(ctx context.Context, paths []*gpb.Path) ([]*gpb.Notification, error) {
	ctx, seen := withEvidence(ctx)
	found, err := c.subscribe(ctx, paths)
	if err != nil {
		return nil, c.rpcError("Subscribe", err, seen, c.config.ReadTimeout)
	}
	return found, nil
}

func (c *Client) subscribe(ctx context.Context, paths []*gpb.Path) ([]*gpb.Notification, error) {
	stream, err := c.stub.Subscribe(ctx)
	if err != nil {
		return nil, err
	}
	list := &gpb.SubscriptionList{
		Prefix:   c.prefix(),
		Mode:     gpb.SubscriptionList_ONCE,
		Encoding: c.config.Wire.encoding(),
	}
	for _, p := range paths {
		list.Subscription = append(list.Subscription, &gpb.Subscription{Path: p})
	}
	// What Send has to say of a stream that broke is io.EOF; Recv says why.
	if err := stream.Send(&gpb.SubscribeRequest{Request: &gpb.SubscribeRequest_Subscribe{Subscribe: list}}); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if err := stream.CloseSend(); err != nil {
		return nil, err
	}
	var found []*gpb.Notification
	for {
		res, err := stream.Recv()
		switch {
		case errors.Is(err, io.EOF):
			return found, nil
		case err != nil:
			return nil, err
		case res.GetSyncResponse():
			return found, nil
		}
		if n := res.GetUpdate(); n != nil {
			found = append(found, n)
		}
	}
}
