package gnmi_test

import (
	"context"
	"strings"
	"testing"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	grpctap "google.golang.org/grpc/tap"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/gnmi"
)

// onHeaders makes a server end RPCs of a method as soon as their headers are
// there, as one does that checks credentials, or that lacks the method.
func onHeaders(method string, code codes.Code) grpc.ServerOption {
	return grpc.InTapHandle(func(ctx context.Context, info *grpctap.Info) (context.Context, error) {
		if strings.HasSuffix(info.FullMethodName, "/"+method) {
			return nil, status.Error(code, "not today")
		}
		return ctx, nil
	})
}

// large is a path that takes so long to write that the server is mostly first.
func large() *gpb.Path {
	return &gpb.Path{Elem: []*gpb.PathElem{{Name: "interfaces"}, {Name: "interface", Key: map[string]string{"name": strings.Repeat("x", 1<<20)}}}}
}

func TestADevicesWordOnTheHeadersOfASetCountsThoughTheSetDidNotLeave(t *testing.T) {
	for _, code := range []codes.Code{codes.PermissionDenied, codes.Unauthenticated, codes.Unimplemented, codes.ResourceExhausted} {
		d := serve(t, &device{}, onHeaders("Set", code))
		err := rpcError(t, dial(t, d.Addr(), plaintext).Set(t.Context(), &gpb.SetRequest{Delete: []*gpb.Path{large()}}))
		if err.Outcome != gnmi.Refused || err.Code != code || !strings.Contains(err.Error(), "not today") {
			t.Errorf("%s: got outcome %d: %v", code, err.Outcome, err)
		}
	}
}

func TestARefusedGetIsNoUnsentOneBecauseThereIsNoSubscribe(t *testing.T) {
	d := serve(t, &device{get: func(context.Context, *gpb.GetRequest) (*gpb.GetResponse, error) {
		return nil, status.Error(codes.Unimplemented, "not that much")
	}}, onHeaders("Subscribe", codes.Unimplemented), grpc.MaxRecvMsgSize(1<<22))
	_, err := dial(t, d.Addr(), plaintext).Get(t.Context(), large())
	if failed := rpcError(t, err); failed.Outcome != gnmi.Refused || failed.RPC != "Get" || !strings.Contains(failed.Error(), "not that much") {
		t.Errorf("got outcome %d of %s: %v", failed.Outcome, failed.RPC, failed)
	}
}
