package filelease

import (
	"context"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	// lookEvery is how often a waiter looks at the files: it decides how fast a
	// device is handed over.
	lookEvery = 20 * time.Millisecond
	// holderLooksEvery is the same for a holder, who wants to know of waiters.
	holderLooksEvery = 40 * time.Millisecond
)

// Watch is part of devicelock.Store. Files do not tell of changes the same way
// everywhere, so this looks again and again: at names, and whether the lease is
// locked.
func (s *Store) Watch(ctx context.Context, key string) <-chan struct{} {
	signals := make(chan struct{}, 1)
	seen := s.look(ctx, key, view{})
	go func() {
		for {
			every := lookEvery
			if s.holds(key) {
				every = holderLooksEvery
			}
			timer := time.NewTimer(every + time.Duration((rand.Float64()-0.5)*float64(every)/5)) //nolint:gosec // no secret
			select {
			case <-timer.C:
			case <-ctx.Done():
				timer.Stop()
				return
			}
			now := s.look(ctx, key, seen)
			if now.same(seen) {
				continue
			}
			seen = now
			select {
			case signals <- struct{}{}:
			default:
			}
		}
	}()
	return signals
}

// view is what a look at a device's directory shows.
type view struct {
	lease   fs.FileInfo
	held    bool
	waiting string // the names
}

func (v view) same(other view) bool {
	return v.held == other.held && v.waiting == other.waiting &&
		(v.lease == nil) == (other.lease == nil) && (v.lease == nil || os.SameFile(v.lease, other.lease))
}

// holds reports whether the key is held through this store.
func (s *Store) holds(key string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.leases {
		if l.key == key {
			return true
		}
	}
	return false
}

// look looks at the key's directory; what cannot be seen is as it was last.
func (s *Store) look(ctx context.Context, key string, last view) view {
	at, now := s.place(key), last
	entries, err := os.ReadDir(at)
	if err != nil {
		return last
	}
	var names []string
	for _, entry := range entries {
		if name := entry.Name(); strings.HasPrefix(name, waitPrefix) && !strings.Contains(name, ".") {
			names = append(names, name)
		}
	}
	now.waiting = strings.Join(names, " ")
	now.lease, _ = os.Stat(filepath.Join(at, leaseFile))
	if s.holds(key) {
		now.held = true
		return now
	}
	// A lock that its owner's death has freed shows only when it is tried.
	d, err := s.open(ctx, key)
	if err != nil {
		return now
	}
	defer d.close()
	if holder, err := d.holder(); err == nil {
		now.held = holder != nil
	}
	return now
}
