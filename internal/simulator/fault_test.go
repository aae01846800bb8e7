package simulator_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/simulator"
)

// within sends a Set that waits for its answer for d.
func (d device) within(t *testing.T, limit time.Duration, req *gnmi.SetRequest) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	_, err := d.client.Set(ctx, req)
	return err
}

// code expects a Set of the port's description to end with code.
func (d device) code(t *testing.T, want codes.Code, text string) {
	t.Helper()
	if err := d.within(t, time.Second, describes(t, text)); status.Code(err) != want {
		t.Errorf("the Set of %q got %v, want %v", text, err, want)
	}
}

// described expects the port to have a description, none if it is empty.
func (d device) described(t *testing.T, want string) {
	t.Helper()
	if got, _ := d.Leaf(description); got != want {
		t.Errorf("the description is %q, want %q", got, want)
	}
}

func TestAnErrorMayComeAfterTheSetWasCarriedOut(t *testing.T) {
	timed(t, simulator.Options{}, func(t *testing.T, d device) {
		d.Inject(simulator.Fault{Kind: simulator.FaultErrorAfterApply})
		d.code(t, codes.Internal, "one")
		d.described(t, "one")
		d.Inject(simulator.Fault{Kind: simulator.FaultErrorAfterApply, Code: codes.Aborted})
		d.code(t, codes.Aborted, "two")
		d.code(t, codes.OK, "three")
		d.described(t, "three")
		if log := d.Log(); log[0].Code != "Internal" || log[1].Code != "Aborted" || log[2].Code != "OK" {
			t.Errorf("the log is %+v", log)
		}
	})
}

func TestAFaultHitsTheRPCThatItIsMeantFor(t *testing.T) {
	timed(t, simulator.Options{}, func(t *testing.T, d device) {
		d.Inject(simulator.Fault{Kind: simulator.FaultLostReply})
		d.Inject(simulator.Fault{Kind: simulator.FaultErrorAfterApply, After: 1})
		if _, err := d.get(t.Context(), gnmi.GetRequest_ALL, path(t, port)); err != nil {
			t.Errorf("a fault of Sets hit a Get: %v", err)
		}
		d.code(t, codes.OK, "one")
		if d.Injected() {
			t.Error("the fault is said to have happened")
		}
		d.code(t, codes.Internal, "two")
		if !d.Injected() {
			t.Error("the fault is not said to have happened")
		}
		d.Inject(simulator.Fault{Kind: simulator.FaultLostReply, RPC: "Get"})
		if d.Injected() {
			t.Error("another fault is said to have happened")
		}
		d.code(t, codes.OK, "three")
		if _, err := d.get(t.Context(), gnmi.GetRequest_ALL, path(t, port)); status.Code(err) != codes.Unavailable || !d.Injected() {
			t.Errorf("the Get got %v", err)
		}
		d.Inject(simulator.Fault{Kind: simulator.FaultErrorAfterApply})
		d.Heal()
		if d.code(t, codes.OK, "four"); d.Injected() {
			t.Error("a fault happened although it was healed before")
		}
	})
}

func TestHalfOfASetMayBeCarriedOut(t *testing.T) {
	for name, tt := range map[string]struct {
		set         change
		mtu, second bool
	}{
		"of the operations": {change{update: [][2]string{mtu(1).update[0], mtu(2).update[0]}}, true, false},
		"deletes first":     {change{delete: []string{port + "/config/description"}, update: [][2]string{mtu(1).update[0]}}, false, false},
		"of the only value": {change{update: [][2]string{{"/interfaces", `{"interface":[{"name":"Ethernet1/2","config":{"mtu":1500}}]}`}}}, false, false},
		"of the containers": {change{replace: [][2]string{{port, `{"name":"Ethernet1/1","config":{"name":"Ethernet1/1","type":"iana-if-type:ethernetCsmacd","mtu":1500},"hold-time":{"config":{"up":5}}}`}}}, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			timed(t, simulator.Options{}, func(t *testing.T, d device) {
				d.code(t, codes.OK, "before")
				d.Inject(simulator.Fault{Kind: simulator.FaultPartialApply})
				if err := d.set(t, tt.set); status.Code(err) != codes.Internal {
					t.Fatalf("the Set got %v", err)
				}
				if d.Exists(port+"/config/mtu") != tt.mtu || d.Exists("/interfaces/interface[name=Ethernet1/2]/config/mtu") != tt.second || d.Exists(port+"/hold-time") {
					t.Error("it is not the first half:", d.Config(port), d.Config("/interfaces/interface[name=Ethernet1/2]"))
				}
				deleted := len(tt.set.delete)+len(tt.set.replace) > 0
				if d.Exists(description) == deleted {
					t.Errorf("the description is there: %v", !deleted)
				}
			})
		})
	}
}

