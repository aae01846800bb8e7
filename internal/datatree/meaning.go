package datatree

import (
	"slices"
	"strconv"
	"strings"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/schema"
)

// SameValues compares canonical values as what they mean: a leaf-list ordered by
// the system is a set (RFC 7950, section 7.7.7), and one of VLANs is the set of
// their numbers, however it is cut into ranges. What is among VLANs and is none
// counts by its text.
func SameValues(s *schema.Node, a, b []string) bool {
	if s.Kind == schema.LeafList && !s.OrderedByUser {
		if HasVLANRange(s.Type) {
			var vlansA, vlansB [4095]bool
			vlansA, a = vlanSet(a)
			vlansB, b = vlanSet(b)
			if vlansA != vlansB {
				return false
			}
		}
		a, b = slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))
	}
	return slices.Equal(a, b)
}

// HasVLANRange tells whether values of a type may be ranges of VLANs.
func HasVLANRange(t *schema.Type) bool {
	t = t.Resolved()
	return t.Name == "vlan-range" || slices.ContainsFunc(t.Members, HasVLANRange)
}

// vlanSet returns the VLANs of ranges, and those that are no ranges of VLANs.
func vlanSet(ranges []string) (set [4095]bool, others []string) {
	for _, r := range ranges {
		low, high, ok := strings.Cut(r, "..")
		if !ok {
			high = low
		}
		from, err1 := strconv.Atoi(low)
		to, err2 := strconv.Atoi(high)
		if err1 != nil || err2 != nil || from < 1 || to >= len(set) || from > to {
			others = append(others, r)
			continue
		}
		for id := from; id <= to; id++ {
			set[id] = true
		}
	}
	return set, others
}
