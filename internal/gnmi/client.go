// Package gnmi speaks gNMI to one device: it dials, authenticates, sends Get
// and Set, and says of every failure what is known about its outcome.
package gnmi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"time"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"
)

// maxMessage is the largest message taken from or sent to a device, in bytes.
// gRPC's own limit of 4 MiB is less than the configuration of a large router.
const maxMessage = 256 << 20

// failureMemory is how long a failed connection attempt or login answers for
// others: a device that cannot be used costs one attempt, not one for each
// resource. Devices lock out a user after a few wrong passwords.
const failureMemory = time.Minute

// DefaultSetTimeout is how long a Set may take if nothing else is said.
const DefaultSetTimeout = 90 * time.Second

// Config says how to reach a device.
type Config struct {
	// Address is host:port; see CanonicalAddress.
	Address string
	// Username and Password are sent as RPC metadata when Username is set.
	Username, Password string
	// Plaintext switches TLS off. Credentials then travel readable.
	Plaintext bool
	TLS       TLS
	// Wire is how the device wants requests written and serves reads.
	Wire Wire
	// ConnectTimeout bounds one connection attempt (default 10 s), ReadTimeout
	// a read (default 60 s), SetTimeout a Set (default
	// [DefaultSetTimeout]).
	ConnectTimeout, ReadTimeout, SetTimeout time.Duration
	// RetryBudget bounds how long a request is repeated for that may safely be
	// (default [DefaultRetryBudget]).
	RetryBudget time.Duration
}

func (c Config) withDefaults() Config {
	for _, d := range []struct {
		field *time.Duration
		value time.Duration
	}{{&c.ConnectTimeout, 10 * time.Second}, {&c.ReadTimeout, time.Minute}, {&c.SetTimeout, DefaultSetTimeout}, {&c.RetryBudget, DefaultRetryBudget}} {
		if *d.field <= 0 {
			*d.field = d.value
		}
	}
	return c
}

// Client is the one channel to a device. It dials when first used, and is safe
// for concurrent use.
type Client struct {
	config Config
	stub   gpb.GNMIClient
	conn   *grpc.ClientConn
	causes *causes

	mu        sync.Mutex
	attempt   *attempt // the one under way, or nil
	failure   error
	failureAt time.Time
	refusal   *RPCError // of the login
	refusalAt time.Time
	way       way // in which the device was last found to serve reads
}

// attempt is one attempt to connect; err is valid when done is closed.
type attempt struct {
	done chan struct{}
	err  error
}

// New prepares a client; it does not dial. It fails when the TLS material
// cannot be used.
func New(config Config) (*Client, error) {
	config = config.withDefaults()
	c := &Client{config: config, causes: &causes{}, way: config.Wire.way()}
	transport := insecure.NewCredentials()
	if !config.Plaintext {
		tlsConfig, err := config.TLS.build(config.Address)
		if err != nil {
			return nil, err
		}
		transport = credentials.NewTLS(tlsConfig)
	}
	options := []grpc.DialOption{
		grpc.WithTransportCredentials(&recordingCredentials{transport, c.causes}),
		grpc.WithContextDialer(c.dial),
		grpc.WithStatsHandler(witness{}),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxMessage), grpc.MaxCallSendMsgSize(maxMessage)),
		// Without a backoff of its own, gRPC would dial without a pause for as
		// long as the device does not answer.
		grpc.WithConnectParams(grpc.ConnectParams{Backoff: backoff.DefaultConfig, MinConnectTimeout: config.ConnectTimeout}),
		// A server may close a connection whose client pings oftener than it
		// allows; one ping within the longest RPC finds a dead peer and offends none.
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: max(time.Minute, config.SetTimeout*2/3), Timeout: 20 * time.Second}),
		grpc.WithDisableServiceConfig(),
	}
	if config.Username != "" {
		options = append(options, grpc.WithPerRPCCredentials(password{config}))
	}
	conn, err := grpc.NewClient("passthrough:///"+config.Address, options...)
	if err != nil {
		return nil, fmt.Errorf("preparing the channel to %s: %w", config.Address, err)
	}
	c.conn, c.stub = conn, gpb.NewGNMIClient(conn)
	return c, nil
}

// Fresh prepares another client of the same device, with a connection of its
// own.
func (c *Client) Fresh() (*Client, error) { return New(c.config) }

// Close ends the channel and the RPCs on it.
func (c *Client) Close() error { return c.conn.Close() }

// Address is where the device is, as host:port.
func (c *Client) Address() string { return c.config.Address }

// SetTimeout is how long a Set may take.
func (c *Client) SetTimeout() time.Duration { return c.config.SetTimeout }

// Retry lets the next RPC try to connect again although the last attempt failed
// less than a minute ago.
func (c *Client) Retry() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.failure = nil
}

