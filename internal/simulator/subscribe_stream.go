package simulator

import (
	"errors"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

// replace publishes a tree and tells those who follow it.
func (t *Target) replace(root *node) {
	t.root.Store(root)
	t.changed.tell()
}

// follow sends what is there, unless only updates are wanted, then sync_response,
// then what changes, until the client or the target goes away (section 3.5.1.5.2).
// Of changes that come faster than they can be sent, the last one counts.
func (s subscription) follow() error {
	t := s.target
	changed := t.changed.wait()
	updates, err := s.read(t.shown())
	if err != nil {
		return err
	}
	if !s.list.GetUpdatesOnly() {
		if err := s.send(updates, nil); err != nil {
			return err
		}
	}
	if err := s.sync(); err != nil {
		return err
	}
	refused := make(chan error, 1)
	go s.listen(refused)
	known := leavesByPath(updates)
	for {
		// Where readers see changes late, they are told late.
		var late <-chan time.Time
		if past := t.root.recent(time.Now()); len(past) > 0 {
			late = time.After(time.Until(past[0].at.Add(t.root.memory)))
		}
		select {
		case <-changed:
		case <-late:
		case err := <-refused:
			return err
		case <-s.stream.Context().Done():
			return status.FromContextError(s.stream.Context().Err()).Err()
		case <-t.stopping:
			return errStopping
		}
		changed = t.changed.wait()
		if updates, err = s.read(t.shown()); err != nil {
			return err
		}
		if known, err = s.differ(known, updates); err != nil {
			return err
		}
	}
}

// listen reports what the client sends on, which it must not. That it sends no
// more is fine.
func (s subscription) listen(refused chan<- error) {
	_, err := s.stream.Recv()
	switch {
	case err == nil:
		refused <- errSecondList
	case !errors.Is(err, io.EOF):
		refused <- err
	}
}

// differ sends the difference between the leaves that a client knows and those
// that there are, and returns these.
func (s subscription) differ(known map[string]*gnmi.Update, updates []*gnmi.Update) (map[string]*gnmi.Update, error) {
	there := leavesByPath(updates)
	var changed []*gnmi.Update
	for _, u := range updates {
		if old := known[pathText(u.GetPath().GetElem())]; old == nil || !proto.Equal(old.GetVal(), u.GetVal()) {
			changed = append(changed, u)
		}
	}
	var gone []*gnmi.Path
	for _, name := range slices.Sorted(maps.Keys(known)) {
		if there[name] == nil {
			gone = append(gone, known[name].GetPath())
		}
	}
	return there, s.send(changed, gone)
}

func leavesByPath(updates []*gnmi.Update) map[string]*gnmi.Update {
	all := make(map[string]*gnmi.Update, len(updates))
	for _, u := range updates {
		all[pathText(u.GetPath().GetElem())] = u
	}
	return all
}
