package kubelease

import (
	"context"
	"errors"
	"slices"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
)

// attempts bounds how often a call begins again because somebody else wrote in
// between.
const attempts = 5

// errContended means that somebody else wrote in between.
var errContended = errors.New("others changed the Lease again and again")

// freshFor is for how long a waiter's Lease is not renewed although it asks: a
// hint makes it ask often. The margin makes up for it.
const freshFor = margin

type grant struct {
	lease  devicelock.Lease
	record devicelock.Record
}

// Acquire implements [devicelock.Store] with two requests if nobody else wants
// the key, and up to four otherwise.
func (s *Store) Acquire(ctx context.Context, key string, request devicelock.Request) (devicelock.Lease, devicelock.Record, error) {
	name, err := s.names.lease(key)
	if err != nil {
		return nil, devicelock.Record{}, s.fail(err)
	}
	over := s.asking.Begin(request.Owner.ID)
	got, err := call(ctx, s, func(ctx context.Context) (grant, error) {
		defer over()
		return s.acquire(ctx, key, name, request)
	})
	return got.lease, got.record, err
}

func (s *Store) acquire(ctx context.Context, key, name string, request devicelock.Request) (grant, error) {
	for range attempts {
		v, err := s.look(ctx, key, name)
		if err != nil {
			return grant{}, err
		}
		s.sweep(ctx, v)
		got, err := s.ask(ctx, v, request)
		if !errors.Is(err, errContended) {
			return got, err
		}
	}
	return grant{}, errContended
}

// ask takes the lock if it is the owner's turn and puts it into the queue
// otherwise. It returns errContended if the view is out of date.
func (s *Store) ask(ctx context.Context, v *view, request devicelock.Request) (grant, error) {
	own, before := v.place(&request.Owner)
	switch {
	case v.holder != nil && v.holder.ours && v.holder.owner.ID == request.Owner.ID:
		return s.resume(ctx, v, request)
	case before == 0:
		taken, err := s.take(ctx, v, request)
		if err != nil {
			return grant{}, err
		}
		if taken != nil {
			s.leave(ctx, taken, own)
			v.holder = read(taken.object)
			v.order()
			return grant{taken, s.record(v)}, nil
		}
	case v.holder == nil:
		if err := s.find(ctx, v); err != nil {
			return grant{}, err
		}
	}
	if err := s.wait(ctx, v, own, request.Owner); err != nil {
		return grant{}, err
	}
	return grant{record: s.record(v)}, nil
}

// resume returns the lease that the owner holds although it does not know it. The
// lease begins anew, because the owner counts from this call.
func (s *Store) resume(ctx context.Context, v *view, request devicelock.Request) (grant, error) {
	l := s.newLease(v.holder, request.TTL)
	err := l.renew(ctx, request.Owner)
	if errors.Is(err, devicelock.ErrLeaseLost) {
		return grant{}, errContended
	}
	if err != nil {
		return grant{}, err
	}
	v.holder = read(l.object)
	return grant{l, s.record(v)}, nil
}

// take creates the Lease, or updates one that has ended. It returns nil, and the
// holder in the view, if somebody holds it.
func (s *Store) take(ctx context.Context, v *view, request devicelock.Request) (*lease, error) {
	if v.holder == nil {
		fresh := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: v.name, Namespace: s.api.namespace}}
		if err := s.writer.acquired(fresh, v.key, v.name, request); err != nil {
			return nil, err
		}
		created, err := s.api.create(ctx, fresh)
		if err == nil {
			return s.newLease(read(created), request.TTL), nil
		}
		if !apierrors.IsAlreadyExists(err) {
			return nil, err
		}
		if err := s.find(ctx, v); err != nil {
			return nil, err
		}
		if v.holder == nil {
			return nil, errContended
		}
	}
	if s.held(v) {
		return nil, nil
	}
	orphaned := !v.holder.ours && v.holder.identity() != ""
	next := v.holder.lease.DeepCopy()
	if err := s.writer.acquired(next, v.key, v.name, request); err != nil {
		return nil, err
	}
	updated, err := s.api.update(ctx, next)
	if apierrors.IsConflict(err) || apierrors.IsNotFound(err) {
		return nil, errContended
	}
	if err != nil {
		return nil, err
	}
	l := s.newLease(read(updated), request.TTL)
	l.orphaned = orphaned
	return l, nil
}

// wait puts the owner into the queue or keeps its place there.
func (s *Store) wait(ctx context.Context, v *view, own *claim, owner devicelock.Owner) error {
	var written *coordinationv1.Lease
	switch {
	case own == nil:
		place := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: waiterName(v.name, owner.ID), Namespace: s.api.namespace}}
		if err := s.writer.waiting(place, v.key, v.name, owner); err != nil {
			return err
		}
		created, err := s.api.create(ctx, place)
		if apierrors.IsAlreadyExists(err) {
			return errContended
		}
		if err != nil {
			return err
		}
		written = created
	case s.fresh(own, &owner):
		return nil
	default:
		place := own.lease.DeepCopy()
		if err := s.writer.waiting(place, v.key, v.name, owner); err != nil {
			return err
		}
		s.writer.keep(place, own.began())
		updated, err := s.api.update(ctx, place)
		if apierrors.IsConflict(err) || apierrors.IsNotFound(err) {
			return errContended
		}
		if err != nil {
			return err
		}
		written = updated
		v.waiting = slices.DeleteFunc(v.waiting, func(c *claim) bool { return c == own })
	}
	v.waiting = append(v.waiting, read(written))
	v.order()
	return nil
}

// fresh tells that the owner's place need not be renewed yet.
func (s *Store) fresh(own *claim, owner *devicelock.Owner) bool {
	age := s.clock.time().Sub(own.lease.Spec.RenewTime.Time)
	return age < freshFor && own.owner.Priority == owner.Priority && own.owner.Resource == owner.Resource
}

// leave takes the new holder out of the queue. Until it is, nobody is held up:
// the queue is without the holder, and a release tries again.
func (s *Store) leave(ctx context.Context, l *lease, own *claim) {
	if own == nil {
		return
	}
	if err := s.api.remove(ctx, own.lease); err != nil && !apierrors.IsNotFound(err) {
		l.place = own.lease
	}
}

// sweepLimit is how many lapsed waiters one call deletes, and sweepTime for how
// long it tries.
const (
	sweepLimit = 3
	sweepTime  = time.Second
)

// sweep deletes what others have left behind. That it fails does not matter: what
// has lapsed counts for nothing.
func (s *Store) sweep(ctx context.Context, v *view) {
	if len(v.lapsed) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, sweepTime)
	defer cancel()
	for _, c := range v.lapsed[:min(len(v.lapsed), sweepLimit)] {
		if err := s.api.remove(ctx, c.lease); err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
			return
		}
	}
}
