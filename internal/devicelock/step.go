package devicelock

import "fmt"

// Rank places a kind of configuration among the others: a kind refers only to
// kinds of its own or a lower rank.
type Rank int

// The ranks, foundational first.
const (
	RankInterface Rank = iota
	RankNetworkInstance
	RankVLAN
	RankSubinterface
	RankDefinedSet
	RankRoutingPolicy
	RankStaticRoute
	RankBGP
	RankBGPPeerGroup
	RankBGPNeighbor
)

const (
	lastFoundation = RankSubinterface
	lastRank       = RankBGPNeighbor
)

// Foundation reports whether the rank is one that dependents are built on:
// interfaces, network instances, VLANs and subinterfaces.
func (r Rank) Foundation() bool { return r <= lastFoundation }

// String returns the rank's name in lower case.
func (r Rank) String() string {
	switch r {
	case RankInterface:
		return "interface"
	case RankNetworkInstance:
		return "network instance"
	case RankVLAN:
		return "VLAN"
	case RankSubinterface:
		return "subinterface"
	case RankDefinedSet:
		return "defined set"
	case RankRoutingPolicy:
		return "routing policy"
	case RankStaticRoute:
		return "static route"
	case RankBGP:
		return "BGP"
	case RankBGPPeerGroup:
		return "BGP peer group"
	case RankBGPNeighbor:
		return "BGP neighbor"
	default:
		return fmt.Sprintf("rank %d", int(r))
	}
}

// Operation is what a step does to its resource.
type Operation int

// The operations of a step.
const (
	Create Operation = iota
	Update
	Delete
	// Hold changes nothing itself: it keeps the device for other steps.
	Hold
)

// String returns the operation's name in lower case.
func (o Operation) String() string {
	switch o {
	case Create:
		return "create"
	case Update:
		return "update"
	case Delete:
		return "delete"
	case Hold:
		return "hold"
	default:
		return fmt.Sprintf("operation %d", int(o))
	}
}

// Step is one configuration step as the gate sees it.
//
// Among steps that wait, deletes of dependents go first, highest rank first;
// then creates and updates, lowest rank first; then deletes of foundations,
// highest rank first.
type Step struct {
	// Operation and Rank decide the order.
	Operation Operation
	Rank      Rank
	// Owner names the resource, for example "openconfig_interface Ethernet1/1".
	// It identifies the step in events and errors, and ties an announcement to
	// the Acquire that fulfils it, so it must be unique on the device.
	Owner string
}

// String returns the operation and the owner.
func (s Step) String() string {
	if s.Operation == Hold {
		return s.Operation.String() + " for " + s.Owner
	}
	return s.Operation.String() + " of " + s.Owner
}

// The classes of the three phases follow one another without gaps, so that one
// class is one age step.
const (
	firstCreate     = int(lastRank - lastFoundation)
	firstTearDown   = firstCreate + int(lastRank) + 1
	numberOfClasses = firstTearDown + int(lastFoundation) + 1
)

// class is the step's place in the order: lower goes first. A rank outside the
// table counts as the nearest one in it.
func (s Step) class() int {
	rank := min(max(s.Rank, RankInterface), lastRank)
	switch {
	case s.Operation != Delete:
		return firstCreate + int(rank)
	case rank.Foundation():
		return firstTearDown + int(lastFoundation-rank)
	default:
		return int(lastRank - rank)
	}
}

// gathers reports whether the step may have to wait for better ones that have
// not arrived. Building a foundation never does.
func (s Step) gathers() bool { return s.Operation == Delete || !s.Rank.Foundation() }
