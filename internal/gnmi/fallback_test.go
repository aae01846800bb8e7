package gnmi_test

import (
	"context"
	"slices"
	"sync"
	"testing"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// limited is a device that does not serve all ways to read. It notes the ways
// that it is asked for.
type limited struct {
	mu    sync.Mutex
	asked []string
	// refuse has, by way, the code that the way is refused with.
	refuse map[string]codes.Code
	// answer is what the other ways bring.
	answer *gpb.GetResponse
}

func (l *limited) asks(way string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked = append(l.asked, way)
	if code, ok := l.refuse[way]; ok {
		return status.Error(code, "no "+way)
	}
	return nil
}

// takeAsked returns the ways asked for since it was last called.
func (l *limited) takeAsked() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	asked := l.asked
	l.asked = nil
	return asked
}

// device returns the server.
func (l *limited) device() *device {
	return &device{
		get: func(_ context.Context, req *gpb.GetRequest) (*gpb.GetResponse, error) {
			return l.answer, l.asks(req.GetType().String())
		},
		subscribe: func(list *gpb.SubscriptionList, stream gpb.GNMI_SubscribeServer) error {
			if err := l.asks(list.GetMode().String()); err != nil {
				return err
			}
			for _, n := range l.answer.GetNotification() {
				if err := stream.Send(&gpb.SubscribeResponse{Response: &gpb.SubscribeResponse_Update{Update: n}}); err != nil {
					return err
				}
			}
			return stream.Send(&gpb.SubscribeResponse{Response: &gpb.SubscribeResponse_SyncResponse{SyncResponse: true}})
		},
	}
}

func TestADeviceIsReadInTheBestWayItServesThenAndLater(t *testing.T) {
	for name, c := range map[string]struct {
		refuse       map[string]codes.Code
		first, later []string
	}{
		"all ways":                {nil, []string{"CONFIG"}, []string{"CONFIG"}},
		"CONFIG is not served":    {map[string]codes.Code{"CONFIG": codes.Unimplemented}, []string{"CONFIG", "ALL"}, []string{"ALL"}},
		"CONFIG is not an option": {map[string]codes.Code{"CONFIG": codes.InvalidArgument}, []string{"CONFIG", "ALL"}, []string{"ALL"}},
		"there is no Get": {
			map[string]codes.Code{"CONFIG": codes.Unimplemented, "ALL": codes.Unimplemented},
			[]string{"CONFIG", "ALL", "ONCE"},
			[]string{"ONCE"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := &limited{refuse: c.refuse, answer: answer(ietf(`{"hostname":"r1"}`))}
			client := dial(t, serve(t, l.device()).Addr(), plaintext)
			for i, want := range [][]string{c.first, c.later, c.later} {
				values, err := client.Get(t.Context(), path("system"))
				if err != nil || len(values) != 1 || string(values[0].JSON) != `{"hostname":"r1"}` {
					t.Fatalf("got %v, %v", values, err)
				}
				if asked := l.takeAsked(); !slices.Equal(asked, want) {
					t.Errorf("read %d asked for %v, want %v", i+1, asked, want)
				}
			}
		})
	}
}

func TestAWayThatBroughtNothingIsNotRemembered(t *testing.T) {
	for name, answer := range map[string]*gpb.GetResponse{"no notification": {}, "an empty notification": answer()} {
		t.Run(name, func(t *testing.T) {
			l := &limited{refuse: map[string]codes.Code{"CONFIG": codes.InvalidArgument}, answer: answer}
			client := dial(t, serve(t, l.device()).Addr(), plaintext)
			for range 2 {
				if values, err := client.Get(t.Context(), path("system")); err != nil || len(values) != 0 {
					t.Fatalf("got %v, %v", values, err)
				}
			}
			if asked := l.takeAsked(); !slices.Equal(asked, []string{"CONFIG", "ALL", "CONFIG", "ALL"}) {
				t.Errorf("asked for %v", asked)
			}
		})
	}
}

