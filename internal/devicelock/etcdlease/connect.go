package etcdlease

import (
	"cmp"
	"context"
	"net"
	"sync"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
)

const (
	// tries is how often the client's library sends a call: again after it has
	// got a new token, and after a member said that it could not serve it.
	tries = 3
	// maxBackoff is the longest pause between two attempts to connect.
	maxBackoff = time.Second
	// pingEvery and pingTimeout find a dead connection that somebody watches on.
	pingEvery   = 10 * time.Second
	pingTimeout = 5 * time.Second
)

// attempts remembers, for each address, why the last attempt to connect failed:
// the client's library keeps the text at most.
type attempts struct {
	mu       sync.Mutex
	failures map[string]error
}

// note records how an attempt went.
func (a *attempts) note(address string, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err == nil {
		delete(a.failures, address)
		return
	}
	a.failures[address] = err
}

// last returns why address was not reached, or nil if it was.
func (a *attempts) last(address string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.failures[address]
}

// config returns the library's configuration; ctx ends all that it does.
func (o *Options) config(ctx context.Context, t target, a *attempts) clientv3.Config {
	timeout := o.DialTimeout
	if timeout <= 0 {
		timeout = DefaultDialTimeout
	}
	transport := insecure.NewCredentials()
	if t.tls != nil {
		transport = credentials.NewTLS(t.tls)
	}
	dial := func(ctx context.Context, address string) (net.Conn, error) {
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
		a.note(address, err)
		return conn, err
	}
	return clientv3.Config{
		Context:              ctx,
		Endpoints:            t.addresses,
		Username:             o.Username,
		Password:             o.Password,
		DialTimeout:          timeout,
		DialKeepAliveTime:    pingEvery,
		DialKeepAliveTimeout: pingTimeout,
		MaxUnaryRetries:      tries,
		Logger:               zap.NewNop(),
		DialOptions: []grpc.DialOption{
			grpc.WithContextDialer(dial),
			grpc.WithTransportCredentials(handshakes{transport, a, o.ServerName}),
			grpc.WithConnectParams(grpc.ConnectParams{
				Backoff:           backoff.Config{BaseDelay: 100 * time.Millisecond, Multiplier: 1.6, Jitter: 0.2, MaxDelay: maxBackoff},
				MinConnectTimeout: timeout,
			}),
			// The library would wait for a connection for as long as the call
			// may take, and then forget why there was none.
			grpc.WithChainUnaryInterceptor(failFast),
			grpc.WithChainStreamInterceptor(failFastStream),
		},
	}
}

func failFast(ctx context.Context, method string, request, reply any, conn *grpc.ClientConn, invoke grpc.UnaryInvoker, options ...grpc.CallOption) error {
	return invoke(ctx, method, request, reply, conn, append(options, grpc.WaitForReady(false))...)
}

func failFastStream(ctx context.Context, desc *grpc.StreamDesc, conn *grpc.ClientConn, method string, open grpc.Streamer, options ...grpc.CallOption) (grpc.ClientStream, error) {
	return open(ctx, desc, conn, method, append(options, grpc.WaitForReady(false))...)
}

// handshakes are credentials that note how handshakes went.
type handshakes struct {
	credentials.TransportCredentials
	attempts *attempts
	// serverName is the name to expect, empty for the address's.
	serverName string
}

// ClientHandshake implements [credentials.TransportCredentials]. The library
// makes address the authority, and takes no notice of another name in the TLS
// configuration.
func (h handshakes) ClientHandshake(ctx context.Context, address string, conn net.Conn) (net.Conn, credentials.AuthInfo, error) {
	secure, info, err := h.TransportCredentials.ClientHandshake(ctx, cmp.Or(h.serverName, address), conn)
	h.attempts.note(address, err)
	return secure, info, err
}

// Clone implements [credentials.TransportCredentials].
func (h handshakes) Clone() credentials.TransportCredentials {
	return handshakes{h.TransportCredentials.Clone(), h.attempts, h.serverName}
}
