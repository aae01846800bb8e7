package simulator_test

import (
	"errors"
	"io"
	"testing"

	"github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/ygot/ygot"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/simulator"
)

// subscribe returns the updates of a stream by path, and tells whether it
// ended with sync_response.
func (d device) subscribe(tb testing.TB, req *gnmi.SubscribeRequest) (updates map[string]*gnmi.TypedValue, synced bool, err error) {
	tb.Helper()
	stream, err := d.client.Subscribe(tb.Context())
	if err != nil {
		tb.Fatal(err)
	}
	if err := stream.Send(req); err != nil {
		tb.Fatal(err)
	}
	updates = map[string]*gnmi.TypedValue{}
	for {
		resp, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return updates, synced, nil
		}
		if err != nil {
			return updates, synced, err
		}
		if synced {
			tb.Error("there is a message after sync_response")
		}
		synced = resp.GetSyncResponse()
		for _, u := range resp.GetUpdate().GetUpdate() {
			text, err := ygot.PathToString(u.GetPath())
			if err != nil {
				tb.Fatal(err)
			}
			updates[text] = u.GetVal()
		}
	}
}

func once(encoding gnmi.Encoding, paths ...*gnmi.Path) *gnmi.SubscribeRequest {
	list := &gnmi.SubscriptionList{Mode: gnmi.SubscriptionList_ONCE, Encoding: encoding}
	for _, p := range paths {
		list.Subscription = append(list.Subscription, &gnmi.Subscription{Path: p})
	}
	return &gnmi.SubscribeRequest{Request: &gnmi.SubscribeRequest_Subscribe{Subscribe: list}}
}

func TestOnceSendsEveryLeafAsConfigAndAsState(t *testing.T) {
	d := start(t, simulator.Options{})
	d.mustSet(t, change{update: [][2]string{{port, `{"config":{"mtu":1500},"ethernet":{"switched-vlan":{"config":{"trunk-vlans":[10,"20..30"]}}}}`}}})
	vlans := &gnmi.TypedValue{Value: &gnmi.TypedValue_LeaflistVal{LeaflistVal: &gnmi.ScalarArray{Element: []*gnmi.TypedValue{
		{Value: &gnmi.TypedValue_UintVal{UintVal: 10}}, {Value: &gnmi.TypedValue_StringVal{StringVal: "20..30"}},
	}}}}
	for encoding, want := range map[gnmi.Encoding][2]*gnmi.TypedValue{
		gnmi.Encoding_JSON_IETF: {ietf("1500"), ietf(`[10,"20..30"]`)},
		gnmi.Encoding_PROTO:     {{Value: &gnmi.TypedValue_UintVal{UintVal: 1500}}, vlans},
	} {
		updates, synced, err := d.subscribe(t, once(encoding, path(t, port)))
		if err != nil || !synced {
			t.Fatalf("%v: synced %v, %v", encoding, synced, err)
		}
		// name; and name, type, mtu and trunk-vlans in config and in state.
		if len(updates) != 9 {
			t.Errorf("%v: there are %d updates: %v", encoding, len(updates), updates)
		}
		for _, section := range []string{"config", "state"} {
			if got := updates[port+"/"+section+"/mtu"]; got.String() != want[0].String() {
				t.Errorf("%v: %s/mtu is %v", encoding, section, got)
			}
			if got := updates[port+"/ethernet/switched-vlan/"+section+"/trunk-vlans"]; got.String() != want[1].String() {
				t.Errorf("%v: %s/trunk-vlans is %v", encoding, section, got)
			}
		}
	}
	updates, _, err := d.subscribe(t, once(gnmi.Encoding_PROTO, path(t, "/interfaces/interface[name=*]/state")))
	if err != nil || len(updates) != 2*simulator.FactoryPorts+1 {
		t.Errorf("the states of all interfaces are %d updates, %v", len(updates), err)
	}
}

func TestOnceOfTheAbsentOnlySynchronises(t *testing.T) {
	d := start(t, simulator.Options{})
	updates, synced, err := d.subscribe(t, once(gnmi.Encoding_JSON_IETF, path(t, "/acl")))
	if err != nil || !synced || len(updates) != 0 {
		t.Errorf("%v, synced %v, %v", updates, synced, err)
	}
	only := once(gnmi.Encoding_JSON_IETF, path(t, port))
	only.GetSubscribe().UpdatesOnly = true
	if updates, synced, err = d.subscribe(t, only); err != nil || !synced || len(updates) != 0 {
		t.Errorf("updates_only: %v, synced %v, %v", updates, synced, err)
	}
}

func TestWhatSubscribeDoesNotSupportIsSaid(t *testing.T) {
	d := start(t, simulator.Options{})
	sampled := stream(path(t, port))
	sampled.GetSubscribe().GetSubscription()[0].Mode = gnmi.SubscriptionMode_SAMPLE
	beating := stream(path(t, port))
	beating.GetSubscribe().GetSubscription()[0].HeartbeatInterval = 1
	for _, tt := range []struct {
		req  *gnmi.SubscribeRequest
		code codes.Code
	}{
		{sampled, codes.InvalidArgument},
		{beating, codes.InvalidArgument},
		{once(gnmi.Encoding_ASCII, path(t, port)), codes.Unimplemented},
		{once(gnmi.Encoding_JSON, path(t, "/nothing")), codes.InvalidArgument},
		{&gnmi.SubscribeRequest{Request: &gnmi.SubscribeRequest_Poll{Poll: &gnmi.Poll{}}}, codes.InvalidArgument},
	} {
		if _, _, err := d.subscribe(t, tt.req); status.Code(err) != tt.code {
			t.Errorf("%v: %v, want %v", tt.req, err, tt.code)
		}
	}
}
