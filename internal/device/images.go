package device

import (
	gpb "github.com/openconfig/gnmi/proto/gnmi"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/datatree"
)

// images are what a device holds without a request and with it, and what it
// holds now, as far as that was read.
type images struct{ before, intended, now *datatree.Node }

// effect says what the device holds of the request's changes at and below p, of
// which entry is the one that they are about. It returns the leaves that are not
// as they were to be, secrets aside.
func (i *images) effect(p, entry *gpb.Path) (effect Effect, missing []datatree.LeafChange) {
	changes := datatree.Changes(p, i.before.At(p.GetElem()), i.intended.At(p.GetElem()))
	var undone, verifiable int
	for _, c := range changes {
		if datatree.Secret(c.Leaf) {
			continue
		}
		verifiable++
		now := c.In(i.now)
		if datatree.SameValues(c.Leaf, now, c.In(i.intended)) {
			continue
		}
		missing = append(missing, c)
		if datatree.SameValues(c.Leaf, now, c.In(i.before)) {
			undone++
		}
	}
	at := entry.GetElem()
	switch {
	case i.now.At(at) == nil && i.intended.At(at) != nil && i.before.At(at) != nil:
		return EffectPart, missing // what was to go went with all else
	case verifiable == 0 && len(changes) > 0:
		return EffectUnknown, nil // nothing but secrets, which devices do not show
	case undone == verifiable:
		return EffectNone, missing
	case len(missing) == 0:
		return EffectAll, nil
	}
	return EffectPart, missing
}
