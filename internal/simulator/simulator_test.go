package simulator_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/ygot/ygot"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/simulator"
)

// device is a running target and a client of it.
type device struct {
	*simulator.Target
	client gnmi.GNMIClient
}

// start runs a plaintext target for the time of a test.
func start(tb testing.TB, options simulator.Options) device {
	tb.Helper()
	options.Plaintext = true
	target, err := simulator.Start(tb.Context(), options)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := target.Close(); err != nil {
			tb.Error(err)
		}
	})
	return device{target, dial(tb, target.Addr(), insecure.NewCredentials())}
}

func dial(tb testing.TB, addr string, creds credentials.TransportCredentials) gnmi.GNMIClient {
	tb.Helper()
	conn, err := grpc.NewClient(addr, grpc.WithTransportCredentials(creds))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = conn.Close() })
	return gnmi.NewGNMIClient(conn)
}

func path(tb testing.TB, text string) *gnmi.Path {
	tb.Helper()
	p, err := ygot.StringToStructuredPath(text)
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

func ietf(text string) *gnmi.TypedValue {
	return &gnmi.TypedValue{Value: &gnmi.TypedValue_JsonIetfVal{JsonIetfVal: []byte(text)}}
}

// change is a Set in short form: pairs of path and JSON_IETF.
type change struct {
	delete  []string
	replace [][2]string
	update  [][2]string
}

func (c change) request(tb testing.TB) *gnmi.SetRequest {
	tb.Helper()
	req := &gnmi.SetRequest{}
	for _, p := range c.delete {
		req.Delete = append(req.Delete, path(tb, p))
	}
	for _, u := range c.replace {
		req.Replace = append(req.Replace, &gnmi.Update{Path: path(tb, u[0]), Val: ietf(u[1])})
	}
	for _, u := range c.update {
		req.Update = append(req.Update, &gnmi.Update{Path: path(tb, u[0]), Val: ietf(u[1])})
	}
	return req
}

func (d device) set(tb testing.TB, c change) error {
	tb.Helper()
	_, err := d.client.Set(tb.Context(), c.request(tb))
	return err
}

func (d device) mustSet(tb testing.TB, c change) {
	tb.Helper()
	if err := d.set(tb, c); err != nil {
		tb.Fatal(err)
	}
}

// refuse expects a Set to fail with code, and the tree to stay as it is.
func (d device) refuse(tb testing.TB, code codes.Code, c change) string {
	tb.Helper()
	before := d.Config("/")
	err := d.set(tb, c)
	if status.Code(err) != code {
		tb.Errorf("%+v: got %v, want %v", c, err, code)
	}
	if after := d.Config("/"); after != before {
		tb.Errorf("%+v: the refused Set left a trace:\n%s\n%s", c, before, after)
	}
	return status.Convert(err).Message()
}

func (d device) leaf(tb testing.TB, path, want string) {
	tb.Helper()
	if got, ok := d.Leaf(path); !ok || got != want {
		tb.Errorf("%s is %q (%v), want %q", path, got, ok, want)
	}
}

// get reads one path and returns the JSON of the only update.
func (d device) get(ctx context.Context, kind gnmi.GetRequest_DataType, p *gnmi.Path) (string, error) {
	resp, err := d.client.Get(ctx, &gnmi.GetRequest{
		Path: []*gnmi.Path{p}, Type: kind, Encoding: gnmi.Encoding_JSON_IETF,
	})
	if err != nil {
		return "", err
	}
	if n := resp.GetNotification(); len(n) == 1 && len(n[0].GetUpdate()) == 1 {
		return string(n[0].GetUpdate()[0].GetVal().GetJsonIetfVal()), nil
	}
	text, err := json.Marshal(resp)
	return string(text), err
}

const (
	port     = "/interfaces/interface[name=Ethernet1/1]"
	instance = "/network-instances/network-instance[name=DEFAULT]"
	protocol = instance + "/protocols/protocol[identifier=BGP][name=BGP]"
	neighbor = protocol + "/bgp/neighbors/neighbor[neighbor-address=192.0.2.0]"
	group    = protocol + "/bgp/peer-groups/peer-group[peer-group-name=spines]"
)

// bgp creates a BGP instance.
var bgp = [][2]string{{protocol, `{"config":{"identifier":"BGP","name":"BGP"},"bgp":{"global":{"config":{"as":65001}}}}`}}
