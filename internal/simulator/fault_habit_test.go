package simulator_test

import (
	"strings"
	"testing"
	"time"

	"github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/simulator"
)

// quirks are options with these quirks, each name=value.
func quirks(tb testing.TB, assignments ...string) simulator.Options {
	tb.Helper()
	var options simulator.Options
	for _, a := range assignments {
		if err := options.Quirk(a); err != nil {
			tb.Fatal(err)
		}
	}
	return options
}

func TestEverySoManySetsFailAfterTheyWereCarriedOut(t *testing.T) {
	timed(t, quirks(t, "apply_then_error=2"), func(t *testing.T, d device) {
		d.code(t, codes.OK, "one")
		d.code(t, codes.Internal, "two")
		d.described(t, "two")
		d.code(t, codes.OK, "three")
		d.code(t, codes.Internal, "four")
	})
}

func TestEverySoManySetsFailAfterHalfOfThem(t *testing.T) {
	timed(t, quirks(t, "partial_apply_then_error=1"), func(t *testing.T, d device) {
		both := change{update: [][2]string{mtu(1).update[0], mtu(2).update[0]}}
		if err := d.set(t, both); status.Code(err) != codes.Internal {
			t.Errorf("the Set got %v", err)
		}
		if !d.Exists(port+"/config/mtu") || d.Exists("/interfaces/interface[name=Ethernet1/2]/config/mtu") {
			t.Error("it is not the first half that was carried out")
		}
	})
}

func TestALockSticksAfterAnErrorOnly(t *testing.T) {
	timed(t, quirks(t, "lock_sticks_after_error=1m"), func(t *testing.T, d device) {
		d.code(t, codes.OK, "one")
		d.refuse(t, codes.FailedPrecondition, change{delete: []string{port}})
		pass(time.Minute - time.Millisecond)
		d.code(t, codes.Aborted, "two")
		pass(time.Millisecond)
		d.code(t, codes.OK, "three")
	})
}

func TestALockThatStaysNamesItsHolder(t *testing.T) {
	timed(t, quirks(t, "locked_forever_by=console of jane"), func(t *testing.T, d device) {
		if text := d.refuse(t, codes.FailedPrecondition, mtu(1)); !strings.Contains(text, "console of jane") {
			t.Errorf("the Set got %q", text)
		}
		if _, err := d.get(t.Context(), gnmi.GetRequest_ALL, path(t, port)); err != nil {
			t.Errorf("a Get got %v", err)
		}
	})
}

func TestABusyDeviceSaysWhenToComeBack(t *testing.T) {
	timed(t, quirks(t, "busy_for=2s"), func(t *testing.T, d device) {
		d.code(t, codes.OK, "one")
		pass(500 * time.Millisecond)
		err := d.within(t, time.Second, describes(t, "two"))
		if status.Code(err) != codes.Unavailable || retryAfter(err) != 1500*time.Millisecond {
			t.Errorf("the second Set got %v, to be tried again after %v", err, retryAfter(err))
		}
		pass(retryAfter(err))
		d.code(t, codes.OK, "two")
	})
}

func TestASetOfTooManyOperationsIsRefused(t *testing.T) {
	d := start(t, quirks(t, "max_operations=2"))
	three := change{delete: []string{port + "/config/mtu"}, replace: [][2]string{mtu(2).update[0]}, update: [][2]string{mtu(3).update[0]}}
	d.refuse(t, codes.InvalidArgument, three)
	three.delete = nil
	d.mustSet(t, three)
}

// Section 3.2.1 of the extension: a commit that was started waits.
func TestTheReplyToTheStartOfACommitMayBeLost(t *testing.T) {
	options := quirks(t, "commit=full", "lose_commit_reply=2")
	timed(t, options, func(t *testing.T, d device) {
		d.code(t, codes.OK, "plain")
		d.send(t, codes.OK, with(describes(t, "tried"), commit("a", time.Minute)))
		d.send(t, codes.OK, with(nil, confirm("a")))
		err := d.within(t, time.Second, with(describes(t, "more"), commit("b", time.Minute)))
		if status.Code(err) != codes.Unavailable {
			t.Errorf("the second start got %v", err)
		}
		d.described(t, "more")
		d.send(t, codes.OK, with(nil, confirm("b")))
		d.after(t, time.Hour, "more")
	})
}