func TestALostReplyIsALostConnection(t *testing.T) {
	timed(t, simulator.Options{}, func(t *testing.T, d device) {
		d.Inject(simulator.Fault{Kind: simulator.FaultLostReply, RPC: "Set"})
		if err := d.within(t, time.Second, describes(t, "one")); status.Code(err) != codes.Unavailable || !strings.Contains(err.Error(), "EOF") {
			t.Errorf("the client got %v", err)
		}
		d.described(t, "one")
		if log := d.Log(); log[0].Code != "Unavailable" {
			t.Errorf("the record is %+v", log[0])
		}
		d.code(t, codes.OK, "two")
	})
}

func TestOnlyTheConnectionOfALostReplyIsCut(t *testing.T) {
	d := start(t, simulator.Options{})
	other, err := d.client.Subscribe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	d.until(t, func() bool { return d.Stats().Subscribes == 1 })
	second := device{d.Target, dial(t, d.Addr(), insecure.NewCredentials())}
	d.Inject(simulator.Fault{Kind: simulator.FaultLostReply})
	if err := second.set(t, mtu(1)); status.Code(err) != codes.Unavailable {
		t.Fatalf("the Set got %v", err)
	}
	if err := other.Send(once(gnmi.Encoding_JSON_IETF, path(t, port))); err != nil {
		t.Fatal(err)
	}
	if _, err := other.Recv(); err != nil {
		t.Errorf("another connection was cut: %v", err)
	}
}

func TestASetMayBeCarriedOutAfterItsClientGaveUp(t *testing.T) {
	timed(t, simulator.Options{}, func(t *testing.T, d device) {
		d.Inject(simulator.Fault{Kind: simulator.FaultLateApply, For: 3 * time.Second})
		d.code(t, codes.DeadlineExceeded, "late")
		d.code(t, codes.OK, "next")
		d.Heal()
		pass(2*time.Second - time.Millisecond)
		d.described(t, "next")
		pass(time.Millisecond)
		d.described(t, "late")
		if stats := d.Stats(); stats.Overlapping != 0 {
			t.Errorf("what nobody waits for is counted as an overlap: %+v", stats)
		}
	})
}

func TestALateSetGetsNoAnswerWhenItsClientStillWaits(t *testing.T) {
	timed(t, simulator.Options{}, func(t *testing.T, d device) {
		d.Inject(simulator.Fault{Kind: simulator.FaultLateApply, For: time.Second})
		began := time.Now()
		err := d.within(t, time.Minute, describes(t, "late"))
		if status.Code(err) != codes.DeadlineExceeded || time.Since(began) < time.Minute {
			t.Errorf("after %v the client got %v", time.Since(began), err)
		}
		d.described(t, "late")
	})
}

func TestABlackHoleAnswersNothing(t *testing.T) {
	for name, heal := range map[string]func(device){
		"until its time is over": func(device) { pass(8 * time.Second) },
		"until it is healed":     func(d device) { d.Heal() },
	} {
		t.Run(name, func(t *testing.T) {
			timed(t, simulator.Options{}, func(t *testing.T, d device) {
				d.Inject(simulator.Fault{Kind: simulator.FaultBlackHole, After: 1, For: 10 * time.Second})
				d.code(t, codes.OK, "before")
				d.code(t, codes.DeadlineExceeded, "during")
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				if _, err := d.get(ctx, gnmi.GetRequest_ALL, path(t, port)); status.Code(err) != codes.DeadlineExceeded {
					t.Errorf("a Get got %v", err)
				}
				heal(d)
				d.described(t, "before")
				d.code(t, codes.OK, "after")
				if stats := d.Stats(); stats.Overlapping != 0 {
					t.Errorf("the counters are %+v", stats)
				}
			})
		})
	}
}

func TestTheEndOfTheServerEndsEveryFault(t *testing.T) {
	for _, kind := range []simulator.FaultKind{simulator.FaultLateApply, simulator.FaultBlackHole} {
		d := start(t, simulator.Options{})
		d.Inject(simulator.Fault{Kind: kind, RPC: "Set", For: time.Hour})
		result := make(chan error, 1)
		req := mtu(1).request(t)
		go func() {
			_, err := d.client.Set(t.Context(), req)
			result <- err
		}()
		for d.Stats().Sets == 0 || !d.Injected() {
			if t.Context().Err() != nil {
				t.Fatal("the Set did not arrive")
			}
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
		if err := <-result; status.Code(err) != codes.Unavailable || !strings.Contains(err.Error(), "shutting down") {
			t.Errorf("%s: the client got %v", kind, err)
		}
		if d.Exists(port + "/config/mtu") {
			t.Errorf("%s: the Set was carried out", kind)
		}
	}
}
