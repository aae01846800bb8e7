package simulator

import (
	"slices"

	"github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// checkOrigins holds the paths of a request against the way in which the target
// takes their origin. One that it ignores it takes away.
func (q *pathQuirks) checkOrigins(prefix *gnmi.Path, paths ...*gnmi.Path) error {
	for _, p := range paths {
		given := prefix.GetOrigin() + p.GetOrigin()
		switch {
		case q.Origin == "required" && given == "":
			return status.Errorf(codes.InvalidArgument, "%s: the origin is missing", joinedText(prefix, p))
		case q.Origin == "rejected" && given != "":
			return status.Errorf(codes.InvalidArgument, "%s: origin %q is not known", joinedText(prefix, p), given)
		case q.Origin == "ignored" && p != nil:
			p.Origin = ""
		}
	}
	if q.Origin == "ignored" && prefix != nil {
		prefix.Origin = ""
	}
	return nil
}

// scene is what a read of a path can find: nothing, where the target needs an
// origin and does not say so.
func (q *pathQuirks) scene(root *node, prefix, path *gnmi.Path) *node {
	if q.Origin == "silent" && prefix.GetOrigin()+path.GetOrigin() == "" {
		return &node{def: root.def}
	}
	return root
}

// checkPaths holds the paths of a Set against the target's way with paths.
func (q *pathQuirks) checkPaths(req *gnmi.SetRequest) error {
	paths := slices.Clone(req.GetDelete())
	for _, group := range [][]*gnmi.Update{req.GetReplace(), req.GetUpdate(), req.GetUnionReplace()} {
		for _, u := range group {
			paths = append(paths, u.GetPath())
		}
	}
	for _, p := range paths {
		if q.SetOnlyAtRoot && len(req.GetPrefix().GetElem())+len(p.GetElem()) > 0 {
			return status.Errorf(codes.InvalidArgument, "%s: only the root can be set", joinedText(req.GetPrefix(), p))
		}
	}
	return q.checkOrigins(req.GetPrefix(), paths...)
}

// checkNames refuses a tree with names that the target does not take.
func (q *pathQuirks) checkNames(after *node) error {
	names := map[string]string{"BGP": q.BGPInstanceName, "STATIC": q.StaticInstanceName}
	if q.BGPInstanceName+q.StaticInstanceName+q.IfrefFormat == "" {
		return nil
	}
	refuse := func(n *node, why string) error {
		return status.Errorf(codes.InvalidArgument, "%s: %s", instancePath([]*node{n}, nil), why)
	}
	for _, instance := range after.all("network-instances", "network-instance") {
		for _, p := range instance.all("protocols", "protocol") {
			if want := names[p.keys[0]]; want != "" && p.keys[1] != want {
				return refuse(p, "the name must be "+want)
			}
		}
		for _, e := range instance.all("interfaces", "interface") {
			hasUnit := unitOf(e.keys[0]).name != e.keys[0]
			if q.IfrefFormat != "" && hasUnit != (q.IfrefFormat == "name_dot_unit") {
				return refuse(e, "the id must have the form "+q.IfrefFormat)
			}
		}
	}
	return nil
}

// rejection is the error of a Set, with the code that the target has for all
// that it rejects for what they ask for.
func (q *setQuirks) rejection(err error) error {
	code, other := map[string]codes.Code{
		"aborted": codes.Aborted, "internal": codes.Internal, "invalid_argument": codes.InvalidArgument, "not_found": codes.NotFound,
	}[q.RejectCode]
	if !other {
		return err
	}
	switch s := status.Convert(err); s.Code() {
	case codes.InvalidArgument, codes.FailedPrecondition, codes.NotFound, codes.Unimplemented:
		return status.Error(code, s.Message())
	}
	return err
}