func TestADeviceThatServesNoWaySaysSoInTheWordsOfItsGet(t *testing.T) {
	for _, code := range []codes.Code{codes.Unimplemented, codes.InvalidArgument} {
		l := &limited{refuse: map[string]codes.Code{"CONFIG": codes.Unimplemented, "ALL": codes.Unimplemented, "ONCE": code}}
		_, err := dial(t, serve(t, l.device()).Addr(), plaintext).Get(t.Context(), path("system"))
		if failed := rpcError(t, err); failed.RPC != "Get" || failed.Message != "no ALL" {
			t.Errorf("got %v", err)
		}
	}
}

func TestAPathThatEveryTypeRefusesIsNotSubscribedTo(t *testing.T) {
	l := &limited{refuse: map[string]codes.Code{"CONFIG": codes.InvalidArgument, "ALL": codes.InvalidArgument}}
	_, err := dial(t, serve(t, l.device()).Addr(), plaintext).Get(t.Context(), path("system"))
	if failed := rpcError(t, err); failed.Code != codes.InvalidArgument {
		t.Errorf("got %v", err)
	}
	if asked := l.takeAsked(); slices.Contains(asked, "ONCE") {
		t.Error("its stream could be empty, which would be taken for absence")
	}
}

func TestAStreamThatBreaksIsNeitherAbsenceNorPartOfTheConfiguration(t *testing.T) {
	for _, sent := range []*gpb.GetResponse{{}, answer(ietf(`{"hostname":"r1"}`))} {
		d := serve(t, &device{
			get: func(context.Context, *gpb.GetRequest) (*gpb.GetResponse, error) {
				return nil, status.Error(codes.Unimplemented, "no Get")
			},
			subscribe: func(_ *gpb.SubscriptionList, stream gpb.GNMI_SubscribeServer) error {
				for _, n := range sent.GetNotification() {
					if err := stream.Send(&gpb.SubscribeResponse{Response: &gpb.SubscribeResponse_Update{Update: n}}); err != nil {
						return err
					}
				}
				return status.Error(codes.Unavailable, "rebooting")
			},
		})
		values, err := dial(t, d.Addr(), plaintext).Get(t.Context(), path("system"))
		if failed := rpcError(t, err); values != nil || failed.RPC != "Subscribe" || failed.Code != codes.Unavailable {
			t.Errorf("got %v, %v", values, err)
		}
	}
}

func TestAStreamEndsWithTheDevicesWordOrWithTheStream(t *testing.T) {
	for name, end := range map[string]func(gpb.GNMI_SubscribeServer) error{
		"the stream ends": func(gpb.GNMI_SubscribeServer) error { return nil },
		"the stream stays open after sync_response": func(stream gpb.GNMI_SubscribeServer) error {
			err := stream.Send(&gpb.SubscribeResponse{Response: &gpb.SubscribeResponse_SyncResponse{SyncResponse: true}})
			<-stream.Context().Done()
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := serve(t, &device{
				get: func(context.Context, *gpb.GetRequest) (*gpb.GetResponse, error) {
					return nil, status.Error(codes.Unimplemented, "no Get")
				},
				subscribe: func(_ *gpb.SubscriptionList, stream gpb.GNMI_SubscribeServer) error { return end(stream) },
			})
			if values, err := dial(t, d.Addr(), plaintext).Get(t.Context(), path("system")); err != nil || len(values) != 0 {
				t.Errorf("got %v, %v", values, err)
			}
		})
	}
}

func TestStateIsLeftOutOfWhatADeviceReports(t *testing.T) {
	n := &gpb.Notification{Update: []*gpb.Update{
		{Path: path("system", "state", "boot-time"), Val: &gpb.TypedValue{Value: &gpb.TypedValue_ProtoBytes{ProtoBytes: []byte{1}}}},
		{Path: path("system", "openconfig-system:state"), Val: ietf(`{}`)},
		{Path: path("system", "config", "hostname"), Val: ietf(`"r1"`)},
	}}
	values, err := getting(t, &gpb.GetResponse{Notification: []*gpb.Notification{n}}, nil)
	if err != nil || len(values) != 1 || string(values[0].JSON) != `"r1"` {
		t.Errorf("got %v, %v", values, err)
	}
}
