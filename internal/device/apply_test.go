package device_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/datatree"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/device"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
)

var errLost = status.Error(codes.Unavailable, "the session ended")

func TestAnAmbiguousSetIsSettledBeforeItsStepEnds(t *testing.T) {
	for name, c := range map[string]struct {
		set     func(n int, forward func() error) error
		applied bool
	}{
		"the answer lost, sent again": {func(n int, forward func() error) error {
			err := forward()
			if n == 1 {
				return errLost
			}
			return err
		}, true},
		"the request lost, sent again": {func(n int, forward func() error) error {
			if n == 1 {
				return errLost
			}
			return forward()
		}, true},
		"both answers lost, read back": {func(_ int, forward func() error) error {
			_ = forward()
			return errLost
		}, true},
		"both requests lost, read back": {func(int, func() error) error { return errLost }, false},
	} {
		t.Run(name, func(t *testing.T) {
			target, p := simulate(t), &proxy{set: c.set}
			d := connect(t, through(t, p, target))
			at := interfacePath("Port-Channel1")
			err := d.Apply(t.Context(), setting(at, lag("sent")))
			if (err == nil) != c.applied {
				t.Errorf("got %v", err)
			}
			if got := description(t, d, at); (got == "sent") != c.applied {
				t.Errorf("the device is thought to have %q", got)
			}
			if len(p.sets) != 2 || !proto.Equal(p.sets[0], p.sets[1]) {
				t.Errorf("the request was not sent twice and the same: %v", p.sets)
			}
		})
	}
}

func TestADeviceThatDidNotAnswerIsKeptUntilNothingCanComeAnyMore(t *testing.T) {
	for name, spoil := range map[string]func(n int, forward func() error) error{
		"the second request is answered": func(n int, forward func() error) error {
			if n == 1 {
				return errLost
			}
			return forward()
		},
		"reading shows the change": func(n int, forward func() error) error {
			if n <= 2 {
				return errors.Join(errLost, forward())
			}
			return forward()
		},
	} {
		t.Run(name, func(t *testing.T) {
			const delay = 300 * time.Millisecond
			target, watch := simulate(t), newWatch()
			fleet := fleetOf(t, devicelock.Options{Observer: watch, LockDelay: delay}, config("r1", through(t, &proxy{set: spoil}, target)))
			d := named(t, fleet, "r1")
			if err := d.Apply(t.Context(), setting(interfacePath("Port-Channel1"), lag("first"))); err != nil {
				t.Fatal(err)
			}
			for e := range watch.events {
				if e.Kind == devicelock.Released {
					if e.Held < delay {
						t.Errorf("the device was kept for %v, and may go on for %v with what it did not answer", e.Held, delay)
					}
					break
				}
			}
		})
	}
}

func TestARefusedSetSaysWhatItWasToChangeWithoutItsValues(t *testing.T) {
	target := simulate(t)
	d := connect(t, target.Addr())
	target.FailNextSet(status.Error(codes.ResourceExhausted, "out of TCAM"))
	err := d.Apply(t.Context(), setting(interfacePath("Port-Channel1"), lag("s3cret")))
	var set *device.SetError
	if !errors.As(err, &set) {
		t.Fatalf("got %v (%T)", err, err)
	}
	text := err.Error() + strings.Join(set.Paths(), " ")
	if !strings.Contains(text, "out of TCAM") || !strings.Contains(text, "update /interfaces/interface[name=Port-Channel1]/config") {
		t.Errorf("the error says %q", text)
	}
	if strings.Contains(text, "s3cret") {
		t.Errorf("the error has a value: %q", text)
	}
	if s := target.Stats(); s.Sets != 1 {
		t.Errorf("what was refused was sent %d times", s.Sets)
	}
	if err := d.Apply(t.Context(), setting(interfacePath("Port-Channel1"), lag("again"))); err != nil {
		t.Errorf("the next step failed: %v", err)
	}
}

func TestAStepWithoutDifferenceSendsNothing(t *testing.T) {
	target := simulate(t)
	change := setting(interfacePath("Ethernet1/1"), nil)
	change.Decide = func(*datatree.Node, *gpb.Path) (*gpb.SetRequest, error) { return &gpb.SetRequest{}, nil }
	if err := connect(t, target.Addr()).Apply(t.Context(), change); err != nil {
		t.Fatal(err)
	}
	if n := target.Stats().Sets; n != 0 {
		t.Errorf("there were %d Sets", n)
	}
}

