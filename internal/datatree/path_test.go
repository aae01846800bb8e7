package datatree_test

import (
	"testing"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/datatree"
)

func TestThePathOfAPathsTextIsThatPath(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringMatching(`[a-z]([a-z-]*[a-z])?`)
		elem := rapid.Custom(func(t *rapid.T) *gpb.PathElem {
			keys := rapid.MapOfN(name, rapid.String(), 0, 3).Draw(t, "keys")
			if len(keys) == 0 {
				keys = nil
			}
			return &gpb.PathElem{Name: name.Draw(t, "name"), Key: keys}
		})
		want := &gpb.Path{Elem: rapid.SliceOfN(elem, 0, 4).Draw(t, "elements")}
		text := datatree.PathText(want)
		got, err := datatree.ParsePath(text)
		if err != nil || !proto.Equal(got, want) {
			t.Fatalf("%s is read as %v, %v; want %v", text, got, err, want)
		}
	})
}
