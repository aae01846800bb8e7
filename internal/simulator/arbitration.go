package simulator

import (
	"cmp"
	"fmt"
	"sync"

	"github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/gnmi/proto/gnmi_ext"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Arbitration is what a target does with gNMI's master arbitration extension
// (gNMI master arbitration, version 0.1.0).
type Arbitration string

// The ways of targets.
const (
	// ArbitrationIgnored accepts the extension and takes no notice, as targets
	// do that do not know it. It is the default.
	ArbitrationIgnored Arbitration = "ignored"
	// ArbitrationFull arbitrates as specified, for each role. The election ids
	// do not survive a restart; the specification does not ask for that.
	ArbitrationFull Arbitration = "full"
	// ArbitrationUnsupported refuses a Set with the extension.
	ArbitrationUnsupported Arbitration = "unsupported"
)

// Check returns an error unless a is one of the ways, or empty, which stands for
// the default.
func (a Arbitration) Check() error {
	switch a {
	case "", ArbitrationIgnored, ArbitrationFull, ArbitrationUnsupported:
		return nil
	}
	return fmt.Errorf("arbitration %q must be full, ignored or unsupported", a)
}

// elections are the largest election ids that a target has seen, by role.
type elections struct {
	mu   sync.Mutex
	seen map[string]*gnmi_ext.Uint128
}

// election returns the master arbitration that a request carries, nil if none.
func election(req *gnmi.SetRequest) *gnmi_ext.MasterArbitration {
	for _, e := range req.GetExtension() {
		if a := e.GetMasterArbitration(); a != nil {
			return a
		}
	}
	return nil
}

// arbitrate lets a Set through, or refuses that of an earlier master. A Set
// without the extension is let through: section 3.2, which says what a target
// does, wants it so, although section 1 has such a Set refused. It must be called
// while no other Set runs, so that none is applied after that of a later master.
func (t *Target) arbitrate(req *gnmi.SetRequest) error {
	claim := election(req)
	if claim == nil {
		return nil
	}
	switch t.options.Arbitration {
	case ArbitrationFull:
	case ArbitrationUnsupported:
		return status.Error(codes.Unimplemented, "the master arbitration extension is not supported")
	default:
		return nil
	}
	id := claim.GetElectionId()
	if id == nil {
		return status.Error(codes.InvalidArgument, "master arbitration without an election_id")
	}
	t.elections.mu.Lock()
	defer t.elections.mu.Unlock()
	role := claim.GetRole().GetId()
	if seen := t.elections.seen[role]; seen != nil && compareIDs(id, seen) < 0 {
		return status.Errorf(codes.PermissionDenied, "election id %s is less than %s, the largest one of the role %q", idText(id), idText(seen), role)
	}
	t.elections.seen[role] = id
	return nil
}

func compareIDs(a, b *gnmi_ext.Uint128) int {
	return cmp.Or(cmp.Compare(a.GetHigh(), b.GetHigh()), cmp.Compare(a.GetLow(), b.GetLow()))
}

// idText writes an election id in decimal, its halves apart where both count.
func idText(id *gnmi_ext.Uint128) string {
	if id.GetHigh() == 0 {
		return fmt.Sprint(id.GetLow())
	}
	return fmt.Sprintf("%d:%d", id.GetHigh(), id.GetLow())
}
