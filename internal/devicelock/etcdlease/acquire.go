package etcdlease

import (
	"context"
	"errors"
	"io"
	"slices"
	"time"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
)

// rounds bounds how often one Acquire tries again because others changed the
// queue meanwhile. It is enough for some progress: the caller asks again.
const rounds = 8

// Acquire is part of [devicelock.Store].
func (s *Store) Acquire(ctx context.Context, key string, request devicelock.Request) (devicelock.Lease, devicelock.Record, error) {
	end := s.asking.Begin(request.Owner.ID)
	var held *lease
	var record devicelock.Record
	err := s.call(ctx, end, func(ctx context.Context, client *clientv3.Client) (err error) {
		held, record, err = s.acquire(ctx, client, key, request)
		return err
	})
	switch {
	case err != nil:
		return nil, devicelock.Record{}, err
	case held == nil:
		return nil, record, nil
	}
	return held, record, nil
}

func (s *Store) acquire(ctx context.Context, client *clientv3.Client, key string, request devicelock.Request) (*lease, devicelock.Record, error) {
	names := s.names(key)
	id := request.Owner.ID
	for range rounds {
		state, err := read(ctx, client, names)
		if err != nil {
			return nil, devicelock.Record{}, err
		}
		switch {
		case state.holder != nil && state.holder.Owner.ID == id:
			// An earlier answer was lost. The lease begins anew, because the
			// owner counts from this call.
			if err := keepAlive(ctx, client, state.holder.lease); err != nil {
				return nil, devicelock.Record{}, err
			}
			s.holds(id, state.holder.lease)
			held := &lease{store: s, names: names, id: state.holder.lease, fence: state.holder.fence}
			record, err := state.record(ctx, client, key)
			return held, record, err
		case state.holder == nil && state.mayGo(&request.Owner):
			held, err := s.take(ctx, client, names, state, request)
			if err != nil {
				return nil, devicelock.Record{}, err
			}
			if held != nil {
				owner := request.Owner
				return held, devicelock.Record{Key: key, Holder: &owner, Fence: held.fence, Expires: time.Now().Add(request.TTL)}, s.leaveQueue(ctx, client, state, id)
			}
		default:
			known, err := s.keepPlace(ctx, client, names, state, &request.Owner)
			if err != nil {
				return nil, devicelock.Record{}, err
			}
			if known {
				record, err := state.record(ctx, client, key)
				return nil, record, err
			}
		}
	}
	// Others were quicker each time. The owner has its place, and asks again.
	state, err := read(ctx, client, names)
	if err != nil {
		return nil, devicelock.Record{}, err
	}
	record, err := state.record(ctx, client, key)
	return nil, record, err
}

// holds notes that an etcd lease is the one that the owner holds the key by.
func (s *Store) holds(id string, lease clientv3.LeaseID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.loose[id] = slices.DeleteFunc(s.loose[id], func(l clientv3.LeaseID) bool { return l == lease })
}

// mayGo tells whether nobody waits who goes before the owner.
func (s *state) mayGo(owner *devicelock.Owner) bool {
	if len(s.waiting) == 0 || s.waiting[0].Owner.ID == owner.ID {
		return true
	}
	// Who has no place yet would be the last of its class.
	return s.place(owner.ID) == nil && s.waiting[0].Owner.Priority < owner.Priority
}

// place returns the request of the owner with this id, nil if there is none.
func (s *state) place(id string) *kept {
	for i := range s.waiting {
		if s.waiting[i].Owner.ID == id {
			return &s.waiting[i]
		}
	}
	return nil
}

// take makes the owner the holder. It returns no lease if anything has changed
// since the state was read.
func (s *Store) take(ctx context.Context, client *clientv3.Client, names names, state *state, request devicelock.Request) (*lease, error) {
	value, err := encode(entry{Origin: s.origin, Owner: request.Owner})
	if err != nil {
		return nil, err
	}
	granted, err := client.Grant(ctx, seconds(request.TTL))
	if err != nil {
		return nil, err
	}
	taken, err := client.Txn(ctx).
		If(state.stillFirst(names, &request.Owner)...).
		Then(clientv3.OpPut(names.holder, value, clientv3.WithLease(granted.ID)), clientv3.OpPut(names.last, "")).
		Commit()
	if err != nil {
		// It may have been carried out, or may be yet: the owner asks again, or
		// withdraws.
		s.binds(request.Owner.ID, granted.ID)
		return nil, err
	}
	if !taken.Succeeded {
		return nil, revoke(ctx, client, granted.ID)
	}
	return &lease{
		store: s, names: names, id: granted.ID, fence: uint64(taken.Header.Revision), previous: state.last,
	}, nil
}

// stillFirst are the conditions under which the owner, who may go as the state
// was read, may still go: nobody has held the key since, and nobody can have
// come before the owner.
func (s *state) stillFirst(names names, owner *devicelock.Owner) []clientv3.Cmp {
	unchanged := func(prefix string) clientv3.Cmp {
		return clientv3.Compare(clientv3.ModRevision(prefix).WithPrefix(), "<", s.revision+1)
	}
	urgent, own := names.class(devicelock.Urgent), names.class(owner.Priority)
	place := s.place(owner.ID)
	conditions := []clientv3.Cmp{
		clientv3.Compare(clientv3.CreateRevision(names.holder), "=", 0),
		clientv3.Compare(clientv3.ModRevision(names.last), "=", int64(s.last)),
	}
	if place != nil {
		// Those that have come to its own class since come after it.
		conditions = append(conditions, clientv3.Compare(clientv3.CreateRevision(place.name), "=", int64(place.fence)))
	} else {
		conditions = append(conditions, unchanged(own))
	}
	if own != urgent {
		conditions = append(conditions, unchanged(urgent))
	}
	return conditions
}

// seconds rounds up, because etcd counts in seconds.
func seconds(d time.Duration) int64 { return int64((d + time.Second - 1) / time.Second) }

// keepPlace keeps the owner's place in the queue, or gives it one. It returns
// false if the state that was read does not have the place.
func (s *Store) keepPlace(ctx context.Context, client *clientv3.Client, names names, state *state, owner *devicelock.Owner) (bool, error) {
	name := names.waiter(owner)
	if place := state.place(owner.ID); place != nil {
		if place.name == name {
			err := keepAlive(ctx, client, place.lease)
			if err == nil {
				return true, nil
			}
			if !errors.Is(err, rpctypes.ErrLeaseNotFound) {
				return false, err
			}
		} else if err := revoke(ctx, client, place.lease); err != nil { // it has another priority now
			return false, err
		}
	}
	value, err := encode(entry{Origin: s.origin, Owner: *owner})
	if err != nil {
		return false, err
	}
	granted, err := client.Grant(ctx, seconds(devicelock.RequestTTL))
	if err != nil {
		return false, err
	}
	s.binds(owner.ID, granted.ID)
	_, err = client.Put(ctx, name, value, clientv3.WithLease(granted.ID))
	return false, err
}

// keepAlive renews an etcd lease once. The library's function of this purpose
// tries again without a pause while no server is there.
func keepAlive(ctx context.Context, client *clientv3.Client, lease clientv3.LeaseID) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := clientv3.RetryLeaseClient(client).LeaseKeepAlive(ctx)
	if err != nil {
		return err
	}
	if err := stream.Send(&etcdserverpb.LeaseKeepAliveRequest{ID: int64(lease)}); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	answer, err := stream.Recv() // after io.EOF it has the reason
	switch {
	case err != nil:
		return rpctypes.Error(err)
	case answer.GetTTL() <= 0:
		return rpctypes.ErrLeaseNotFound
	}
	return nil
}
