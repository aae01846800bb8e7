package device_test

import (
	"testing"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/datatree"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/device"
)

// replying returns a device that answers a Get with updates of these values at
// the path asked for.
func replying(t *testing.T, values ...*gpb.TypedValue) *device.Device {
	t.Helper()
	return connect(t, through(t, &proxy{answer: func(req *gpb.GetRequest) (*gpb.GetResponse, error) {
		n := &gpb.Notification{}
		for _, v := range values {
			n.Update = append(n.Update, &gpb.Update{Path: req.GetPath()[0], Val: v})
		}
		return &gpb.GetResponse{Notification: []*gpb.Notification{n}}, nil
	}}, simulate(t)))
}

func ietf(json string) *gpb.TypedValue {
	return &gpb.TypedValue{Value: &gpb.TypedValue_JsonIetfVal{JsonIetfVal: []byte(json)}}
}

func TestHoweverADeviceSaysThatAnEntryIsAbsentItIs(t *testing.T) {
	for name, d := range map[string]*device.Device{
		"not found": connect(t, through(t, &proxy{answer: func(*gpb.GetRequest) (*gpb.GetResponse, error) {
			return nil, status.Error(codes.NotFound, "no such entry")
		}}, simulate(t))),
		"an empty notification": replying(t),
		"an update of nothing":  replying(t, nil),
		"no text":               replying(t, ietf(``)),
		"an empty string":       replying(t, &gpb.TypedValue{Value: &gpb.TypedValue_StringVal{}}),
		"an empty object":       replying(t, ietf(`{}`)),
		"an empty array":        replying(t, ietf(`[]`)),
		"null":                  replying(t, ietf(`null`)),
	} {
		entry, err := d.Read(t.Context(), instancePath("red"))
		if err != nil || entry != nil {
			t.Errorf("%s: got %v, %v", name, entry, err)
		}
	}
}

func TestAnEntryIsTheSameInWhateverWayItIsRead(t *testing.T) {
	target := simulate(t)
	p := interfacePath("Port-Channel1")
	if err := connect(t, target.Addr()).Apply(t.Context(), setting(p, lag("read me"))); err != nil {
		t.Fatal(err)
	}
	for _, p := range []*gpb.Path{p, interfacePath("Ethernet1/1"), instancePath("DEFAULT")} {
		want, err := connect(t, target.Addr()).Read(t.Context(), p)
		if err != nil || want == nil {
			t.Fatalf("got %v, %v", want, err)
		}
		for name, types := range map[string][]gpb.GetRequest_DataType{"ALL": {gpb.GetRequest_ALL}, "ONCE": {}} {
			got, err := connect(t, through(t, &proxy{types: types}, target)).Read(t.Context(), p)
			if err != nil || !got.Covers(want) || !want.Covers(got) {
				t.Errorf("%s by %s: got %v, %v", datatree.PathText(p), name, got, err)
			}
		}
	}
}
