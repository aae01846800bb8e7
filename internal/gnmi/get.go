package gnmi

import (
	"context"
	"errors"
	"io"
	"slices"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
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
	ctx, seen := withEvidence(ctx)
	served := c.served()
	var refusal error // of Get
	if served != subscribe {
		found, err := c.get(ctx, served, paths)
		if served == getConfig && unserved(err) {
			served = getAll
			seen.forget()
			found, err = c.get(ctx, served, paths)
		}
		if status.Code(err) != codes.Unimplemented {
			return c.read("Get", paths, served, found, seen, err)
		}
		refusal = err
		seen.forget()
	}
	found, err := c.once(ctx, paths)
	if refusal != nil && unserved(err) {
		return c.read("Get", paths, served, nil, seen, refusal)
	}
	return c.read("Subscribe", paths, subscribe, found, seen, err)
}

// unserved tells whether a device may mean by err that it does not serve the
// kind of request. It may also mean the path.
func unserved(err error) bool {
	return status.Code(err) == codes.Unimplemented || status.Code(err) == codes.InvalidArgument
}

// read is the result of reading in a way. A way that brought something is the
// device's from then on; nothing is also what some devices report of a path
// that they do not know.
func (c *Client) read(rpc string, paths []*gpb.Path, by way, found []*gpb.Notification, seen *evidence, err error) ([]Value, error) {
	if status.Code(err) == codes.NotFound {
		return nil, nil
	}
	if err != nil {
		return nil, c.rpcError(rpc, err, seen, c.config.ReadTimeout)
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
	res, err := c.stub.Get(ctx, req)
	return res.GetNotification(), err
}

// once subscribes in mode ONCE and returns what came until the device said
// that it was all, or ended the stream without an error. The caller cancels
// ctx.
func (c *Client) once(ctx context.Context, paths []*gpb.Path) ([]*gpb.Notification, error) {
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
