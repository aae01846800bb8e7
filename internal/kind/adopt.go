package kind

import (
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	gpb "github.com/openconfig/gnmi/proto/gnmi"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/datatree"
)

// existsError is an entry that is there before it is created, with content
// that the resource does not have.
type existsError struct{ path *gpb.Path }

func (e *existsError) Error() string { return datatree.PathText(e.path) + " exists already" }

// mayAdopt decides on an entry that is there before it is created: it is taken
// over if the device always has it, if it holds nothing, if it is just what the
// resource wants, or if that is the policy.
func (r *managed) mayAdopt(policy string, entry, desired *datatree.Node, p *gpb.Path) error {
	if entry == nil || policy == adoptEntry || r.kind.Permanent != nil && r.kind.Permanent(entry) {
		return nil
	}
	held := r.kind.own(entry)
	bare := datatree.New(entry.Schema)
	bare.Merge(keyLeaves(entry))
	if bare.Covers(held) || entry.Covers(desired) && desired.Covers(held) {
		return nil
	}
	return &existsError{p}
}

// keyLeaves is an entry that has nothing but its keys.
func keyLeaves(entry *datatree.Node) *datatree.Node {
	keys := datatree.New(entry.Schema)
	for _, name := range entry.Schema.Keys {
		if v, ok := entry.Container("config").Leaf(name); ok {
			keys.Ensure("config").SetLeaf(name, v)
		}
	}
	return keys
}

// own returns the part of an entry that the kind's attributes stand for: other
// kinds manage the rest. Secrets are left out, since devices do not show them.
func (c *compiled) own(entry *datatree.Node) *datatree.Node {
	n := datatree.New(entry.Schema)
	n.Merge(keyLeaves(entry))
	v := c.root.decodeMembers(tftypes.Value{}, entry, true)
	if err := c.root.encodeMembers(path.Empty(), v, n); err != nil {
		return entry // what cannot be written the same way is foreign content
	}
	return n
}
