package device

import (
	"context"
	"errors"
	"fmt"
	"time"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/changeset"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/gnmi"
)

// Sent is one Set that went to a device, or was to.
type Sent struct {
	// Key and Name are the device's lock key and its name in the configuration.
	Key, Name string
	Step      devicelock.Step
	// Fence is the token of the lease that the Set was sent under; 0 without.
	Fence uint64
	Start time.Time
	Took  time.Duration
	// Outcome is "done", "not_sent", "refused", "ambiguous", or, of what was
	// refused or not answered, "settled" where the device holds all of it,
	// "half_applied" where it holds some, and "rolled_back" where it has taken it
	// back; "not_shown" is what it accepted and does not show. Code is the gRPC status code's name.
	Outcome, Code string
	// Operations counts deletes, replaces and updates.
	Operations int
}

// Observer is told of every Set. It may be called concurrently.
type Observer interface {
	Sent(ctx context.Context, sent Sent)
}

// set sends req once, within what the lease allows, and reports how that ended.
func (d *Device) set(ctx context.Context, grant *devicelock.Grant, change Change, req *gpb.SetRequest, report func(Sent)) error {
	sending, done, err := grant.Sending(ctx, d.client.SetTimeout()+d.rollbackAfter)
	if err != nil {
		return err
	}
	defer done()
	if d.profile.Wire.Leaves {
		if req, err = changeset.Leaves(req); err != nil {
			return err
		}
	}
	req = d.elect(grant, req)
	sent := Sent{
		Key: d.gate.Key(), Name: d.Name, Step: change.Step, Fence: grant.Fence(), Start: time.Now(),
		Operations: operations(req),
	}
	err = d.client.Set(sending, req, change.Secrets...)
	sent.Took = time.Since(sent.Start)
	sent.Outcome, sent.Code = outcome(err)
	report(sent)
	if d.arbitration && grant.Fence() > 0 && refusal(err) == codes.PermissionDenied {
		return &ArbitrationError{Stale: true, Err: err}
	}
	var gone *devicelock.LostError
	if err != nil && errors.As(context.Cause(sending), &gone) {
		return fmt.Errorf("%w; %w", gone, err)
	}
	return err
}

// tell reports a Set to the observer, if there is one.
func (d *Device) tell(ctx context.Context, sent Sent) {
	if d.observer != nil {
		d.observer.Sent(ctx, sent)
	}
}

func outcome(err error) (outcome, code string) {
	var failed *gnmi.RPCError
	switch {
	case err == nil:
		return "done", codes.OK.String()
	case !errors.As(err, &failed):
		return "not_sent", codes.Unavailable.String()
	}
	outcome = map[gnmi.Outcome]string{gnmi.NotSent: "not_sent", gnmi.Refused: "refused", gnmi.Ambiguous: "ambiguous"}[failed.Outcome]
	return outcome, failed.Code.String()
}

// Lock returns who holds the device's lock in any process, and who waits. It
// returns false where the lock does not reach beyond this process, and errors
// of the lock service.
func (d *Device) Lock(ctx context.Context) (devicelock.Record, bool, error) {
	return d.gate.Record(ctx)
}

// LockKey is the key of the device's lock.
func (d *Device) LockKey() string { return d.gate.Key() }

// LockBackend is the name of the lock's backend, "memory" without leases.
func (d *Device) LockBackend() string { return d.registry.Backend() }

// Unprotected returns, once for each failure of the lock service, why steps went
// on without it; nil if none did.
func (d *Device) Unprotected() error { return d.registry.Unprotected() }
