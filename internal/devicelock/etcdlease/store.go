package etcdlease

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock/asking"
)

// Store is a [devicelock.Store] in etcd. It connects when it is first used and
// connects again by itself.
type Store struct {
	options  Options
	target   target
	attempts *attempts
	// endpoint is the place in errors, prefix what all keys begin with.
	endpoint, prefix string
	// origin is this store's name in what it writes: it need not be told of its
	// own doing.
	origin string

	// closed ends what goes on in the background.
	closed  context.Context
	close   context.CancelFunc
	running sync.WaitGroup

	connecting sync.Mutex // held while client is made
	client     *clientv3.Client

	asking asking.Owners

	mu sync.Mutex
	// loose are etcd leases that a request's keys are bound to, or may be yet, by
	// the owner's id.
	loose map[string][]clientv3.LeaseID
}

var _ devicelock.Store = (*Store)(nil)

// New returns the store that options describe. It does not connect: that no
// server is there, or that they refuse, is the error of the first call. The
// error is a permanent *[devicelock.StoreError].
func New(options Options) (*Store, error) {
	s := &Store{
		options: options, prefix: options.prefix(), endpoint: strings.Join(options.Endpoints, ","),
		attempts: &attempts{failures: map[string]error{}}, origin: rand.Text(),
		loose: map[string][]clientv3.LeaseID{},
	}
	var err error
	if s.target, err = options.target(); err != nil {
		return nil, &devicelock.StoreError{Backend: backend, Permanent: true, Err: err}
	}
	s.closed, s.close = context.WithCancel(context.Background())
	return s, nil
}

// Name is part of [devicelock.Store].
func (s *Store) Name() string { return backend }

// connect returns the client, which is made when it is first asked for: with a
// user name, making it is a call.
func (s *Store) connect() (*clientv3.Client, error) {
	s.connecting.Lock()
	defer s.connecting.Unlock()
	if s.closed.Err() != nil {
		return nil, errClosed
	}
	if s.client == nil {
		client, err := clientv3.New(s.options.config(s.closed, s.target, s.attempts))
		if err != nil {
			return nil, err
		}
		s.client = client
	}
	return s.client, nil
}

// callLimit bounds a call.
const callLimit = 5 * time.Second

// call runs do with a client, and returns when it is done or ctx ends. What do
// has begun it ends even if nobody waits any more, but within the timeout: a
// request that was sent may still be carried out. over, which may be nil, is
// called when it can not be any more.
func (s *Store) call(ctx context.Context, over func(), do func(ctx context.Context, client *clientv3.Client) error) error {
	if over == nil {
		over = func() {}
	}
	if err := ctx.Err(); err != nil {
		over()
		return s.fail(err)
	}
	s.mu.Lock()
	if s.closed.Err() != nil {
		s.mu.Unlock()
		over()
		return s.fail(errClosed)
	}
	done := make(chan error, 1)
	s.running.Go(func() {
		defer over()
		limited, cancel := context.WithTimeout(s.closed, callLimit)
		defer cancel()
		client, err := s.connect()
		if err == nil {
			err = do(limited, client)
		}
		done <- err
	})
	s.mu.Unlock()
	select {
	case err := <-done:
		return s.fail(err)
	case <-ctx.Done():
		return s.fail(ctx.Err())
	}
}

// binds notes that a key of the owner's request is bound to an etcd lease, or may
// be yet.
func (s *Store) binds(id string, lease clientv3.LeaseID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.loose[id] = append(s.loose[id], lease)
}

// Withdraw is part of [devicelock.Store]. It waits until no Acquire for this
// owner is under way, so that none can undo it.
func (s *Store) Withdraw(ctx context.Context, key, id string) error {
	if err := s.asking.Wait(ctx, id); err != nil {
		return s.fail(err)
	}
	return s.call(ctx, nil, func(ctx context.Context, client *clientv3.Client) error {
		names := s.names(key)
		state, err := read(ctx, client, names)
		if err != nil {
			return err
		}
		if state.holder != nil && state.holder.Owner.ID == id {
			if err := revoke(ctx, client, state.holder.lease); err != nil {
				return err
			}
		}
		return s.leaveQueue(ctx, client, state, id)
	})
}