// vlan is a change of a VLAN in a network instance, which must exist.
func vlan(instance string) device.Change {
	c := setting(path("/network-instances/network-instance[name="+instance+"]/vlans/vlan[vlan-id=10]"), leaves{"name": "servers"})
	c.Step.Rank = devicelock.RankVLAN
	c.Requires = []*gpb.Path{instancePath(instance)}
	return c
}

func TestAStepThatRefersToWhatIsMissingGoesAfterTheStepThatMakesIt(t *testing.T) {
	target, w := simulate(t), newWatch()
	d := named(t, fleetOf(t, devicelock.Options{Observer: w}, config("r1", target.Addr())), "r1")
	dependent := vlan("blue")
	ended := make(chan error, 1)
	go func() { ended <- d.Apply(t.Context(), dependent) }()
	w.await(t, devicelock.Yielded, dependent.Path)
	if err := d.Apply(t.Context(), setting(instancePath("blue"), leaves{"type": "L3VRF"})); err != nil {
		t.Error(err)
	}
	if err := <-ended; err != nil {
		t.Errorf("the dependent step failed: %v", err)
	}
	if s := target.Stats(); s.Sets != 2 || s.Failed != 0 {
		t.Errorf("there were %d Sets, %d refused", s.Sets, s.Failed)
	}
}

func TestAStepThatRefersToWhatNobodyMakesSaysWhatIsMissing(t *testing.T) {
	target := simulate(t)
	err := connect(t, target.Addr()).Apply(t.Context(), vlan("blue"))
	var reference *device.ReferenceError
	if !errors.As(err, &reference) || len(reference.Missing) != 1 || !strings.Contains(err.Error(), "network-instance[name=blue] does not exist") {
		t.Errorf("got %v", err)
	}
	if n := target.Stats().Sets; n != 0 {
		t.Errorf("there were %d Sets", n)
	}
}

// hold lets a step hold d until release is called, which returns its end.
func hold(t *testing.T, d *device.Device, p *gpb.Path) (release func() error) {
	t.Helper()
	held, let, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	change := setting(p, lag("holder"))
	decide := change.Decide
	change.Decide = func(entry *datatree.Node, p *gpb.Path) (*gpb.SetRequest, error) {
		close(held)
		<-let
		return decide(entry, p)
	}
	go func() { ended <- d.Apply(context.WithoutCancel(t.Context()), change) }()
	<-held
	return sync.OnceValue(func() error {
		close(let)
		return <-ended
	})
}

func TestAStepThatIsCancelledInTheQueueNeverReachesTheDevice(t *testing.T) {
	target, w := simulate(t), newWatch()
	d := named(t, fleetOf(t, devicelock.Options{Observer: w}, config("r1", target.Addr())), "r1")
	release := hold(t, d, interfacePath("Port-Channel1"))
	ctx, cancel := context.WithCancel(t.Context())
	queued := setting(interfacePath("Port-Channel2"), lag("never"))
	queued.Decide = func(*datatree.Node, *gpb.Path) (*gpb.SetRequest, error) {
		t.Error("the cancelled step was decided on")
		return nil, nil
	}
	ended := make(chan error, 1)
	go func() { ended <- d.Apply(ctx, queued) }()
	w.await(t, devicelock.Requested, queued.Path)
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if err := release(); err != nil {
		t.Error(err)
	}
	if n := target.Stats().Sets; n != 1 {
		t.Errorf("there were %d Sets", n)
	}
}

func TestASetThatWasSentIsSeenToItsEndThoughTheRunIsInterrupted(t *testing.T) {
	target := simulate(t)
	ctx, cancel := context.WithCancel(t.Context())
	d := connect(t, through(t, &proxy{set: func(_ int, forward func() error) error {
		cancel()
		return forward()
	}}, target))
	if err := d.Apply(ctx, setting(interfacePath("Port-Channel1"), lag("whole"))); err != nil {
		t.Errorf("got %v", err)
	}
	if got := description(t, d, interfacePath("Port-Channel1")); got != "whole" {
		t.Errorf("the device has %q", got)
	}
}

func TestAPanicInAStepLetsGoOfTheDevice(t *testing.T) {
	d := connect(t, simulate(t).Addr())
	change := setting(interfacePath("Port-Channel1"), nil)
	change.Decide = func(*datatree.Node, *gpb.Path) (*gpb.SetRequest, error) { panic("a fault of the program") }
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic was swallowed")
			}
		}()
		_ = d.Apply(t.Context(), change)
	}()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if err := d.Apply(ctx, setting(interfacePath("Port-Channel1"), lag("next"))); err != nil {
		t.Errorf("the next step failed: %v", err)
	}
}
