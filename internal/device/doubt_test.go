package device_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/changeset"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/datatree"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/device"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/oc"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/simulator"
)

func TestAReadThatFailsDoesNotConfirmThatAnEntryIsAbsent(t *testing.T) {
	for _, code := range []codes.Code{codes.Unavailable, codes.DeadlineExceeded, codes.ResourceExhausted, codes.Internal, codes.PermissionDenied} {
		first := true
		p := &proxy{answer: func(*gpb.GetRequest) (*gpb.GetResponse, error) {
			if first {
				first = false
				return &gpb.GetResponse{}, nil
			}
			return nil, status.Error(code, "not now")
		}}
		entry, err := connect(t, through(t, p, simulate(t))).Find(t.Context(), interfacePath("Ethernet1/1"))
		if err == nil {
			t.Errorf("%s: the entry counts as absent: %v", code, entry)
		}
	}
}

const secretNeighbor = "/network-instances/network-instance[name=DEFAULT]/protocols/protocol[identifier=BGP][name=BGP]/bgp/neighbors/neighbor[neighbor-address=192.0.2.1]"

// guarded is a device with a neighbor that has a password, which it shows in a
// form of its own.
func guarded(t *testing.T, quirks ...string) *simulator.Target {
	t.Helper()
	target := simulate(t, quirks...)
	err := target.Update("/network-instances/network-instance[name=DEFAULT]/protocols", `{"protocol":[{"identifier":"openconfig-policy-types:BGP","name":"BGP",
		"config":{"identifier":"openconfig-policy-types:BGP","name":"BGP"},"bgp":{"global":{"config":{"as":65001}},
		"neighbors":{"neighbor":[{"neighbor-address":"192.0.2.1","config":{"neighbor-address":"192.0.2.1","peer-as":65002,"auth-password":"first"}}]}}}]}`)
	if err != nil {
		t.Fatal(err)
	}
	return target
}

// password is a change of the neighbor's password alone.
func password(t *testing.T, text string) device.Change {
	t.Helper()
	c := setting(path(secretNeighbor), nil)
	c.Secrets = []string{text}
	c.Decide = func(_ *datatree.Node, p *gpb.Path) (*gpb.SetRequest, error) {
		entry, err := datatree.New(oc.Model).EnsureAt(p.GetElem())
		if err != nil {
			return nil, err
		}
		entry.Ensure("config").SetLeaf("auth-password", text)
		return changeset.Diff(p, nil, entry)
	}
	return c
}

func TestWhatBecameOfASecretAloneIsNotKnown(t *testing.T) {
	target := guarded(t, "secret_form=hashed")
	target.Inject(simulator.Fault{Kind: simulator.FaultErrorAfterApply, Code: codes.InvalidArgument})
	d, _ := patient(t, target.Addr())
	if err := d.Apply(t.Context(), password(t, "second")); effectOf(err) != device.EffectUnknown {
		t.Errorf("got %v", err)
	}
}

func TestARefusedDeletionOfSomethingWithASecretIsNotHalfDone(t *testing.T) {
	for _, form := range []string{"new_salt", "masked", "hashed", "omitted"} {
		target := guarded(t, "secret_form="+form)
		d, _ := patient(t, target.Addr())
		if err := d.Apply(t.Context(), password(t, "second")); err != nil {
			t.Fatal(err)
		}
		target.FailNextSet(status.Error(codes.InvalidArgument, "no"))
		gone := setting(path(secretNeighbor), nil)
		gone.Step.Operation = devicelock.Delete
		gone.Decide = func(_ *datatree.Node, p *gpb.Path) (*gpb.SetRequest, error) { return changeset.Delete(p), nil }
		if err := d.Apply(t.Context(), gone); effectOf(err) != device.EffectNone {
			t.Errorf("%s: got %v, effect %q", form, err, effectOf(err))
		}
	}
}

// effectOf is what an error says that a device holds of a change.
func effectOf(err error) device.Effect {
	var set *device.SetError
	if !errors.As(err, &set) {
		return ""
	}
	return set.Effect
}

func TestADeviceThatLetsNobodyInAfterALostAnswerLeavesTheOutcomeOpen(t *testing.T) {
	lockedOut := false
	p := &proxy{}
	p.set = func(n int, forward func() error) error {
		if n > 1 {
			return status.Error(codes.Unauthenticated, "the password has changed")
		}
		lockedOut = true
		return errors.Join(errLost, forward())
	}
	p.get = func() error {
		if lockedOut {
			return status.Error(codes.Unauthenticated, "the password has changed")
		}
		return nil
	}
	d, _ := patient(t, through(t, p, simulate(t)))
	if err := d.Apply(t.Context(), setting(interfacePath("Port-Channel1"), lag("x"))); effectOf(err) != device.EffectUnknown {
		t.Errorf("got %v", err)
	}
}

