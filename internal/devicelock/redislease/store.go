package redislease

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"
	"golang.org/x/sync/errgroup"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock/asking"
)

// backend is the store's name in the configuration.
const backend = "redis"

// Store is a [devicelock.Store] in Redis. It connects when it is first used and
// connects again by itself.
type Store struct {
	server  *connection
	prefix  string
	timeout time.Duration
	scripts scripts
	// origin is this store's name in what it publishes: it need not be told of
	// its own doing.
	origin string
	hub    *hub

	// closed ends what goes on in the background, calls are those under way.
	closed chan struct{}
	close  sync.Once
	calls  sync.WaitGroup

	// mu is held to begin a call, and to close.
	mu     sync.Mutex
	asking asking.Owners
}

var _ devicelock.Store = (*Store)(nil)

// New returns the store that options describe. It does not connect: that a
// server is not there, or refuses, is the error of the first call. The error is
// a *[devicelock.StoreError].
func New(options Options) (*Store, error) {
	// The library writes to standard error what the errors of the calls say too.
	logging.Disable()
	s := &Store{
		prefix:  options.Prefix,
		timeout: options.Timeout,
		scripts: newScripts(),
		origin:  rand.Text(),
		closed:  make(chan struct{}),
	}
	if s.prefix == "" {
		s.prefix = DefaultPrefix
	}
	if s.timeout <= 0 {
		s.timeout = DefaultTimeout
	}
	var err error
	if s.server, err = options.connect(s.timeout, s.closed); err != nil {
		return nil, &devicelock.StoreError{Backend: backend, Permanent: true, Err: err}
	}
	s.hub = newHub(s.server, s.origin, s.timeout, s.closed)
	return s, nil
}

// Name returns "redis".
func (s *Store) Name() string { return backend }

// Acquire implements [devicelock.Store] with one round trip.
func (s *Store) Acquire(ctx context.Context, key string, request devicelock.Request) (devicelock.Lease, devicelock.Record, error) {
	owner, err := json.Marshal(request.Owner)
	if err != nil {
		return nil, devicelock.Record{}, s.fail(fmt.Errorf("write the owner's record: %w", err))
	}
	id := request.Owner.ID
	class := 1
	if request.Owner.Priority == devicelock.Urgent {
		class = 0
	}
	names := s.names(key)
	began := time.Now()
	reply, err := s.run(ctx, s.asking.Begin(id), s.scripts.acquire, names.keys, id, owner, class, milliseconds(request.TTL),
		devicelock.RequestTTL.Milliseconds(), names.channel, s.origin)
	if err != nil {
		return nil, devicelock.Record{}, err
	}
	state, err := parse(key, reply, began)
	if err != nil {
		return nil, devicelock.Record{}, s.fail(err)
	}
	if !state.granted {
		return nil, state.record, nil
	}
	return &lease{
		store: s, names: names, id: id,
		fence: state.record.Fence, previous: state.previous, ttl: request.TTL,
	}, state.record, nil
}

// Withdraw implements [devicelock.Store] with one round trip. It waits until no
// Acquire for this owner is under way, so that none can undo it.
func (s *Store) Withdraw(ctx context.Context, key, id string) error {
	if err := s.asking.Wait(ctx, id); err != nil {
		return s.fail(err)
	}
	names := s.names(key)
	_, err := s.run(ctx, nil, s.scripts.withdraw, names.keys, id, names.channel, s.origin)
	return err
}

// Inspect implements [devicelock.Store] with one round trip.
func (s *Store) Inspect(ctx context.Context, key string) (devicelock.Record, error) {
	began := time.Now()
	reply, err := s.run(ctx, nil, s.scripts.inspect, s.names(key).keys)
	if err != nil {
		return devicelock.Record{}, err
	}
	state, err := parse(key, reply, began)
	if err != nil {
		return devicelock.Record{}, s.fail(err)
	}
	return state.record, nil
}

// inspections is how many devices List looks at at the same time.
const inspections = 8

