package provider_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/datatree"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/kind"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/oc"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/provider"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/schema"
)

// schemaPath is a kind's path without its keys.
func schemaPath(t *testing.T, k kind.Kind) []string {
	t.Helper()
	p, err := datatree.ParsePath(k.Path)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range p.GetElem() {
		names = append(names, e.GetName())
	}
	return names
}

// owner is the kind that a schema path belongs to: the one whose entry is the
// nearest above it.
func owner(t *testing.T, at []string) (owner kind.Kind, below []string, found bool) {
	t.Helper()
	longest := 0
	for _, k := range provider.Kinds() {
		p := schemaPath(t, k)
		if len(p) > longest && len(at) >= len(p) && slices.Equal(at[:len(p)], p) {
			owner, below, found, longest = k, at[len(p):], true, len(p)
		}
	}
	return owner, below, found
}

// everyLeaf visits the leaves of the model with their schema paths.
func everyLeaf(n *schema.Node, at []string, visit func(at []string, n *schema.Node)) {
	for _, c := range n.Children {
		p := append(slices.Clone(at), c.Name)
		if c.Type != nil {
			visit(p, c)
			continue
		}
		everyLeaf(c, p, visit)
	}
}

// leads returns the schema path that a leafref's expression leads to.
func leads(from []string, expression string) []string {
	var at []string
	if !strings.HasPrefix(expression, "/") {
		at = slices.Clone(from)
	}
	depth := 0
	plain := strings.Map(func(r rune) rune {
		if r == '[' {
			depth++
		}
		if depth > 0 {
			if r == ']' {
				depth--
			}
			return -1
		}
		return r
	}, expression)
	for step := range strings.SplitSeq(strings.Trim(plain, "/"), "/") {
		if step == ".." {
			at = at[:len(at)-1]
			continue
		}
		at = append(at, step)
	}
	return at
}

func TestNoKindRefersToAKindOfAHigherRank(t *testing.T) {
	// What the model lets refer upwards all the same. Such a reference needs
	// Terraform's own order, or the second try that a missing reference gets.
	known := map[string]bool{
		// A member names its subinterface; but a subinterface's addresses belong
		// to the network instance that it is in, which must be there before.
		"network_instance interfaces/interface/config/subinterface": false,
		// Tables name a protocol that runs in the network instance.
		"network_instance tables/table/config/protocol": false,
		// A range of dynamic neighbors names a peer group of the instance.
		"bgp bgp/global/dynamic-neighbor-prefixes/dynamic-neighbor-prefix/config/peer-group": false,
		// The routed VLAN is no part of the interface's kind.
		"interface routed-vlan/ipv4/unnumbered/interface-ref/config/subinterface": false,
		"interface routed-vlan/ipv6/unnumbered/interface-ref/config/subinterface": false,
	}
	everyLeaf(oc.Model, nil, func(at []string, n *schema.Node) {
		if n.Type.Base != schema.LeafRef {
			return
		}
		from, below, ok := owner(t, at)
		if !ok {
			return
		}
		to, _, ok := owner(t, leads(at, n.Type.Path))
		if !ok || to.Rank <= from.Rank {
			return
		}
		name := from.Name + " " + strings.Join(below, "/")
		if _, ok := known[name]; !ok {
			t.Errorf("%s (rank %v) refers to %s (rank %v)", name, from.Rank, to.Name, to.Rank)
		}
		known[name] = true
	})
	for name, met := range known {
		if !met {
			t.Errorf("%s is no exception any more", name)
		}
	}
}

func TestEveryLeafBelowAKindIsAnAttributeOrBelongsElsewhere(t *testing.T) {
	elsewhere := []string{
		"interface routed-vlan/",                      // a kind of its own
		"bgp static-routes/", "bgp local-aggregates/", // of other protocols
	}
	declared := map[string]bool{}
	for _, k := range provider.Kinds() {
		for _, f := range k.Fields {
			declared[k.Name+" "+f.Path] = true
		}
	}
	everyLeaf(oc.Model, nil, func(at []string, _ *schema.Node) {
		k, below, ok := owner(t, at)
		if !ok {
			return
		}
		name := k.Name + " " + fieldPath(at[:len(at)-len(below)], below)
		if name == k.Name+" " || declared[name] {
			return
		}
		for _, prefix := range elsewhere {
			if strings.HasPrefix(name, prefix) {
				return
			}
		}
		t.Errorf("no attribute stands for %s", name)
	})
}

// fieldPath is a leaf's path as a field declares it, or empty for a key that is
// not an attribute of its entry: that of the kind itself, and of maps.
func fieldPath(entry, below []string) string {
	at := oc.Model.MustFind(strings.Join(entry, "/"))
	var names []string
	list := at
	for _, name := range below {
		parent := at
		at = at.Child(name)
		switch {
		case name == "config":
		case at.Kind == schema.List && len(parent.Children) == 1:
			list = at
		default:
			names = append(names, name)
		}
	}
	leaf := below[len(below)-1]
	if list.IsKey(leaf) && (len(below) <= 2 || len(list.Keys) == 1 || below[len(below)-2] != "config") {
		return ""
	}
	return strings.Join(names, "/")
}
