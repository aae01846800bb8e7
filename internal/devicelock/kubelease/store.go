package kubelease

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock/asking"
)

// backend is the store's name in the configuration.
const backend = "kubernetes"

// Store is a [devicelock.Store] in Lease objects. It connects when it is first
// used and connects again by itself.
type Store struct {
	api       *client
	clock     *serverClock
	names     *naming
	writer    writer
	sightings sightings

	// closed ends what goes on in the background.
	closed chan struct{}
	calls  sync.WaitGroup

	mu       sync.Mutex
	isClosed bool
	asking   asking.Owners
	// looked is what the last look at a Lease found: where a watch begins.
	looked map[string]glance
}

var _ devicelock.Store = (*Store)(nil)

// glance is a lock's holder, and the version of the namespace at that instant.
type glance struct {
	version, holder string
}

func start(api *client, clock *serverClock, names *naming) *Store {
	return &Store{
		api: api, clock: clock, names: names,
		writer:    writer{clock: clock, origin: rand.Text()},
		sightings: sightings{seen: make(map[string]sighting)},
		closed:    make(chan struct{}),
		looked:    make(map[string]glance),
	}
}

// Name returns "kubernetes".
func (s *Store) Name() string { return backend }

// Withdraw implements [devicelock.Store] with one request, and one for each
// Lease that is to be deleted. It waits until no Acquire for this owner is under
// way, so that none can undo it.
func (s *Store) Withdraw(ctx context.Context, key, id string) error {
	name, err := s.names.lease(key)
	if err != nil {
		return s.fail(err)
	}
	_, err = call(ctx, s, func(ctx context.Context) (struct{}, error) {
		if err := s.asking.Wait(ctx, id); err != nil {
			return struct{}{}, err
		}
		return struct{}{}, s.withdraw(ctx, key, name, id)
	})
	return err
}

func (s *Store) withdraw(ctx context.Context, key, name, id string) error {
	for range attempts {
		v, err := s.look(ctx, key, name)
		if err != nil {
			return err
		}
		claims := slices.Concat(v.waiting, v.lapsed)
		if v.holder != nil {
			claims = append(claims, v.holder)
		}
		again := false
		for _, c := range claims {
			if !c.ours || c.owner.ID != id {
				continue
			}
			switch err := s.api.remove(ctx, c.lease); {
			case apierrors.IsConflict(err):
				again = true
			case err != nil && !apierrors.IsNotFound(err):
				return err
			}
		}
		if !again {
			return nil
		}
	}
	return errContended
}

// Inspect implements [devicelock.Store] with one request if the holder is ours,
// and else with two.
func (s *Store) Inspect(ctx context.Context, key string) (devicelock.Record, error) {
	name, err := s.names.lease(key)
	if err != nil {
		return devicelock.Record{}, s.fail(err)
	}
	return call(ctx, s, func(ctx context.Context) (devicelock.Record, error) {
		v, err := s.look(ctx, key, name)
		if err != nil {
			return devicelock.Record{}, err
		}
		if v.holder == nil {
			if err := s.find(ctx, v); err != nil {
				return devicelock.Record{}, err
			}
		}
		return s.record(v), nil
	})
}

// List implements [devicelock.Store] with one request for every 500 Leases in
// the namespace. Of the Leases of others it has those of named devices, and those
// that somebody waits for.
func (s *Store) List(ctx context.Context) ([]devicelock.Record, error) {
	return call(ctx, s, func(ctx context.Context) ([]devicelock.Record, error) {
		leases, _, err := s.api.list(ctx, "")
		if err != nil {
			return nil, err
		}
		views := make(map[string]*view) // by lock
		for key := range s.names.devices {
			name, err := s.names.lease(key)
			if err != nil {
				return nil, err
			}
			views[lockValue(name)] = &view{key: key, name: name}
		}
		claims := make([]*claim, len(leases))
		for i := range leases {
			c := read(&leases[i])
			claims[i] = c
			if c.ours && views[c.lock()] == nil {
				name, err := s.names.lease(c.key())
				if err != nil {
					return nil, err
				}
				views[c.lock()] = &view{key: c.key(), name: name}
			}
		}
		for _, c := range claims {
			v := views[c.lock()]
			if v == nil {
				continue
			}
			if c.ours && !c.waits() {
				// The client that made it may have named it otherwise.
				v.name, v.key = c.lease.Name, c.key()
				s.names.learn(v.key, v.name)
			}
			s.sort(v, c)
		}
		var records []devicelock.Record
		for _, v := range views {
			v.order()
			if record := s.record(v); record.Holder != nil || len(record.Waiting) > 0 {
				records = append(records, record)
			}
		}
		slices.SortFunc(records, func(a, b devicelock.Record) int { return strings.Compare(a.Key, b.Key) })
		return records, nil
	})
}

