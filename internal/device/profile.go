package device

import (
	"maps"
	"slices"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/gnmi"
)

// Profile is how a system's devices want to be spoken to: names that its
// configuration has from the start, and ways in which it departs from the gNMI
// specification. The zero value is the specification to the letter.
type Profile struct {
	// NetworkInstance is the default network instance; BGP and Static are the
	// names of these protocols in it. Empty means that the system has no fixed
	// name.
	NetworkInstance, BGP, Static string
	// Wire is how requests are written and reads are made.
	Wire gnmi.Wire
	// MaxOperations bounds the operations of a Set; 0 means any number. A step
	// with more is sent as several Sets under one hold, which is the exception
	// from one Set a step.
	MaxOperations int
	// Separate are parts of the model, as paths without keys, whose operations go
	// in a Set of their own: before the rest, or after it when they are deletes.
	Separate []string
	// ExplicitEnabled sends enabled = true with what is created, unless the
	// configuration says otherwise: the system's own default is not the model's.
	ExplicitEnabled bool
	// AttachInterfaces attaches a new subinterface to the default network
	// instance, where the system does not do so by itself.
	AttachInterfaces bool
	// AtomicLAG repeats a LAG's type with every change of its members, and its
	// members with every change of the LAG: the system forgets the type
	// otherwise.
	AtomicLAG bool
}

// profiles are the ways of systems, from public deviation lists and reports.
var profiles = map[string]Profile{
	"strict": {},
	"eos":    {NetworkInstance: "default", BGP: "BGP", Static: "STATIC", ExplicitEnabled: true, AtomicLAG: true},
	"iosxr":  {NetworkInstance: "DEFAULT", BGP: "default", Static: "STATIC"},
	"nxos": {
		NetworkInstance: "default", BGP: "bgp", Static: "static", MaxOperations: 20,
		Separate: []string{"/network-instances/network-instance/protocols/protocol/config"},
	},
	"junos":   {NetworkInstance: "DEFAULT", BGP: "bgp", Static: "static", AttachInterfaces: true},
	"srlinux": {NetworkInstance: "DEFAULT", BGP: "BGP", Static: "static", AttachInterfaces: true, AtomicLAG: true},
	"sonic":   {NetworkInstance: "default", BGP: "bgp", Static: "static", Wire: gnmi.Wire{AbortedRefuses: true}},
}

// ProfileByName returns the profile of a system, and whether there is one.
func ProfileByName(name string) (Profile, bool) {
	p, ok := profiles[name]
	return p, ok
}

// ProfileNames lists the profiles in order.
func ProfileNames() []string { return slices.Sorted(maps.Keys(profiles)) }
