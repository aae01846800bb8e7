package gnmi_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/gnmi"
)

func rpcError(t *testing.T, err error) *gnmi.RPCError {
	t.Helper()
	var failed *gnmi.RPCError
	if !errors.As(err, &failed) {
		t.Fatalf("got %v (%T), want an RPCError", err, err)
	}
	return failed
}

func TestASetThatTheDeviceAnswersIsRefusedOrAmbiguousByItsCode(t *testing.T) {
	outcomes := map[codes.Code]gnmi.Outcome{
		codes.InvalidArgument:    gnmi.Refused,
		codes.NotFound:           gnmi.Refused,
		codes.AlreadyExists:      gnmi.Refused,
		codes.PermissionDenied:   gnmi.Refused,
		codes.Unauthenticated:    gnmi.Refused,
		codes.ResourceExhausted:  gnmi.Refused,
		codes.FailedPrecondition: gnmi.Refused,
		codes.Aborted:            gnmi.Refused,
		codes.OutOfRange:         gnmi.Refused,
		codes.Unimplemented:      gnmi.Refused,
		codes.DataLoss:           gnmi.Refused,
		// Devices, and what is between, say these of Sets that they applied.
		codes.Unavailable:      gnmi.Ambiguous,
		codes.Unknown:          gnmi.Ambiguous,
		codes.Internal:         gnmi.Ambiguous,
		codes.Canceled:         gnmi.Ambiguous,
		codes.DeadlineExceeded: gnmi.Ambiguous,
	}
	for code, want := range outcomes {
		t.Run(code.String(), func(t *testing.T) {
			d := serve(t, &device{set: func(context.Context, *gpb.SetRequest) (*gpb.SetResponse, error) {
				return nil, status.Error(code, "the device's own words")
			}})
			err := rpcError(t, dial(t, d.Addr(), plaintext).Set(t.Context(), aSet()))
			if err.Outcome != want || err.Code != code || err.Message != "the device's own words" {
				t.Errorf("got outcome %d, code %s, message %q; want outcome %d", err.Outcome, err.Code, err.Message, want)
			}
		})
	}
}

func TestASetWhoseReplyIsLostIsAmbiguous(t *testing.T) {
	d := &device{}
	d.set = func(context.Context, *gpb.SetRequest) (*gpb.SetResponse, error) {
		d.cut()
		return &gpb.SetResponse{}, nil
	}
	serve(t, d)
	err := rpcError(t, dial(t, d.Addr(), plaintext).Set(t.Context(), aSet()))
	if err.Outcome != gnmi.Ambiguous {
		t.Errorf("got outcome %d: %v", err.Outcome, err)
	}
	if !strings.Contains(err.Error(), "lost") {
		t.Errorf("%q does not say that the answer was lost", err)
	}
}

func TestASetThatIsNotAnsweredInTimeIsAmbiguous(t *testing.T) {
	d := serve(t, &device{set: func(ctx context.Context, _ *gpb.SetRequest) (*gpb.SetResponse, error) {
		<-ctx.Done()
		return nil, status.FromContextError(ctx.Err()).Err()
	}})
	err := rpcError(t, dial(t, d.Addr(), gnmi.Config{Plaintext: true, SetTimeout: short}).Set(t.Context(), aSet()))
	if err.Outcome != gnmi.Ambiguous || err.Code != codes.DeadlineExceeded {
		t.Errorf("got outcome %d, code %s", err.Outcome, err.Code)
	}
	if !strings.Contains(err.Error(), short.String()) {
		t.Errorf("%q does not say how long it waited", err)
	}
}

func TestASetThatIsCancelledOnTheDeviceIsAmbiguous(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	d := serve(t, &device{set: func(ctx context.Context, _ *gpb.SetRequest) (*gpb.SetResponse, error) {
		cancel()
		<-ctx.Done()
		return &gpb.SetResponse{}, nil
	}})
	err := rpcError(t, dial(t, d.Addr(), plaintext).Set(ctx, aSet()))
	if err.Outcome != gnmi.Ambiguous || err.Code != codes.Canceled {
		t.Errorf("got outcome %d, code %s", err.Outcome, err.Code)
	}
}

func TestASetThatDidNotLeaveIsNotSentWhateverItsCode(t *testing.T) {
	d := serve(t, &device{set: func(context.Context, *gpb.SetRequest) (*gpb.SetResponse, error) {
		t.Error("the Set arrived")
		return &gpb.SetResponse{}, nil
	}})
	c := dial(t, d.Addr(), plaintext)
	if err := c.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := rpcError(t, c.Set(ctx, aSet())); err.Outcome != gnmi.NotSent {
		t.Errorf("got outcome %d: %v", err.Outcome, err)
	}
}

func TestASetSaysItsOriginOnceAndItsContentUnchanged(t *testing.T) {
	got := make(chan *gpb.SetRequest, 1)
	d := serve(t, &device{set: func(_ context.Context, req *gpb.SetRequest) (*gpb.SetResponse, error) {
		got <- req
		return &gpb.SetResponse{}, nil
	}})
	req := aSet()
	req.Delete = []*gpb.Path{path("system", "dns")}
	if err := dial(t, d.Addr(), plaintext).Set(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	sent := <-got
	if sent.GetPrefix().GetOrigin() != "openconfig" || sent.GetUpdate()[0].GetPath().GetOrigin() != "" {
		t.Errorf("the origin is not in the prefix alone: %v", sent)
	}
	if len(sent.GetDelete()) != 1 || len(sent.GetUpdate()) != 1 || req.GetPrefix() != nil {
		t.Errorf("the request changed: %v, sent as %v", req, sent)
	}
}
