package simulator

// semanticQuirks are what configuration means to a target beyond the model.
type semanticQuirks struct {
	// DanglingLeafrefs takes references to what does not exist.
	DanglingLeafrefs bool
	// AggregateAtomicUpdate forgets the lag-type of a LAG when a Set writes it or
	// the aggregate-id of a member, but not both.
	AggregateAtomicUpdate bool
	// VRFMoveClearsAddresses removes the addresses of a subinterface when it is
	// attached to another network instance, except for those that come in the
	// same Set.
	VRFMoveClearsAddresses bool
	// PeerGroupRemovalDeletesNeighbor removes the neighbors of a removed peer
	// group.
	PeerGroupRemovalDeletesNeighbor bool
	// ExplicitInterfaceInDefaultNI refuses addresses on subinterfaces that are
	// not attached to a network instance.
	ExplicitInterfaceInDefaultNI bool
	// RequireSubinterface0 refuses other subinterfaces on a port where 0 is
	// missing.
	RequireSubinterface0 bool
	// DeletePhysical is what becomes of the removal of a physical port: reject
	// (which empty means), reset (its name and type stay) or noop.
	DeletePhysical string
	// VLANExclusiveParentChild refuses an interface with a switched VLAN and
	// subinterfaces.
	VLANExclusiveParentChild bool
}

func semanticQuirkTable() []quirk {
	strict := toggle("strict_leafref", "whether references to what does not exist are refused", func(o *Options) *bool { return &o.DanglingLeafrefs })
	set := strict.set
	strict.set = func(o *Options, value string) error {
		err := set(o, value)
		o.DanglingLeafrefs = !o.DanglingLeafrefs && err == nil
		return err
	}
	return []quirk{
		strict,
		toggle("aggregate_atomic_update", "a LAG keeps its type only when its members come in the same Set", func(o *Options) *bool { return &o.AggregateAtomicUpdate }),
		toggle("vrf_move_clears_addresses", "an interface loses its addresses when it moves to another network instance", func(o *Options) *bool { return &o.VRFMoveClearsAddresses }),
		toggle("peer_group_removal_deletes_neighbor", "a peer group takes its neighbors with it", func(o *Options) *bool { return &o.PeerGroupRemovalDeletesNeighbor }),
		toggle("explicit_interface_in_default_ni", "an interface with addresses must be attached to a network instance", func(o *Options) *bool { return &o.ExplicitInterfaceInDefaultNI }),
		toggle("require_subinterface_0", "other subinterfaces need subinterface 0", func(o *Options) *bool { return &o.RequireSubinterface0 }),
		choice("delete_physical", "what becomes of the removal of a physical port", func(o *Options) *string { return &o.DeletePhysical }, "reject", "reset", "noop"),
		toggle("vlan_exclusive_parent_child", "an interface has a switched VLAN or subinterfaces, not both", func(o *Options) *bool { return &o.VLANExclusiveParentChild }),
	}
}
