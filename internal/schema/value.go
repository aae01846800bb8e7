package schema

import (
	"encoding/base64"
	"fmt"
	"math"
	"math/big"
	"net/netip"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// Canonical checks the text of a value and returns its canonical form
// (RFC 7950, section 9.1): addresses as RFC 5952 has them, numbers without
// leading zeros, identities without module prefix. The error says what the
// type accepts; it does not repeat the text, which may be a secret.
func (t *Type) Canonical(text string) (string, error) {
	c, _, err := t.resolve(text)
	return c, err
}

// resolve is Canonical, and also returns the union member that took the text.
func (t *Type) resolve(text string) (string, *Type, error) {
	t = t.Resolved()
	switch t.Base {
	case Union:
		for _, m := range t.Members {
			if c, member, err := m.resolve(text); err == nil {
				return c, member, nil
			}
		}
		return "", nil, fmt.Errorf("must be %s", t.Describe())
	case Boolean:
		if text != "true" && text != "false" {
			return "", nil, fmt.Errorf("must be true or false")
		}
		return text, t, nil
	case Enumeration, IdentityRef:
		name := text
		if t.Base == IdentityRef {
			name = text[strings.LastIndexByte(text, ':')+1:]
		}
		for _, v := range t.Values {
			if v.Name == name {
				return name, t, nil
			}
		}
		return "", nil, fmt.Errorf("must be %s", t.Describe())
	case Int8, Int16, Int32, Int64, Uint8, Uint16, Uint32, Uint64:
		c, err := t.integer(text)
		return c, t, err
	case Decimal64:
		r, ok := new(big.Rat).SetString(text)
		if !ok || strings.ContainsAny(text, "eE/xX") {
			return "", nil, fmt.Errorf("must be a decimal number")
		}
		c := r.FloatString(t.FractionDigits)
		if strings.Contains(c, ".") {
			c = strings.TrimRight(c, "0")
			if strings.HasSuffix(c, ".") {
				c += "0"
			}
		}
		return c, t, nil
	case Binary:
		if _, err := base64.StdEncoding.DecodeString(text); err != nil {
			return "", nil, fmt.Errorf("must be base64 text (RFC 4648)")
		}
		return text, t, nil
	case String:
		c, err := t.str(text)
		return c, t, err
	}
	return text, t, nil
}

func (t *Type) integer(text string) (string, error) {
	signed := t.Base <= Int64
	bits := 8 << ((t.Base - Int8) % 4)
	if signed {
		n, err := strconv.ParseInt(text, 10, bits)
		if err != nil || !t.inRange(n) {
			return "", fmt.Errorf("must be %s", t.Describe())
		}
		return strconv.FormatInt(n, 10), nil
	}
	n, err := strconv.ParseUint(text, 10, bits)
	if err != nil || !t.inRange(int64(min(n, math.MaxInt64))) {
		return "", fmt.Errorf("must be %s", t.Describe())
	}
	return strconv.FormatUint(n, 10), nil
}

func (t *Type) inRange(n int64) bool {
	if len(t.Ranges) == 0 {
		return true
	}
	for _, r := range t.Ranges {
		if n >= r.Low && n <= r.High {
			return true
		}
	}
	return false
}

func (t *Type) str(text string) (string, error) {
	if !t.inRange(int64(utf8.RuneCountInString(text))) {
		return "", fmt.Errorf("must be %s", t.Describe())
	}
	for _, p := range t.Patterns {
		if !compiled(p).MatchString(text) {
			return "", fmt.Errorf("must be %s", t.Describe())
		}
	}
	switch {
	case strings.HasPrefix(t.Name, "ipv6-prefix"), strings.HasPrefix(t.Name, "ipv4-prefix"):
		p, err := netip.ParsePrefix(text)
		if err != nil {
			return "", fmt.Errorf("must be %s", t.Describe())
		}
		return p.Masked().String(), nil // RFC 6991: bits beyond the length are zero
	case strings.HasPrefix(t.Name, "ipv6-address"), strings.HasPrefix(t.Name, "ipv4-address"):
		a, err := netip.ParseAddr(text)
		if err != nil {
			return "", fmt.Errorf("must be %s", t.Describe())
		}
		return a.String(), nil
	case t.Name == "mac-address":
		return strings.ToLower(text), nil
	case t.Name == "vlan-range":
		low, high, _ := strings.Cut(text, "..")
		from, _ := strconv.Atoi(low) // the pattern admits only numbers
		to, _ := strconv.Atoi(high)
		if from > to {
			return "", fmt.Errorf("must be a VLAN range whose first number is not above its last")
		}
		return text, nil
	}
	return text, nil
}

var patterns sync.Map // pattern text -> *regexp.Regexp

// compiled returns the expression of p. Compiled expressions are kept: the
// model has few, and values come by the thousand.
func compiled(p string) *regexp.Regexp {
	if re, ok := patterns.Load(p); ok {
		return re.(*regexp.Regexp) //nolint:forcetypeassert // only this function stores
	}
	re := regexp.MustCompile(p)
	patterns.Store(p, re)
	return re
}

// JSON returns the RFC 7951 form of a canonical value: a Go value that
// encoding/json writes as the specification wants it.
func (t *Type) JSON(canonical string) (any, error) {
	_, member, err := t.resolve(canonical)
	if err != nil {
		return nil, err
	}
	switch member.Base {
	case Boolean:
		return canonical == "true", nil
	case Int8, Int16, Int32:
		return strconv.ParseInt(canonical, 10, 64)
	case Uint8, Uint16, Uint32:
		return strconv.ParseUint(canonical, 10, 64)
	case IdentityRef:
		for _, v := range member.Values {
			if v.Name == canonical {
				return v.Module + ":" + v.Name, nil
			}
		}
	case Empty:
		return []any{nil}, nil
	}
	return canonical, nil
}

// Describe says in a few words what values the type accepts.
func (t *Type) Describe() string {
	t = t.Resolved()
	switch t.Base {
	case Boolean:
		return "true or false"
	case Int8, Int16, Int32, Int64, Uint8, Uint16, Uint32, Uint64:
		return "a whole number" + t.bounds("between ")
	case Decimal64:
		return fmt.Sprintf("a decimal number with up to %d fraction digits", t.FractionDigits)
	case Enumeration, IdentityRef:
		names := make([]string, len(t.Values))
		for i, v := range t.Values {
			names[i] = v.Name
		}
		return "one of " + strings.Join(names, ", ")
	case Union:
		parts := make([]string, 0, len(t.Members))
		seen := map[string]bool{}
		for _, m := range t.Members {
			d := m.Describe()
			if !seen[d] {
				seen[d] = true
				parts = append(parts, d)
			}
		}
		return strings.Join(parts, ", or ")
	case Binary:
		return "base64 text"
	case String:
		if what, ok := texts[t.Name]; ok {
			return what
		}
		s := "text"
		if len(t.Ranges) > 0 {
			s += " of" + t.bounds("")
			s += " characters"
		}
		if len(t.Patterns) > 0 {
			s += " that matches " + strings.TrimSuffix(strings.TrimPrefix(t.Patterns[0], "^(?:"), ")$")
		}
		return s
	}
	return "a value of type " + t.Name
}

func (t *Type) bounds(lead string) string {
	parts := make([]string, len(t.Ranges))
	for i, r := range t.Ranges {
		low, high := strconv.FormatInt(r.Low, 10), strconv.FormatInt(r.High, 10)
		if r.High == math.MaxInt64 {
			high = "18446744073709551615"
		}
		switch {
		case low == high:
			parts[i] = low
		case lead != "":
			parts[i] = lead + low + " and " + high
		default:
			parts[i] = low + " to " + high
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return " " + strings.Join(parts, " or ")
}

var texts = map[string]string{
	"ipv4-address":       "an IPv4 address (RFC 791), such as 192.0.2.1",
	"ipv6-address":       "an IPv6 address (RFC 4291), such as 2001:db8::1",
	"ipv4-address-zoned": "an IPv4 address with a zone",
	"ipv6-address-zoned": "an IPv6 address with a zone",
	"ipv4-prefix":        "an IPv4 prefix, such as 192.0.2.0/24",
	"ipv6-prefix":        "an IPv6 prefix, such as 2001:db8::/32",
	"mac-address":        "a MAC address, such as 00:53:00:ab:cd:ef",
	"dotted-quad":        "four decimal bytes with dots, such as 192.0.2.1",
	"vlan-range":         "a VLAN range, such as 10..20",
}
