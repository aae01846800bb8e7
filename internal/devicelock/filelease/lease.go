package filelease

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/gofrs/flock"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
)

// lease is a lock on a device's lease file.
type lease struct {
	store    *Store
	key      string
	path     string
	lock     *flock.Flock
	id       string
	fence    uint64
	orphaned bool
	written  devicelock.Owner
	// early tells that an orphaned lease has not been renewed yet: whoever gets
	// the key now has to wait too.
	early bool
}

// take locks the lease file, which is free, and writes the owner's record.
func (d *directory) take(owner devicelock.Owner) (*lease, error) {
	lock, err := d.tryLock(leaseFile)
	if err != nil {
		return nil, err
	}
	if lock == nil {
		return nil, fmt.Errorf("%s is locked by somebody who does not heed %s", d.path(leaseFile), d.path(mutexFile))
	}
	_, left := os.Stat(d.path(leaseFile + recordSuffix))
	c, err := d.count(func(c *counters) { c.Fence++ })
	if err == nil {
		err = writeJSON(d.path(leaseFile+recordSuffix), leaseRecord{Fence: c.Fence, Owner: owner})
	}
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return &lease{
		store: d.store, key: d.key, path: d.path(leaseFile), lock: lock, id: owner.ID, fence: c.Fence, orphaned: left == nil, early: left == nil, written: owner,
	}, nil
}

// release gives the lease back, if it is still one.
func (d *directory) release(l *lease) error {
	d.store.mu.Lock()
	delete(d.store.leases, l.id)
	d.store.mu.Unlock()
	var err error
	if !l.early && l.check() == nil {
		err = os.Remove(d.path(leaseFile + recordSuffix))
	}
	return errors.Join(err, l.lock.Close())
}

// Fence is part of devicelock.Lease.
func (l *lease) Fence() uint64 { return l.fence }

// Orphaned is part of devicelock.Lease.
func (l *lease) Orphaned() bool { return l.orphaned }

// Consecutive is part of devicelock.Lease.
func (l *lease) Consecutive(fence uint64) bool { return l.fence == fence+1 }

// check returns an error that wraps devicelock.ErrLeaseLost unless the file that
// is locked is still the one that counts.
func (l *lease) check() error {
	if !l.lock.Locked() {
		return devicelock.ErrLeaseLost
	}
	locked, err := l.lock.Stat()
	if err != nil {
		return err
	}
	current, err := os.Stat(l.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	case os.SameFile(locked, current):
		return nil
	}
	return fmt.Errorf("%w: it was freed by force", devicelock.ErrLeaseLost)
}

// Renew is part of devicelock.Lease.
func (l *lease) Renew(ctx context.Context, owner devicelock.Owner) error {
	d, err := l.store.open(ctx, l.key)
	if err != nil {
		return l.store.failed(err)
	}
	defer d.close()
	if err := l.check(); err != nil {
		if errors.Is(err, devicelock.ErrLeaseLost) {
			return err
		}
		return l.store.failed(err)
	}
	l.early = false
	if owner == l.written {
		return nil
	}
	if err := writeJSON(d.path(leaseFile+recordSuffix), leaseRecord{Fence: l.fence, Owner: owner}); err != nil {
		return l.store.failed(err)
	}
	l.written = owner
	return nil
}

// Release is part of devicelock.Lease.
func (l *lease) Release(ctx context.Context) error {
	d, err := l.store.open(ctx, l.key)
	if err != nil {
		return l.store.failed(err)
	}
	defer d.close()
	return l.store.failed(d.release(l))
}
