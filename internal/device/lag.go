package device

import (
	"context"
	"slices"

	gpb "github.com/openconfig/gnmi/proto/gnmi"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/changeset"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/datatree"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
)

// interfacesPath leads to all interfaces.
var interfacesPath = &gpb.Path{Elem: []*gpb.PathElem{{Name: "interfaces"}}}

// withLAG adds to a request that changes a LAG, or an interface's membership in
// one, what belongs to the same LAG: its type and its members. A system that
// forgets a LAG's type unless it comes together with its members is told both
// each time.
//
// The type of a LAG that this process has written is known even where the
// system has forgotten it, because the LAG came before its members.
func (d *Device) withLAG(ctx context.Context, change Change, p *gpb.Path, req *gpb.SetRequest) (*gpb.SetRequest, error) {
	if !d.profile.AtomicLAG || change.Step.Operation == devicelock.Delete || len(p.GetElem()) != 2 || p.GetElem()[0].GetName() != "interfaces" {
		return req, nil
	}
	if err := d.snapshot.ensure(ctx, d.client, interfacesPath); err != nil {
		return nil, err
	}
	before, err := d.snapshot.image(nil)
	if err != nil {
		return nil, err
	}
	image, err := d.snapshot.image(req)
	if err != nil {
		return nil, err
	}
	entry := image.At(p.GetElem())
	name := p.GetElem()[1].GetKey()["name"]
	lag := name
	if id, ok := entry.Container("ethernet").Container("config").Leaf("aggregate-id"); ok {
		lag = id
	}
	kind, typed := lagType(image, lag)
	if typed {
		d.lagTypes[lag] = kind
	} else {
		kind, typed = d.lagTypes[lag]
	}
	members := membersOf(image, lag)
	if !typed || len(members) == 0 {
		return req, nil
	}
	if was, ok := lagType(before, lag); ok && was == kind && slices.Equal(membersOf(before, lag), members) {
		return req, nil // neither the LAG nor its members change
	}
	group := datatree.New(image.Schema)
	for _, member := range append(members, lag) {
		n, err := group.EnsureAt(interfacePath(member))
		if err != nil {
			return nil, err
		}
		if member == lag {
			n.Ensure("aggregation").Ensure("config").SetLeaf("lag-type", kind)
		} else {
			n.Ensure("ethernet").Ensure("config").SetLeaf("aggregate-id", lag)
		}
	}
	more, err := changeset.Diff(&gpb.Path{}, nil, group)
	if err != nil {
		return nil, err
	}
	// What the step itself writes comes last, and is not written twice.
	out := &gpb.SetRequest{Delete: req.GetDelete(), Replace: req.GetReplace()}
	for _, u := range more.GetUpdate() {
		same := func(own *gpb.Update) bool {
			return datatree.PathText(own.GetPath()) == datatree.PathText(u.GetPath())
		}
		nameOnly := u.GetPath().GetElem()[len(u.GetPath().GetElem())-2].GetName() == "interface"
		if !nameOnly && !slices.ContainsFunc(req.GetUpdate(), same) {
			out.Update = append(out.Update, u)
		}
	}
	out.Update = append(out.Update, req.GetUpdate()...)
	return out, nil
}

func lagType(root *datatree.Node, name string) (string, bool) {
	return root.At(interfacePath(name)).Container("aggregation").Container("config").Leaf("lag-type")
}

func interfacePath(name string) []*gpb.PathElem {
	return []*gpb.PathElem{{Name: "interfaces"}, {Name: "interface", Key: map[string]string{"name": name}}}
}

// membersOf returns the names of the interfaces that belong to a LAG, in order.
func membersOf(root *datatree.Node, lag string) []string {
	var members []string
	for _, e := range root.Container("interfaces").Entries("interface") {
		if id, ok := e.Container("ethernet").Container("config").Leaf("aggregate-id"); ok && id == lag {
			members = append(members, e.Keys["name"])
		}
	}
	slices.Sort(members)
	return members
}
