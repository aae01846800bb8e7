package filelease

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
)

// Names of files; see the package's documentation.
const (
	mutexFile    = "mutex"
	keyFile      = "key"
	countersFile = "counters.json"
	leaseFile    = "lease"
	recordSuffix = ".json"
	waitPrefix   = "wait-"
)

// mutexRetry is how often a mutex that is taken is tried: it is held for as long
// as a few small files take.
const mutexRetry = time.Millisecond

// directory is a device's directory while its mutex is held.
type directory struct {
	store *Store
	key   string
	at    string
	mutex *flock.Flock
}

// counters never fall.
type counters struct {
	Fence uint64 `json:"fence"`
	Place uint64 `json:"place"`
}

// leaseRecord is the content of lease.json.
type leaseRecord struct {
	Fence uint64           `json:"fence"`
	Owner devicelock.Owner `json:"owner"`
}

// open takes the mutex of the key's directory, which it makes if need be.
func (s *Store) open(ctx context.Context, key string) (*directory, error) {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	s.mu.Lock()
	closed := s.closed
	s.mu.Unlock()
	if closed {
		return nil, errors.New("the store has been closed")
	}
	d := &directory{store: s, key: key, at: s.place(key)}
	if info, err := os.Stat(s.directory); err == nil && !info.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: s.directory, Err: errNotDirectory}
	}
	if err := os.MkdirAll(d.at, 0o700); err != nil {
		return nil, err
	}
	d.mutex = flock.New(d.path(mutexFile), flock.SetPermissions(0o600))
	if _, err := d.mutex.TryLockContext(ctx, mutexRetry); err != nil {
		_ = d.mutex.Close()
		return nil, fmt.Errorf("waiting for %s: %w", d.path(mutexFile), err)
	}
	if _, err := os.Stat(d.path(keyFile)); errors.Is(err, fs.ErrNotExist) {
		if err := replaceFile(d.path(keyFile), []byte(key)); err != nil {
			d.close()
			return nil, err
		}
	}
	return d, nil
}

func (d *directory) path(name string) string { return filepath.Join(d.at, name) }

// close gives the mutex back.
func (d *directory) close() { _ = d.mutex.Close() }

// replaceFile writes a file so that it is there as a whole or not at all.
func replaceFile(path string, content []byte) error {
	temporary := path + ".new"
	if err := os.WriteFile(temporary, content, 0o600); err != nil {
		return err
	}
	return os.Rename(temporary, path)
}

func readJSON(path string, into any) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(content, into); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

func writeJSON(path string, from any) error {
	content, err := json.Marshal(from)
	if err != nil {
		return err
	}
	return replaceFile(path, content)
}

// count raises counters.
func (d *directory) count(raise func(*counters)) (counters, error) {
	var c counters
	if err := readJSON(d.path(countersFile), &c); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return c, err
	}
	raise(&c)
	return c, writeJSON(d.path(countersFile), c)
}

// tryLock locks a file of the directory and returns nil if somebody else has it.
func (d *directory) tryLock(name string) (*flock.Flock, error) {
	lock := flock.New(d.path(name), flock.SetPermissions(0o600))
	got, err := lock.TryLock()
	if err != nil || !got {
		_ = lock.Close()
		return nil, err
	}
	return lock, nil
}

// holder returns the record of the living holder, nil if there is none.
func (d *directory) holder() (*leaseRecord, error) {
	lock, err := d.tryLock(leaseFile)
	if err != nil {
		return nil, err
	}
	if lock != nil {
		return nil, lock.Close()
	}
	record := &leaseRecord{}
	if err := readJSON(d.path(leaseFile+recordSuffix), record); err != nil {
		return nil, err
	}
	return record, nil
}

