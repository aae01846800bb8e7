package kubelease

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
)

// view is one lock at one instant.
type view struct {
	key  string
	name string
	// version is the namespace's when it was read.
	version string
	// holder is the Lease with the name, also if it has ended; nil if there
	// is none.
	holder *claim
	// waiting are those in the queue, the next first; lapsed are those that
	// did not ask again.
	waiting, lapsed []*claim
}

// look reads the lock of key. A list by label has our Leases in one request, but
// not an operator's: that is looked for where one was seen before.
func (s *Store) look(ctx context.Context, key, name string) (*view, error) {
	leases, version, err := s.api.list(ctx, lockLabel+"="+lockValue(name))
	if err != nil {
		return nil, err
	}
	v := &view{key: key, name: name, version: version}
	for i := range leases {
		s.sort(v, read(&leases[i]))
	}
	v.order()
	switch {
	case v.holder != nil:
	case s.sightings.foreign(name):
		if err := s.find(ctx, v); err != nil {
			return nil, err
		}
	default:
		s.sightings.forget(name)
	}
	s.note(v)
	return v, nil
}

// sort puts a claim to where it belongs in the view.
func (s *Store) sort(v *view, c *claim) {
	switch {
	case c.lease.Name == v.name:
		v.holder = c
	case !c.waits():
	case s.ended(c):
		v.lapsed = append(v.lapsed, c)
	default:
		v.waiting = append(v.waiting, c)
	}
}

// order puts the queue into its order, without the one that holds: its Lease is
// yet to be deleted.
func (v *view) order() {
	if v.holder != nil && v.holder.ours {
		v.waiting = slices.DeleteFunc(v.waiting, func(c *claim) bool { return c.owner.ID == v.holder.owner.ID })
	}
	slices.SortFunc(v.waiting, compare)
}

func compare(a, b *claim) int {
	return cmp.Or(
		-cmp.Compare(a.owner.Priority, b.owner.Priority),
		cmp.Compare(a.began(), b.began()),
		strings.Compare(a.lease.Name, b.lease.Name),
	)
}

// find reads the Lease itself, whoever it belongs to.
func (s *Store) find(ctx context.Context, v *view) error {
	v.holder = nil
	lease, err := s.api.get(ctx, v.name)
	switch {
	case apierrors.IsNotFound(err):
		s.sightings.forget(v.name)
		return nil
	case err != nil:
		return err
	}
	v.holder = read(lease)
	s.note(v)
	return nil
}

// place returns the claim by which the owner waits, or nil, and how many are
// before it.
func (v *view) place(owner *devicelock.Owner) (own *claim, before int) {
	for i, c := range v.waiting {
		if c.owner.ID == owner.ID {
			return c, i
		}
	}
	for _, c := range v.waiting {
		if c.owner.Priority >= owner.Priority {
			before++
		}
	}
	return nil, before
}

// held tells whether somebody holds the lock.
func (s *Store) held(v *view) bool { return v.holder != nil && !s.ended(v.holder) }

func (s *Store) ended(c *claim) bool {
	left, limited := s.left(c)
	return limited && left <= 0
}

// left returns for how long the claim lasts yet; false if that is not limited.
func (s *Store) left(c *claim) (time.Duration, bool) {
	if c.identity() == "" {
		return 0, true
	}
	duration, limited := c.duration()
	if !limited {
		return 0, false
	}
	if c.waits() {
		return s.byServer(c, duration), true
	}
	unchanged := s.sightings.see(c, s.clock.elapsed())
	if !c.ours {
		return duration - unchanged, true
	}
	// A server whose clock was set back must not keep a dead owner's lease
	// alive.
	return min(s.byServer(c, duration), duration+margin-unchanged), true
}

func (s *Store) byServer(c *claim, duration time.Duration) time.Duration {
	return c.lease.Spec.RenewTime.Add(duration + margin).Sub(s.clock.time())
}

// record tells the view as it is now.
func (s *Store) record(v *view) devicelock.Record {
	record := devicelock.Record{Key: v.key}
	if s.held(v) {
		owner := v.holder.owner
		record.Holder, record.Fence = &owner, v.holder.began()
		if left, limited := s.left(v.holder); limited {
			record.Expires = s.clock.now().Add(left)
		}
	}
	for _, c := range v.waiting {
		record.Waiting = append(record.Waiting, c.owner)
	}
	return record
}

// sightings are the holders' Leases that this store has seen, and since when they
// have not changed. It is safe for concurrent use.
type sightings struct {
	mu   sync.Mutex
	seen map[string]sighting
}

type sighting struct {
	uid     types.UID
	version string
	foreign bool
	since   time.Duration
}

// see returns for how long the Lease has been seen unchanged.
func (s *sightings) see(c *claim, now time.Duration) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	last, ok := s.seen[c.lease.Name]
	if !ok || last.uid != c.lease.UID || last.version != c.lease.ResourceVersion {
		last = sighting{c.lease.UID, c.lease.ResourceVersion, !c.ours, now}
		s.seen[c.lease.Name] = last
	}
	return now - last.since
}

// foreign tells that the Lease was somebody else's when it was last seen.
func (s *sightings) foreign(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seen[name].foreign
}

func (s *sightings) forget(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.seen, name)
}
