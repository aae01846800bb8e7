package device_test

import (
	"context"
	"errors"
	"net"
	"sync"
	"testing"
	"time"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/device"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/gnmi"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/simulator"
)

const (
	// patience is how long the clients of these tests wait for a Set, lateness
	// how long after that a slow device carries one out, and keeping how long
	// the device is kept for it.
	patience = 200 * time.Millisecond
	lateness = 300 * time.Millisecond
	keeping  = 1500 * time.Millisecond
)

// script is a device whose first Set goes as a row of the table of ambiguous
// outcomes says. What it carries out, the simulated device behind it does.
type script struct {
	gpb.UnimplementedGNMIServer
	t       *testing.T
	behind  gpb.GNMIClient
	first   func(s *script, ctx context.Context, req *gpb.SetRequest) (*gpb.SetResponse, error)
	address string

	mu      sync.Mutex
	sets    int
	late    sync.WaitGroup
	server  *grpc.Server
	serving sync.WaitGroup
}

// Get is part of gpb.GNMIServer.
func (s *script) Get(ctx context.Context, req *gpb.GetRequest) (*gpb.GetResponse, error) {
	return s.behind.Get(ctx, req)
}

// Set is part of gpb.GNMIServer.
func (s *script) Set(ctx context.Context, req *gpb.SetRequest) (*gpb.SetResponse, error) {
	s.mu.Lock()
	s.sets++
	first := s.sets == 1
	s.mu.Unlock()
	if first {
		return s.first(s, ctx, req)
	}
	return s.carryOut(req)
}

// carryOut has the device behind do what a client asked for, whatever became of
// the client.
func (s *script) carryOut(req *gpb.SetRequest) (*gpb.SetResponse, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return s.behind.Set(ctx, req)
}