// leaveQueue takes the owner's request back.
func (s *Store) leaveQueue(ctx context.Context, client *clientv3.Client, state *state, id string) error {
	s.mu.Lock()
	loose := s.loose[id]
	delete(s.loose, id)
	s.mu.Unlock()
	if place := state.place(id); place != nil && !slices.Contains(loose, place.lease) {
		loose = append(loose, place.lease)
	}
	for _, lease := range loose {
		if err := revoke(ctx, client, lease); err != nil {
			return err
		}
	}
	return nil
}

// revoke ends an etcd lease, and the keys that are bound to it. It is no error
// if it has ended.
func revoke(ctx context.Context, client *clientv3.Client, lease clientv3.LeaseID) error {
	if _, err := client.Revoke(ctx, lease); err != nil && !errors.Is(err, rpctypes.ErrLeaseNotFound) {
		return err
	}
	return nil
}

// Inspect is part of [devicelock.Store].
func (s *Store) Inspect(ctx context.Context, key string) (devicelock.Record, error) {
	var record devicelock.Record
	err := s.call(ctx, nil, func(ctx context.Context, client *clientv3.Client) error {
		state, err := read(ctx, client, s.names(key))
		if err != nil {
			return err
		}
		record, err = state.record(ctx, client, key)
		return err
	})
	if err != nil {
		return devicelock.Record{}, err
	}
	return record, nil
}

// List is part of [devicelock.Store].
func (s *Store) List(ctx context.Context) ([]devicelock.Record, error) {
	var records []devicelock.Record
	err := s.call(ctx, nil, func(ctx context.Context, client *clientv3.Client) error {
		all, err := client.Get(ctx, s.prefix, clientv3.WithPrefix())
		if err != nil {
			return err
		}
		states := map[string]*state{}
		for _, kv := range all.Kvs {
			key, part, ok := s.parse(string(kv.Key))
			if !ok {
				continue
			}
			if states[key] == nil {
				states[key] = &state{}
			}
			if err := states[key].add(part, kv); err != nil {
				return err
			}
		}
		records = nil
		for _, key := range slices.Sorted(maps.Keys(states)) {
			if states[key].holder == nil && len(states[key].waiting) == 0 {
				continue
			}
			record, err := states[key].record(ctx, client, key)
			if err != nil {
				return err
			}
			records = append(records, record)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return records, nil
}

// Break is part of [devicelock.Store].
func (s *Store) Break(ctx context.Context, key, id string, by devicelock.Owner, delay time.Duration) error {
	return s.call(ctx, nil, func(ctx context.Context, client *clientv3.Client) error {
		names := s.names(key)
		state, err := read(ctx, client, names)
		if err != nil {
			return err
		}
		if state.holder == nil || state.holder.Owner.ID != id {
			return fmt.Errorf("%s does not hold %s any more: %w", id, key, devicelock.ErrLeaseLost)
		}
		change := clientv3.OpDelete(names.holder)
		if delay > 0 {
			value, err := encode(entry{Origin: s.origin, Owner: by})
			if err != nil {
				return err
			}
			granted, err := client.Grant(ctx, seconds(delay))
			if err != nil {
				return err
			}
			change = clientv3.OpPut(names.holder, value, clientv3.WithLease(granted.ID))
		}
		freed, err := client.Txn(ctx).
			If(clientv3.Compare(clientv3.LeaseValue(names.holder), "=", state.holder.lease)).
			Then(change).
			Commit()
		if err != nil {
			return err
		}
		if !freed.Succeeded {
			return fmt.Errorf("%s does not hold %s any more: %w", id, key, devicelock.ErrLeaseLost)
		}
		return nil
	})
}

// Close is part of [devicelock.Store]. What goes on is cut off.
func (s *Store) Close() error {
	s.mu.Lock()
	s.close()
	s.mu.Unlock()
	s.running.Wait()
	s.connecting.Lock()
	defer s.connecting.Unlock()
	if s.client == nil {
		return nil
	}
	err := s.client.Close()
	s.client = nil
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}
