package gnmi_test

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/gnmi"
)

// short bounds what is to run into a deadline; no assertion depends on it.
const short = 300 * time.Millisecond

// listener counts connections and can cut them.
type listener struct {
	net.Listener
	accepts atomic.Int32
	mu      sync.Mutex
	conns   []net.Conn
}

func listen(tb testing.TB) *listener {
	tb.Helper()
	var config net.ListenConfig
	l, err := config.Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	return &listener{Listener: l}
}

// Accept is part of net.Listener.
func (l *listener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err == nil {
		l.accepts.Add(1)
		l.mu.Lock()
		l.conns = append(l.conns, conn)
		l.mu.Unlock()
	}
	return conn, err
}

// cut closes all connections, as a device that dies does.
func (l *listener) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.conns {
		_ = c.Close()
	}
	l.conns = nil
}

// device is a gNMI server that does what a test tells it.
type device struct {
	gpb.UnimplementedGNMIServer
	*listener
	get func(ctx context.Context, req *gpb.GetRequest) (*gpb.GetResponse, error)
	set func(ctx context.Context, req *gpb.SetRequest) (*gpb.SetResponse, error)
	// subscribe is told what the first message of a stream asks for.
	subscribe func(list *gpb.SubscriptionList, stream gpb.GNMI_SubscribeServer) error
}

// Get is part of gpb.GNMIServer.
func (d *device) Get(ctx context.Context, req *gpb.GetRequest) (*gpb.GetResponse, error) {
	if d.get == nil {
		return nil, status.Error(codes.NotFound, "nothing there")
	}
	return d.get(ctx, req)
}

// Set is part of gpb.GNMIServer.
func (d *device) Set(ctx context.Context, req *gpb.SetRequest) (*gpb.SetResponse, error) {
	if d.set == nil {
		return &gpb.SetResponse{}, nil
	}
	return d.set(ctx, req)
}

// Subscribe is part of gpb.GNMIServer.
func (d *device) Subscribe(stream gpb.GNMI_SubscribeServer) error {
	if d.subscribe == nil {
		return d.UnimplementedGNMIServer.Subscribe(stream)
	}
	req, err := stream.Recv()
	if err != nil {
		return err
	}
	return d.subscribe(req.GetSubscribe(), stream)
}

// serve lets d answer until the test ends.
func serve(tb testing.TB, d *device, options ...grpc.ServerOption) *device {
	tb.Helper()
	d.listener = listen(tb)
	server := grpc.NewServer(options...)
	gpb.RegisterGNMIServer(server, d)
	var served sync.WaitGroup
	served.Go(func() { _ = server.Serve(d.listener) })
	tb.Cleanup(func() {
		server.Stop()
		served.Wait()
	})
	return d
}

// blackHole takes connections and never says a word.
func blackHole(tb testing.TB) *listener {
	tb.Helper()
	l := listen(tb)
	var accepting sync.WaitGroup
	accepting.Go(func() {
		for {
			if _, err := l.Accept(); err != nil {
				return
			}
		}
	})
	tb.Cleanup(func() {
		_ = l.Close()
		accepting.Wait()
		l.cut()
	})
	return l
}

// dial returns a client of the device at address, closed when the test ends.
func dial(tb testing.TB, address net.Addr, config gnmi.Config) *gnmi.Client {
	tb.Helper()
	config.Address = address.String()
	c, err := gnmi.New(config)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = c.Close() })
	return c
}

// plaintext is the configuration of a client without TLS.
var plaintext = gnmi.Config{Plaintext: true, RetryBudget: short}

func path(names ...string) *gpb.Path {
	p := &gpb.Path{}
	for _, name := range names {
		p.Elem = append(p.Elem, &gpb.PathElem{Name: name})
	}
	return p
}

// aSet is a Set of some leaf.
func aSet() *gpb.SetRequest {
	return &gpb.SetRequest{Update: []*gpb.Update{{
		Path: path("system", "config", "hostname"), Val: &gpb.TypedValue{Value: &gpb.TypedValue_JsonIetfVal{JsonIetfVal: []byte(`"r1"`)}},
	}}}
}
