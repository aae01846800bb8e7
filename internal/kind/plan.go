package kind

import (
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// keepSpelling returns plan with the prior state's spelling of every value that
// means the same, so that another spelling of a value plans no change.
func (c *compiled) keepSpelling(prior, plan tftypes.Value) tftypes.Value {
	out := members(plan)
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
		if err1 == nil && err2 == nil && sameMeaning(a.node, before, after) {
			return prior
		}
		return plan
	case object:
		before, after := members(prior), members(plan)
		for _, c := range a.children {
			after[c.name] = c.respell(before[c.name], after[c.name])
		}
		return tftypes.NewValue(plan.Type(), after)
	case entryMap:
		before, after := members(prior), members(plan)
		for name, v := range after {
			if old, ok := before[name]; ok {
				after[name] = a.respellEntry(old, v)
			}
		}
		return tftypes.NewValue(plan.Type(), after)
	}
	return plan
}

func (a *attribute) respellEntry(prior, plan tftypes.Value) tftypes.Value {
	entry := *a
	entry.form = object
	return entry.respell(prior, plan)
}
