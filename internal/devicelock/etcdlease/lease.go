package etcdlease

import (
	"context"
	"errors"
	"fmt"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
)

// lease is one owner's hold of a key.
type lease struct {
	store *Store
	names names
	id    clientv3.LeaseID
	fence uint64
	// previous is the fence of the holder before; 0 if it is not known.
	previous uint64
}

var _ devicelock.Lease = (*lease)(nil)

// Fence is part of [devicelock.Lease]: the revision that created the holder's
// key.
func (l *lease) Fence() uint64 { return l.fence }

// Orphaned is part of [devicelock.Lease]: etcd frees a key that was not released
// only when its TTL has run out.
func (l *lease) Orphaned() bool { return false }

// Consecutive is part of [devicelock.Lease].
func (l *lease) Consecutive(fence uint64) bool { return fence != 0 && fence == l.previous }

// Renew is part of [devicelock.Lease].
func (l *lease) Renew(ctx context.Context, owner devicelock.Owner) error {
	value, err := encode(entry{Origin: l.store.origin, Owner: owner})
	if err != nil {
		return l.store.fail(err)
	}
	return l.store.call(ctx, nil, func(ctx context.Context, client *clientv3.Client) error {
		if err := keepAlive(ctx, client, l.id); err != nil {
			return l.ended(err)
		}
		renewed, err := client.Txn(ctx).
			If(clientv3.Compare(clientv3.LeaseValue(l.names.holder), "=", l.id)).
			Then(clientv3.OpPut(l.names.holder, value, clientv3.WithLease(l.id))).
			Commit()
		switch {
		case err != nil:
			return l.ended(err)
		case !renewed.Succeeded:
			return l.ended(rpctypes.ErrLeaseNotFound)
		}
		return nil
	})
}

// ended tells a lease that has ended from other failures.
func (l *lease) ended(err error) error {
	if errors.Is(err, rpctypes.ErrLeaseNotFound) {
		return fmt.Errorf("renew in %s: %w", backend, devicelock.ErrLeaseLost)
	}
	return err
}

// Release is part of [devicelock.Lease]: the holder's key goes with the etcd
// lease.
func (l *lease) Release(ctx context.Context) error {
	return l.store.call(ctx, nil, func(ctx context.Context, client *clientv3.Client) error {
		return revoke(ctx, client, l.id)
	})
}
