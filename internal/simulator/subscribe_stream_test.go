package simulator_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/ygot/ygot"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/simulator"
)

// stream is the first message of a subscription to changes.
func stream(paths ...*gnmi.Path) *gnmi.SubscribeRequest {
	req := once(gnmi.Encoding_JSON_IETF, paths...)
	req.GetSubscribe().Mode = gnmi.SubscriptionList_STREAM
	for _, s := range req.GetSubscribe().GetSubscription() {
		s.Mode = gnmi.SubscriptionMode_ON_CHANGE
	}
	return req
}

// follower is a client that follows a stream in a bubble of its own time.
type follower struct {
	t      *testing.T
	client gnmi.GNMI_SubscribeClient
	got    chan string
	end    chan error
}

// follow starts a stream.
func (d device) follow(t *testing.T, req *gnmi.SubscribeRequest) follower {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	client, err := d.client.Subscribe(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := client.Send(req); err != nil {
		t.Fatal(err)
	}
	f := follower{t, client, make(chan string, 1000), make(chan error, 1)}
	go func() {
		for {
			resp, err := client.Recv()
			if err != nil {
				f.end <- err
				return
			}
			if resp.GetSyncResponse() {
				f.got <- "sync"
			}
			for _, p := range resp.GetUpdate().GetDelete() {
				f.got <- "- " + text(t, p)
			}
			for _, u := range resp.GetUpdate().GetUpdate() {
				f.got <- text(t, u.GetPath()) + " " + string(u.GetVal().GetJsonIetfVal())
			}
		}
	}()
	return f
}

func text(t *testing.T, p *gnmi.Path) string {
	s, err := ygot.PathToString(p)
	if err != nil {
		t.Error(err)
	}
	return s
}

// expect wants these messages, and no more, to have come by now.
func (f follower) expect(want ...string) {
	f.t.Helper()
	synctest.Wait()
	var got []string
	for len(f.got) > 0 {
		got = append(got, <-f.got)
	}
	if !slices.Equal(got, want) {
		f.t.Errorf("the stream has\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// over ends the stream from the client's side.
func (f follower) over(code codes.Code) {
	f.t.Helper()
	if err := <-f.end; status.Code(err) != code {
		f.t.Errorf("the stream ended with %v, want %v", err, code)
	}
}

// Section 3.5.1.5.2.
func TestAStreamTellsWhatIsThereAndThenWhatChanges(t *testing.T) {
	timed(t, full, func(t *testing.T, d device) {
		d.send(t, codes.OK, describes(t, "one"))
		f := d.follow(t, stream(path(t, port+"/config"), path(t, "/interfaces/interface[name=*]/state/mtu")))
		f.expect(port+`/config/description "one"`, port+`/config/name "Ethernet1/1"`, port+`/config/type "iana-if-type:ethernetCsmacd"`, "sync")

		d.mustSet(t, change{update: [][2]string{{description, `"two"`}, mtu(2).update[0]}})
		f.expect(port+`/config/description "two"`, "/interfaces/interface[name=Ethernet1/2]/state/mtu 1500")
		d.mustSet(t, change{update: [][2]string{{description, `"two"`}}})
		f.expect()
		d.mustSet(t, change{delete: []string{description}, update: mtu(1).update})
		f.expect("- "+description, port+"/config/mtu 1500", port+"/state/mtu 1500")
		if err := d.Update(port+"/config", `{"mtu":9000}`); err != nil {
			t.Fatal(err)
		}
		f.expect(port+"/config/mtu 9000", port+"/state/mtu 9000")

		d.send(t, codes.OK, with(describes(t, "tried"), commit("a", time.Minute)))
		f.expect(description + ` "tried"`)
		pass(time.Minute)
		f.expect("- " + description)
	})
}

func TestAStreamWaitsForWhatIsNotThereYet(t *testing.T) {
	timed(t, simulator.Options{}, func(t *testing.T, d device) {
		req := stream(path(t, "/acl"), path(t, "/interfaces/interface[name=lo0]/config/mtu"))
		req.GetSubscribe().GetSubscription()[1].Mode = gnmi.SubscriptionMode_TARGET_DEFINED
		f := d.follow(t, req)
		f.expect("sync")
		d.mustSet(t, change{update: [][2]string{{"/interfaces/interface[name=lo0]", `{"config":{"name":"lo0","mtu":1500}}`}}})
		f.expect("/interfaces/interface[name=lo0]/config/mtu 1500")
		d.mustSet(t, change{delete: []string{"/interfaces/interface[name=lo0]"}})
		f.expect("- /interfaces/interface[name=lo0]/config/mtu")
	})
}

func TestAStreamOfUpdatesOnlyDoesNotBeginWithWhatIsThere(t *testing.T) {
	timed(t, simulator.Options{}, func(t *testing.T, d device) {
		req := stream(path(t, port+"/config"))
		req.GetSubscribe().UpdatesOnly = true
		f := d.follow(t, req)
		f.expect("sync")
		d.mustSet(t, mtu(1))
		f.expect(port + "/config/mtu 1500")
	})
}

func TestAStreamTellsChangesWhenReadersSeeThem(t *testing.T) {
	timed(t, quirks(t, "eventual=2s"), func(t *testing.T, d device) {
		f := d.follow(t, stream(path(t, description)))
		f.expect("sync")
		d.code(t, codes.OK, "one")
		pass(time.Second)
		d.code(t, codes.OK, "two")
		f.expect()
		pass(time.Second)
		f.expect(description + ` "one"`)
		pass(time.Second)
		f.expect(description + ` "two"`)
	})
}

func TestAStreamEndsWithItsClientOrItsServer(t *testing.T) {
	timed(t, simulator.Options{}, func(t *testing.T, d device) {
		f := d.follow(t, stream(path(t, description)))
		f.expect("sync")
		if err := f.client.CloseSend(); err != nil {
			t.Fatal(err)
		}
		d.code(t, codes.OK, "one")
		f.expect(description + ` "one"`)
		d.Inject(simulator.Fault{Kind: simulator.FaultReboot})
		d.code(t, codes.Unavailable, "two")
		f.over(codes.Unavailable)
		d.after(t, 0, "")
	})
	d := start(t, simulator.Options{})
	client, err := d.client.Subscribe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := client.Send(stream(path(t, port))); err != nil {
		t.Fatal(err)
	}
	if _, err := client.Recv(); err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	for err = nil; err == nil; _, err = client.Recv() {
	}
	if status.Code(err) != codes.Unavailable || !strings.Contains(err.Error(), "shutting down") {
		t.Errorf("the stream ended with %v", err)
	}
}

// Section 3.5.1.1: the list is sent once.
func TestAStreamTakesNoSecondList(t *testing.T) {
	timed(t, simulator.Options{}, func(t *testing.T, d device) {
		poll := once(gnmi.Encoding_JSON_IETF, path(t, port))
		poll.GetSubscribe().Mode = gnmi.SubscriptionList_POLL
		for _, first := range []*gnmi.SubscribeRequest{stream(path(t, description)), poll} {
			f := d.follow(t, first)
			if err := f.client.Send(first); err != nil {
				t.Fatal(err)
			}
			f.over(codes.InvalidArgument)
		}
	})
}

// Section 3.5.1.5.3.
func TestAPollIsAnsweredWithWhatIsThere(t *testing.T) {
	timed(t, simulator.Options{}, func(t *testing.T, d device) {
		first := once(gnmi.Encoding_JSON_IETF, path(t, description))
		first.GetSubscribe().Mode = gnmi.SubscriptionList_POLL
		poll := &gnmi.SubscribeRequest{Request: &gnmi.SubscribeRequest_Poll{Poll: &gnmi.Poll{}}}
		f := d.follow(t, first)
		f.expect()
		for _, text := range []string{"one", "two"} {
			d.code(t, codes.OK, text)
			f.expect()
			if err := f.client.Send(poll); err != nil {
				t.Fatal(err)
			}
			f.expect(description+` "`+text+`"`, "sync")
		}
	})
}
