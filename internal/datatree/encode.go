package datatree

import (
	"maps"
	"slices"
)

// JSON returns all that n holds as an RFC 7951 object. Every name has its
// module.
func (n *Node) JSON() (map[string]any, error) {
	out := map[string]any{}
	name := func(child string) string {
		s := n.Schema.MustFind(child)
		return s.Module + ":" + s.Name
	}
	for leaf, values := range n.leaves {
		v, err := LeafJSON(n.Schema.MustFind(leaf), values)
		if err != nil {
			return nil, err
		}
		out[name(leaf)] = v
	}
	for key, text := range n.Keys {
		v, err := n.Schema.MustFind(key).Type.JSON(canonical(n.Schema.MustFind(key), text))
		if err != nil {
			return nil, err
		}
		out[name(key)] = v
	}
	for _, child := range slices.Sorted(maps.Keys(n.containers)) {
		if n.containers[child].Empty() {
			continue
		}
		v, err := n.containers[child].JSON()
		if err != nil {
			return nil, err
		}
		out[name(child)] = v
	}
	for list := range n.lists {
		var entries []any
		for _, e := range n.Entries(list) {
			v, err := e.JSON()
			if err != nil {
				return nil, err
			}
			entries = append(entries, v)
		}
		if len(entries) > 0 {
			out[name(list)] = entries
		}
	}
	return out, nil
}
