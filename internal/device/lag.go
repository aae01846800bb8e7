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

// MemberlessError is a LAG whose type its system forgets, because it has no
// members.
type MemberlessError struct {
	// LAG is the interface's name.
	LAG string
}

func (e *MemberlessError) Error() string {
	return e.LAG + " has no members, and this system keeps the type of a LAG only together with them"
}

// withLAG adds to a request that changes a LAG's type, or an interface's
// membership in one, what belongs to the same LAG: its type and its members. A
// system that forgets a LAG's type unless it comes together with its members is
// told both each time.
//
// The type of a LAG that this process has written is known even where the
// system has forgotten it, because the LAG came before its members.
func (d *Device) withLAG(ctx context.Context, change Change, p *gpb.Path, req *gpb.SetRequest) (*gpb.SetRequest, error) {
	if !d.groupsLAGs(p) || change.Step.Operation == devicelock.Delete {
		return req, nil
	}
	before, err := d.snapshot.image(nil)
	if err != nil {
		return nil, err
	}
	image, err := d.snapshot.image(req)
	if err != nil {
		return nil, err
	}
	lag := lagTouched(before.At(p.GetElem()), image.At(p.GetElem()))
	if lag == "" {
		return req, nil
	}
	if err := d.ensureEither(ctx, interfacesPath, &gpb.Path{Elem: interfaceElems(lag)}); err != nil {
		return nil, err
	}
	if image, err = d.snapshot.image(req); err != nil {
		return nil, err
	}
	kind, typed := lagType(image, lag)
	if !typed && image.At(interfaceElems(lag)) != nil {
		kind, typed = d.lagTypes[lag]
	}
	members := membersOf(image, lag)
	if typed && len(members) == 0 && change.Step.Operation == devicelock.Update && change.Warn != nil {
		change.Warn(&MemberlessError{lag})
	}
	if !typed || len(members) == 0 {
		return req, nil
	}
	group := datatree.New(image.Schema)
	for _, member := range append(members, lag) {
		n, err := group.EnsureAt(interfaceElems(member))
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

// groupsLAGs tells whether what an interface at p is may concern a group of a
// LAG and its members.
func (d *Device) groupsLAGs(p *gpb.Path) bool {
	return d.profile.AtomicLAG && plainText(p) == "/interfaces/interface"
}

// rememberLAG notes the type of a LAG that was written at p.
func (d *Device) rememberLAG(p *gpb.Path) {
	if !d.groupsLAGs(p) {
		return
	}
	entry, _ := d.snapshot.view(p)
	name := p.GetElem()[1].GetKey()["name"]
	if kind, ok := lagTypeOf(entry); ok {
		d.lagTypes[name] = kind
	} else {
		delete(d.lagTypes, name)
	}
}

// lagTouched returns the LAG that an interface's change concerns: itself when its
// type changes, or the one that it becomes a member of; empty when none.
func lagTouched(before, after *datatree.Node) string {
	was, _ := before.Container("ethernet").Container("config").Leaf("aggregate-id")
	if is, ok := after.Container("ethernet").Container("config").Leaf("aggregate-id"); ok && is != was {
		return is
	}
	old, _ := lagTypeOf(before)
	if kind, ok := lagTypeOf(after); ok && kind != old {
		return after.Keys["name"]
	}
	return ""
}

// ensureEither reads what is at wide, or at narrow from a device that refuses to
// tell that much.
func (d *Device) ensureEither(ctx context.Context, wide, narrow *gpb.Path) error {
	err := d.snapshot.ensure(ctx, d.client, wide)
	if tooWide(err) {
		err = d.snapshot.ensure(ctx, d.client, narrow)
	}
	return err
}

func lagTypeOf(entry *datatree.Node) (string, bool) {
	return entry.Container("aggregation").Container("config").Leaf("lag-type")
}

func lagType(root *datatree.Node, name string) (string, bool) {
	return lagTypeOf(root.At(interfaceElems(name)))
}

func interfaceElems(name string) []*gpb.PathElem {
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
