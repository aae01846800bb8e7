package kind

import (
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	gpb "github.com/openconfig/gnmi/proto/gnmi"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/changeset"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/datatree"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/schema"
)

// keepSpelling returns plan with the prior state's spelling of every value that
// means the same, so that another spelling of a value plans no change.
func (c *compiled) keepSpelling(prior, plan tftypes.Value) tftypes.Value {
	out := copied(plan)
	for name, v := range members(c.root.respell(prior, plan)) {
		out[name] = v
	}
	return tftypes.NewValue(plan.Type(), out)
}

func (a *attribute) respell(prior, plan tftypes.Value) tftypes.Value {
	if !present(prior) || !present(plan) {
		return plan
	}
	switch a.form {
	case leaf, leafList:
		if !plan.IsFullyKnown() {
			return plan
		}
		before, err1 := a.texts(prior)
		after, err2 := a.texts(plan)
		if err1 == nil && err2 == nil && datatree.SameValues(a.node, before, after) {
			return prior
		}
		return plan
	case object:
		before, after := members(prior), copied(plan)
		for _, c := range a.children {
			after[c.name] = c.respell(before[c.name], after[c.name])
		}
		return tftypes.NewValue(plan.Type(), after)
	case entryMap:
		if a.sameEntries(prior, plan) {
			return prior
		}
		before, after := members(prior), copied(plan)
		for name, v := range after {
			if old, ok := before[name]; ok {
				after[name] = a.respellEntry(old, v)
			}
		}
		return tftypes.NewValue(plan.Type(), after)
	}
	if a.sameEntries(prior, plan) {
		return prior
	}
	return plan
}

func (a *attribute) respellEntry(prior, plan tftypes.Value) tftypes.Value {
	entry := *a
	entry.form = object
	return entry.respell(prior, plan)
}

// sameEntries tells whether two values of a list set the same, their keys
// included: Terraform takes a map with other keys only as a whole.
func (a *attribute) sameEntries(prior, plan tftypes.Value) bool {
	if !plan.IsFullyKnown() {
		return false
	}
	parent := &schema.Node{Name: "entries", Children: []*schema.Node{a.node}}
	list := *a
	list.through = nil
	before, after := datatree.New(parent), datatree.New(parent)
	if list.encode(path.Empty(), prior, before) != nil || list.encode(path.Empty(), plan, after) != nil {
		return false
	}
	req, err := changeset.Diff(&gpb.Path{}, before, after)
	return err == nil && changeset.Empty(req)
}
