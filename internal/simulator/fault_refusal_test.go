package simulator_test

import (
	"testing"
	"time"

	"github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/simulator"
)

func TestAStickyLockRefusesSetsOnly(t *testing.T) {
	timed(t, simulator.Options{}, func(t *testing.T, d device) {
		d.Inject(simulator.Fault{Kind: simulator.FaultStickyLock, For: time.Minute})
		d.code(t, codes.Aborted, "one")
		d.after(t, time.Minute-time.Millisecond, "")
		d.code(t, codes.Aborted, "two")
		pass(time.Millisecond)
		d.code(t, codes.OK, "three")
	})
}

func TestTooManySessionsRefuseEverything(t *testing.T) {
	timed(t, simulator.Options{}, func(t *testing.T, d device) {
		d.Inject(simulator.Fault{Kind: simulator.FaultSessions, RPC: "Set"})
		d.code(t, codes.ResourceExhausted, "one")
		pass(24 * time.Hour)
		if _, err := d.get(t.Context(), gnmi.GetRequest_ALL, path(t, port)); status.Code(err) != codes.ResourceExhausted {
			t.Errorf("a Get got %v", err)
		}
		d.Heal()
		d.code(t, codes.OK, "two")
	})
}

// retryAfter is what an error says about when to try again.
func retryAfter(err error) time.Duration {
	for _, detail := range status.Convert(err).Details() {
		if info, ok := detail.(*errdetails.RetryInfo); ok {
			return info.GetRetryDelay().AsDuration()
		}
	}
	return 0
}

func TestATooFastClientIsToldWhenToComeBack(t *testing.T) {
	timed(t, simulator.Options{}, func(t *testing.T, d device) {
		d.Inject(simulator.Fault{Kind: simulator.FaultRate, For: time.Minute})
		d.code(t, codes.OK, "one")
		pass(40 * time.Millisecond)
		err := d.within(t, time.Second, describes(t, "two"))
		if status.Code(err) != codes.ResourceExhausted || retryAfter(err) != 60*time.Millisecond {
			t.Errorf("the second Set got %v, to be tried again after %v", err, retryAfter(err))
		}
		pass(retryAfter(err))
		d.code(t, codes.OK, "two")
		pass(time.Minute)
		d.code(t, codes.OK, "three")
		d.code(t, codes.OK, "four")
	})
}