// start serves at the address that the device has had from its first start.
func (s *script) start() {
	var config net.ListenConfig
	l, err := config.Listen(context.Background(), "tcp", s.address)
	if err != nil {
		s.t.Errorf("serving at %s again: %v", s.address, err)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.address, s.server = l.Addr().String(), grpc.NewServer()
	gpb.RegisterGNMIServer(s.server, s)
	s.serving.Go(func() { _ = s.server.Serve(l) })
}

// reboot ends all connections, and comes back.
func (s *script) reboot() {
	s.mu.Lock()
	old := s.server
	s.mu.Unlock()
	s.late.Go(func() {
		old.Stop()
		s.start()
	})
}

func scripted(t *testing.T, target *simulator.Target, first func(*script, context.Context, *gpb.SetRequest) (*gpb.SetResponse, error)) *script {
	t.Helper()
	conn, err := grpc.NewClient("passthrough:///"+target.Addr(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	s := &script{t: t, behind: gpb.NewGNMIClient(conn), first: first, address: "127.0.0.1:0"}
	s.start()
	t.Cleanup(func() {
		s.late.Wait()
		s.server.Stop()
		s.serving.Wait()
		_ = conn.Close()
	})
	return s
}

// impatient returns the device at address with the times of these tests.
func impatient(t *testing.T, address string) *device.Device {
	t.Helper()
	return named(t, fleetOf(t, devicelock.Options{LockDelay: keeping}, device.Config{Name: "r1", GNMI: gnmi.Config{
		Address: address, Plaintext: true, SetTimeout: patience, ConnectTimeout: 2 * time.Second, RetryBudget: 20 * time.Second,
	}}), "r1")
}

func TestNoAmbiguousOutcomeLosesAChangeOrUndoesALaterOne(t *testing.T) {
	for name, first := range map[string]func(s *script, ctx context.Context, req *gpb.SetRequest) (*gpb.SetResponse, error){
		"reply late": func(s *script, ctx context.Context, req *gpb.SetRequest) (*gpb.SetResponse, error) {
			res, err := s.carryOut(req)
			<-ctx.Done()
			return res, err
		},
		"reply lost": func(s *script, ctx context.Context, req *gpb.SetRequest) (*gpb.SetResponse, error) {
			res, err := s.carryOut(req)
			s.reboot()
			<-ctx.Done() // a reply before that would not be lost
			return res, err
		},
		"applied after the client's deadline": func(s *script, ctx context.Context, req *gpb.SetRequest) (*gpb.SetResponse, error) {
			<-ctx.Done()
			s.late.Go(func() {
				pause := time.NewTimer(lateness)
				defer pause.Stop()
				<-pause.C
				if _, err := s.carryOut(req); err != nil {
					s.t.Errorf("carrying out late what was asked for: %v", err)
				}
			})
			return nil, ctx.Err()
		},
		"server stops in mid-Set, applied": func(s *script, ctx context.Context, req *gpb.SetRequest) (*gpb.SetResponse, error) {
			_, err := s.carryOut(req)
			s.reboot()
			<-ctx.Done()
			return nil, errors.Join(err, ctx.Err())
		},
		"server stops in mid-Set, not applied": func(s *script, ctx context.Context, _ *gpb.SetRequest) (*gpb.SetResponse, error) {
			s.reboot()
			<-ctx.Done()
			return nil, ctx.Err()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			target := simulate(t)
			s := scripted(t, target, first)
			d, p := impatient(t, s.address), interfacePath("Port-Channel1")
			for _, text := range []string{"one", "two"} {
				if err := d.Apply(t.Context(), setting(p, lag(text))); err != nil {
					t.Fatalf("%s: %v", text, err)
				}
				if has, _ := target.Leaf("/interfaces/interface[name=Port-Channel1]/config/description"); has != text || description(t, d, p) != text {
					t.Errorf("after %q the device has %q and is thought to have %q", text, has, description(t, d, p))
				}
			}
			s.late.Wait()
			if has, _ := target.Leaf("/interfaces/interface[name=Port-Channel1]/config/description"); has != "two" {
				t.Errorf("in the end the device has %q: a late Set undid a later step", has)
			}
			if n := target.Stats().Sets; n > 3 {
				t.Errorf("two steps were carried out by %d Sets", n)
			}
		})
	}
}

func TestWhatDidNotLeaveIsNotWritten(t *testing.T) {
	silent := func(t *testing.T) string {
		t.Helper()
		var config net.ListenConfig
		l, err := config.Listen(context.Background(), "tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = l.Close() })
		return l.Addr().String()
	}
	for name, address := range map[string]func(*testing.T) string{
		"nothing listens": func(t *testing.T) string {
			t.Helper()
			target := simulate(t)
			_ = target.Close()
			return target.Addr()
		},
		"black hole at connect": silent,
	} {
		t.Run(name, func(t *testing.T) {
			d := named(t, fleetOf(t, devicelock.Options{}, device.Config{Name: "r1", GNMI: gnmi.Config{
				Address: address(t), Plaintext: true, ConnectTimeout: patience,
			}}), "r1")
			err := d.Apply(t.Context(), setting(interfacePath("Port-Channel1"), lag("one")))
			var connect *gnmi.ConnectError
			if !errors.As(err, &connect) {
				t.Errorf("got %v (%T)", err, err)
			}
		})
	}
}

func TestAConnectionThatDiedUnnoticedCostsNoStep(t *testing.T) {
	target := simulate(t)
	s := scripted(t, target, (*script).forward)
	d, p := impatient(t, s.address), interfacePath("Port-Channel1")
	if err := d.Apply(t.Context(), setting(p, lag("one"))); err != nil {
		t.Fatal(err)
	}
	s.reboot()
	s.late.Wait()
	if err := d.Apply(t.Context(), setting(p, lag("two"))); err != nil {
		t.Error(err)
	}
	if got := description(t, d, p); got != "two" {
		t.Errorf("the device has %q", got)
	}
}

// forward does nothing else than what was asked for.
func (s *script) forward(_ context.Context, req *gpb.SetRequest) (*gpb.SetResponse, error) {
	return s.carryOut(req)
}
