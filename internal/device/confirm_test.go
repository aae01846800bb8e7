package device_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/gnmi/proto/gnmi_ext"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/device"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/gnmi"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/simulator"
)

// confirming returns the device at address, whose changes roll back after the
// time given unless they are confirmed.
func confirming(t *testing.T, address string, after time.Duration) *device.Device {
	t.Helper()
	return named(t, fleetOf(t, devicelock.Options{LockDelay: time.Second, Timeout: 20 * time.Second}, device.Config{
		Name: "r1", CommitConfirmed: after, GNMI: gnmi.Config{Address: address, Plaintext: true, RetryBudget: 100 * time.Millisecond},
	}), "r1")
}

// action returns what a Set does to a commit, and the commit's id.
func action(req *gpb.SetRequest) (what, id string) {
	for _, e := range req.GetExtension() {
		switch e.GetCommit().GetAction().(type) {
		case *gnmi_ext.Commit_Commit:
			return "commit", e.GetCommit().GetId()
		case *gnmi_ext.Commit_Confirm:
			return "confirm", e.GetCommit().GetId()
		}
	}
	return "", ""
}

const lagDescription = "/interfaces/interface[name=Port-Channel1]/config/description"

func TestAChangeIsConfirmedOnANewConnection(t *testing.T) {
	target := simulate(t, "commit=full")
	d := confirming(t, target.Addr(), 2*time.Second)
	for _, text := range []string{"one", "two"} {
		if err := d.Apply(t.Context(), setting(interfacePath("Port-Channel1"), lag(text))); err != nil {
			t.Fatal(err)
		}
	}
	var story []string
	peers := map[string]bool{}
	var ids []string
	for _, r := range target.Log() {
		if r.RPC == "Set" {
			story = append(story, r.Commit+" "+r.Code)
			peers[r.Peer] = true
			ids = append(ids, r.CommitID)
		}
	}
	want := []string{"confirm FailedPrecondition", "commit OK", "confirm OK", "commit OK", "confirm OK"}
	if !slices.Equal(story, want) {
		t.Fatalf("the device was asked to %q, want %q", story, want)
	}
	if len(peers) != 3 || ids[1] != ids[2] || ids[1] == ids[3] {
		t.Errorf("confirmed over %d connections, with the ids %q", len(peers), ids)
	}
	if !target.Exists(lagDescription) {
		t.Error("the change is gone")
	}
}

func TestADeviceThatWouldNotRollBackIsNotTrusted(t *testing.T) {
	for way, is := range map[simulator.CommitConfirmed]func(*device.CommitError) bool{
		simulator.CommitIgnored:     func(e *device.CommitError) bool { return e.Ignored },
		simulator.CommitUnsupported: func(e *device.CommitError) bool { return e.Unsupported },
	} {
		target := simulate(t, "commit="+string(way))
		err := confirming(t, target.Addr(), time.Minute).Apply(t.Context(), setting(interfacePath("Port-Channel1"), lag("one")))
		var commit *device.CommitError
		if !errors.As(err, &commit) || !is(commit) {
			t.Errorf("%s: got %v", way, err)
		}
		if target.Exists(lagDescription) {
			t.Errorf("%s: it was written to", way)
		}
	}
}

func TestTheIDOfACommitTellsWhatALostAnswerDoesNot(t *testing.T) {
	for name, c := range map[string]struct {
		carriedOut bool
		commits    int
	}{
		"the answer was lost":  {true, 1},
		"the request was lost": {false, 2},
	} {
		target := simulate(t, "commit=full")
		p := &proxy{}
		var commits []string
		p.set = func(n int, forward func() error) error {
			what, id := action(p.sets[n-1])
			if what != "commit" {
				return forward()
			}
			if commits = append(commits, id); len(commits) > 1 {
				return forward()
			}
			if c.carriedOut {
				return errors.Join(errLost, forward())
			}
			return errLost
		}
		d := confirming(t, through(t, p, target), 30*time.Second)
		if err := d.Apply(t.Context(), setting(interfacePath("Port-Channel1"), lag("one"))); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if len(commits) != c.commits || commits[0] != commits[len(commits)-1] {
			t.Errorf("%s: commits %q were started, want %d of one id", name, commits, c.commits)
		}
		last := target.Log()[len(target.Log())-1]
		for _, r := range target.Log() {
			if r.RPC == "Set" {
				last = r
			}
		}
		if last.Commit != "confirm" || last.Code != "OK" || !target.Exists(lagDescription) {
			t.Errorf("%s: the last Set is %+v", name, last)
		}
	}
}

