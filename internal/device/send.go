package device

import (
	"context"
	"errors"
	"fmt"
	"time"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/gnmi"
)

const (
	// settlePause is how often a device is asked whether it shows a change that
	// was not answered.
	settlePause = 500 * time.Millisecond
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
	// Outcome is "done", "not_sent", "refused" or "ambiguous"; Code the gRPC
	// status code's name.
	Outcome, Code string
	// Operations counts deletes, replaces and updates.
	Operations int
}

// Observer is told of every Set. It may be called concurrently.
type Observer interface {
	Sent(ctx context.Context, sent Sent)
}

// send sends req, and resolves an ambiguous outcome: the identical request is
// sent again, which is harmless, and if that is not answered either, the device
// is read. Under a lost lock nothing is sent again; what the device holds is
// found out by reading alone.
//
// A device may go on with a request whose sender has given up, for as long as
// the lock delay. Until then nobody else gets the device, even if it is known
// what became of the request: carried out late, it would undo what a later step
// has done.
func (d *Device) send(ctx context.Context, grant *devicelock.Grant, step devicelock.Step, p *gpb.Path, req *gpb.SetRequest) error {
	err := d.set(ctx, grant, step, req)
	if !ambiguous(err) {
		return err
	}
	over := time.Now().Add(d.registry.LockDelay())
	defer func() { pause(ctx, time.Until(over)) }()
	var lost *devicelock.LostError
	if !errors.As(err, &lost) {
		if err = d.set(ctx, grant, step, req); err == nil {
			return nil
		}
		over = time.Now().Add(d.registry.LockDelay())
	}
	before, _ := d.snapshot.view(p)
	want, imageErr := d.snapshot.image(req)
	if imageErr != nil {
		d.snapshot.drop()
		return err
	}
	intended := want.At(p.GetElem())
	if same(before, intended) {
		d.snapshot.drop()
		return err
	}
	for {
		d.snapshot.drop()
		if readErr := d.snapshot.ensure(ctx, d.client, p); readErr == nil {
			if after, _ := d.snapshot.view(p); same(after, intended) {
				return nil
			}
		}
		if !time.Now().Before(over) {
			return err
		}
		pause(ctx, settlePause)
	}
}

// pause waits for d, or for the end of ctx.
func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

func ambiguous(err error) bool {
	var failed *gnmi.RPCError
	return errors.As(err, &failed) && failed.Outcome == gnmi.Ambiguous
}

// set sends req once, within what the lease allows, and reports it.
func (d *Device) set(ctx context.Context, grant *devicelock.Grant, step devicelock.Step, req *gpb.SetRequest) error {
	sending, done, err := grant.Sending(ctx, d.client.SetTimeout())
	if err != nil {
		return err
	}
	defer done()
	if d.arbitration && grant.Fence() > 0 {
		req = elected(req, grant.Fence())
	}
	sent := Sent{
		Key: d.gate.Key(), Name: d.Name, Step: step, Fence: grant.Fence(), Start: time.Now(),
		Operations: len(req.GetDelete()) + len(req.GetReplace()) + len(req.GetUpdate()),
	}
	err = d.client.Set(sending, req)
	sent.Took = time.Since(sent.Start)
	sent.Outcome, sent.Code = outcome(err)
	if d.observer != nil {
		d.observer.Sent(ctx, sent)
	}
	var failed *gnmi.RPCError
	if d.arbitration && grant.Fence() > 0 && errors.As(err, &failed) && failed.Code == codes.PermissionDenied {
		return &ArbitrationError{Stale: true, Err: err}
	}
	var lost *devicelock.LostError
	if err != nil && errors.As(context.Cause(sending), &lost) {
		return fmt.Errorf("%w; %w", lost, err)
	}
	return err
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
