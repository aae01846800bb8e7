package kubelease

import (
	"context"
	"errors"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/watch"
)

// Pauses before a watch is taken up again: the first, and the longest after it
// failed time after time. One that ran for settled starts over.
const (
	firstPause = 50 * time.Millisecond
	lastPause  = 5 * time.Second
	settled    = time.Second
)

// Watch implements [devicelock.Store] with two watches, one of the Lease by its
// name and one of those that wait for it by label. They begin where the last look
// at the key ended, so that nothing in between is missed, or with a hint if there
// was none.
func (s *Store) Watch(ctx context.Context, key string) <-chan struct{} {
	hints := make(chan struct{}, 1)
	name, err := s.names.lease(key)
	if err != nil {
		return hints // every other call says so
	}
	s.mu.Lock()
	from := s.looked[name]
	s.mu.Unlock()

	holder := &follower{
		version: from.version, hints: hints, news: holderNews(from.holder, s.writer.origin),
		open: func(ctx context.Context, version string) (watch.Interface, error) {
			return s.api.watchName(ctx, name, version)
		},
	}
	queue := &follower{
		version: from.version, hints: hints, news: queueNews(s.writer.origin),
		open: func(ctx context.Context, version string) (watch.Interface, error) {
			return s.api.watchLabels(ctx, lockLabel+"="+lockValue(name)+","+roleLabel+"="+waiterRole, version)
		},
	}
	s.run(ctx, holder.follow)
	s.run(ctx, queue.follow)
	return hints
}

// holderNews tells that the Lease changed hands, other than into this store's: a
// renewal is no news.
func holderNews(known, origin string) func(watch.EventType, *claim) bool {
	return func(kind watch.EventType, c *claim) bool {
		if kind == watch.Deleted {
			known = ""
			return true
		}
		last := known
		known = c.identity()
		return known != last && (!c.ours || c.lease.Annotations[clientAnnotation] != origin)
	}
}

// queueNews tells that somebody else came or left.
func queueNews(origin string) func(watch.EventType, *claim) bool {
	return func(kind watch.EventType, c *claim) bool {
		return kind != watch.Modified && c.lease.Annotations[clientAnnotation] != origin
	}
}

// follower keeps one watch going.
type follower struct {
	// version is where to go on; empty if that is not known.
	version string
	open    func(ctx context.Context, version string) (watch.Interface, error)
	news    func(watch.EventType, *claim) bool
	hints   chan<- struct{}
}

// follow watches until ctx ends: a watch ends when the server says so, when the
// connection breaks, and when the server has forgotten the version.
func (f *follower) follow(ctx context.Context) {
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		began := time.Now()
		err := f.once(ctx)
		if time.Since(began) > settled {
			pause = firstPause
		}
		if apierrors.IsResourceExpired(err) || apierrors.IsGone(err) {
			f.version = ""
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return
		}
	}
}

// once watches until the watch ends.
func (f *follower) once(ctx context.Context) error {
	events, err := f.open(ctx, f.version)
	if err != nil {
		return err
	}
	defer events.Stop()
	if f.version == "" {
		notify(f.hints) // what happened before is not known
	}
	for {
		select {
		case event, ok := <-events.ResultChan():
			if !ok {
				return errors.New("the watch ended")
			}
			if event.Type == watch.Error {
				return apierrors.FromObject(event.Object)
			}
			if object, ok := event.Object.(*coordinationv1.Lease); ok {
				f.take(event.Type, object)
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (f *follower) take(kind watch.EventType, object *coordinationv1.Lease) {
	if kind != watch.Bookmark && f.news(kind, read(object)) {
		notify(f.hints)
	}
	f.version = object.ResourceVersion
}

// notify puts a value into c unless one waits there already.
func notify(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
