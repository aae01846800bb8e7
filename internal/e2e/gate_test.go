package e2e

import (
	"context"
	"net"
	"sync"
	"testing"
	"time"
)

// gate is the way to a device, which can be cut.
type gate struct {
	address, device string
	// open tells whether the way is open now.
	open func() bool
	// grace is how long connections live on when the way is cut. Without it not
	// even the answer that is on its way gets through. New connections are
	// refused at once.
	grace time.Duration

	mu    sync.Mutex
	conns map[net.Conn]bool
	tasks sync.WaitGroup
}

// startGate lets connections through to the device until the test ends.
func startGate(tb testing.TB, d *simulated, grace time.Duration, open func() bool) *gate {
	tb.Helper()
	l := listen(tb)
	g := &gate{address: l.Addr().String(), device: d.Addr(), open: open, grace: grace, conns: map[net.Conn]bool{}}
	ctx, cancel := context.WithCancel(context.Background())
	g.tasks.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			g.pass(ctx, c)
		}
	})
	g.tasks.Go(func() { g.watch(ctx) })
	tb.Cleanup(func() {
		cancel()
		_ = l.Close()
		g.cut()
		g.tasks.Wait()
	})
	return g
}

// pass connects a client with the device, if the way is open.
func (g *gate) pass(ctx context.Context, client net.Conn) {
	device, err := (&net.Dialer{}).DialContext(ctx, "tcp", g.device)
	if err != nil || !g.open() {
		_ = client.Close()
		if err == nil {
			_ = device.Close()
		}
		return
	}
	g.mu.Lock()
	g.conns[client], g.conns[device] = true, true
	g.mu.Unlock()
	g.tasks.Go(func() { g.copy(device, client) })
	g.tasks.Go(func() { g.copy(client, device) })
}

// copy copies until one of the two is closed, and closes the other.
func (g *gate) copy(to, from net.Conn) {
	defer func() { _, _ = to.Close(), from.Close() }()
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		if err != nil || g.grace == 0 && !g.open() {
			return
		}
		if _, err := to.Write(buffer[:n]); err != nil {
			return
		}
	}
}

// watch cuts the connections when the way has been closed for the grace.
func (g *gate) watch(ctx context.Context) {
	look := time.NewTicker(10 * time.Millisecond)
	defer look.Stop()
	opened := time.Now()
	for {
		select {
		case <-look.C:
		case <-ctx.Done():
			return
		}
		if g.open() {
			opened = time.Now()
		} else if time.Since(opened) > g.grace {
			g.cut()
		}
	}
}

func (g *gate) cut() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for c := range g.conns {
		_ = c.Close()
	}
	clear(g.conns)
}
