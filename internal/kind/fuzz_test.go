package kind

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/datatree"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/schema"
)

// trunkVLANs is a leaf-list of VLANs and ranges of them.
func trunkVLANs() *schema.Node {
	n := modelRoot()
	for _, name := range []string{"interfaces", "interface", "ethernet", "switched-vlan", "config", "trunk-vlans"} {
		n = n.MustFind(name)
	}
	return n
}

// plainVLANs is how users write VLANs: 10 or 10-20.
var plainVLANs = regexp.MustCompile(`^([1-9][0-9]{0,3})(?:-([1-9][0-9]{0,3}))?$`)

// FuzzVLANsAreTheSameHoweverTheyAreCut reads a text as VLANs that a user wrote
// between commas: those outside of 1 to 4094 are refused, the others keep their
// meaning in whatever ranges they are.
func FuzzVLANsAreTheSameHoweverTheyAreCut(f *testing.F) {
	for _, text := range []string{
		"", "10", "10-20", "10,11,12", "10-20,15-30", "1-4094", "4094", "0", "4095", "0-10", "20-10", "10-10",
		"10..20", "10 - 20", "-10", "10-", "1-2-3", "+10", "010", "10,10", "99999999999999999999-2", "all",
	} {
		f.Add(text, uint16(11))
	}
	leaf := trunkVLANs()
	f.Fuzz(func(t *testing.T, text string, odd uint16) {
		var ranges, single []string
		for user := range strings.SplitSeq(text, ",") {
			canonical, err := leaf.Type.Canonical(wireRange(user))
			low, high, plain := plainRange(user)
			if valid := plain && low <= high && high <= 4094; valid && err != nil {
				t.Fatalf("%q is refused: %v", user, err)
			} else if plain && !valid && err == nil {
				t.Fatalf("%q is taken for %q", user, canonical)
			}
			if err != nil {
				continue
			}
			value := toTerraform(leaf.Type, canonical)
			if again := toText(leaf.Type, value); again != canonical {
				t.Fatalf("%q is %q, as Terraform has it %v, and then %q", user, canonical, value, again)
			}
			low, high, plain = plainRange(userRange(canonical))
			if !plain || low > high || high > 4094 {
				t.Fatalf("%q is taken for %q", user, canonical)
			}
			ranges = append(ranges, canonical)
			for id := low; id <= high; id++ {
				single = append(single, strconv.Itoa(id))
			}
		}
		slices.Sort(single)
		single = slices.Compact(single)
		if !datatree.SameValues(leaf, ranges, single) || !datatree.SameValues(leaf, single, ranges) {
			t.Fatalf("%q do not mean %q", ranges, single)
		}
		id := strconv.Itoa(int(odd))
		more := append(slices.Clone(ranges), id)
		if same := datatree.SameValues(leaf, ranges, more); same != slices.Contains(single, id) {
			t.Fatalf("that %q mean the same as %q is %v", ranges, more, same)
		}
		if len(single) > 0 {
			at := int(odd) % len(single)
			if fewer := slices.Delete(slices.Clone(single), at, at+1); datatree.SameValues(leaf, ranges, fewer) {
				t.Fatalf("%q mean the same without %s", ranges, single[at])
			}
		}
	})
}

// plainRange is the first and the last of VLANs that users wrote.
func plainRange(text string) (low, high int, ok bool) {
	m := plainVLANs.FindStringSubmatch(text)
	if m == nil {
		return 0, 0, false
	}
	low, _ = strconv.Atoi(m[1])
	high = low
	if m[2] != "" {
		high, _ = strconv.Atoi(m[2])
	}
	return low, high, true
}

func TestWhatIsNoVLANIsNotTakenForNothing(t *testing.T) {
	leaf := trunkVLANs()
	for _, device := range []string{"all", "4095", "0", "1..4095", "20..10"} {
		if datatree.SameValues(leaf, []string{"10"}, []string{"10", device}) {
			t.Errorf("with %q on the device the VLANs are as they were", device)
		}
		if !datatree.SameValues(leaf, []string{device, "10", "11"}, []string{"10..11", device}) {
			t.Errorf("%q differs from itself", device)
		}
	}
}
