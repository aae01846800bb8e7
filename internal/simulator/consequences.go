package simulator

import "slices"

// consequences does what a device does on its own account when a Set changes
// something, in the transaction of the Set.
func (t *Target) consequences(before *node, tx *txn) {
	q := &t.options.semanticQuirks
	if q.DeletePhysical == "reset" || q.DeletePhysical == "noop" {
		t.keepPorts(before, tx)
	}
	if q.AggregateAtomicUpdate {
		tx.forgetTypes()
	}
	if q.VRFMoveClearsAddresses {
		tx.clearMoved(before, t.defaultInstance())
	}
	if q.PeerGroupRemovalDeletesNeighbor {
		tx.removeFollowers(before)
	}
}

// keepPorts brings the physical ports back that the transaction removed: as
// they were, or with nothing but their names and types.
func (t *Target) keepPorts(before *node, tx *txn) {
	for _, e := range before.all("interfaces", "interface") {
		list := tx.root.at("interfaces", "interface")
		name := e.def.entryName(e.keys)
		if !t.factory["/interfaces"+instancePath([]*node{e}, nil)] || list != nil && list.entries[name] != nil {
			continue
		}
		list = tx.openAt(tx.root, "interfaces", "interface")
		if t.options.DeletePhysical == "noop" {
			list.entries[name] = e
			list.order = append(list.order, name)
			continue
		}
		port := tx.entry(list, e.keys)
		for _, name := range []string{"name", "type"} {
			if leaf := e.at("config", name); leaf != nil {
				tx.openAt(port, "config", name).values = slices.Clone(leaf.values)
			}
		}
	}
}

// forgetTypes removes the type of the LAGs of which the transaction wrote the
// type or a member, but not both. A leaf that it wrote is its own.
func (t *txn) forgetTypes() {
	const hasType, hasMember = 1, 2
	written := map[string]int{}
	for _, e := range t.root.all("interfaces", "interface") {
		if leaf := e.at("aggregation", "config", "lag-type"); leaf != nil && leaf.owner == t {
			written[e.keys[0]] |= hasType
		}
		if leaf := e.at("ethernet", "config", "aggregate-id"); leaf != nil && leaf.owner == t {
			written[leaf.values[0]] |= hasMember
		}
	}
	for _, e := range t.root.all("interfaces", "interface") {
		if done := written[e.keys[0]]; done == 0 || done == hasType|hasMember || e.at("aggregation", "config", "lag-type") == nil {
			continue
		}
		config := t.openAt(t.entry(t.openAt(t.root, "interfaces", "interface"), e.keys), "aggregation", "config")
		t.remove(config, config.def.byName["lag-type"])
	}
}

// clearMoved removes the addresses of the subinterfaces that the transaction
// attached to another network instance, except for those that it wrote. What is
// not attached is in the default instance.
func (t *txn) clearMoved(before *node, defaultInstance string) {
	was, is := attachments(before), attachments(t.root)
	in := func(attached map[unit]string, u unit) string {
		if name := attached[u]; name != "" {
			return name
		}
		return defaultInstance
	}
	for _, e := range t.root.all("interfaces", "interface") {
		for _, sub := range e.all("subinterfaces", "subinterface") {
			if u := (unit{e.keys[0], sub.keys[0]}); in(was, u) == in(is, u) {
				continue
			}
			port := t.entry(t.openAt(t.root, "interfaces", "interface"), e.keys)
			t.clearAddresses(t.entry(t.openAt(port, "subinterfaces", "subinterface"), sub.keys))
		}
	}
}

// clearAddresses removes the addresses of a subinterface that the transaction
// did not write.
func (t *txn) clearAddresses(sub *node) {
	for _, family := range []string{"ipv4", "ipv6"} {
		for _, a := range sub.all(family, "addresses", "address") {
			if a.owner != t {
				t.removeEntry(t.openAt(sub, family, "addresses", "address"), a.def.entryName(a.keys))
			}
		}
	}
}

// removeFollowers removes the neighbors of the peer groups that the transaction
// removed.
func (t *txn) removeFollowers(before *node) {
	for _, instance := range t.root.all("network-instances", "network-instance") {
		for _, protocol := range instance.all("protocols", "protocol") {
			groups := protocol.at("bgp", "peer-groups", "peer-group")
			for _, neighbor := range protocol.all("bgp", "neighbors", "neighbor") {
				group := neighbor.value("config", "peer-group")
				if group == "" || groups != nil && groups.entries[group] != nil || !had(before, instance, protocol, group) {
					continue
				}
				at := t.entry(t.openAt(t.root, "network-instances", "network-instance"), instance.keys)
				at = t.entry(t.openAt(at, "protocols", "protocol"), protocol.keys)
				t.removeEntry(t.openAt(at, "bgp", "neighbors", "neighbor"), neighbor.def.entryName(neighbor.keys))
			}
		}
	}
}

// had tells whether the protocol of a network instance had a peer group.
func had(root, instance, protocol *node, group string) bool {
	for _, list := range []struct {
		names []string
		keys  []string
	}{
		{[]string{"network-instances", "network-instance"}, instance.keys},
		{[]string{"protocols", "protocol"}, protocol.keys},
		{[]string{"bgp", "peer-groups", "peer-group"}, []string{group}},
	} {
		at := root.at(list.names...)
		if at == nil {
			return false
		}
		root = at.entries[at.def.entryName(list.keys)]
	}
	return root != nil
}

// defaultInstance is the name of the network instance that is there from the
// start.
func (t *Target) defaultInstance() string {
	if name := t.options.DefaultNIName; name != "" {
		return name
	}
	return FactoryNetworkInstance
}