func TestARollbackMayComeLate(t *testing.T) {
	timed(t, quirks(t, "commit=full", "rollback_late=10s"), func(t *testing.T, d device) {
		d.send(t, codes.OK, with(describes(t, "tried"), commit("a", time.Minute)))
		d.after(t, time.Minute+10*time.Second-time.Millisecond, "tried")
		d.after(t, time.Millisecond, "")
		d.send(t, codes.OK, with(describes(t, "tried"), commit("b", time.Minute)))
		d.after(t, time.Minute+5*time.Second, "tried")
		d.send(t, codes.OK, with(nil, confirm("b")))
		d.after(t, time.Hour, "tried")
	})
}

func TestARateLimitHoldsForEachSecond(t *testing.T) {
	timed(t, quirks(t, "rate_limit=2"), func(t *testing.T, d device) {
		d.code(t, codes.OK, "one")
		d.code(t, codes.OK, "two")
		err := d.within(t, time.Second, describes(t, "three"))
		if status.Code(err) != codes.ResourceExhausted || retryAfter(err) != 500*time.Millisecond {
			t.Errorf("the third Set got %v, to be tried again after %v", err, retryAfter(err))
		}
		pass(retryAfter(err))
		d.code(t, codes.OK, "three")
		d.code(t, codes.ResourceExhausted, "four")
		pass(time.Second)
		d.code(t, codes.OK, "four")
		d.code(t, codes.OK, "five")
	})
}

func TestAConnectionTooManyIsClosed(t *testing.T) {
	d := start(t, quirks(t, "max_sessions=1"))
	d.mustSet(t, mtu(1))
	second := device{d.Target, dial(t, d.Addr(), insecure.NewCredentials())}
	if err := second.set(t, mtu(2)); status.Code(err) != codes.Unavailable {
		t.Errorf("the second connection got %v", err)
	}
	d.mustSet(t, mtu(3))
}

func TestAMessageTooLargeIsRefused(t *testing.T) {
	d := start(t, quirks(t, "max_message=2000"))
	d.refuse(t, codes.ResourceExhausted, change{update: [][2]string{{description, `"` + strings.Repeat("x", 2000) + `"`}}})
	if _, err := d.get(t.Context(), gnmi.GetRequest_ALL, path(t, "/interfaces")); status.Code(err) != codes.ResourceExhausted {
		t.Errorf("a Get of more got %v", err)
	}
	d.mustSet(t, mtu(1))
}

func TestAClientThatPingsTooOftenIsSentAway(t *testing.T) {
	for every, want := range map[time.Duration]codes.Code{20 * time.Second: codes.Unavailable, time.Minute: codes.OK} {
		options := quirks(t, "keepalive_enforce=50s", "commit_latency=5m")
		timed(t, options, func(t *testing.T, d device) {
			if _, err := d.client.Set(t.Context(), describes(t, "long")); status.Code(err) != want {
				t.Errorf("with a ping every %v the client got %v, want %v", every, err, want)
			}
		}, grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: every}))
	}
}

func TestNothingIsAnsweredAfterSoManyRPCs(t *testing.T) {
	timed(t, quirks(t, "black_hole=2"), func(t *testing.T, d device) {
		d.code(t, codes.OK, "one")
		d.code(t, codes.OK, "two")
		d.code(t, codes.DeadlineExceeded, "three")
		d.code(t, codes.DeadlineExceeded, "four")
		d.Heal()
		d.described(t, "two")
		d.code(t, codes.OK, "five")
	})
}

func TestEverySoManySetsEndInAReboot(t *testing.T) {
	timed(t, quirks(t, "reboot_in_set=2"), func(t *testing.T, d device) {
		d.code(t, codes.OK, "one")
		d.code(t, codes.Unavailable, "two")
		d.after(t, 5*time.Second, "")
		d.code(t, codes.OK, "three")
		d.code(t, codes.Unavailable, "four")
	})
}

func TestWrongCredentialsMayBeAMatterOfPermission(t *testing.T) {
	options := quirks(t, "auth_code=permission_denied")
	options.Username, options.Password = "admin", "secret"
	d := start(t, options)
	ctx := metadata.AppendToOutgoingContext(t.Context(), "username", "admin", "password", "wrong")
	if _, err := d.client.Set(ctx, mtu(1).request(t)); status.Code(err) != codes.PermissionDenied {
		t.Errorf("the client got %v", err)
	}
}
