package simulator

import (
	"errors"
	"io"
	"time"

	"github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// batch limits the updates of one notification.
const batch = 1000

// Subscribe implements the mode ONCE of the gNMI specification, section
// 3.5.1.5.1: every leaf below the paths, one update for each, then
// sync_response. An absent path has no updates. The value is JSON or JSON_IETF
// of the leaf, or a scalar for PROTO.
func (s *service) Subscribe(stream gnmi.GNMI_SubscribeServer) error {
	first, err := stream.Recv()
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err != nil {
		return err
	}
	list := first.GetSubscribe()
	if list == nil {
		return status.Error(codes.InvalidArgument, "the first message of a stream must be a subscription list")
	}
	if list.GetMode() != gnmi.SubscriptionList_ONCE {
		return status.Errorf(codes.Unimplemented, "subscription mode %v is not supported", list.GetMode())
	}
	switch list.GetEncoding() {
	case gnmi.Encoding_JSON, gnmi.Encoding_JSON_IETF, gnmi.Encoding_PROTO:
	default:
		return status.Errorf(codes.Unimplemented, "encoding %v is not supported", list.GetEncoding())
	}
	if err := s.target.delay(stream.Context(), s.target.getLatency.Load()); err != nil {
		return err
	}
	// All paths are checked before the first answer, which is of one moment.
	root := s.target.picture()
	var matches []match
	for _, sub := range list.GetSubscription() {
		if err := s.target.options.checkOrigins(list.GetPrefix(), sub.GetPath()); err != nil {
			return err
		}
		steps, err := resolvePath(s.target.model, list.GetPrefix(), sub.GetPath())
		if err != nil {
			return err
		}
		matches = append(matches, s.target.options.matches(find(s.target.options.scene(root, list.GetPrefix(), sub.GetPath()), steps))...)
	}
	if !list.GetUpdatesOnly() {
		if err := s.target.sendLeaves(stream, list, matches); err != nil {
			return err
		}
	}
	return stream.Send(&gnmi.SubscribeResponse{Response: &gnmi.SubscribeResponse_SyncResponse{SyncResponse: true}})
}

func (t *Target) sendLeaves(stream gnmi.GNMI_SubscribeServer, list *gnmi.SubscriptionList, matches []match) error {
	v := view{config: true, state: true, encoding: list.GetEncoding(), quirks: &t.options.readQuirks}
	now := time.Now().UnixNano()
	var updates []*gnmi.Update
	flush := func() error {
		n := &gnmi.Notification{Timestamp: now, Prefix: replyPrefix(list.GetPrefix()), Update: updates}
		updates = nil
		return stream.Send(&gnmi.SubscribeResponse{Response: &gnmi.SubscribeResponse_Update{Update: n}})
	}
	for _, m := range matches {
		err := v.leaves(m, func(leaf match) error {
			val, err := v.typed(leaf.leaf)
			if err != nil {
				return err
			}
			updates = append(updates, &gnmi.Update{Path: &gnmi.Path{Elem: v.path(leaf)}, Val: val})
			if len(updates) < batch {
				return nil
			}
			return flush()
		})
		if err != nil {
			return err
		}
		updates = v.foreignLeaf(updates, m)
	}
	if len(updates) > 0 {
		return flush()
	}
	return nil
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
