package simulator

import (
	"context"
	"time"

	"github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// match is one node that a path leads to: the innermost of stack, or leaf,
// which is a child of it.
type match struct {
	stack []*node
	leaf  *node
	// section is "config" or "state" where the path leads into one of these.
	section string
}

func (m match) node() *node {
	if m.leaf != nil {
		return m.leaf
	}
	return m.stack[len(m.stack)-1]
}

// path is the match's path, with all keys.
func (m match) path() []*gnmi.PathElem {
	var leaf *def
	if m.leaf != nil {
		leaf = m.leaf.def
	}
	return elemsOf(m.stack, leaf, m.section == "state")
}

// find returns everything below root that steps lead to.
func find(root *node, steps []step) []match {
	var found []match
	follow(match{stack: []*node{root}}, steps, func(m match) { found = append(found, m) })
	return found
}

func follow(m match, steps []step, yield func(match)) {
	if len(steps) == 0 {
		yield(m)
		return
	}
	s, rest := steps[0], steps[1:]
	c := m.stack[len(m.stack)-1].child(s.def)
	switch {
	case c == nil:
	case c.def.isLeaf():
		m.leaf = c
		follow(m, rest, yield)
	case c.isList():
		for _, e := range c.find(s) {
			follow(m.below(e), rest, yield)
		}
	default:
		m = m.below(c)
		if s.def.Name == "config" {
			m.section = "config"
		}
		if s.state {
			m.section = "state"
		}
		follow(m, rest, yield)
	}
}

// below returns m extended by a container or entry, leaving m's stack alone.
func (m match) below(n *node) match {
	m.stack = append(m.stack[:len(m.stack):len(m.stack)], n)
	return m
}

// path is the path of a match as the target writes it.
func (v view) path(m match) []*gnmi.PathElem {
	elems := m.path()
	for i, n := range m.stack {
		for j, key := range n.keys {
			leaf := n.def.byName[n.def.Keys[j]]
			if text, other := v.quirks.text(leaf, memberType(leaf.Type, key), key); other {
				elems[i-1].Key[leaf.Name] = text
			}
		}
	}
	return elems
}

// shows tells whether the view has what is inside the section.
func (v view) shows(section string) bool {
	switch section {
	case "config":
		return v.config
	case "state":
		return v.state
	}
	return true
}

// Get implements the RPC of the gNMI specification, section 3.3: one
// notification for each path, in the order of the paths, of one moment's tree.
func (s *service) Get(ctx context.Context, req *gnmi.GetRequest) (*gnmi.GetResponse, error) {
	if err := s.target.delay(ctx, s.target.getLatency.Load()); err != nil {
		return nil, err
	}
	if e := req.GetEncoding(); e != gnmi.Encoding_JSON && e != gnmi.Encoding_JSON_IETF {
		return nil, status.Errorf(codes.Unimplemented, "encoding %v is not supported", e)
	}
	v, err := s.target.viewOf(req)
	if err != nil {
		return nil, err
	}
	paths := req.GetPath()
	if err := s.target.options.checkOrigins(req.GetPrefix(), paths...); err != nil {
		return nil, err
	}
	if len(paths) == 0 {
		return nil, status.Error(codes.InvalidArgument, "a Get needs at least one path")
	}
	root := s.target.picture()
	resp := &gnmi.GetResponse{}
	for _, path := range paths {
		n, err := s.target.read(root, v, req.GetPrefix(), path)
		if err == nil && n == nil {
			n, err = v.absence(req.GetPrefix(), path, len(paths))
		}
		if err != nil {
			return nil, err
		}
		resp.Notification = append(resp.Notification, n)
	}
	return resp, nil
}

// viewOf is the view that a Get asks for, or that the target has instead.
func (t *Target) viewOf(req *gnmi.GetRequest) (view, error) {
	q, kind := &t.options.readQuirks, req.GetType()
	switch {
	case q.GetTypes == "none":
		return view{}, status.Error(codes.Unimplemented, "Get is not supported")
	case q.GetTypes == "all_only" && kind != gnmi.GetRequest_ALL:
		return view{}, status.Errorf(codes.Unimplemented, "data type %v is not supported", kind)
	case q.GetTypes == "ignored":
		kind = gnmi.GetRequest_ALL
	}
	return newView(q, kind, req.GetEncoding())
}

// read answers one path of a Get, with nil when nothing is there.
func (t *Target) read(root *node, v view, prefix, path *gnmi.Path) (*gnmi.Notification, error) {
	steps, err := resolvePath(t.model, prefix, path)
	if err != nil {
		return nil, err
	}
	n := &gnmi.Notification{Timestamp: time.Now().UnixNano(), Prefix: replyPrefix(prefix)}
	found := find(t.options.scene(root, prefix, path), steps)
	for _, m := range v.quirks.matches(found) {
		if !v.config && !v.state || !v.shows(m.section) {
			continue
		}
		tell := func(m match) error {
			val, err := v.typed(m.node())
			if err != nil {
				return err
			}
			n.Update = append(n.Update, &gnmi.Update{Path: &gnmi.Path{Origin: path.GetOrigin(), Elem: v.path(m)}, Val: val})
			return nil
		}
		if v.quirks.LeafReplies == "scalar" {
			err = v.leaves(m, tell)
			n.Update = v.foreignLeaf(n.Update, m)
		} else {
			err = tell(m)
		}
		if err != nil {
			return nil, err
		}
	}
	if len(found) == 0 || len(n.Update) == 0 && (v.config || v.state) {
		return nil, nil // that nothing is there is no error
	}
	return n, nil
}

// absence is the answer to one of so many paths of a Get where nothing is.
func (v view) absence(prefix, path *gnmi.Path, paths int) (*gnmi.Notification, error) {
	n := &gnmi.Notification{Timestamp: time.Now().UnixNano(), Prefix: replyPrefix(prefix)}
	face := v.quirks.Absent
	if v.quirks.MultiGetAnyMissingFails && paths > 1 {
		face = ""
	}
	u := &gnmi.Update{Path: path}
	switch face {
	case "empty_notification":
		return n, nil
	case "no_value":
	case "empty_object":
		u.Val = v.wrap([]byte("{}"))
	case "empty_text":
		u.Val = v.wrap(nil)
	case "null":
		u.Val = v.wrap([]byte("null"))
	default:
		return nil, status.Errorf(codes.NotFound, "%s: nothing is there", joinedText(prefix, path))
	}
	n.Update = []*gnmi.Update{u}
	return n, nil
}

// replyPrefix echoes origin and target (section 2.2.2.1); the paths of a reply
// start at the root.
func replyPrefix(prefix *gnmi.Path) *gnmi.Path {
	if prefix == nil {
		return nil
	}
	return &gnmi.Path{Origin: prefix.GetOrigin(), Target: prefix.GetTarget()}
}
