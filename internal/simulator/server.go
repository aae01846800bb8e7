// Package simulator is a network device that speaks gNMI: a target with the
// project's OpenConfig model, a transactional configuration tree, and the state
// that mirrors it. Tests use it in-process, users as a command.
//
// It follows the gNMI specification 0.10.0 to the letter, with the behaviour
// that the specification leaves open chosen strictly: what is set is reported
// as set, defaults are not reported, and what is absent is NotFound. [Quirks]
// let a target depart from that, and [Target.Inject] lets something go wrong.
package simulator

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/gnmi/proto/gnmi_ext"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/status"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/oc"
)

// maxMessage limits a message in both directions, in bytes: 64 MiB, well above
// the 4 MiB that gRPC has by default.
const maxMessage = 64 << 20

// grace is how long RPCs that do not end by themselves, such as a Subscribe
// whose client sends nothing, can delay the end of a server.
const grace = time.Second

// errStopping ends what still waits at the end of a server.
var errStopping = status.Error(codes.Unavailable, "the server is shutting down")

// Target is a simulated device. Its methods may be called at any time, by
// several goroutines.
type Target struct {
	options Options
	creds   credentials.TransportCredentials
	model   *def
	factory map[string]bool
	journal journal
	ways    *ways

	trees
	// publish is held for the moment in which root changes, turn (of one
	// element) for the whole of a Set.
	publish sync.Mutex
	turn    chan struct{}

	setLatency, getLatency atomic.Int64
	failNext               atomic.Pointer[error]
	elections              elections
	faults                 faults
	conns                  conns
	// changed tells that the tree was replaced, crashed that a reboot begins.
	changed, crashed signal
	// pending is the commit that waits for its confirmation, nil if none. It
	// changes only while turn and publish are both held.
	pending *pending

	// candidate is a refused Set that is not forgotten, nil if none. It changes only
	// while turn is held.
	candidate *gnmi.SetRequest

	// startup is the tree that a reboot brings back, and boots the number of
	// reboots, by which what began before one knows that it is lost.
	startup *node
	boots   atomic.Int64

	// background are the goroutines that outlive the RPC they belong to.
	background sync.WaitGroup

	// stopping ends all waiting when the server goes down.
	stopping chan struct{}
	stop     func()

	addr   net.Addr
	cancel context.CancelFunc
	done   chan struct{}
	err    error
}

// New returns a target with its configuration loaded, that does not listen
// yet. It reports what is wrong with the options.
func New(options Options) (*Target, error) {
	if err := options.Arbitration.Check(); err != nil {
		return nil, err
	}
	if err := errors.Join(options.Commit.Check(), options.PendingBlocksOthers.Check()); err != nil {
		return nil, err
	}
	creds, err := transport(options)
	if err != nil {
		return nil, err
	}
	t := &Target{
		options:   options,
		creds:     creds,
		model:     newModel(oc.Model),
		turn:      make(chan struct{}, 1),
		stopping:  make(chan struct{}),
		elections: elections{seen: map[string]*gnmi_ext.Uint128{}},
		journal:   journal{out: options.Log, exclusive: options.Exclusive},
	}
	t.stop = sync.OnceFunc(func() {
		close(t.stopping)
		t.publish.Lock()
		defer t.publish.Unlock()
		if t.pending != nil {
			t.pending.timer.Stop()
		}
	})
	t.faults.adopt(&options.Quirks)
	t.SetLatency(options.SetLatency)
	t.getLatency.Store(int64(options.GetLatency))
	if err := t.boot(); err != nil {
		return nil, err
	}
	if t.ways, err = newWays(options.setQuirks, t.model, t.factory); err != nil {
		return nil, err
	}
	if err := t.forget(options.Unsupported); err != nil {
		return nil, err
	}
	t.startup = t.root.Load()
	return t, nil
}

// Start runs a target on a free port of 127.0.0.1 until ctx ends or Close is
// called.
func Start(ctx context.Context, options Options) (*Target, error) {
	t, err := New(options)
	if err != nil {
		return nil, err
	}
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listening: %w", err)
	}
	ctx, t.cancel = context.WithCancel(ctx)
	t.addr, t.done = l.Addr(), make(chan struct{})
	go func() {
		defer close(t.done)
		t.err = t.Serve(ctx, l)
	}()
	return t, nil
}

// Addr is the address, host:port, of a target that Start has started.
func (t *Target) Addr() string { return t.addr.String() }

// Close ends a target that Start has started, and returns what Serve returned.
// It may be called more than once.
func (t *Target) Close() error {
	t.cancel()
	<-t.done
	return t.err
}

// Serve serves gNMI on l, which it closes, until ctx ends; then it returns nil.
// A Set that still waits for its commit at that time ends with Unavailable and
// is not applied. A target serves once.
func (t *Target) Serve(ctx context.Context, l net.Listener) error {
	options := []grpc.ServerOption{
		grpc.Creds(t.creds),
		grpc.MaxRecvMsgSize(cmp.Or(t.options.MaxMessage, maxMessage)),
		grpc.MaxSendMsgSize(cmp.Or(t.options.MaxMessage, maxMessage)),
		grpc.UnaryInterceptor(t.unary),
		grpc.StreamInterceptor(t.stream),
	}
	if every := t.options.KeepaliveEnforce; every > 0 {
		options = append(options, grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: every, PermitWithoutStream: true}))
	}
	server := grpc.NewServer(options...)
	gnmi.RegisterGNMIServer(server, &service{target: t})
	stopped := make(chan struct{})
	end := context.AfterFunc(ctx, func() {
		defer close(stopped)
		t.stop()
		hard := time.AfterFunc(grace, server.Stop)
		defer hard.Stop()
		server.GracefulStop()
	})
	err := server.Serve(listener{l, t})
	if !end() {
		<-stopped
	}
	t.stop()
	t.background.Wait()
	if ctx.Err() != nil || errors.Is(err, grpc.ErrServerStopped) {
		return nil //nolint:nilerr // ctx ended it, as asked
	}
	return err
}

// SetLatency changes how long a Set takes to commit, from the next Set on.
func (t *Target) SetLatency(d time.Duration) { t.setLatency.Store(int64(d)) }

// FailNextSet lets the next valid Set end with err, a gRPC status error, at
// the end of its latency and without being applied.
func (t *Target) FailNextSet(err error) { t.failNext.Store(&err) }

// delay waits for nanoseconds, or until the caller or the server goes away or
// reboots.
func (t *Target) delay(ctx context.Context, nanoseconds int64) error {
	if nanoseconds <= 0 {
		return nil
	}
	timer := time.NewTimer(time.Duration(nanoseconds))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return status.FromContextError(ctx.Err()).Err()
	case <-t.crashed.wait():
		return errDown
	case <-t.stopping:
		return errStopping
	}
}
