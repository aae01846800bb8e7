package simulator

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/big"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/openconfig/gnmi/proto/gnmi"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/schema"
)

// secrets are the leaves that a device does not show as they were set.
var secrets = []string{
	"/network-instances/network-instance/protocols/protocol/bgp/neighbors/neighbor/config/auth-password",
	"/network-instances/network-instance/protocols/protocol/bgp/peer-groups/peer-group/config/auth-password",
}

// text is how the target writes a value of d that is of the type t, and whether
// that is another text than its canonical form.
func (q *readQuirks) text(d *def, t *schema.Type, canonical string) (string, bool) {
	text := canonical
	switch {
	case q.SecretForm != "" && slices.Contains(secrets, d.path):
		text = q.secret(canonical)
	case q.IPv6Form != "" && strings.HasPrefix(t.Name, "ipv6-"):
		text = q.ipv6(canonical)
	case q.ASForm == "dot" && t.Name == "as-number":
		if n, err := strconv.ParseUint(canonical, 10, 32); err == nil && n > 0xffff {
			text = fmt.Sprintf("%d.%d", n>>16, n&0xffff)
		}
	}
	return text, text != canonical
}

// secret shows a secret that is not left out.
func (q *readQuirks) secret(value string) string {
	salt := "salt"
	switch q.SecretForm {
	case "masked":
		return "********"
	case "new_salt":
		salt = strconv.FormatUint(rand.Uint64(), 36) //nolint:gosec // there is nobody to guess it
	}
	sum := sha256.Sum256([]byte(salt + value))
	return "hashed " + salt + " " + hex.EncodeToString(sum[:])
}

// ipv6 writes an address or a prefix; what is neither stays.
func (q *readQuirks) ipv6(canonical string) string {
	address, length, _ := strings.Cut(canonical, "/")
	a, err := netip.ParseAddr(address)
	if err != nil {
		return canonical
	}
	switch q.IPv6Form {
	case "expanded":
		address = a.StringExpanded()
	case "upper":
		address = strings.ToUpper(address)
	}
	if length != "" {
		address += "/" + length
	}
	return address
}

// entries returns the entries of a list in the order in which they are told.
func (q *readQuirks) entries(list *node) []*node {
	return shuffled(list.sorted(), q.ShuffleLists && !list.def.OrderedByUser)
}

// matches returns what a path leads to in the order in which it is told.
func (q *readQuirks) matches(all []match) []match {
	ordered := slices.ContainsFunc(all, func(m match) bool {
		return slices.ContainsFunc(m.stack, func(n *node) bool { return n.def.OrderedByUser })
	})
	return shuffled(all, q.ShuffleLists && !ordered)
}

// values returns the values of a leaf-list as the target tells them.
func (q *readQuirks) values(n *node) []string {
	values := n.values
	if q.VLANRanges != "" && slices.ContainsFunc(n.def.Type.Members, func(t *schema.Type) bool { return t.Name == "vlan-range" }) {
		values = vlans(values, q.VLANRanges == "merged")
	}
	return shuffled(values, q.ShuffleLists && !n.def.OrderedByUser)
}

// shuffled returns all in another order each time, if so asked.
func shuffled[T any](all []T, shuffle bool) []T {
	if !shuffle {
		return all
	}
	all = slices.Clone(all)
	rand.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] }) //nolint:gosec // an order is no secret
	return all
}

// vlans writes a set of VLANs and ranges of them as single ones, or merged to
// ranges where two or more are next to each other.
func vlans(values []string, merged bool) []string {
	set := new(big.Int)
	for _, value := range values {
		low, high, isRange := strings.Cut(value, "..")
		if !isRange {
			high = low
		}
		from, _ := strconv.Atoi(low) // the type admits only numbers
		to, _ := strconv.Atoi(high)
		for id := from; id <= to; id++ {
			set.SetBit(set, id, 1)
		}
	}
	var all []string
	for id := 0; id < set.BitLen(); id++ {
		if set.Bit(id) == 0 {
			continue
		}
		first := id
		for merged && set.Bit(id+1) == 1 {
			id++
		}
		text := strconv.Itoa(first)
		if id > first {
			text += ".." + strconv.Itoa(id)
		}
		all = append(all, text)
	}
	return all
}

// foreignLeaf adds a leaf that the model does not have to an answer about m that
// is given leaf by leaf.
func (v view) foreignLeaf(updates []*gnmi.Update, m match) []*gnmi.Update {
	if !v.quirks.ExtraFields || m.leaf != nil {
		return updates
	}
	val := v.wrap([]byte(`"blue"`))
	if v.scalars() {
		val = stringVal("blue")
	}
	elems := append(v.path(m), &gnmi.PathElem{Name: "vendor-extensions:color"})
	return append(updates, &gnmi.Update{Path: &gnmi.Path{Elem: elems}, Val: val})
}

// foreign begins an object of d with members that the model does not have: of a
// vendor's module, with an identity and a list, and of a later revision of d's
// module. Module is the namespace around the object.
func (v view) foreign(b []byte, d *def, module string) []byte {
	vendor, same := "vendor-extensions:", ""
	switch {
	case v.encoding != gnmi.Encoding_JSON_IETF:
		vendor = ""
	case module != d.Module:
		same = d.Module + ":"
	}
	b = fmt.Appendf(b, `"%[1]scolor":"blue","%[1]skind":"vendor-extensions:SPECIAL","%[1]sitems":{"item":[{"id":1},{"id":2}]}`, vendor)
	if d.Module == "" {
		return b
	}
	return fmt.Appendf(b, `,"%sof-a-later-revision":true`, same)
}
