package device

import (
	"context"
	"errors"
	"net"
	"sync/atomic"

	"google.golang.org/grpc/codes"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/gnmi"
)

// Policies are what a device's resources do where users want different things.
// An empty text is the first of the choices.
type Policies struct {
	// OnDestroy is what becomes of an entry whose resource is destroyed:
	// "delete" takes it off the device, "reset" takes back the leaves that the
	// resource set, "keep" leaves it as it is. OnExisting is what creating does
	// about an entry that is there with other content: an "error", or "adopt".
	// OnUnreachable is what reading does on a device that cannot be reached: an
	// "error", or to "keep" the state.
	OnDestroy, OnExisting, OnUnreachable string
}

// DestroyPolicies lists the values of Policies.OnDestroy.
func DestroyPolicies() []string { return []string{"delete", "reset", "keep"} }

// ExistingPolicies lists the values of Policies.OnExisting.
func ExistingPolicies() []string { return []string{"error", "adopt"} }

// UnreachablePolicies lists the values of Policies.OnUnreachable.
func UnreachablePolicies() []string { return []string{"error", "keep"} }

// Policies are what the configuration says for the device.
func (d *Device) Policies() Policies { return d.policies.Policies }

// followed is the policies of a device, and what came of them in this run.
type followed struct {
	Policies
	unreachable atomic.Bool // somebody was told
}

// TellUnreachable tells the first caller alone that it has to say that the
// device cannot be reached.
func (d *Device) TellUnreachable() bool { return !d.policies.unreachable.Swap(true) }

// Unreachable tells whether err means that nobody answers at a device's
// address: not that somebody does who is not trusted or does not let us in.
func Unreachable(err error) bool {
	var (
		connect *gnmi.ConnectError
		rpc     *gnmi.RPCError
		dial    *net.OpError
		name    *net.DNSError
	)
	switch {
	case errors.As(err, &connect):
		return errors.Is(connect.Err, context.DeadlineExceeded) || errors.As(connect.Err, &name) || errors.As(connect.Err, &dial) && dial.Op == "dial"
	case errors.As(err, &rpc):
		return !rpc.Answered && (rpc.Code == codes.Unavailable || rpc.Code == codes.DeadlineExceeded)
	}
	return false
}
