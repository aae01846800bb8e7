package simulator

// pathQuirks are how paths and names are taken otherwise.
type pathQuirks struct {
	// Origin is what becomes of the origin openconfig: required, rejected,
	// ignored (as is any other) or silent (a read without it finds nothing).
	// Empty takes it or none.
	Origin string
	// IfnameCase is whether names of interfaces differ by case: sensitive (which
	// empty means) or fold.
	IfnameCase string
	// DefaultNIName is the name of the network instance that is there from the
	// start; empty means FactoryNetworkInstance.
	DefaultNIName string
	// BGPInstanceName and StaticInstanceName are the only names that protocols of
	// BGP and of static routes may have; empty allows all.
	BGPInstanceName, StaticInstanceName string
	// IfrefFormat is the only form that an interface's id in a network instance
	// may have: name or name_dot_unit; empty allows all.
	IfrefFormat string
	// SetOnlyAtRoot refuses Sets whose paths are not the root.
	SetOnlyAtRoot bool
}

func pathQuirkTable() []quirk {
	return []quirk{
		choice("origin", "what becomes of the origin openconfig", func(o *Options) *string { return &o.Origin }, "required", "rejected", "ignored", "silent"),
		choice("ifname_case", "whether names of interfaces differ by case", func(o *Options) *string { return &o.IfnameCase }, "sensitive", "fold"),
		word("default_ni_name", "the network instance that is there from the start", func(o *Options) *string { return &o.DefaultNIName }),
		word("bgp_instance_name", "the only name of a BGP protocol", func(o *Options) *string { return &o.BGPInstanceName }),
		word("static_instance_name", "the only name of a protocol of static routes", func(o *Options) *string { return &o.StaticInstanceName }),
		choice("ifref_format", "the only form of an interface's id in a network instance", func(o *Options) *string { return &o.IfrefFormat }, "name", "name_dot_unit"),
		toggle("set_only_at_root", "a Set must be of the root", func(o *Options) *bool { return &o.SetOnlyAtRoot }),
	}
}
