package simulator

import "time"

// readQuirks are what a Get answers otherwise.
type readQuirks struct {
	// Absent is the face of what is not there: not_found (which empty means),
	// empty_object, empty_notification, no_value (an update without one),
	// empty_text (a value of no characters) or null.
	Absent string
	// MultiGetAnyMissingFails fails a Get of several paths when one is absent.
	MultiGetAnyMissingFails bool
	// ReportDefaults is whether leaves that hold their default are told: as set
	// (empty), explicit (also what nobody set) or omit (not even what was set).
	ReportDefaults string
	// GetTypes is which types a Get serves: all (which empty means), all_only,
	// ignored or none.
	GetTypes string
	// Uint64AsNumber and Uint32AsString write numbers otherwise than RFC 7951.
	Uint64AsNumber, Uint32AsString bool
	// IdentityPrefix is whether identities carry their module: always or never.
	IdentityPrefix string
	// LeafReplies is what a Get of a container answers: json (which empty
	// means), or scalar for one update a leaf.
	LeafReplies string
	// IPv6Form is how IPv6 addresses are written: compressed (RFC 5952, which
	// empty means), expanded or upper.
	IPv6Form string
	// ASForm is how AS numbers are written: plain (which empty means), or dot
	// for those above 65535 (asdot of RFC 5396), as text.
	ASForm string
	// VLANRanges cuts ranges of VLANs: split into single ones, or merged.
	VLANRanges string
	// ShuffleLists answers list entries, and leaf-lists that the system orders,
	// in another order each time.
	ShuffleLists bool
	// ExtraFields adds members of vendors and newer models to every object.
	ExtraFields bool
	// SecretForm is how secrets are shown: as set (empty), hashed, masked,
	// omitted, or new_salt for a hash that is another one each time.
	SecretForm string
	// Eventual is how long a Get still shows what was before a Set.
	Eventual time.Duration
	// FalseEmptyEvery answers every so many Gets as if nothing were there.
	FalseEmptyEvery int
}

func readQuirkTable() []quirk {
	return []quirk{
		choice("absent", "the answer to a Get of what is absent", func(o *Options) *string { return &o.Absent },
			"not_found", "empty_object", "empty_notification", "no_value", "empty_text", "null"),
		toggle("multi_get_any_missing_fails", "a Get of several paths fails when one is absent", func(o *Options) *bool { return &o.MultiGetAnyMissingFails }),
		choice("report_defaults", "defaults are told although nobody set them, or not even then", func(o *Options) *string { return &o.ReportDefaults }, "explicit", "omit"),
		choice("get_types", "the types that a Get serves", func(o *Options) *string { return &o.GetTypes }, "all", "all_only", "ignored", "none"),
		toggle("uint64_as_number", "numbers of 64 bits are JSON numbers", func(o *Options) *bool { return &o.Uint64AsNumber }),
		toggle("uint32_as_string", "numbers of 32 bits are JSON strings", func(o *Options) *bool { return &o.Uint32AsString }),
		choice("identity_prefix", "whether identities carry their module", func(o *Options) *string { return &o.IdentityPrefix }, "always", "never"),
		choice("leaf_replies", "a Get answers JSON, or each leaf as a scalar", func(o *Options) *string { return &o.LeafReplies }, "json", "scalar"),
		choice("ipv6_form", "how IPv6 addresses are written", func(o *Options) *string { return &o.IPv6Form }, "compressed", "expanded", "upper"),
		choice("as_form", "how AS numbers are written", func(o *Options) *string { return &o.ASForm }, "plain", "dot"),
		choice("vlan_ranges", "how ranges of VLANs are cut", func(o *Options) *string { return &o.VLANRanges }, "split", "merged"),
		toggle("shuffle_lists", "what has no order comes in another one each time", func(o *Options) *bool { return &o.ShuffleLists }),
		toggle("extra_fields", "members that the model does not have are added", func(o *Options) *bool { return &o.ExtraFields }),
		choice("secret_form", "how secrets are shown", func(o *Options) *string { return &o.SecretForm }, "hashed", "masked", "omitted", "new_salt"),
		period("eventual", "how long a Get shows what was before a Set", func(o *Options) *time.Duration { return &o.Eventual }),
		count("false_empty_every", "every so many Gets find nothing", func(o *Options) *int { return &o.FalseEmptyEvery }),
	}
}
