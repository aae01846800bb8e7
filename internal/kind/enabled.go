package kind

import (
	"strings"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/datatree"
)

// Switch is a leaf enabled that systems have off until it is set, although the
// model has it on.
type Switch struct {
	// Path is the container whose config has the leaf, from the entry; empty
	// means the entry itself.
	Path string
	// With is a list in that container, such as "addresses/address", without
	// whose entries the leaf does not matter; empty means that it always does.
	With string
}

// enabled returns an entry with nothing but the switches that are to be set on
// although the configuration does not say so: those of what appears with
// desired, and those that prior sets and desired does not any more. prior is nil
// when the resource is created. What the device, which has entry, says about a
// switch that the resource has not set stays as it is.
func (c *compiled) enabled(entry, prior, desired *datatree.Node) *datatree.Node {
	on := datatree.New(desired.Schema)
	for _, s := range c.Switches {
		appears := s.matters(desired) && !s.matters(prior)
		withdrawn := s.set(prior) && s.matters(desired)
		if !s.set(desired) && (withdrawn || appears && !s.set(entry)) {
			at := on
			for _, name := range s.names() {
				at = at.Ensure(name)
			}
			at.Ensure("config").SetLeaf("enabled", "true")
		}
	}
	return on
}

func (s Switch) names() []string {
	return strings.FieldsFunc(s.Path, func(r rune) bool { return r == '/' })
}

func (s Switch) container(entry *datatree.Node) *datatree.Node {
	for _, name := range s.names() {
		entry = entry.Container(name)
	}
	return entry
}

func (s Switch) matters(entry *datatree.Node) bool {
	at := s.container(entry)
	enclosing, list, ok := strings.Cut(s.With, "/")
	if !ok {
		return at != nil
	}
	return len(at.Container(enclosing).Entries(list)) > 0
}

func (s Switch) set(entry *datatree.Node) bool {
	_, ok := s.container(entry).Container("config").Leaf("enabled")
	return ok
}
