package simulator

import (
	"context"
	"crypto/subtle"
	"path"
	"time"

	"github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// Version is the version of the gNMI service that the target implements.
const Version = "0.10.0"

// service answers the RPCs of a target.
type service struct {
	gnmi.UnimplementedGNMIServer
	target *Target
}

// bootOf is the key under which the context of an RPC has the number of reboots
// at its arrival.
type bootOf struct{}

// unary records an RPC, and lets it in with the right credentials only.
func (t *Target) unary(ctx context.Context, req any, info *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
	ctx = context.WithValue(ctx, bootOf{}, t.boots.Load())
	return t.answer(ctx, path.Base(info.FullMethod), req, func(req any) (any, error) { return handle(ctx, req) })
}

// stream is unary for streams.
func (t *Target) stream(srv any, ss grpc.ServerStream, info *grpc.StreamServerInfo, handle grpc.StreamHandler) error {
	_, err := t.answer(ss.Context(), path.Base(info.FullMethod), nil, func(any) (any, error) { return nil, handle(srv, ss) })
	return err
}

// authenticate checks the credentials in the metadata of an RPC.
func (t *Target) authenticate(ctx context.Context) error {
	if t.options.Username == "" && t.options.Password == "" {
		return nil
	}
	md, _ := metadata.FromIncomingContext(ctx)
	is := func(key, want string) int {
		values := md.Get(key)
		if len(values) != 1 {
			return 0
		}
		return subtle.ConstantTimeCompare([]byte(values[0]), []byte(want))
	}
	if is("username", t.options.Username)&is("password", t.options.Password) != 1 {
		code := codes.Unauthenticated
		if t.options.AuthCode == "permission_denied" {
			code = codes.PermissionDenied
		}
		return status.Error(code, "wrong username or password")
	}
	return nil
}

// Capabilities implements the RPC of the gNMI specification, section 3.2.
func (s *service) Capabilities(context.Context, *gnmi.CapabilityRequest) (*gnmi.CapabilityResponse, error) {
	resp := &gnmi.CapabilityResponse{
		SupportedEncodings: []gnmi.Encoding{gnmi.Encoding_JSON_IETF, gnmi.Encoding_JSON},
		GNMIVersion:        Version,
	}
	for _, name := range s.target.model.modules() {
		resp.SupportedModels = append(resp.SupportedModels, &gnmi.ModelData{
			Name: name, Organization: "OpenConfig working group",
		})
	}
	return resp, nil
}

// Set implements the RPC of the gNMI specification, section 3.4, as one
// transaction. A client that goes away does not stop it, as on a device.
func (s *service) Set(ctx context.Context, req *gnmi.SetRequest) (_ *gnmi.SetResponse, err error) {
	t := s.target
	defer func() { err = t.options.rejection(err) }()
	leave, err := t.enter(ctx)
	if err != nil {
		return nil, err
	}
	finish, err := t.prepare(req)
	switch {
	case err != nil:
		leave()
		return nil, err
	case t.ways.Optimistic:
		t.background.Go(func() {
			defer leave()
			_ = finish() // the answer has gone
		})
	default:
		err = finish()
		leave()
		if err != nil {
			return nil, err
		}
	}
	return &gnmi.SetResponse{
		Prefix:    req.GetPrefix(),
		Response:  results(req),
		Timestamp: time.Now().UnixNano(),
	}, nil
}

// enter waits for the turn of a Set, which it must leave. A Set that arrived
// before a reboot gets none after it.
func (t *Target) enter(ctx context.Context) (leave func(), err error) {
	select {
	case t.turn <- struct{}{}:
		leave = func() { <-t.turn }
	case <-t.stopping:
		return nil, errStopping
	}
	if boots, _ := ctx.Value(bootOf{}).(int64); t.boots.Load() != boots {
		leave()
		return nil, errDown
	}
	return leave, nil
}

// prepare validates a Set and returns what commits it. Both must be called with
// the turn.
func (t *Target) prepare(req *gnmi.SetRequest) (finish func() error, err error) {
	if err := t.arbitrate(req); err != nil {
		return nil, err
	}
	if err := t.options.checkPaths(req); err != nil {
		return nil, err
	}
	step, err := t.admit(req)
	if err != nil {
		return nil, err
	}
	left := t.candidate
	wanted := func(now *node) (*node, error) { return t.transact(t.ways, now, left, req) }
	current := t.root.Load()
	after, err := wanted(current)
	if err != nil {
		if t.ways.DirtyCandidateOnReject {
			t.candidate = req
		}
		return nil, err
	}
	t.candidate = nil
	fail := t.failNext.Swap(nil)
	return func() error {
		if err := t.delay(context.Background(), t.setLatency.Load()); err != nil {
			return err
		}
		if fail != nil {
			return *fail
		}
		return t.conclude(step, func(start *pending) error { return t.commit(current, after, wanted, start) })
	}, nil
}

// commit publishes after, which was computed from before. When the tree was
// changed meanwhile, from outside of the RPCs, it is computed again. A start
// becomes the pending commit, which brings back the tree as it is now.
func (t *Target) commit(before, after *node, again func(*node) (*node, error), start *pending) error {
	t.publish.Lock()
	defer t.publish.Unlock()
	now := t.root.Load()
	if now != before {
		var err error
		if after, err = again(now); err != nil {
			return err
		}
	}
	if start != nil {
		start.before, t.pending = now, start
	}
	if t.pending == nil {
		if err := t.save(after); err != nil {
			return status.Errorf(codes.Internal, "the configuration was not changed: %v", err)
		}
	}
	t.replace(after)
	return nil
}
