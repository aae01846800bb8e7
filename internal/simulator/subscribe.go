package simulator

import (
	"errors"
	"io"
	"time"

	"github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// batch limits the updates, and the deletes, of one notification.
const batch = 1000

// subscription is one Subscribe RPC.
type subscription struct {
	target *Target
	stream gnmi.GNMI_SubscribeServer
	list   *gnmi.SubscriptionList
}

// Subscribe implements the RPC of the gNMI specification, section 3.5.1.5. Every
// leaf below the paths has an update of its own; an absent path has none. The
// value is JSON or JSON_IETF of the leaf, or a scalar for PROTO. A stream may be
// ON_CHANGE or TARGET_DEFINED, which means the same here.
func (s *service) Subscribe(stream gnmi.GNMI_SubscribeServer) error {
	first, err := stream.Recv()
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err != nil {
		return err
	}
	sub := subscription{s.target, stream, first.GetSubscribe()}
	if err := sub.check(); err != nil {
		return err
	}
	if err := s.target.delay(stream.Context(), s.target.getLatency.Load()); err != nil {
		return err
	}
	switch sub.list.GetMode() {
	case gnmi.SubscriptionList_ONCE:
		return sub.once()
	case gnmi.SubscriptionList_POLL:
		return sub.poll()
	}
	return sub.follow()
}

// check refuses what the target does not support, and paths that there are not.
func (s subscription) check() error {
	if s.list == nil {
		return status.Error(codes.InvalidArgument, "the first message of a stream must be a subscription list")
	}
	switch s.list.GetEncoding() {
	case gnmi.Encoding_JSON, gnmi.Encoding_JSON_IETF, gnmi.Encoding_PROTO:
	default:
		return status.Errorf(codes.Unimplemented, "encoding %v is not supported", s.list.GetEncoding())
	}
	if s.list.GetMode() == gnmi.SubscriptionList_STREAM {
		for _, sub := range s.list.GetSubscription() {
			if sub.GetMode() == gnmi.SubscriptionMode_SAMPLE || sub.GetHeartbeatInterval() > 0 {
				return status.Error(codes.InvalidArgument, "a stream can be ON_CHANGE or TARGET_DEFINED, and without heartbeat_interval")
			}
		}
	}
	_, err := s.matches(&node{def: s.target.model})
	return err
}

// once sends what is there, and sync_response (section 3.5.1.5.1).
func (s subscription) once() error {
	if !s.list.GetUpdatesOnly() {
		updates, err := s.read(s.target.picture())
		if err != nil {
			return err
		}
		if err := s.send(updates, nil); err != nil {
			return err
		}
	}
	return s.sync()
}

// poll does so whenever it is asked to (section 3.5.1.5.3).
func (s subscription) poll() error {
	for {
		req, err := s.stream.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if req.GetPoll() == nil {
			return errSecondList
		}
		if err := s.once(); err != nil {
			return err
		}
	}
}

// errSecondList refuses a message that does not go with the mode of a stream.
var errSecondList = status.Error(codes.InvalidArgument, "a stream has one subscription list, and Poll messages only in the mode POLL")

// matches returns what the paths lead to in a tree.
func (s subscription) matches(root *node) ([]match, error) {
	o := &s.target.options
	var all []match
	for _, sub := range s.list.GetSubscription() {
		if err := o.checkOrigins(s.list.GetPrefix(), sub.GetPath()); err != nil {
			return nil, err
		}
		steps, err := resolvePath(s.target.model, s.list.GetPrefix(), sub.GetPath())
		if err != nil {
			return nil, err
		}
		all = append(all, o.matches(find(o.scene(root, s.list.GetPrefix(), sub.GetPath()), steps))...)
	}
	return all, nil
}

// read returns all leaves of the subscription in a tree.
func (s subscription) read(root *node) ([]*gnmi.Update, error) {
	matches, err := s.matches(root)
	if err != nil {
		return nil, err
	}
	v := view{config: true, state: true, encoding: s.list.GetEncoding(), quirks: &s.target.options.readQuirks}
	var updates []*gnmi.Update
	for _, m := range matches {
		err := v.leaves(m, func(leaf match) error {
			val, err := v.typed(leaf.leaf)
			if err != nil {
				return err
			}
			updates = append(updates, &gnmi.Update{Path: &gnmi.Path{Elem: v.path(leaf)}, Val: val})
			return nil
		})
		if err != nil {
			return nil, err
		}
		updates = v.foreignLeaf(updates, m)
	}
	return updates, nil
}

// send sends updates and deletes in notifications of limited size, and nothing
// when there are none.
func (s subscription) send(updates []*gnmi.Update, deletes []*gnmi.Path) error {
	now := time.Now().UnixNano()
	for len(updates)+len(deletes) > 0 {
		n := &gnmi.Notification{Timestamp: now, Prefix: replyPrefix(s.list.GetPrefix())}
		d, u := min(batch, len(deletes)), min(batch, len(updates))
		n.Delete, deletes = deletes[:d], deletes[d:]
		n.Update, updates = updates[:u], updates[u:]
		if err := s.stream.Send(&gnmi.SubscribeResponse{Response: &gnmi.SubscribeResponse_Update{Update: n}}); err != nil {
			return err
		}
	}
	return nil
}

func (s subscription) sync() error {
	return s.stream.Send(&gnmi.SubscribeResponse{Response: &gnmi.SubscribeResponse_SyncResponse{SyncResponse: true}})
}

// leaves calls yield for every leaf from m down that the view shows, and for
// what is in a config container once more as state.
func (v view) leaves(m match, yield func(match) error) error {
	if m.leaf != nil {
		return yield(m)
	}
	for _, c := range m.node().children {
		var below []match
		switch {
		case c.def.isLeaf():
			m.leaf = c
			below = []match{m}
			m.leaf = nil
		case c.isList():
			for _, e := range v.quirks.entries(c) {
				below = append(below, m.below(e))
			}
		case c.def.Name == "config":
			for _, section := range v.sections() {
				inside := m.below(c)
				inside.section = section
				below = append(below, inside)
			}
		default:
			below = []match{m.below(c)}
		}
		for _, b := range below {
			if err := v.leaves(b, yield); err != nil {
				return err
			}
		}
	}
	return nil
}
