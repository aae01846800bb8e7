package filelease

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
)

// backend is the store's name.
const backend = "file"

// callLimit bounds a call whose context has no deadline.
const callLimit = 5 * time.Second

// Options say where the files are.
type Options struct {
	// Directory is made if it does not exist. Empty means [DefaultDirectory].
	// All processes that are to exclude each other need the same.
	Directory string
}

// DefaultDirectory returns the directory for the locks of the user who runs this
// process: below the user's cache directory, or below the directory for temporary
// files where the user has none.
func DefaultDirectory() string {
	if cache, err := os.UserCacheDir(); err == nil {
		return filepath.Join(cache, "terraform-provider-openconfig", "locks")
	}
	return filepath.Join(os.TempDir(), fmt.Sprintf("terraform-provider-openconfig-%d", os.Getuid()), "locks")
}

// Store is a devicelock.Store in a directory. It is safe for concurrent use.
type Store struct {
	directory string

	mu      sync.Mutex
	leases  map[string]*lease  // held through this store, by owner id
	waiting map[string]*waiter // the same for requests
	closed  bool
}

var _ devicelock.Store = (*Store)(nil)

// New returns a store. It touches no file yet.
func New(options Options) *Store {
	return &Store{
		directory: cmp.Or(options.Directory, DefaultDirectory()),
		leases:    map[string]*lease{},
		waiting:   map[string]*waiter{},
	}
}

// Name is part of devicelock.Store.
func (s *Store) Name() string { return backend }

// failed completes an error of the file system. Those that somebody has to put
// right are permanent.
func (s *Store) failed(err error) error {
	var store *devicelock.StoreError
	if err == nil || errors.As(err, &store) {
		return err
	}
	failure := &devicelock.StoreError{Backend: backend, Endpoint: s.directory, Err: err}
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrExist) || errors.Is(err, errNotDirectory) {
		failure.Permanent = true
		failure.Err = fmt.Errorf("%w; set another directory for the locks (lock.file.directory), or let this user write there", err)
	}
	return failure
}

var errNotDirectory = errors.New("not a directory")

// place is a device's directory.
func (s *Store) place(key string) string {
	readable := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '.' || r == '-' {
			return r
		}
		return '_'
	}, strings.ToLower(key))
	sum := sha256.Sum256([]byte(key))
	return filepath.Join(s.directory, readable[:min(len(readable), 40)]+"-"+hex.EncodeToString(sum[:8]))
}

// Acquire is part of devicelock.Store.
func (s *Store) Acquire(ctx context.Context, key string, request devicelock.Request) (devicelock.Lease, devicelock.Record, error) {
	d, err := s.open(ctx, key)
	if err != nil {
		return nil, devicelock.Record{}, s.failed(err)
	}
	defer d.close()
	held, record, err := d.acquire(request.Owner)
	if err != nil {
		return nil, devicelock.Record{}, s.failed(err)
	}
	if held == nil {
		return nil, record, nil
	}
	return held, record, nil
}

// Withdraw is part of devicelock.Store.
func (s *Store) Withdraw(ctx context.Context, key, id string) error {
	d, err := s.open(ctx, key)
	if err != nil {
		return s.failed(err)
	}
	defer d.close()
	s.mu.Lock()
	w, l := s.waiting[id], s.leases[id]
	delete(s.waiting, id)
	s.mu.Unlock()
	if w != nil {
		w.remove()
	}
	if l != nil {
		return s.failed(d.release(l))
	}
	return nil
}

// Inspect is part of devicelock.Store.
func (s *Store) Inspect(ctx context.Context, key string) (devicelock.Record, error) {
	d, err := s.open(ctx, key)
	if err != nil {
		return devicelock.Record{}, s.failed(err)
	}
	defer d.close()
	record, err := d.record()
	return record, s.failed(err)
}

// List is part of devicelock.Store.
func (s *Store) List(ctx context.Context) ([]devicelock.Record, error) {
	entries, err := os.ReadDir(s.directory)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, s.failed(err)
	}
	var records []devicelock.Record
	for _, entry := range entries {
		key, err := os.ReadFile(filepath.Join(s.directory, entry.Name(), keyFile))
		if err != nil {
			continue // not a device's
		}
		record, err := s.Inspect(ctx, string(key))
		if err != nil {
			return nil, err
		}
		if record.Holder != nil || len(record.Waiting) > 0 {
			records = append(records, record)
		}
	}
	slices.SortFunc(records, func(a, b devicelock.Record) int { return strings.Compare(a.Key, b.Key) })
	return records, nil
}

// Break is part of devicelock.Store. What the holder has locked is put aside, so
// that it finds another file in its place; the record stays, so that the next
// owner knows that a Set may be under way.
func (s *Store) Break(ctx context.Context, key, id string, _ devicelock.Owner, _ time.Duration) error {
	d, err := s.open(ctx, key)
	if err != nil {
		return s.failed(err)
	}
	defer d.close()
	record, err := d.record()
	if err != nil {
		return s.failed(err)
	}
	if record.Holder == nil || record.Holder.ID != id {
		return fmt.Errorf("%w: somebody else holds it, or nobody", devicelock.ErrLeaseLost)
	}
	if err := os.Remove(d.path(leaseFile)); err != nil {
		return s.failed(fmt.Errorf("%w; end process %d on %s instead", err, record.Holder.PID, record.Holder.Host))
	}
	return nil
}

// Close is part of devicelock.Store. The kernel frees what is still locked.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	var problems []error
	for id, w := range s.waiting {
		w.remove()
		delete(s.waiting, id)
	}
	for id, l := range s.leases {
		problems = append(problems, l.lock.Close())
		delete(s.leases, id)
	}
	return errors.Join(problems...)
}