func TestAChangeThatCutsItsOwnWayIsRolledBackAndReported(t *testing.T) {
	for name, lostAnswer := range map[string]error{"after the answer": nil, "before the answer": errLost} {
		t.Run(name, func(t *testing.T) {
			target := simulate(t, "commit=full")
			p := &proxy{}
			p.get = func() error {
				if target.Exists(lagDescription) {
					return status.Error(codes.Unavailable, "no way to the device")
				}
				return nil
			}
			p.set = func(n int, forward func() error) error {
				if err := p.get(); err != nil {
					return err
				}
				if what, _ := action(p.sets[n-1]); what == "commit" {
					return errors.Join(lostAnswer, forward())
				}
				return forward()
			}
			const after = 2 * time.Second
			d := confirming(t, through(t, p, target), after)
			began := time.Now()
			err := d.Apply(t.Context(), setting(interfacePath("Port-Channel1"), lag("one")))
			var commit *device.CommitError
			if !errors.As(err, &commit) || !commit.RolledBack {
				t.Fatalf("got %v (%T)", err, err)
			}
			if !strings.Contains(err.Error(), "rolled back after 2s") || !strings.Contains(err.Error(), "no way to the device") {
				t.Errorf("the error is %q", err)
			}
			if took := time.Since(began); took < after {
				t.Errorf("the device was given up after %v", took)
			}
			if got := description(t, d, interfacePath("Port-Channel1")); got != "" || target.Exists(lagDescription) {
				t.Errorf("it is thought to have %q", got)
			}
			commits := 0
			for _, r := range target.Log() {
				if r.Commit == "commit" {
					commits++
				}
			}
			if commits != 1 {
				t.Errorf("the way was cut %d times", commits)
			}
		})
	}
}

func TestALostAnswerToAConfirmationIsNoFailure(t *testing.T) {
	target := simulate(t, "commit=full")
	p := &proxy{}
	started, confirmations := false, 0
	p.set = func(n int, forward func() error) error {
		what, _ := action(p.sets[n-1])
		err := forward()
		if started && what == "confirm" {
			if confirmations++; confirmations == 1 {
				return errors.Join(errLost, err)
			}
		}
		started = started || what == "commit"
		return err
	}
	d := confirming(t, through(t, p, target), 30*time.Second)
	if err := d.Apply(t.Context(), setting(interfacePath("Port-Channel1"), lag("one"))); err != nil {
		t.Fatal(err)
	}
	if confirmations != 2 || !target.Exists(lagDescription) {
		t.Errorf("confirmed %d times; the device has it: %v", confirmations, target.Exists(lagDescription))
	}
}

func TestSomebodyElsesPendingCommitIsWaitedFor(t *testing.T) {
	target := simulate(t, "commit=full")
	conn, err := grpc.NewClient("passthrough:///"+target.Addr(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	_, err = gpb.NewGNMIClient(conn).Set(t.Context(), &gpb.SetRequest{Extension: []*gnmi_ext.Extension{{Ext: &gnmi_ext.Extension_Commit{Commit: &gnmi_ext.Commit{
		Id: "somebody else's", Action: &gnmi_ext.Commit_Commit{Commit: &gnmi_ext.CommitRequest{RollbackDuration: durationpb.New(2 * time.Second)}},
	}}}}})
	if err != nil {
		t.Fatal(err)
	}
	d := confirming(t, target.Addr(), 30*time.Second)
	if err := d.Apply(t.Context(), setting(interfacePath("Port-Channel1"), lag("one"))); err != nil {
		t.Fatal(err)
	}
	if has, _ := target.Leaf(lagDescription); has != "one" {
		t.Errorf("the device has %q", has)
	}
}
