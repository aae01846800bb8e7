package simulator_test

import (
	"context"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/gnmi/proto/gnmi_ext"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/simulator"
)

const description = port + "/config/description"

// timed runs a test in a bubble of its own time, with a target and a client that
// are connected in memory.
func timed(t *testing.T, options simulator.Options, test func(*testing.T, device), dial ...grpc.DialOption) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		options.Plaintext = true
		target, err := simulator.New(options)
		if err != nil {
			t.Fatal(err)
		}
		l := bufconn.Listen(1 << 16)
		ctx, stop := context.WithCancel(t.Context())
		served := make(chan error, 1)
		go func() { served <- target.Serve(ctx, l) }()
		conn, err := grpc.NewClient("passthrough:///device", append(dial, grpc.WithTransportCredentials(insecure.NewCredentials()),
			grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return l.DialContext(ctx) }))...)
		if err != nil {
			t.Fatal(err)
		}
		test(t, device{target, gnmi.NewGNMIClient(conn)})
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
		stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
		left := target.Config("/")
		pass(24 * time.Hour)
		if target.Config("/") != left {
			t.Error("the target went on after its end")
		}
	})
}

// pass lets time go by in the bubble of timed, which costs none, and waits for
// all that it brings about. It panics outside of one.
func pass(d time.Duration) {
	synctest.Wait()
	timer := time.NewTimer(d)
	<-timer.C
	synctest.Wait()
}

// describes is a Set of the port's description.
func describes(tb testing.TB, text string) *gnmi.SetRequest {
	tb.Helper()
	return change{update: [][2]string{{description, `"` + text + `"`}}}.request(tb)
}

// with adds the commit-confirmed extension to a Set, an empty one if it is nil.
func with(req *gnmi.SetRequest, c *gnmi_ext.Commit) *gnmi.SetRequest {
	if req == nil {
		req = &gnmi.SetRequest{}
	}
	req.Extension = append(req.Extension, &gnmi_ext.Extension{Ext: &gnmi_ext.Extension_Commit{Commit: c}})
	return req
}

// commit asks for a rollback after some time, negative for none given.
func commit(id string, rollback time.Duration) *gnmi_ext.Commit {
	c := &gnmi_ext.CommitRequest{}
	if rollback >= 0 {
		c.RollbackDuration = durationpb.New(rollback)
	}
	return &gnmi_ext.Commit{Id: id, Action: &gnmi_ext.Commit_Commit{Commit: c}}
}

func confirm(id string) *gnmi_ext.Commit {
	return &gnmi_ext.Commit{Id: id, Action: &gnmi_ext.Commit_Confirm{Confirm: &gnmi_ext.CommitConfirm{}}}
}

func cancel(id string) *gnmi_ext.Commit {
	return &gnmi_ext.Commit{Id: id, Action: &gnmi_ext.Commit_Cancel{Cancel: &gnmi_ext.CommitCancel{}}}
}

func setDuration(id string, d *durationpb.Duration) *gnmi_ext.Commit {
	return &gnmi_ext.Commit{Id: id, Action: &gnmi_ext.Commit_SetRollbackDuration{
		SetRollbackDuration: &gnmi_ext.CommitSetRollbackDuration{RollbackDuration: d},
	}}
}

// send expects a Set to end with code; one that fails must change nothing.
func (d device) send(tb testing.TB, code codes.Code, req *gnmi.SetRequest) {
	tb.Helper()
	before := d.Config("/")
	_, err := d.client.Set(tb.Context(), req)
	if status.Code(err) != code {
		tb.Errorf("%v: got %v, want %v", req, err, code)
	}
	if err != nil && d.Config("/") != before {
		tb.Errorf("%v: the refused Set left a trace", req)
	}
}

// after lets time pass and expects a description, none if it is empty.
func (d device) after(tb testing.TB, wait time.Duration, want string) {
	tb.Helper()
	pass(wait)
	if got, _ := d.Leaf(description); got != want {
		tb.Errorf("the device holds %q, want %q", got, want)
	}
}

var full = simulator.Options{Commit: simulator.CommitFull}

// Section 3.2.1.
func TestACommitIsRolledBackUnlessItIsConfirmedInTime(t *testing.T) {
	for _, tt := range []struct{ asked, is time.Duration }{
		{5 * time.Second, 5 * time.Second}, {-1, 10 * time.Minute},
	} {
		timed(t, full, func(t *testing.T, d device) {
			d.send(t, codes.OK, describes(t, "before"))
			d.send(t, codes.OK, with(describes(t, "tried"), commit("a", tt.asked)))
			d.after(t, tt.is-time.Millisecond, "tried")
			d.after(t, time.Millisecond, "before")
			d.send(t, codes.FailedPrecondition, with(nil, confirm("a")))
			d.send(t, codes.OK, with(describes(t, "again"), commit("a", tt.asked)))
		})
	}
}

// Section 3.2.1.
func TestWhileACommitIsPendingNoOtherSetIsCarriedOut(t *testing.T) {
	timed(t, full, func(t *testing.T, d device) {
		d.send(t, codes.OK, with(describes(t, "tried"), commit("a", time.Minute)))
		d.send(t, codes.FailedPrecondition, with(describes(t, "other"), commit("b", time.Minute)))
		d.send(t, codes.FailedPrecondition, with(describes(t, "other"), commit("a", time.Minute)))
		d.send(t, codes.FailedPrecondition, describes(t, "other"))
		d.after(t, time.Minute, "")
		d.send(t, codes.OK, describes(t, "other"))
	})
}

