package gnmi

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// origin is the schema that all paths belong to (gNMI specification, section
// 2.7.1). It is always said: some devices need it.
const origin = "openconfig"

// Value is JSON that a device reports for a path.
type Value struct {
	Path *gpb.Path
	JSON []byte
}

// Get reads the configuration at paths. An absent path gives no value, or one
// of "{}" or "null", as the device likes. Devices that do not serve type
// CONFIG are asked for ALL, then and later. Errors are *ConnectError and
// *RPCError.
func (c *Client) Get(ctx context.Context, paths ...*gpb.Path) ([]Value, error) {
	if err := c.Connect(ctx); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, c.config.ReadTimeout)
	defer cancel()
	req := &gpb.GetRequest{
		Prefix:   &gpb.Path{Origin: origin},
		Path:     paths,
		Type:     gpb.GetRequest_CONFIG,
		Encoding: gpb.Encoding_JSON_IETF,
	}
	if c.servesOnlyAll() {
		req.Type = gpb.GetRequest_ALL
	}
	res, err := c.stub.Get(ctx, req)
	if status.Code(err) == codes.Unimplemented && req.Type == gpb.GetRequest_CONFIG {
		c.rememberOnlyAll()
		req.Type = gpb.GetRequest_ALL
		res, err = c.stub.Get(ctx, req)
	}
	if status.Code(err) == codes.NotFound {
		return nil, nil
	}
	if err != nil {
		return nil, c.rpcError("Get", err, Refused, c.config.ReadTimeout)
	}
	return values(res)
}

func (c *Client) servesOnlyAll() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.allOnly
}

func (c *Client) rememberOnlyAll() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.allOnly = true
}

func values(res *gpb.GetResponse) ([]Value, error) {
	var out []Value
	for _, n := range res.GetNotification() {
		for _, u := range n.GetUpdate() {
			v := Value{Path: &gpb.Path{Elem: append(append([]*gpb.PathElem{}, n.GetPrefix().GetElem()...), u.GetPath().GetElem()...)}}
			switch t := u.GetVal().GetValue().(type) {
			case *gpb.TypedValue_JsonIetfVal:
				v.JSON = t.JsonIetfVal
			case *gpb.TypedValue_JsonVal:
				v.JSON = t.JsonVal
			default:
				text, err := scalar(u.GetVal())
				if err != nil {
					return nil, err
				}
				v.JSON = text
			}
			if len(v.JSON) > 0 {
				out = append(out, v)
			}
		}
	}
	return out, nil
}

// scalar is the JSON of a natively encoded leaf.
func scalar(v *gpb.TypedValue) ([]byte, error) {
	switch t := v.GetValue().(type) {
	case *gpb.TypedValue_StringVal:
		return json.Marshal(t.StringVal)
	case *gpb.TypedValue_AsciiVal:
		return json.Marshal(t.AsciiVal)
	case *gpb.TypedValue_IntVal:
		return json.Marshal(t.IntVal)
	case *gpb.TypedValue_UintVal:
		return json.Marshal(t.UintVal)
	case *gpb.TypedValue_BoolVal:
		return json.Marshal(t.BoolVal)
	case *gpb.TypedValue_DoubleVal:
		return json.Marshal(t.DoubleVal)
	case *gpb.TypedValue_LeaflistVal:
		parts := make([]json.RawMessage, 0, len(t.LeaflistVal.GetElement()))
		for _, e := range t.LeaflistVal.GetElement() {
			p, err := scalar(e)
			if err != nil {
				return nil, err
			}
			parts = append(parts, p)
		}
		return json.Marshal(parts)
	case nil:
		return nil, nil
	default:
		return nil, fmt.Errorf("the device sent a value of type %T, which is not supported", t)
	}
}

// Set sends one SetRequest: one transaction (gNMI specification, section 3.4).
// A failure is a *ConnectError, for which nothing was sent, or an *RPCError,
// whose Outcome says what is known. The request's own time limit applies;
// cancelling ctx does not take back what was sent, and leaves it Ambiguous.
func (c *Client) Set(ctx context.Context, req *gpb.SetRequest) error {
	if err := c.Connect(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, c.config.SetTimeout)
	defer cancel()
	ctx, left := withDeparture(ctx)
	sent := &gpb.SetRequest{
		Prefix: &gpb.Path{Origin: origin}, Delete: req.GetDelete(), Replace: req.GetReplace(), Update: req.GetUpdate(), Extension: req.GetExtension(),
	}
	if _, err := c.stub.Set(ctx, sent); err != nil {
		return c.rpcError("Set", err, classify(err, left.Load()), c.config.SetTimeout)
	}
	return nil
}

func (c *Client) rpcError(rpc string, err error, outcome Outcome, deadline time.Duration) error {
	s := status.Convert(err)
	failed := &RPCError{RPC: rpc, Address: c.config.Address, Outcome: outcome, Code: s.Code(), Message: s.Message(), Deadline: deadline}
	if failed.Code == codes.Unauthenticated {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.refusal, c.refusalAt = failed, time.Now()
	}
	return failed
}