// Break implements [devicelock.Store] with two requests, also for the Lease of
// somebody else, whose id is its holderIdentity.
func (s *Store) Break(ctx context.Context, key, id string, by devicelock.Owner, delay time.Duration) error {
	name, err := s.names.lease(key)
	if err != nil {
		return s.fail(err)
	}
	_, err = call(ctx, s, func(ctx context.Context) (struct{}, error) {
		v := &view{key: key, name: name}
		for range attempts {
			if err := s.find(ctx, v); err != nil {
				return struct{}{}, err
			}
			if !s.held(v) || v.holder.owner.ID != id {
				return struct{}{}, fmt.Errorf("%s does not hold %s any more: %w", id, key, devicelock.ErrLeaseLost)
			}
			if err := s.seize(ctx, v, by, delay); !apierrors.IsConflict(err) && !apierrors.IsNotFound(err) {
				return struct{}{}, err
			}
		}
		return struct{}{}, errContended
	})
	return err
}

// seize makes the holder's Lease the one of another owner for as long as delay,
// or deletes it if there is none.
func (s *Store) seize(ctx context.Context, v *view, by devicelock.Owner, delay time.Duration) error {
	if delay <= 0 {
		return s.api.remove(ctx, v.holder.lease)
	}
	next := v.holder.lease.DeepCopy()
	if err := s.writer.acquired(next, v.key, v.name, devicelock.Request{Owner: by, TTL: delay}); err != nil {
		return err
	}
	_, err := s.api.update(ctx, next)
	return err
}

// Close implements [devicelock.Store].
func (s *Store) Close() error {
	s.mu.Lock()
	if !s.isClosed {
		s.isClosed = true
		close(s.closed)
	}
	s.mu.Unlock()
	s.calls.Wait()
	s.api.close()
	return nil
}

// note remembers what a look found, for a watch that begins from there.
func (s *Store) note(v *view) {
	if v.version == "" {
		return // a look at the Lease alone
	}
	g := glance{version: v.version}
	if v.holder != nil {
		g.holder = v.holder.identity()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.looked[v.name] = g
}

// run runs do in the background until the store is closed at the latest; false
// if it is closed already.
func (s *Store) run(ctx context.Context, do func(context.Context)) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.isClosed {
		return false
	}
	ctx, cancel := context.WithCancel(ctx)
	over := make(chan struct{})
	s.calls.Go(func() {
		defer cancel()
		select {
		case <-s.closed:
		case <-over:
		}
	})
	s.calls.Go(func() {
		defer close(over)
		do(ctx)
	})
	return true
}

var errClosed = errors.New("the store is closed")

// call runs do and returns when it is done or ctx ends; what do is writing then
// is finished in the background. Errors become what [devicelock.Store] promises.
func call[T any](ctx context.Context, s *Store, do func(context.Context) (T, error)) (T, error) {
	var none T
	ctx, cancel := s.api.bound(ctx)
	defer cancel()
	type result struct {
		value T
		err   error
	}
	results := make(chan result, 1)
	if !s.run(ctx, func(ctx context.Context) {
		value, err := do(ctx)
		results <- result{value, err}
	}) {
		return none, s.fail(errClosed)
	}
	select {
	case r := <-results:
		return r.value, s.fail(r.err)
	case <-ctx.Done():
		return none, s.fail(ctx.Err())
	}
}
