package device

import (
	"context"
	"slices"
	"sync"
	"time"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/datatree"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/gnmi"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/oc"
)

// snapshotAge is how long a family that was read answers for the device. A
// refresh of many resources takes less; what others change meanwhile is seen
// by the next read.
const snapshotAge = 30 * time.Second

// singleInstances is the number of network instances that are read one by one.
// From the next on all are read at once: the resources are evidently many.
const singleInstances = 3

// reader gets values from a device; *gnmi.Client in earnest.
type reader interface {
	Get(ctx context.Context, paths ...*gpb.Path) ([]gnmi.Value, error)
}

// snapshot is the configuration of a device as last read, with this process's
// own Sets folded in. A family (the interfaces, a network instance, ...) is
// read as a whole, once for all that ask for it at the same time. A device that
// refuses that is read entry by entry.
type snapshot struct {
	mu      sync.Mutex
	root    *datatree.Node
	fetches map[string]*fetch // by the text of the family's path
	narrow  map[string]bool   // families that the device refuses to tell as a whole, by name
	epoch   uint64            // of the device's lock that all this was read in
}

type fetch struct {
	done chan struct{}
	err  error
	at   time.Time
}

func newSnapshot() *snapshot {
	return &snapshot{root: datatree.New(oc.Model), fetches: map[string]*fetch{}, narrow: map[string]bool{}}
}

// family returns the path of the family that p belongs to, or of the entry if
// the device is read entry by entry. s.mu is held.
func (s *snapshot) family(p *gpb.Path) *gpb.Path {
	elems := p.GetElem()
	if s.narrow[elems[0].GetName()] {
		if i := slices.IndexFunc(elems, isEntry); i >= 0 {
			return &gpb.Path{Elem: elems[:i+1]}
		}
	}
	if elems[0].GetName() != "network-instances" || len(elems) < 2 {
		return &gpb.Path{Elem: elems[:1]}
	}
	all := &gpb.Path{Elem: elems[:1]}
	if s.fetches[datatree.PathText(all)] != nil {
		return all
	}
	one := &gpb.Path{Elem: elems[:2]}
	single := 0
	for text := range s.fetches {
		if p, err := datatree.ParsePath(text); err == nil && p.GetElem()[0].GetName() == "network-instances" {
			single++
		}
	}
	if single < singleInstances || s.fetches[datatree.PathText(one)] != nil {
		return one
	}
	return all
}

func isEntry(e *gpb.PathElem) bool { return len(e.GetKey()) > 0 }

// fresh tells whether the family of p can be served without the device.
func (s *snapshot) fresh(p *gpb.Path) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.fetches[datatree.PathText(s.family(p))]
	return f.fresh()
}

func (f *fetch) fresh() bool {
	if f == nil {
		return false
	}
	select {
	case <-f.done:
		return f.err == nil && time.Since(f.at) < snapshotAge
	default:
		return false
	}
}

// ensure reads the family of p, unless it is fresh or somebody is reading it,
// whose result it then shares. The caller has the device's permission to read.
func (s *snapshot) ensure(ctx context.Context, r reader, p *gpb.Path) error {
	for narrowed := false; ; {
		s.mu.Lock()
		path := s.family(p)
		key := datatree.PathText(path)
		f := s.fetches[key]
		if f.fresh() {
			s.mu.Unlock()
			return nil
		}
		if f != nil && !isDone(f.done) {
			s.mu.Unlock()
			select {
			case <-f.done:
				if !narrowed && s.narrower(p, path, f.err) {
					narrowed = true
					continue
				}
				if f.err == nil || context.Cause(ctx) == nil && !cancelled(f.err) {
					return f.err
				}
				continue // the one who read was cancelled; that is not our answer
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
		f = &fetch{done: make(chan struct{})}
		s.fetches[key] = f
		s.mu.Unlock()
		s.read(ctx, r, path, f)
		if narrowed || !s.narrower(p, path, f.err) {
			return f.err
		}
		narrowed = true
	}
}

// narrower tells whether less than what is at path is to be read for p, now
// that reading it ended with err.
func (s *snapshot) narrower(p, path *gpb.Path, err error) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return tooWide(err) && len(s.family(p).GetElem()) > len(path.GetElem())
}

// tooWide tells whether a device may mean by err that it was asked for too
// much. It may also mean something else, and then refuses an entry as well.
func tooWide(err error) bool {
	switch refusal(err) {
	case codes.ResourceExhausted, codes.InvalidArgument, codes.Unimplemented:
		return true
	}
	return false
}

func isDone(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func (s *snapshot) read(ctx context.Context, r reader, path *gpb.Path, f *fetch) {
	defer close(f.done)
	values, err := r.Get(ctx, path)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		f.err = err
		delete(s.fetches, datatree.PathText(path))
		if tooWide(err) {
			// One that refuses an entry, too, did not mind the width.
			s.narrow[path.GetElem()[0].GetName()] = !slices.ContainsFunc(path.GetElem(), isEntry)
		}
		return
	}
	s.root.Remove(path.GetElem())
	for _, v := range values {
		if err := s.root.DecodeAt(v.Path.GetElem(), v.JSON); err != nil {
			f.err = err
			delete(s.fetches, datatree.PathText(path))
			return
		}
	}
	f.at = time.Now()
}

// view returns a copy of the entry at p, nil when it is absent, and p with the
// keys as the device spells them.
func (s *snapshot) view(p *gpb.Path) (*datatree.Node, *gpb.Path) {
	s.mu.Lock()
	defer s.mu.Unlock()
	spelled := &gpb.Path{}
	at := s.root
	for _, e := range p.GetElem() {
		at = at.At([]*gpb.PathElem{e})
		if at != nil && at.Keys != nil {
			e = &gpb.PathElem{Name: e.GetName(), Key: at.Keys}
		}
		spelled.Elem = append(spelled.Elem, e)
	}
	return at.Clone(), spelled
}

// holds tells whether anything is at p, which leads to a container, an entry or
// a leaf.
func (s *snapshot) holds(p *gpb.Path) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	elems := p.GetElem()
	if s.root.At(elems) != nil {
		return true
	}
	last := elems[len(elems)-1]
	_, ok := s.root.At(elems[:len(elems)-1]).Values(last.GetName())
	return ok
}

// fold does to the snapshot what the device did with req.
func (s *snapshot) fold(req *gpb.SetRequest) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.root.Apply(req)
}

// drop forgets all that was read: the device may hold something else.
func (s *snapshot) drop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for key, f := range s.fetches {
		if isDone(f.done) {
			delete(s.fetches, key)
		}
	}
}

// under forgets what was read in another epoch of the device's lock, in which
// other processes may have changed the device since.
func (s *snapshot) under(epoch uint64) {
	s.mu.Lock()
	stale := epoch != s.epoch
	s.epoch = epoch
	s.mu.Unlock()
	if stale {
		s.drop()
	}
}

// image returns a copy of the whole tree as it would be after req.
func (s *snapshot) image(req *gpb.SetRequest) (*datatree.Node, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.root.Clone()
	err := c.Apply(req)
	return c, err
}