func TestWhatADeviceForbidsAndHoldsIsDone(t *testing.T) {
	target := simulate(t)
	p := &proxy{set: func(_ int, forward func() error) error {
		return errors.Join(forward(), status.Error(codes.PermissionDenied, "commit not permitted"))
	}}
	d, _ := patient(t, through(t, p, target))
	if err := d.Apply(t.Context(), setting(interfacePath("Port-Channel1"), lag("x"))); err != nil {
		t.Error(err)
	}
}

func TestABusyDeviceIsAskedAgainWhenItWantsAndNotKeptForLonger(t *testing.T) {
	const hint = 300 * time.Millisecond
	busy, err := status.New(codes.Unavailable, "busy").WithDetails(&errdetails.RetryInfo{RetryDelay: durationpb.New(hint)})
	if err != nil {
		t.Fatal(err)
	}
	var at []time.Time
	p := &proxy{set: func(n int, forward func() error) error {
		at = append(at, time.Now())
		if n == 1 {
			return busy.Err()
		}
		return forward()
	}}
	c := config("r1", through(t, p, simulate(t)))
	c.GNMI.RetryBudget = 20 * time.Second
	d := named(t, fleetOf(t, devicelock.Options{LockDelay: time.Hour}, c), "r1")
	if err := d.Apply(t.Context(), setting(interfacePath("Port-Channel1"), lag("x"))); err != nil {
		t.Fatal(err)
	}
	if len(at) != 2 || at[1].Sub(at[0]) < hint {
		t.Errorf("asked at %v", at)
	}
}

func TestADeviceThatAnswersEveryRefusalWithAbortedIsNotAskedAgain(t *testing.T) {
	p := &proxy{set: func(int, func() error) error { return status.Error(codes.Aborted, "no") }}
	c := config("r1", through(t, p, simulate(t)))
	c.GNMI.RetryBudget = time.Minute
	c.Profile, _ = device.ProfileByName("sonic")
	d := named(t, fleetOf(t, devicelock.Options{}, c), "r1")
	if err := d.Apply(t.Context(), setting(interfacePath("Port-Channel1"), lag("x"))); err == nil || len(p.sets) != 1 {
		t.Errorf("%d Sets, %v", len(p.sets), err)
	}
}

func TestWhatADeviceInTroubleShowsLateIsFound(t *testing.T) {
	target := guarded(t, "eventual=1s", "apply_then_error=1")
	d := named(t, fleetOf(t, devicelock.Options{}, config("r1", target.Addr())), "r1")
	if err := d.Apply(t.Context(), setting(interfacePath("Port-Channel1"), lag("x"))); err != nil {
		t.Error(err)
	}
}

func TestAStepThatWaitsBetweenItsPartsKnowsWhatItWroteItself(t *testing.T) {
	for name, arrives := range map[string]bool{"what it refers to comes": true, "it never comes": false} {
		t.Run(name, func(t *testing.T) {
			target, w := simulate(t), newWatch()
			c := config("r1", target.Addr())
			c.Profile = device.Profile{Separate: []string{"/interfaces/interface/config"}}
			d := named(t, fleetOf(t, devicelock.Options{Observer: w, YieldIdle: 300 * time.Millisecond}, c), "r1")
			errExists := errors.New("it exists already")
			change := port(t, "Ethernet9/9", "", `{"config":{"type":"ethernetCsmacd"},"ethernet":{"config":{"aggregate-id":"Port-Channel1"}}}`)
			decide := change.Decide
			change.Decide = func(entry *datatree.Node, p *gpb.Path) (*gpb.SetRequest, error) {
				if entry != nil {
					return nil, errExists
				}
				return decide(entry, p)
			}
			ended := make(chan error, 1)
			go func() { ended <- d.Apply(t.Context(), change) }()
			w.await(t, devicelock.Yielded, change.Path)
			if arrives {
				if err := d.Apply(t.Context(), setting(interfacePath("Port-Channel1"), lag("x"))); err != nil {
					t.Fatal(err)
				}
			}
			err := <-ended
			if arrives && err != nil {
				t.Errorf("got %v", err)
			}
			var reference *device.ReferenceError
			if !arrives && (effectOf(err) != device.EffectPart || !errors.As(err, &reference)) {
				t.Errorf("got %v, effect %q", err, effectOf(err))
			}
		})
	}
}

func TestAHalfDoneCommitIsTakenBackBeforeItIsReported(t *testing.T) {
	target := simulate(t, "commit=full")
	d := confirming(t, target.Addr(), time.Minute)
	if err := d.Apply(t.Context(), setting(interfacePath("Port-Channel1"), lag("one"))); err != nil {
		t.Fatal(err)
	}
	target.Inject(simulator.Fault{Kind: simulator.FaultPartialApply, Code: codes.InvalidArgument})
	err := d.Apply(t.Context(), port(t, "Port-Channel1", "", lagOfThree))
	if effectOf(err) != device.EffectNone {
		t.Errorf("got %v, effect %q", err, effectOf(err))
	}
	if mtu, _ := target.Leaf("/interfaces/interface[name=Port-Channel1]/config/mtu"); mtu != "" {
		t.Errorf("the device holds an mtu of %s", mtu)
	}
}