// List implements [devicelock.Store]. It goes through all names of the database,
// on every master of a Cluster, and then inspects what it found: no list of
// devices has to be kept, and none can be wrong. In a database with millions of
// other keys this takes seconds.
func (s *Store) List(ctx context.Context) ([]devicelock.Record, error) {
	var mu sync.Mutex
	found := make(map[string]struct{})
	scan := func(ctx context.Context, node redis.Cmdable) error {
		names := node.Scan(ctx, 0, s.pattern(), 1000).Iterator()
		for names.Next(ctx) {
			if key, ok := s.device(names.Val()); ok {
				mu.Lock()
				found[key] = struct{}{}
				mu.Unlock()
			}
		}
		return names.Err()
	}
	err := s.call(ctx, nil, func(ctx context.Context) error {
		if cluster, ok := s.server.UniversalClient.(*redis.ClusterClient); ok {
			return cluster.ForEachMaster(ctx, func(ctx context.Context, node *redis.Client) error { return scan(ctx, node) })
		}
		return scan(ctx, s.server)
	})
	if err != nil {
		return nil, err
	}

	mu.Lock()
	keys := slices.Sorted(maps.Keys(found))
	mu.Unlock()
	records := make([]devicelock.Record, len(keys))
	group, groupContext := errgroup.WithContext(ctx)
	group.SetLimit(inspections)
	for i, key := range keys {
		group.Go(func() (err error) {
			records[i], err = s.Inspect(groupContext, key)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(records, func(r devicelock.Record) bool {
		return r.Holder == nil && len(r.Waiting) == 0
	}), nil
}

// Break implements [devicelock.Store] with one round trip.
func (s *Store) Break(ctx context.Context, key, id string, by devicelock.Owner, delay time.Duration) error {
	record, err := json.Marshal(by)
	if err != nil {
		return s.fail(fmt.Errorf("write the owner's record: %w", err))
	}
	until := "0"
	if delay > 0 {
		until = milliseconds(delay)
	}
	names := s.names(key)
	freed, err := s.run(ctx, nil, s.scripts.take, names.keys, id, by.ID, record, until, names.channel, s.origin)
	if err != nil {
		return err
	}
	if freed == int64(0) {
		return fmt.Errorf("%s does not hold %s any more: %w", id, key, devicelock.ErrLeaseLost)
	}
	return nil
}

// Watch implements [devicelock.Store]: a value for what another store published
// for key, and one whenever the subscription begins, also again, because what
// happened before is unknown.
func (s *Store) Watch(ctx context.Context, key string) <-chan struct{} {
	return s.hub.watch(ctx, s.names(key).channel)
}

// Close implements [devicelock.Store]. Where a server has taken a connection and
// says nothing, it takes up to Options.Timeout.
func (s *Store) Close() error {
	var err error
	s.close.Do(func() {
		s.mu.Lock()
		close(s.closed)
		s.mu.Unlock()
		s.hub.wait()
		err = s.server.Close()
		s.calls.Wait()
	})
	return err
}

// run runs script and returns its reply; over is called when the server can no
// longer be asked by it.
func (s *Store) run(ctx context.Context, over func(), script *redis.Script, keys []string, args ...any) (any, error) {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	replies := make(chan any, 1)
	err := s.call(ctx, over, func(ctx context.Context) error {
		reply, err := script.Run(ctx, s.server, keys, args...).Result()
		replies <- reply
		return err
	})
	if err != nil {
		return nil, err
	}
	return <-replies, nil
}

// call does something with the server and returns when it is done or ctx ends:
// a connection honours a deadline, but does not see that a context is cancelled.
func (s *Store) call(ctx context.Context, over func(), do func(context.Context) error) error {
	if over == nil {
		over = func() {}
	}
	if err := ctx.Err(); err != nil {
		over()
		return s.fail(err)
	}
	errs := make(chan error, 1)
	if !s.begin(func() {
		defer over()
		errs <- do(ctx)
	}) {
		over()
		return s.fail(redis.ErrClosed)
	}
	select {
	case err := <-errs:
		if err != nil {
			return s.fail(err)
		}
		return nil
	case <-ctx.Done():
		return s.fail(ctx.Err())
	}
}

// begin starts a call, unless the store is closed.
func (s *Store) begin(call func()) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.closed:
		return false
	default:
		s.calls.Go(call)
		return true
	}
}

// milliseconds rounds up, because Redis takes 0 for an end.
func milliseconds(d time.Duration) string {
	return strconv.FormatInt(max(1, (d+time.Millisecond-1).Milliseconds()), 10)
}
