package etcdlease

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// pause is how long a watch that ended waits before it begins again.
const pause = time.Second

// Watch is part of [devicelock.Store]: a value for what another store changed,
// and one whenever watching begins, also again, because what happened before is
// unknown.
func (s *Store) Watch(ctx context.Context, key string) <-chan struct{} {
	hints := make(chan struct{}, 1)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed.Err() != nil {
		return hints
	}
	s.running.Go(func() {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		stop := context.AfterFunc(s.closed, cancel)
		defer stop()
		for ctx.Err() == nil {
			s.watch(ctx, s.names(key), hints)
			select {
			case <-time.After(pause):
			case <-ctx.Done():
			}
		}
	})
	return hints
}

// watch watches until it fails: the server is gone or has lost its leader, or
// what it should tell next has been compacted.
func (s *Store) watch(ctx context.Context, names names, hints chan<- struct{}) {
	client, err := s.connect()
	if err != nil {
		return
	}
	ctx, cancel := context.WithCancel(clientv3.WithRequireLeader(ctx))
	defer cancel()
	for answer := range client.Watch(ctx, names.all, clientv3.WithPrefix(), clientv3.WithPrevKV(), clientv3.WithCreatedNotify()) {
		if answer.Err() != nil {
			return
		}
		if answer.Created || s.matters(&names, answer.Events) {
			select {
			case hints <- struct{}{}:
			default: // there is one already
			}
		}
	}
}

// matters tells whether events may change what somebody here does: a holder or
// one who waited has gone, a request has come, a holder lost its lease by force. That
// the one who waited has become the holder does not.
func (s *Store) matters(names *names, events []*clientv3.Event) bool {
	taken := false
	for _, e := range events {
		taken = taken || e.IsCreate() && string(e.Kv.Key) == names.holder
	}
	for _, e := range events {
		name := string(e.Kv.Key)
		isWaiter := strings.HasPrefix(name, names.waiters)
		switch {
		case e.Type == mvccpb.Event_DELETE && name == names.holder,
			e.Type == mvccpb.Event_DELETE && isWaiter && !taken:
			if !s.wrote(e.PrevKv) {
				return true
			}
		case e.IsCreate() && isWaiter, e.IsModify() && name == names.holder && changedHands(e):
			if !s.wrote(e.Kv) {
				return true
			}
		}
	}
	return false
}

// changedHands tells whether the holder's key is bound to another lease than
// before.
func changedHands(e *clientv3.Event) bool { return e.PrevKv == nil || e.PrevKv.Lease != e.Kv.Lease }

// wrote tells whether the value is from this store.
func (s *Store) wrote(kv *mvccpb.KeyValue) bool {
	var e entry
	return kv != nil && json.Unmarshal(kv.Value, &e) == nil && e.Origin == s.origin
}