// record returns who holds and who waits.
func (d *directory) record() (devicelock.Record, error) {
	record := devicelock.Record{Key: d.key}
	holder, err := d.holder()
	if err != nil {
		return record, err
	}
	if holder != nil {
		record.Holder, record.Fence = &holder.Owner, holder.Fence
	}
	waiters, err := d.waiters()
	if err != nil {
		return record, err
	}
	for _, name := range waiters {
		var owner devicelock.Owner
		if err := readJSON(d.path(name+recordSuffix), &owner); err != nil {
			return record, err
		}
		record.Waiting = append(record.Waiting, owner)
	}
	return record, nil
}

// waiters returns the names of those that wait and live, the next one first. It
// removes what the dead have left.
func (d *directory) waiters() ([]string, error) {
	entries, err := os.ReadDir(d.at) // sorted by name
	if err != nil {
		return nil, err
	}
	var names []string
	for _, entry := range entries {
		name := entry.Name()
		if !strings.HasPrefix(name, waitPrefix) || strings.Contains(name, ".") {
			continue
		}
		lock, err := d.tryLock(name)
		if err != nil {
			return nil, err
		}
		if lock == nil {
			names = append(names, name)
			continue
		}
		_ = lock.Close()
		_ = os.Remove(d.path(name + recordSuffix))
		_ = os.Remove(d.path(name))
	}
	return names, nil
}

// waiter is a request in the queue.
type waiter struct {
	name string
	path string
	lock *flock.Flock
}

// remove takes the request out of the queue.
func (w *waiter) remove() {
	_ = w.lock.Close()
	_ = os.Remove(w.path + recordSuffix)
	_ = os.Remove(w.path)
}

// enqueue puts the owner's request into the queue.
func (d *directory) enqueue(owner devicelock.Owner) (*waiter, error) {
	c, err := d.count(func(c *counters) { c.Place++ })
	if err != nil {
		return nil, err
	}
	class := 1
	if owner.Priority == devicelock.Urgent {
		class = 0
	}
	name := fmt.Sprintf("%s%d-%020d", waitPrefix, class, c.Place)
	w := &waiter{name: name, path: d.path(name)}
	if err := writeJSON(w.path+recordSuffix, owner); err != nil {
		return nil, err
	}
	if w.lock, err = d.tryLock(name); err != nil {
		return nil, err
	}
	if w.lock == nil {
		return nil, fmt.Errorf("%s is locked by somebody who does not heed %s", w.path, d.path(mutexFile))
	}
	return w, nil
}

// acquire gives the owner the lease or puts it into the queue.
func (d *directory) acquire(owner devicelock.Owner) (*lease, devicelock.Record, error) {
	s := d.store
	s.mu.Lock()
	mine, held := s.waiting[owner.ID], s.leases[owner.ID]
	s.mu.Unlock()
	if held != nil && held.check() == nil {
		record, err := d.record()
		return held, record, err
	}
	waiters, err := d.waiters()
	if err != nil {
		return nil, devicelock.Record{}, err
	}
	holder, err := d.holder()
	if err != nil {
		return nil, devicelock.Record{}, err
	}
	first := len(waiters) == 0 || mine != nil && waiters[0] == mine.name
	if mine == nil && owner.Priority == devicelock.Urgent {
		first = !slices.ContainsFunc(waiters, func(name string) bool { return strings.HasPrefix(name, waitPrefix+"0") })
	}
	if holder == nil && first {
		l, err := d.take(owner)
		if err != nil {
			return nil, devicelock.Record{}, err
		}
		s.mu.Lock()
		s.leases[owner.ID] = l
		delete(s.waiting, owner.ID)
		s.mu.Unlock()
		if mine != nil {
			mine.remove()
		}
		record, err := d.record()
		return l, record, err
	}
	if mine == nil {
		if mine, err = d.enqueue(owner); err != nil {
			return nil, devicelock.Record{}, err
		}
		s.mu.Lock()
		s.waiting[owner.ID] = mine
		s.mu.Unlock()
	}
	record, err := d.record()
	return nil, record, err
}
