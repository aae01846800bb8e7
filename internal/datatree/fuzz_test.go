package datatree_test

import (
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/datatree"
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
