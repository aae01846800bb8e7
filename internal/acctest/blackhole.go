package acctest

import (
	"net"
	"sync/atomic"
	"testing"
)

// BlackHole is a device that never answers: it accepts connections and says
// nothing.
type BlackHole struct {
	// Address is where it listens, host:port.
	Address string
	// Accepted counts the connections.
	Accepted atomic.Int32
}

// StartBlackHole starts one, which ends with the test.
func StartBlackHole(tb testing.TB) *BlackHole {
	tb.Helper()
	l, err := new(net.ListenConfig).Listen(tb.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	h := &BlackHole{Address: l.Addr().String()}
	done := make(chan struct{})
	go func() {
		defer close(done)
		var conns []net.Conn
		defer func() {
			for _, c := range conns {
				_ = c.Close()
			}
		}()
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			h.Accepted.Add(1)
			conns = append(conns, c)
		}
	}()
	tb.Cleanup(func() {
		_ = l.Close()
		<-done
	})
	return h
}
