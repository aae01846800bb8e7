package devicelock

import (
	"context"
	"errors"
	mathrand "math/rand/v2"
	"time"
)

// seek asks for the lease until it gets it. It returns an error if it is stopped
// or the store fails for longer than Patience.
func (k *keeper) seek(watch func() <-chan struct{}) (Lease, validity, error) {
	registry := k.gate.registry
	if err := k.leasing.down(registry.now()); err != nil {
		return nil, validity{}, err
	}
	var signals <-chan struct{}
	failing, failures := never, 0
	for {
		now, wall := registry.now(), k.leasing.Clock()
		lease, record, err := k.ask()
		var pause time.Duration
		switch {
		case k.stopped.Err() != nil:
			k.withdraw()
			return nil, validity{}, k.stopped.Err()
		case err != nil:
			failing, failures = min(failing, now), failures+1
			if permanent(err) || registry.now()-failing >= k.leasing.Patience {
				k.withdraw()
				k.leasing.failed(err, registry.now())
				return nil, validity{}, err
			}
			pause = jitter(min(50*time.Millisecond<<min(failures, 5), time.Second))
		case lease != nil && !lease.Orphaned():
			k.leasing.answered()
			return lease, k.validFrom(now, wall), nil
		case lease != nil:
			lease, valid, err := k.sitOut(lease)
			if lease != nil {
				return lease, valid, nil
			}
			if err != nil {
				continue // asking again tells what is wrong
			}
		default:
			k.leasing.answered()
			failing, failures = never, 0
			k.see(record)
			if signals == nil {
				signals = watch()
				continue // nobody would have told of what happened before
			}
			pause = jitter(lookAgain)
			if left := record.Expires.Sub(wall); !record.Expires.IsZero() {
				pause = min(pause, max(left, 0)+jitter(50*time.Millisecond))
			}
		}
		k.sleep(pause, signals)
	}
}

// ask asks for the lease once.
func (k *keeper) ask() (Lease, Record, error) {
	ctx, cancel := context.WithTimeout(k.stopped, callLimit)
	defer cancel()
	return k.leasing.Store.Acquire(ctx, k.gate.key, Request{Owner: k.owner(), TTL: k.leasing.TTL + k.leasing.LockDelay})
}

// sleep waits for a signal, for the given time, or to be stopped.
func (k *keeper) sleep(pause time.Duration, signals <-chan struct{}) {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-signals:
	case <-timer.C:
	case <-k.stopped.Done():
	}
}

// permanent tells that the store would fail again.
func permanent(err error) bool {
	var failure *StoreError
	return errors.As(err, &failure) && failure.Permanent
}

// jitter spreads what many processes do by a tenth up or down.
func jitter(d time.Duration) time.Duration {
	return d + time.Duration((mathrand.Float64()-0.5)*float64(d)/5) //nolint:gosec // no secret
}

// sitOut waits until the last Set of an owner that died is over. It returns no
// lease if it is stopped, or if the lease cannot be used after all.
func (k *keeper) sitOut(lease Lease) (Lease, validity, error) {
	k.sleep(k.leasing.LockDelay, nil)
	if k.stopped.Err() != nil {
		return nil, validity{}, k.stopped.Err()
	}
	now, wall := k.gate.registry.now(), k.leasing.Clock()
	ctx, cancel := context.WithTimeout(k.stopped, callLimit)
	defer cancel()
	if err := lease.Renew(ctx, k.owner()); err != nil {
		return nil, validity{}, err
	}
	k.leasing.answered()
	return lease, k.validFrom(now, wall), nil
}

// withdraw takes the request back, whatever became of it.
func (k *keeper) withdraw() {
	ctx, cancel := context.WithTimeout(context.Background(), callLimit)
	defer cancel()
	// What cannot be withdrawn lapses by itself.
	_ = k.leasing.Store.Withdraw(ctx, k.gate.key, k.id)
}

// see notes who stands in the way.
func (k *keeper) see(record Record) {
	g := k.gate
	g.mu.Lock()
	defer g.mu.Unlock()
	if next, last := inTheWay(record, k.id), inTheWay(k.ahead, k.id); next != nil && (last == nil || last.ID != next.ID) {
		k.aheadSince = g.registry.now()
	}
	k.ahead = record
	g.settle(g.registry.now())
}

// inTheWay returns who must make progress: the holder, or else the first of
// those that wait, unless that is the one with this id.
func inTheWay(record Record, id string) *Owner {
	if record.Holder != nil {
		return record.Holder
	}
	if len(record.Waiting) > 0 && record.Waiting[0].ID != id {
		return &record.Waiting[0]
	}
	return nil
}
