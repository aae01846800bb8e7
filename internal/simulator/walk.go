package simulator

import "slices"

// at follows the names of containers, lists and leaves down from n. It returns
// nil when something on the way is not there; n may be nil.
func (n *node) at(names ...string) *node {
	for _, name := range names {
		if n == nil {
			return nil
		}
		i, found := slices.BinarySearchFunc(n.children, name, byName)
		if !found {
			return nil
		}
		n = n.children[i]
	}
	return n
}

// value is the value of the leaf that names lead to, or empty.
func (n *node) value(names ...string) string {
	if leaf := n.at(names...); leaf != nil && len(leaf.values) > 0 {
		return leaf.values[0]
	}
	return ""
}

// all are the entries of the list that names lead to.
func (n *node) all(names ...string) []*node {
	if list := n.at(names...); list != nil {
		return list.sorted()
	}
	return nil
}

// openAt is open along several names of containers, lists and leaves.
func (t *txn) openAt(n *node, names ...string) *node {
	for _, name := range names {
		n = t.open(n, n.def.byName[name])
	}
	return n
}

// unit is a subinterface.
type unit struct{ name, index string }

// attachments tells the network instance that each subinterface is attached
// to. An entry says what it attaches by its leaves, or by its id: the name of
// an interface means subinterface 0, else the index follows after a dot.
func attachments(root *node) map[unit]string {
	to := map[unit]string{}
	for _, instance := range root.all("network-instances", "network-instance") {
		for _, e := range instance.all("interfaces", "interface") {
			name := instance.keys[0]
			to[unitOf(e.keys[0])] = name
			if ref := e.value("config", "interface"); ref != "" {
				to[unit{ref, orZero(e.value("config", "subinterface"))}] = name
			}
		}
	}
	return to
}

func orZero(index string) string {
	if index == "" {
		return "0"
	}
	return index
}

// unitOf reads the id of an interface in a network instance.
func unitOf(id string) unit {
	for i := len(id) - 1; i > 0; i-- {
		if id[i] == '.' && i < len(id)-1 {
			return unit{id[:i], id[i+1:]}
		}
		if id[i] < '0' || id[i] > '9' {
			break
		}
	}
	return unit{id, "0"}
}