func TestWhatIsWrittenBesideANewEntryIsNotForgotten(t *testing.T) {
	d, p, target := profiled(t, device.Profile{AttachInterfaces: true, NetworkInstance: "DEFAULT", MaxOperations: 3})
	at := path("/interfaces/interface[name=Ethernet1/1]/subinterfaces/subinterface[index=1]")
	c := setting(at, nil)
	c.Step.Operation = devicelock.Create
	c.Decide = func(_ *datatree.Node, p *gpb.Path) (*gpb.SetRequest, error) {
		root := datatree.New(oc.Model)
		if err := root.DecodeAt(p.GetElem(), []byte(`{"config":{"description":"x"},"ipv4":{"config":{"mtu":1400},"addresses":{"address":[{"ip":"192.0.2.1","config":{"prefix-length":24}}]}}}`)); err != nil {
			return nil, err
		}
		return changeset.Diff(p, nil, root.At(p.GetElem()))
	}
	if err := d.Apply(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if !target.Exists("/network-instances/network-instance[name=DEFAULT]/interfaces/interface[id=Ethernet1/1.1]") || len(p.sets) != 1 {
		t.Errorf("in %d Sets, the network instance has %s", len(p.sets), target.Config("/network-instances/network-instance[name=DEFAULT]/interfaces"))
	}
}

func TestAProfileReadsNoMoreThanTheDeviceTells(t *testing.T) {
	p := &proxy{}
	target := simulate(t)
	address := through(t, p, target)
	p.answer = func(req *gpb.GetRequest) (*gpb.GetResponse, error) {
		if len(req.GetPath()[0].GetElem()) == 1 {
			return nil, status.Error(codes.ResourceExhausted, "too much")
		}
		return p.device.Get(context.Background(), req)
	}
	c := config("r1", address)
	c.Profile = device.Profile{AtomicLAG: true, AttachInterfaces: true, NetworkInstance: "DEFAULT"}
	d := named(t, fleetOf(t, devicelock.Options{}, c), "r1")
	for _, change := range []device.Change{
		port(t, "Port-Channel1", "", `{"config":{"type":"ieee8023adLag"},"aggregation":{"config":{"lag-type":"LACP"}}}`),
		port(t, "Ethernet1/1", "", `{"ethernet":{"config":{"aggregate-id":"Port-Channel1"}}}`),
		port(t, "Ethernet1/2", "", `{"config":{"description":"x"}}`),
		setting(path("/interfaces/interface[name=Ethernet1/3]/subinterfaces/subinterface[index=1]"), leaves{"description": "x"}),
	} {
		if err := d.Apply(t.Context(), change); err != nil {
			t.Errorf("%s: %v", datatree.PathText(change.Path), err)
		}
	}
}

func TestTheTypeOfALAGThatWasRefusedIsNotTakenForTheDevices(t *testing.T) {
	target := simulate(t)
	c := config("r1", target.Addr())
	c.Profile = device.Profile{AtomicLAG: true}
	d := named(t, fleetOf(t, devicelock.Options{YieldIdle: time.Millisecond}, c), "r1")
	target.FailNextSet(status.Error(codes.InvalidArgument, "no"))
	if err := d.Apply(t.Context(), port(t, "Port-Channel1", "", `{"config":{"type":"ieee8023adLag"},"aggregation":{"config":{"lag-type":"LACP"}}}`)); err == nil {
		t.Fatal("the LAG was not refused")
	}
	err := d.Apply(t.Context(), port(t, "Ethernet1/1", "", `{"ethernet":{"config":{"aggregate-id":"Port-Channel1"}}}`))
	var reference *device.ReferenceError
	if !errors.As(err, &reference) || !strings.Contains(err.Error(), "Port-Channel1") {
		t.Errorf("got %v", err)
	}
}

func TestALAGWithoutMembersIsToldOfWhereItLosesItsType(t *testing.T) {
	d, _, _ := profiled(t, device.Profile{AtomicLAG: true})
	change := port(t, "Port-Channel1", "", `{"config":{"type":"ieee8023adLag"},"aggregation":{"config":{"lag-type":"LACP"}}}`)
	change.Step.Operation = devicelock.Update
	var warned error
	change.Warn = func(err error) { warned = err }
	if err := d.Apply(t.Context(), change); err != nil {
		t.Fatal(err)
	}
	var memberless *device.MemberlessError
	if !errors.As(warned, &memberless) || memberless.LAG != "Port-Channel1" {
		t.Errorf("the warning is %v", warned)
	}
}