// Section 3.2.2.
func TestAConfirmedCommitStays(t *testing.T) {
	timed(t, full, func(t *testing.T, d device) {
		d.send(t, codes.FailedPrecondition, with(nil, confirm("a")))
		d.send(t, codes.OK, with(describes(t, "tried"), commit("a", time.Minute)))
		d.send(t, codes.InvalidArgument, with(nil, confirm("b")))
		d.send(t, codes.OK, with(nil, confirm("a")))
		d.send(t, codes.FailedPrecondition, with(nil, confirm("a")))
		d.after(t, time.Hour, "tried")
		d.send(t, codes.OK, describes(t, "next"))
	})
}

// Section 3.2.3.
func TestACancelledCommitIsRolledBackAtOnce(t *testing.T) {
	timed(t, full, func(t *testing.T, d device) {
		d.send(t, codes.FailedPrecondition, with(nil, cancel("a")))
		d.send(t, codes.OK, with(describes(t, "tried"), commit("a", time.Minute)))
		d.send(t, codes.InvalidArgument, with(nil, cancel("b")))
		d.send(t, codes.OK, with(nil, cancel("a")))
		d.after(t, 0, "")
		d.send(t, codes.FailedPrecondition, with(nil, cancel("a")))
		d.send(t, codes.OK, describes(t, "next"))
		d.after(t, time.Hour, "next")
	})
}

// Section 3.2.4.
func TestTheRollbackDurationOfAPendingCommitCanBeChanged(t *testing.T) {
	timed(t, full, func(t *testing.T, d device) {
		d.send(t, codes.FailedPrecondition, with(nil, setDuration("a", durationpb.New(time.Minute))))
		d.send(t, codes.OK, with(describes(t, "tried"), commit("a", time.Minute)))
		d.send(t, codes.InvalidArgument, with(nil, setDuration("b", durationpb.New(time.Hour))))
		for _, none := range []*durationpb.Duration{nil, {}, {Seconds: -1}, {Seconds: 1, Nanos: -1}} {
			d.send(t, codes.InvalidArgument, with(nil, setDuration("a", none)))
		}
		d.after(t, 50*time.Second, "tried")
		d.send(t, codes.OK, with(nil, setDuration("a", durationpb.New(time.Hour))))
		d.after(t, time.Hour-time.Millisecond, "tried")
		d.send(t, codes.OK, with(nil, setDuration("a", durationpb.New(time.Second))))
		d.after(t, time.Second-time.Millisecond, "tried")
		d.after(t, time.Millisecond, "")
	})
}

// Sections 2 and 3.1.
func TestACommitNeedsAnIDAndAnActionAndCannotBeAmended(t *testing.T) {
	timed(t, full, func(t *testing.T, d device) {
		d.send(t, codes.InvalidArgument, with(describes(t, "tried"), commit("", time.Minute)))
		d.send(t, codes.InvalidArgument, with(describes(t, "tried"), &gnmi_ext.Commit{Id: "a"}))
		d.send(t, codes.InvalidArgument, with(describes(t, "tried"), commit("a", 0)))
		d.send(t, codes.OK, with(describes(t, "tried"), commit("a", time.Minute)))
		for _, c := range []*gnmi_ext.Commit{confirm("a"), cancel("a"), setDuration("a", durationpb.New(time.Hour))} {
			d.send(t, codes.InvalidArgument, with(describes(t, "amended"), c))
			c.Id = ""
			d.send(t, codes.InvalidArgument, with(nil, c))
		}
		d.after(t, time.Minute, "")
	})
}

func TestTargetsWithoutCommitConfirmedIgnoreItOrSaySo(t *testing.T) {
	for _, tt := range []struct {
		way                   simulator.CommitConfirmed
		commit, confirm, more codes.Code
		later                 string
	}{
		{"", codes.OK, codes.OK, codes.OK, "tried"},
		{simulator.CommitIgnored, codes.OK, codes.OK, codes.OK, "tried"},
		{simulator.CommitUnsupported, codes.Unimplemented, codes.Unimplemented, codes.Unimplemented, ""},
		{simulator.CommitNoSetDuration, codes.OK, codes.InvalidArgument, codes.Unimplemented, ""},
	} {
		timed(t, simulator.Options{Commit: tt.way}, func(t *testing.T, d device) {
			d.send(t, tt.commit, with(describes(t, "tried"), commit("a", time.Minute)))
			d.send(t, tt.confirm, with(nil, confirm("never")))
			d.send(t, tt.more, with(nil, setDuration("a", durationpb.New(time.Hour))))
			d.after(t, time.Minute, tt.later)
		})
	}
	for _, wrong := range []simulator.Options{{Plaintext: true, Commit: "some"}, {Plaintext: true, PendingBlocksOthers: "some"}} {
		if _, err := simulator.New(wrong); err == nil {
			t.Errorf("%+v was accepted", wrong)
		}
	}
}

func TestTheLogTellsCommitsAndTheirIDs(t *testing.T) {
	timed(t, full, func(t *testing.T, d device) {
		d.send(t, codes.OK, with(describes(t, "tried"), commit("a", time.Minute)))
		d.send(t, codes.OK, with(nil, setDuration("a", durationpb.New(time.Hour))))
		d.send(t, codes.InvalidArgument, with(nil, confirm("b")))
		d.send(t, codes.OK, with(nil, cancel("a")))
		d.send(t, codes.OK, describes(t, "plain"))
		var got []string
		for _, r := range d.Log() {
			got = append(got, r.Commit+" "+r.CommitID+" "+r.Code)
		}
		want := "commit a OK, set_rollback_duration a OK, confirm b InvalidArgument, cancel a OK,   OK"
		if strings.Join(got, ", ") != want {
			t.Errorf("the log tells %q, want %q", strings.Join(got, ", "), want)
		}
	})
}
