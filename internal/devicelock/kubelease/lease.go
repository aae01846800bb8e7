package kubelease

import (
	"context"
	"fmt"
	"sync"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
)

// lease is one owner's hold of a Lease.
type lease struct {
	store    *Store
	id       string
	fence    uint64
	ttl      time.Duration
	orphaned bool

	// mu is held by a call that goes on after its caller has left.
	mu sync.Mutex
	// object is the Lease as this owner wrote it last.
	object *coordinationv1.Lease
	// place is the waiter's Lease if it could not be deleted.
	place *coordinationv1.Lease
}

var _ devicelock.Lease = (*lease)(nil)

func (s *Store) newLease(c *claim, ttl time.Duration) *lease {
	return &lease{store: s, id: c.owner.ID, fence: c.began(), ttl: ttl, object: c.lease}
}

// Fence implements [devicelock.Lease].
func (l *lease) Fence() uint64 { return l.fence }

// Orphaned implements [devicelock.Lease]: the lease was somebody else's and
// ended by time, which their clock may not agree with.
func (l *lease) Orphaned() bool { return l.orphaned }

// Consecutive implements [devicelock.Lease]: a Lease that is deleted leaves no
// trace of who has held it.
func (l *lease) Consecutive(uint64) bool { return false }

// Renew implements [devicelock.Lease] with one request.
func (l *lease) Renew(ctx context.Context, owner devicelock.Owner) error {
	_, err := call(ctx, l.store, func(ctx context.Context) (struct{}, error) {
		l.mu.Lock()
		defer l.mu.Unlock()
		return struct{}{}, l.renew(ctx, owner)
	})
	return err
}

// renew updates the Lease. That it has changed can be this owner's own doing: a
// renewal whose reply was lost, or somebody added a label.
func (l *lease) renew(ctx context.Context, owner devicelock.Owner) error {
	owner.ID = l.id
	for range attempts {
		next := l.object.DeepCopy()
		l.store.writer.label(next, next.Annotations[keyAnnotation], next.Name, holderRole)
		l.store.writer.keep(next, l.fence)
		if err := l.store.writer.renewed(next, owner, l.ttl); err != nil {
			return err
		}
		updated, err := l.store.api.update(ctx, next)
		if err == nil {
			l.object = updated
			return nil
		}
		if !apierrors.IsConflict(err) && !apierrors.IsNotFound(err) {
			return err
		}
		if err := l.reload(ctx); err != nil {
			return err
		}
	}
	return errContended
}

// reload reads the Lease; it is lost if it is not this owner's any more.
func (l *lease) reload(ctx context.Context) error {
	found, err := l.store.api.get(ctx, l.object.Name)
	if apierrors.IsNotFound(err) {
		return fmt.Errorf("the Lease %s was deleted: %w", l.object.Name, devicelock.ErrLeaseLost)
	}
	if err != nil {
		return err
	}
	if c := read(found); found.UID != l.object.UID || !c.ours || c.owner.ID != l.id {
		return fmt.Errorf("the Lease %s is of %s now: %w", l.object.Name, c.identity(), devicelock.ErrLeaseLost)
	}
	l.object = found
	return nil
}

// Release implements [devicelock.Lease] with one request.
func (l *lease) Release(ctx context.Context) error {
	_, err := call(ctx, l.store, func(ctx context.Context) (struct{}, error) {
		l.mu.Lock()
		defer l.mu.Unlock()
		return struct{}{}, l.release(ctx)
	})
	return err
}

func (l *lease) release(ctx context.Context) error {
	if l.place != nil {
		if err := l.store.api.remove(ctx, l.place); err == nil || apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
			l.place = nil
		}
	}
	for range attempts {
		err := l.store.api.remove(ctx, l.object)
		switch {
		case err == nil || apierrors.IsNotFound(err):
			return nil
		case !apierrors.IsConflict(err):
			return err
		}
		if err := l.reload(ctx); isLost(err) {
			return nil
		} else if err != nil {
			return err
		}
	}
	return errContended
}
