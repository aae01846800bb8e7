package gnmi_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/gnmi"
)

// hinted is a refusal with the device's word on when to ask again.
func hinted(t *testing.T, code codes.Code, after time.Duration) error {
	t.Helper()
	s, err := status.New(code, "busy").WithDetails(&errdetails.RetryInfo{RetryDelay: durationpb.New(after)})
	if err != nil {
		t.Fatal(err)
	}
	return s.Err()
}

func TestAReadIsRepeatedOnlyWhileThatMayHelp(t *testing.T) {
	for name, c := range map[string]struct {
		err     error
		repeats bool
	}{
		"unavailable":               {status.Error(codes.Unavailable, "busy"), true},
		"aborted":                   {status.Error(codes.Aborted, "locked"), true},
		"exhausted with a hint":     {hinted(t, codes.ResourceExhausted, time.Millisecond), true},
		"exhausted without":         {status.Error(codes.ResourceExhausted, "message larger than max"), false},
		"not permitted":             {status.Error(codes.PermissionDenied, "no such right"), false},
		"an hour is beyond budgets": {hinted(t, codes.ResourceExhausted, time.Hour), false},
	} {
		t.Run(name, func(t *testing.T) {
			var gets atomic.Int32
			d := serve(t, &device{get: func(context.Context, *gpb.GetRequest) (*gpb.GetResponse, error) {
				if gets.Add(1) == 1 {
					return nil, c.err
				}
				return &gpb.GetResponse{}, nil
			}})
			_, err := dial(t, d.Addr(), gnmi.Config{Plaintext: true, RetryBudget: time.Minute}).Get(t.Context(), path("interfaces"))
			if (err == nil) != c.repeats || (gets.Load() > 1) != c.repeats {
				t.Errorf("got %v after %d Gets", err, gets.Load())
			}
		})
	}
}

func TestTheDevicesHintIsHonoured(t *testing.T) {
	const wait = 400 * time.Millisecond
	var first, second time.Time
	d := serve(t, &device{get: func(context.Context, *gpb.GetRequest) (*gpb.GetResponse, error) {
		if first.IsZero() {
			first = time.Now()
			return nil, hinted(t, codes.ResourceExhausted, wait)
		}
		second = time.Now()
		return &gpb.GetResponse{}, nil
	}})
	if _, err := dial(t, d.Addr(), gnmi.Config{Plaintext: true}).Get(t.Context(), path("interfaces")); err != nil {
		t.Fatal(err)
	}
	if waited := second.Sub(first); waited < wait {
		t.Errorf("asked again after %v, the device wanted %v", waited, wait)
	}
}

func TestTheBudgetOfReadsEnds(t *testing.T) {
	d := serve(t, &device{get: func(context.Context, *gpb.GetRequest) (*gpb.GetResponse, error) {
		return nil, status.Error(codes.Unavailable, "busy for ever")
	}})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	_, err := dial(t, d.Addr(), gnmi.Config{Plaintext: true, RetryBudget: short}).Get(ctx, path("interfaces"))
	if failed := rpcError(t, err); failed.Code != codes.Unavailable {
		t.Errorf("got %v", err)
	}
	if ctx.Err() != nil {
		t.Errorf("asked for 20s and more, the budget is %v", short)
	}
}

func TestWhetherADeviceAnsweredIsSeenOnTheWire(t *testing.T) {
	d := &device{}
	answers := map[string]func() error{
		"answered": func() error { return status.Error(codes.Internal, "no") },
		"cut":      func() error { d.cut(); return nil },
	}
	for name, set := range answers {
		d.listener = nil
		d.set = func(context.Context, *gpb.SetRequest) (*gpb.SetResponse, error) { return &gpb.SetResponse{}, set() }
		serve(t, d)
		err := rpcError(t, dial(t, d.Addr(), plaintext).Set(t.Context(), aSet()))
		if err.Answered != (name == "answered") {
			t.Errorf("%s: Answered is %v of %v", name, err.Answered, err)
		}
	}
}

func TestRequestsAreWrittenAsTheDeviceWants(t *testing.T) {
	var get *gpb.GetRequest
	var set *gpb.SetRequest
	d := serve(t, &device{
		get: func(_ context.Context, req *gpb.GetRequest) (*gpb.GetResponse, error) {
			get = req
			return &gpb.GetResponse{}, nil
		},
		set: func(_ context.Context, req *gpb.SetRequest) (*gpb.SetResponse, error) {
			set = req
			return &gpb.SetResponse{}, nil
		},
	})
	c := dial(t, d.Addr(), gnmi.Config{Plaintext: true, Wire: gnmi.Wire{Encoding: "proto", NoOrigin: true, Read: "all"}})
	if _, err := c.Get(t.Context(), path("interfaces")); err != nil {
		t.Fatal(err)
	}
	if err := c.Set(t.Context(), aSet()); err != nil {
		t.Fatal(err)
	}
	if get.GetEncoding() != gpb.Encoding_PROTO || get.GetType() != gpb.GetRequest_ALL || get.GetPrefix().GetOrigin() != "" || set.GetPrefix().GetOrigin() != "" {
		t.Errorf("sent %v and %v", get, set)
	}
}

func TestAnAnswerWithAHintIsARefusalWhateverItsCode(t *testing.T) {
	d := serve(t, &device{set: func(context.Context, *gpb.SetRequest) (*gpb.SetResponse, error) {
		return nil, hinted(t, codes.Unavailable, time.Second)
	}})
	err := rpcError(t, dial(t, d.Addr(), plaintext).Set(t.Context(), aSet()))
	if err.Outcome != gnmi.Refused || err.RetryAfter != time.Second {
		t.Errorf("got outcome %d, to come again after %v", err.Outcome, err.RetryAfter)
	}
}

func TestAbortedIsRepeatedForAShortTimeAndNotAtAllWhereItMeansEveryRefusal(t *testing.T) {
	aborted := &gnmi.RPCError{Code: codes.Aborted}
	if !gnmi.Passing(aborted) {
		t.Error("Aborted does not count as passing")
	}
	synctest.Test(t, func(t *testing.T) {
		pace, began := gnmi.NewPace(time.Minute), time.Now()
		for pace.Wait(t.Context(), aborted) {
		}
		if took := time.Since(began); took > 5*time.Second || took < time.Second {
			t.Errorf("repeated for %v", took)
		}
	})
	d := serve(t, &device{set: func(context.Context, *gpb.SetRequest) (*gpb.SetResponse, error) {
		return nil, status.Error(codes.Aborted, "no")
	}})
	err := dial(t, d.Addr(), gnmi.Config{Plaintext: true, Wire: gnmi.Wire{AbortedRefuses: true}}).Set(t.Context(), aSet())
	if gnmi.Passing(err) {
		t.Error("Aborted counts as passing where it means every refusal")
	}
}

func TestAReadThatWasNotAnsweredSaysSo(t *testing.T) {
	d := &device{}
	d.get = func(context.Context, *gpb.GetRequest) (*gpb.GetResponse, error) {
		d.cut()
		return &gpb.GetResponse{}, nil
	}
	serve(t, d)
	_, err := dial(t, d.Addr(), plaintext).Get(t.Context(), path("interfaces"))
	if failed := rpcError(t, err); failed.Outcome != gnmi.Ambiguous || failed.Answered {
		t.Errorf("got outcome %d, answered %v: %v", failed.Outcome, failed.Answered, err)
	}
}
