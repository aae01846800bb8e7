package gnmi_test

import (
	"bytes"
	"context"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/gnmi"
)

func TestCredentialsComeAsMetadataOfEveryRPC(t *testing.T) {
	ca := newAuthority(t)
	for name, secure := range map[string]bool{"over TLS": true, "over plaintext that the user wants": false} {
		t.Run(name, func(t *testing.T) {
			got := make(chan metadata.MD, 2)
			note := func(ctx context.Context) {
				md, _ := metadata.FromIncomingContext(ctx)
				got <- md
			}
			d := &device{
				get: func(ctx context.Context, _ *gpb.GetRequest) (*gpb.GetResponse, error) {
					note(ctx)
					return &gpb.GetResponse{}, nil
				},
				set: func(ctx context.Context, _ *gpb.SetRequest) (*gpb.SetResponse, error) {
					note(ctx)
					return &gpb.SetResponse{}, nil
				},
			}
			config := gnmi.Config{Username: "admin", Password: "s3cret", Plaintext: !secure, TLS: gnmi.TLS{CACert: ca.pem}}
			if secure {
				serveTLS(t, d, ca.sign(time.Time{}).tls(t, nil))
			} else {
				serve(t, d)
			}
			c := dial(t, d.Addr(), config)
			if _, err := c.Get(t.Context(), path("system")); err != nil {
				t.Fatal(err)
			}
			if err := c.Set(t.Context(), aSet()); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				md := <-got
				if u, p := md.Get("username"), md.Get("password"); len(u) != 1 || u[0] != "admin" || len(p) != 1 || p[0] != "s3cret" {
					t.Errorf("username %q, password %q", u, p)
				}
			}
		})
	}
}

func TestWithoutAUsernameNothingIsSent(t *testing.T) {
	got := make(chan metadata.MD, 1)
	d := serve(t, &device{set: func(ctx context.Context, _ *gpb.SetRequest) (*gpb.SetResponse, error) {
		md, _ := metadata.FromIncomingContext(ctx)
		got <- md
		return &gpb.SetResponse{}, nil
	}})
	if err := dial(t, d.Addr(), plaintext).Set(t.Context(), aSet()); err != nil {
		t.Fatal(err)
	}
	if md := <-got; len(md.Get("username"))+len(md.Get("password")) > 0 {
		t.Errorf("got %v", md)
	}
}

// tap keeps what a connection has read.
type tap struct {
	net.Listener
	mu   sync.Mutex
	text bytes.Buffer
}

type tapped struct {
	net.Conn
	tap *tap
}

// Accept is part of net.Listener.
func (t *tap) Accept() (net.Conn, error) {
	conn, err := t.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return tapped{conn, t}, nil
}

// Read is part of net.Conn.
func (c tapped) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.tap.mu.Lock()
	defer c.tap.mu.Unlock()
	c.tap.text.Write(p[:n])
	return n, err
}

func TestCredentialsAreNotSentInPlaintextUnlessTheUserWantsIt(t *testing.T) {
	l := &tap{Listener: listen(t)}
	server := grpc.NewServer()
	gpb.RegisterGNMIServer(server, &device{})
	var served sync.WaitGroup
	served.Go(func() { _ = server.Serve(l) })
	c := dial(t, l.Addr(), gnmi.Config{Username: "admin-of-r1", Password: "s3cret", ConnectTimeout: short})
	err := c.Set(t.Context(), aSet())
	server.Stop()
	served.Wait()
	_ = connectError(t, err)
	l.mu.Lock()
	defer l.mu.Unlock()
	if bytes.Contains(l.text.Bytes(), []byte("s3cret")) || bytes.Contains(l.text.Bytes(), []byte("admin-of-r1")) {
		t.Error("the device could read the credentials")
	}
}

func TestAPasswordThatTheDeviceRefusesIsTriedOnce(t *testing.T) {
	var tries atomic.Int32
	d := serve(t, &device{set: func(context.Context, *gpb.SetRequest) (*gpb.SetResponse, error) {
		tries.Add(1)
		return nil, status.Error(codes.Unauthenticated, "who says wrong?")
	}})
	c := dial(t, d.Addr(), gnmi.Config{Plaintext: true, Username: "admin", Password: "wrong"})
	for range 3 {
		err := rpcError(t, c.Set(t.Context(), aSet()))
		if err.Code != codes.Unauthenticated || strings.Contains(err.Error(), "wrong") {
			t.Errorf("got %v", err)
		}
	}
	if n := tries.Load(); n != 1 {
		t.Errorf("the password was tried %d times", n)
	}
}