// Connect waits until the channel is up. All that wait share one attempt, and
// a failure answers for a minute, as does a refused login. It returns a
// *ConnectError, or the *RPCError of the refusal.
func (c *Client) Connect(ctx context.Context) error {
	c.mu.Lock()
	if c.refusal != nil && time.Since(c.refusalAt) < failureMemory {
		defer c.mu.Unlock()
		return c.refusal
	}
	if c.conn.GetState() == connectivity.Ready {
		c.mu.Unlock()
		return nil
	}
	if c.failure != nil && time.Since(c.failureAt) < failureMemory {
		defer c.mu.Unlock()
		return c.failure
	}
	if c.attempt == nil {
		c.attempt, c.failure = &attempt{done: make(chan struct{})}, nil
		go c.connect(context.WithoutCancel(ctx), c.attempt)
	}
	shared := c.attempt
	c.mu.Unlock()
	select {
	case <-shared.done:
		return shared.err
	case <-ctx.Done():
		return fmt.Errorf("waiting for the connection to %s: %w", c.config.Address, context.Cause(ctx))
	}
}

// connect makes one attempt and records how it ended.
func (c *Client) connect(ctx context.Context, a *attempt) {
	ctx, cancel := context.WithTimeout(ctx, c.config.ConnectTimeout)
	defer cancel()
	started := time.Now()
	err := c.untilReady(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		a.err = &ConnectError{Address: c.config.Address, Plaintext: c.config.Plaintext, Took: time.Since(started), Err: err}
		c.failure, c.failureAt = a.err, time.Now()
	}
	c.attempt = nil
	close(a.done)
}

func (c *Client) untilReady(ctx context.Context) error {
	_ = c.causes.take() // of an earlier attempt
	c.conn.ResetConnectBackoff()
	for {
		switch state := c.conn.GetState(); state {
		case connectivity.Ready:
			return nil
		case connectivity.TransientFailure, connectivity.Shutdown:
			if err := c.causes.take(); err != nil {
				return c.spelled(err)
			}
			if state == connectivity.Shutdown {
				return errors.New("the channel is closed")
			}
			c.conn.Connect()
			if !c.conn.WaitForStateChange(ctx, state) {
				return c.orTimeout(ctx)
			}
		default:
			c.conn.Connect()
			if !c.conn.WaitForStateChange(ctx, state) {
				return c.orTimeout(ctx)
			}
		}
	}
}

func (c *Client) orTimeout(ctx context.Context) error {
	if err := c.causes.take(); err != nil {
		return c.spelled(err)
	}
	return c.spelled(ctx.Err())
}

// spelled says what a timeout was about: whether gRPC's own or the attempt's
// comes first is chance.
func (c *Client) spelled(err error) error {
	var timeout net.Error
	if errors.Is(err, context.DeadlineExceeded) || errors.As(err, &timeout) && timeout.Timeout() {
		return fmt.Errorf("no answer within %s: %w", c.config.ConnectTimeout, err)
	}
	return err
}

func (c *Client) dial(ctx context.Context, address string) (net.Conn, error) {
	conn, err := (&net.Dialer{Timeout: c.config.ConnectTimeout}).DialContext(ctx, "tcp", address)
	if err != nil {
		c.causes.put(err)
	}
	return conn, err
}

// causes keeps why a connection attempt failed: gRPC reports only that it did.
type causes struct {
	mu   sync.Mutex
	last error
}

func (c *causes) put(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last = err
}

func (c *causes) take() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	err := c.last
	c.last = nil
	return err
}

// recordingCredentials records failed handshakes, and connections that end
// after theirs: what a device has against a client's certificate it says only
// then (RFC 8446, section 4.4.2.4), and what it has against plaintext not at all.
type recordingCredentials struct {
	credentials.TransportCredentials
	causes *causes
}

func (r *recordingCredentials) ClientHandshake(ctx context.Context, authority string, raw net.Conn) (net.Conn, credentials.AuthInfo, error) {
	conn, info, err := r.TransportCredentials.ClientHandshake(ctx, authority, raw)
	if err != nil {
		r.causes.put(err)
		return conn, info, err
	}
	return &recordingConn{conn, r.causes}, info, nil
}

func (r *recordingCredentials) Clone() credentials.TransportCredentials {
	return &recordingCredentials{r.TransportCredentials.Clone(), r.causes}
}

// recordingConn records why a connection ended, unless it was closed from here.
type recordingConn struct {
	net.Conn
	causes *causes
}

func (c *recordingConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	switch {
	case err == nil, errors.Is(err, net.ErrClosed), errors.Is(err, os.ErrDeadlineExceeded):
	case errors.Is(err, io.EOF), errors.Is(err, syscall.ECONNRESET):
		c.causes.put(&ClosedError{err})
	default:
		c.causes.put(err)
	}
	return n, err
}

// password sends credentials as gNMI devices expect them: in the metadata of
// every RPC (gNMI specification, section 3.1, and OpenConfig's gNMI
// authentication document).
type password struct{ config Config }

func (p password) GetRequestMetadata(context.Context, ...string) (map[string]string, error) {
	return map[string]string{"username": p.config.Username, "password": p.config.Password}, nil
}

func (p password) RequireTransportSecurity() bool { return !p.config.Plaintext }
