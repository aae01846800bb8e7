package simulator

import (
	"context"
	"net"
	"sync"

	"google.golang.org/grpc/peer"
)

// conns are the connections of a target's clients.
type conns struct {
	mu   sync.Mutex
	open map[*conn]bool
}

// conn is a connection that is forgotten when it is closed.
type conn struct {
	net.Conn
	all *conns
}

// Close closes the connection.
func (c *conn) Close() error {
	c.all.mu.Lock()
	delete(c.all.open, c)
	c.all.mu.Unlock()
	return c.Conn.Close()
}

// listener hands out what a target takes, and closes other connections at once.
type listener struct {
	net.Listener
	target *Target
}

// Accept returns the next connection that the target takes.
func (l listener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if taken := l.target.take(c); taken != nil {
			return taken, nil
		}
		_ = c.Close()
	}
}

// take returns c as one of the target's connections, nil if it takes none.
func (t *Target) take(c net.Conn) net.Conn {
	t.conns.mu.Lock()
	defer t.conns.mu.Unlock()
	if n := t.options.MaxSessions; t.faults.lasts(FaultReboot) || n > 0 && len(t.conns.open) >= n {
		return nil
	}
	if t.conns.open == nil {
		t.conns.open = map[*conn]bool{}
	}
	taken := &conn{c, &t.conns}
	t.conns.open[taken] = true
	return taken
}

// cut closes the connections that chosen names by their clients' addresses.
func (c *conns) cut(chosen func(address string) bool) {
	c.mu.Lock()
	var doomed []*conn
	for one := range c.open {
		if chosen(one.RemoteAddr().String()) {
			doomed = append(doomed, one)
		}
	}
	c.mu.Unlock()
	for _, one := range doomed {
		_ = one.Close()
	}
}

// cutCaller closes the connection that an RPC came by.
func (c *conns) cutCaller(ctx context.Context) {
	if client, ok := peer.FromContext(ctx); ok {
		c.cut(func(address string) bool { return address == client.Addr.String() })
	}
}
