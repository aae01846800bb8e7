package datatree

import (
	"strconv"
	"strings"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/schema"
)

// asSent returns the canonical form of a value that a device sent. Devices
// use spellings that the types do not have: AS numbers with a dot (asdot and
// asdot+ of RFC 5396), and MAC addresses in other groups than pairs.
func asSent(t *schema.Type, text string) (string, error) {
	c, err := t.Canonical(text)
	if err == nil {
		return c, nil
	}
	switch t = t.Resolved(); t.Name {
	case "as-number":
		text = asPlain(text)
	case "mac-address":
		text = macPairs(text)
	default:
		return "", err
	}
	return t.Canonical(text)
}

// asPlain returns the AS number of its halves; what has none stays.
func asPlain(text string) string {
	high, low, dotted := strings.Cut(text, ".")
	h, err1 := strconv.ParseUint(high, 10, 16)
	l, err2 := strconv.ParseUint(low, 10, 16)
	if !dotted || err1 != nil || err2 != nil {
		return text
	}
	return strconv.FormatUint(h<<16|l, 10)
}

// macPairs returns a MAC address whose twelve digits are grouped otherwise, or
// not at all, in pairs; what has other digits stays.
func macPairs(text string) string {
	digits := strings.NewReplacer(":", "", "-", "", ".", "").Replace(text)
	if len(digits) != 12 {
		return text
	}
	pairs := make([]string, 6)
	for i := range pairs {
		pairs[i] = digits[2*i : 2*i+2]
	}
	return strings.Join(pairs, ":")
}
