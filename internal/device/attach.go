package device

import (
	"context"
	"slices"
	"strings"

	gpb "github.com/openconfig/gnmi/proto/gnmi"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/changeset"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/datatree"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/oc"
)

// instancesPath leads to all network instances.
var instancesPath = &gpb.Path{Elem: []*gpb.PathElem{{Name: "network-instances"}}}

// withAttachment adds to a request that makes a subinterface its place in the
// default network instance, and to one that removes it the removal of that
// place: some systems do not use a subinterface that is in no network instance.
// One that is in another stays there. entry is the subinterface at p, as it is.
func (d *Device) withAttachment(ctx context.Context, change Change, p *gpb.Path, entry *datatree.Node, req *gpb.SetRequest) (*gpb.SetRequest, error) {
	if !d.profile.AttachInterfaces || d.profile.NetworkInstance == "" || plainText(p) != "/interfaces/interface/subinterfaces/subinterface" {
		return req, nil
	}
	made := entry == nil || change.Step.Operation == devicelock.Create
	removed := slices.ContainsFunc(req.GetDelete(), func(gone *gpb.Path) bool { return datatree.PathText(gone) == datatree.PathText(p) })
	if !made && !removed {
		return req, nil
	}
	own := datatree.Join(instancesPath, &gpb.PathElem{Name: "network-instance", Key: map[string]string{"name": d.profile.NetworkInstance}})
	if err := d.ensureEither(ctx, instancesPath, own); err != nil {
		return nil, err
	}
	name, index := p.GetElem()[1].GetKey()["name"], p.GetElem()[3].GetKey()["index"]
	instances, _ := d.snapshot.view(instancesPath)
	at := attachment(instances, name, index)
	switch {
	case removed && at != nil && at.GetElem()[1].GetKey()["name"] == d.profile.NetworkInstance:
		req.Delete = append(req.Delete, at)
		return req, nil
	case removed || at != nil:
		return req, nil
	}
	more, err := changeset.Diff(&gpb.Path{}, nil, attached(d.profile.NetworkInstance, name, index))
	if err != nil {
		return nil, err
	}
	req.Replace = append(req.Replace, more.GetReplace()...)
	req.Update = append(req.Update, more.GetUpdate()...)
	return req, nil
}

// attached is a configuration of nothing but a subinterface's place in a network
// instance.
func attached(instance, name, index string) *datatree.Node {
	root := datatree.New(oc.Model)
	config := root.Ensure("network-instances").EnsureEntry("network-instance", map[string]string{"name": instance}).
		Ensure("interfaces").EnsureEntry("interface", map[string]string{"id": name + "." + index}).Ensure("config")
	config.SetLeaf("interface", name)
	config.SetLeaf("subinterface", index)
	return root
}

// attachment returns the place of a subinterface in a network instance, or nil.
func attachment(instances *datatree.Node, name, index string) *gpb.Path {
	for _, n := range instances.Entries("network-instance") {
		for _, i := range n.Container("interfaces").Entries("interface") {
			of, hasName := i.Container("config").Leaf("interface")
			sub, hasIndex := i.Container("config").Leaf("subinterface")
			if !hasName { // the id alone says what it is
				of, sub, hasIndex = strings.Cut(i.Keys["id"], ".")
			}
			if !hasIndex {
				sub = "0"
			}
			if of == name && sub == index {
				return datatree.Join(instancesPath, &gpb.PathElem{Name: "network-instance", Key: n.Keys}, &gpb.PathElem{Name: "interfaces"}, &gpb.PathElem{Name: "interface", Key: i.Keys})
			}
		}
	}
	return nil
}
