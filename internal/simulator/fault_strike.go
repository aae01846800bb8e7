package simulator

import (
	"context"
	"time"

	"github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// errCut is what the client of a connection that was cut sees.
var errCut = status.Error(codes.Unavailable, "the connection was cut")

// answer lets an RPC in with the right credentials, carries it out by handle
// unless a fault is in the way, and records it; req is nil for streams.
func (t *Target) answer(ctx context.Context, rpc string, req any, handle func(req any) (any, error)) (any, error) {
	var fault Fault
	refused := t.authenticate(ctx)
	if refused == nil {
		refused = t.standing(req)
	}
	if refused == nil {
		fault, refused = t.faults.meet(rpc, req)
	}
	call, err := t.journal.arrive(ctx, rpc, req, refused)
	var resp any
	if err == nil {
		resp, err = t.strike(ctx, fault, call, req, handle)
		t.aftermath(rpc, err)
	}
	// The record comes first: after the cut the client may be back at once.
	t.journal.leave(call, err)
	switch {
	case refused != nil:
	case fault.Kind == FaultLostReply:
		t.conns.cutCaller(ctx)
	case fault.Kind == FaultReboot:
		t.conns.cut(func(string) bool { return true })
	}
	return resp, err
}

// strike carries an RPC out in the way of a fault, or as it should be when there
// is none.
func (t *Target) strike(ctx context.Context, f Fault, call *call, req any, handle func(req any) (any, error)) (any, error) {
	switch f.Kind {
	case FaultErrorAfterApply:
		if _, err := handle(req); err != nil {
			return nil, err
		}
		return nil, status.Error(f.code(), "the Set failed after it was carried out")
	case FaultPartialApply:
		if set, ok := req.(*gnmi.SetRequest); ok {
			if _, err := handle(firstHalf(set)); err != nil {
				return nil, err
			}
		}
		return nil, status.Error(f.code(), "the Set failed after half of it was carried out")
	case FaultLostReply:
		_, _ = handle(req) // what became of it is lost too
		return nil, errCut
	case FaultLateApply:
		t.later(f.For, func() { _, _ = handle(req) })
		return nil, t.hang(ctx, call)
	case FaultBlackHole:
		return nil, t.hang(ctx, call)
	case FaultReboot:
		t.reboot()
		return nil, errCut
	}
	return handle(req)
}

// hang waits until an RPC's client, or the server, gives up.
func (t *Target) hang(ctx context.Context, call *call) error {
	t.journal.hang(ctx, call)
	select {
	case <-ctx.Done():
		return status.FromContextError(ctx.Err()).Err()
	case <-t.stopping:
		return errStopping
	}
}

// later does something after d, unless the target ends or reboots before.
func (t *Target) later(d time.Duration, do func()) {
	boots := t.boots.Load()
	t.background.Go(func() {
		if t.delay(context.Background(), int64(d)) == nil && t.boots.Load() == boots {
			do()
		}
	})
}

// reboot brings back the configuration of the start. The RPCs that wait for
// anything end with Unavailable.
func (t *Target) reboot() {
	t.boots.Add(1)
	t.crashed.tell()
	select {
	case t.turn <- struct{}{}:
		defer func() { <-t.turn }()
	case <-t.stopping:
		return
	}
	t.candidate = nil
	t.elections.mu.Lock()
	clear(t.elections.seen)
	t.elections.mu.Unlock()
	t.publish.Lock()
	defer t.publish.Unlock()
	if t.pending != nil {
		t.pending.timer.Stop()
		t.pending = nil
	}
	t.replace(t.startup)
	_ = t.save(t.startup) // a full disk does not keep a device down
}
