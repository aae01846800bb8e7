package device_test

import (
	"context"
	"errors"
	"io"
	"net"
	"slices"
	"sync"
	"testing"
	"time"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/changeset"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/datatree"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/device"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/gnmi"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/oc"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/simulator"
)

// simulate runs a simulated device with quirks, each name=value, until the test ends.
func simulate(tb testing.TB, quirks ...string) *simulator.Target {
	tb.Helper()
	options := simulator.Options{Plaintext: true, Exclusive: true}
	for _, q := range quirks {
		if err := options.Quirk(q); err != nil {
			tb.Fatal(err)
		}
	}
	target, err := simulator.Start(context.Background(), options)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = target.Close() })
	return target
}

// config is a device's configuration without more than it needs.
func config(name, address string) device.Config {
	return device.Config{Name: name, GNMI: gnmi.Config{Address: address, Plaintext: true, RetryBudget: 100 * time.Millisecond}}
}

func fleetOf(tb testing.TB, options devicelock.Options, configs ...device.Config) *device.Fleet {
	tb.Helper()
	f, err := device.NewFleet(devicelock.New(options), nil, configs)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = f.Close(context.Background()) })
	return f
}

func named(tb testing.TB, f *device.Fleet, name string) *device.Device {
	tb.Helper()
	d, err := f.Device(name)
	if err != nil {
		tb.Fatal(err)
	}
	return d
}

// connect returns the device at address, alone in its fleet.
func connect(tb testing.TB, address string) *device.Device {
	tb.Helper()
	return named(tb, fleetOf(tb, devicelock.Options{YieldIdle: time.Millisecond, LockDelay: 10 * time.Millisecond}, config("r1", address)), "")
}

// path reads the text of a path.
func path(text string) *gpb.Path {
	p, err := datatree.ParsePath(text)
	if err != nil {
		panic(err)
	}
	return p
}

func interfacePath(name string) *gpb.Path { return path("/interfaces/interface[name=" + name + "]") }

func instancePath(name string) *gpb.Path {
	return path("/network-instances/network-instance[name=" + name + "]")
}

// leaves are leaves of an entry's config.
type leaves map[string]string

func lag(description string) leaves {
	return leaves{"type": "ieee8023adLag", "description": description}
}

// setting is a change that sets leaves of the entry at p.
func setting(p *gpb.Path, values leaves) device.Change {
	return device.Change{
		Path: p, Step: devicelock.Step{Operation: devicelock.Create, Rank: devicelock.RankInterface, Owner: datatree.PathText(p)},
		Decide: func(_ *datatree.Node, p *gpb.Path) (*gpb.SetRequest, error) {
			entry, err := datatree.New(oc.Model).EnsureAt(p.GetElem())
			if err != nil {
				return nil, err
			}
			for name, value := range values {
				entry.Ensure("config").SetLeaf(name, value)
			}
			return changeset.Diff(p, nil, entry)
		},
	}
}

// description returns what the device is known to have, or nothing.
func description(tb testing.TB, d *device.Device, p *gpb.Path) string {
	tb.Helper()
	entry, err := d.Read(tb.Context(), p)
	if err != nil {
		tb.Fatal(err)
	}
	text, _ := entry.Container("config").Leaf("description")
	return text
}

// watch is an observer that lets tests wait for what happens to a step.
type watch struct{ events chan devicelock.Event }

func newWatch() *watch { return &watch{make(chan devicelock.Event, 1000)} }

// Observe is part of devicelock.Observer.
func (w *watch) Observe(_ context.Context, e devicelock.Event) { w.events <- e }

// await waits until something happened to a step.
func (w *watch) await(tb testing.TB, kind devicelock.EventKind, owner *gpb.Path) {
	tb.Helper()
	for {
		select {
		case e := <-w.events:
			if e.Kind == kind && e.Step.Owner == datatree.PathText(owner) {
				return
			}
		case <-tb.Context().Done():
			tb.Fatalf("%s was never %s", datatree.PathText(owner), kind)
		}
	}
}

// proxy stands before a simulated device and spoils what a test tells it to.
type proxy struct {
	gpb.UnimplementedGNMIServer
	device gpb.GNMIClient

	mu   sync.Mutex
	sets []*gpb.SetRequest
	// set and get say what becomes of the nth RPC, counted from 1.
	set func(n int, forward func() error) error
	get func() error
	// types are the types of Get that are served; nil stands for all. Where some
	// are, there is no Subscribe.
	types []gpb.GetRequest_DataType
	// answer takes the device's place in answering Gets, or is nil.
	answer func(req *gpb.GetRequest) (*gpb.GetResponse, error)
}

// Get is part of gpb.GNMIServer.
func (p *proxy) Get(ctx context.Context, req *gpb.GetRequest) (*gpb.GetResponse, error) {
	if p.get != nil {
		if err := p.get(); err != nil {
			return nil, err
		}
	}
	if p.types != nil && !slices.Contains(p.types, req.GetType()) {
		return nil, status.Error(codes.Unimplemented, "this type of Get is not served")
	}
	if p.answer != nil {
		return p.answer(req)
	}
	return p.device.Get(ctx, req)
}

// Subscribe is part of gpb.GNMIServer.
func (p *proxy) Subscribe(stream gpb.GNMI_SubscribeServer) error {
	if len(p.types) > 0 {
		return status.Error(codes.Unimplemented, "there is no Subscribe")
	}
	req, err := stream.Recv()
	if err != nil {
		return err
	}
	behind, err := p.device.Subscribe(stream.Context())
	if err != nil {
		return err
	}
	if err := behind.Send(req); err != nil {
		return err
	}
	if err := behind.CloseSend(); err != nil {
		return err
	}
	for {
		res, err := behind.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := stream.Send(res); err != nil {
			return err
		}
	}
}

// Set is part of gpb.GNMIServer.
func (p *proxy) Set(ctx context.Context, req *gpb.SetRequest) (*gpb.SetResponse, error) {
	p.mu.Lock()
	p.sets = append(p.sets, req)
	n := len(p.sets)
	p.mu.Unlock()
	var res *gpb.SetResponse
	forward := func() (err error) {
		res, err = p.device.Set(ctx, req)
		return err
	}
	if p.set == nil {
		return res, forward()
	}
	if err := p.set(n, forward); err != nil {
		return nil, err
	}
	return &gpb.SetResponse{}, nil
}

// through starts p before target and returns its address.
func through(tb testing.TB, p *proxy, target *simulator.Target) string {
	tb.Helper()
	conn, err := grpc.NewClient("passthrough:///"+target.Addr(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		tb.Fatal(err)
	}
	p.device = gpb.NewGNMIClient(conn)
	var listen net.ListenConfig
	l, err := listen.Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	server := grpc.NewServer()
	gpb.RegisterGNMIServer(server, p)
	var served sync.WaitGroup
	served.Go(func() { _ = server.Serve(l) })
	tb.Cleanup(func() {
		server.Stop()
		served.Wait()
		_ = conn.Close()
	})
	return l.Addr().String()
}
