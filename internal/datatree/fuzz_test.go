package datatree_test

import (
	"testing"
	"unicode/utf8"

	"google.golang.org/protobuf/proto"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/datatree"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/oc"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/schema"
)

// FuzzAPathIsTheSameAfterItsText reads any text as a path: what is taken for
// one is the same after it was written out and read again.
func FuzzAPathIsTheSameAfterItsText(f *testing.F) {
	for _, text := range []string{
		"", "/", "//", "/interfaces/interface[name=Ethernet1/1]/config", "interfaces/",
		instance + `/protocols/protocol[name=BGP][identifier=BGP]`,
		`/interfaces/interface[name=a\]b\\c]`, `/a[k=]`, `/a[k=v`, `/a]`, `/a[k=v]b`, `/a\/b/c`, `/a\[b`, `/a[k\=l=v]`, `/a\`,
		`/a[k=v][k=w]`, `/a[=v]`, `/é[ключ=値]`, "/a[k=\x00\xff]",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		read, err := datatree.ParsePath(text)
		if err != nil {
			return
		}
		written := datatree.PathText(read)
		again, err := datatree.ParsePath(written)
		if err != nil {
			t.Fatalf("%q is written as %q, which cannot be read: %v", text, written, err)
		}
		if !proto.Equal(read, again) {
			t.Fatalf("%q is read as %v; its text %q as %v", text, read, written, again)
		}
		if third := datatree.PathText(again); third != written {
			t.Fatalf("%q is written as %q, then as %q", text, written, third)
		}
	})
}

// FuzzALeafIsReadAsItWasWritten writes text into one of the model's leaves: what
// the type takes comes back from its JSON, in the same canonical form.
func FuzzALeafIsReadAsItWasWritten(f *testing.F) {
	var leaves [][2]*schema.Node // container and leaf, one for each type
	seen := map[*schema.Type]bool{}
	var walk func(*schema.Node)
	walk = func(n *schema.Node) {
		for _, c := range n.Children {
			if c.Type != nil && !n.IsKey(c.Name) && !seen[c.Type.Resolved()] {
				seen[c.Type.Resolved()] = true
				leaves = append(leaves, [2]*schema.Node{n, c})
			}
			walk(c)
		}
	}
	walk(oc.Model)
	for i, leaf := range leaves {
		for _, text := range []string{
			"", "0", "+1", "-1", "007", "1500", "65536", "18446744073709551615", "true", "10..20", "24..32", "exact", "1:2",
			"192.0.2.1", "192.0.2.1/24", "2001:DB8::1", "::ffff:192.0.2.1", "2001:DB8::/32", "00:53:00:AB:CD:EF", "a<\x00\u2028\xff",
		} {
			if _, err := leaf[1].Type.Canonical(text); err == nil {
				f.Add(uint16(i), text)
			}
		}
	}
	f.Fuzz(func(t *testing.T, which uint16, text string) {
		container, leaf := leaves[int(which)%len(leaves)][0], leaves[int(which)%len(leaves)][1]
		canonical, err := leaf.Type.Canonical(text)
		if err != nil || !utf8.ValidString(text) {
			return
		}
		if again, err := leaf.Type.Canonical(canonical); err != nil || again != canonical {
			t.Fatalf("%s takes %q for %q, and that for %q, %v", leaf.Name, text, canonical, again, err)
		}
		json, err := datatree.LeavesJSON(container, map[string][]string{leaf.Name: {canonical}})
		if err != nil {
			t.Fatalf("%s takes %q, and does not write it: %v", leaf.Name, text, err)
		}
		n := datatree.New(container)
		if err := n.Decode(json); err != nil {
			t.Fatalf("%s is not read: %v", json, err)
		}
		if read, _ := n.Values(leaf.Name); len(read) != 1 || read[0] != canonical {
			t.Fatalf("%s is read as %q, was written from %q", json, read, canonical)
		}
	})
}
