package redislease_test

import (
	"context"
	"errors"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock/redislease"
)

const device = "[2001:db8::1]:9339"

func request(id string, ttl time.Duration) devicelock.Request {
	return devicelock.Request{Owner: devicelock.Owner{ID: id, User: id}, TTL: ttl}
}

// take acquires what must be free.
func take(t *testing.T, store *redislease.Store, id string) devicelock.Lease {
	t.Helper()
	lease, record, err := store.Acquire(t.Context(), device, request(id, time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	if lease == nil {
		t.Fatalf("%s did not get the device: %+v", id, record)
	}
	return lease
}

// wait acquires what must not be free.
func wait(t *testing.T, store *redislease.Store, id string) devicelock.Record {
	t.Helper()
	lease, record, err := store.Acquire(t.Context(), device, request(id, time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	if lease != nil {
		t.Fatalf("%s got the device", id)
	}
	return record
}

// eventually calls done, more and more seldom, until it is true.
func eventually(t *testing.T, what string, done func() bool) {
	t.Helper()
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for deadline := time.Now().Add(20 * time.Second); !done(); <-ticker.C {
		if time.Now().After(deadline) {
			t.Fatalf("%s did not happen", what)
		}
	}
}

// refused is what the first call of a store with options says.
func refused(t *testing.T, options redislease.Options) *devicelock.StoreError {
	t.Helper()
	_, _, err := open(t, options).Acquire(t.Context(), device, request("a", time.Minute))
	return storeError(t, err)
}

func storeError(t *testing.T, err error) *devicelock.StoreError {
	t.Helper()
	var failed *devicelock.StoreError
	if !errors.As(err, &failed) {
		t.Fatalf("no *StoreError: %v", err)
	}
	if errors.Is(err, devicelock.ErrLeaseLost) {
		t.Errorf("a failed call says that the lease has ended: %v", err)
	}
	return failed
}

// says checks an error that the user has to do something about.
func says(t *testing.T, err *devicelock.StoreError, permanent bool, text string) {
	t.Helper()
	if err.Permanent != permanent || err.Backend != "redis" || !strings.Contains(err.Error(), text) {
		t.Errorf("permanent %v, %v\nwant permanent %v, %q", err.Permanent, err, permanent, text)
	}
}

// line is the way to a server, which a test can hold up and cut.
type line struct {
	addr string

	mu    sync.Mutex
	gate  *gate
	conns map[net.Conn]struct{}
}

// gate is what connections pass that were opened at the same time.
type gate struct{ sync.RWMutex }

// newLine returns a way to the server at addr.
func newLine(t *testing.T, addr string) *line {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &line{addr: listener.Addr().String(), gate: &gate{}, conns: map[net.Conn]struct{}{}}
	var running sync.WaitGroup
	running.Go(func() {
		for {
			from, err := listener.Accept()
			if err != nil {
				return
			}
			to, err := (&net.Dialer{}).DialContext(context.Background(), "tcp", addr)
			if err != nil {
				_ = from.Close()
				continue
			}
			gate := l.add(from, to)
			running.Go(func() { gate.pass(from, to) })
			running.Go(func() { gate.pass(to, from) })
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		l.cut()
		running.Wait()
	})
	return l
}

// hold keeps back what is sent from now on, until release is called.
func (l *line) hold() (release func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.gate.Lock()
	return sync.OnceFunc(l.gate.Unlock)
}

// holdOpen does so on the connections that are open, and lets new ones pass.
func (l *line) holdOpen() (release func()) {
	release = l.hold()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.gate = &gate{}
	return release
}

// cut ends all connections.
func (l *line) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for conn := range l.conns {
		_ = conn.Close()
	}
	clear(l.conns)
}

func (l *line) add(conns ...net.Conn) *gate {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, conn := range conns {
		l.conns[conn] = struct{}{}
	}
	return l.gate
}

func (g *gate) pass(from, to net.Conn) {
	defer func() { _, _ = from.Close(), to.Close() }()
	buffer := make([]byte, 1<<16)
	for {
		n, err := from.Read(buffer)
		g.RLock()
		_, failed := to.Write(buffer[:n])
		g.RUnlock()
		if err != nil || failed != nil {
			return
		}
	}
}
