package device

import (
	"context"
	"errors"
	"fmt"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/gnmi/proto/gnmi_ext"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
)

// ArbitrationError is why the lock's token could not protect the device.
type ArbitrationError struct {
	// Stale means that the device knows a newer owner of its lock.
	Stale bool
	// Ahead means that the device refused the token of a lease that had only
	// just begun. Nothing was written.
	Ahead bool
	// Ignored means that the device accepted a token that it should have
	// refused.
	Ignored bool
	// Err is the device's answer, nil if Ignored.
	Err error
}

// Error says what the device does.
func (e *ArbitrationError) Error() string {
	switch {
	case e.Stale:
		return fmt.Sprintf("the device has a newer owner, so this change was refused: %v", e.Err)
	case e.Ahead:
		return fmt.Sprintf("the device refused the newest token of its lock: it remembers a larger one, "+
			"of another lock service or from before this one's data was lost, or it does not let this user write: %v", e.Err)
	case e.Ignored:
		return "the device ignores master arbitration: it accepted the token of an earlier owner"
	}
	return fmt.Sprintf("the device does not support master arbitration: %v", e.Err)
}

// Unwrap returns the device's answer.
func (e *ArbitrationError) Unwrap() error { return e.Err }

// elected returns req with the token as its election id (gNMI master arbitration
// 0.1.0). There is no role: few devices know roles, and all who write to the
// device are to exclude each other.
func elected(req *gpb.SetRequest, fence uint64) *gpb.SetRequest {
	req, _ = proto.Clone(req).(*gpb.SetRequest)
	req.Extension = append(req.Extension, &gnmi_ext.Extension{Ext: &gnmi_ext.Extension_MasterArbitration{
		MasterArbitration: &gnmi_ext.MasterArbitration{ElectionId: &gnmi_ext.Uint128{Low: fence}},
	}})
	return req
}

// elect returns req with the token of grant's lease, where it goes with Sets.
func (d *Device) elect(grant *devicelock.Grant, req *gpb.SetRequest) *gpb.SetRequest {
	if !d.arbitration || grant.Fence() == 0 {
		return req
	}
	return elected(req, grant.Fence())
}

// announce makes this owner known to the device by an empty Set, before anything
// is read under a new lease: from then on the device refuses those who held the
// lock earlier. The first time it also tries the token of an earlier owner,
// because a device that ignores the extension answers OK to everything.
func (d *Device) announce(ctx context.Context, grant *devicelock.Grant, step devicelock.Step) error {
	fence := grant.Fence()
	if !d.arbitration || fence == 0 || fence == d.announced {
		return nil
	}
	if err := d.set(ctx, grant, Change{Step: step}, &gpb.SetRequest{}, func(s Sent) { d.tell(ctx, s) }); err != nil {
		var refused *ArbitrationError
		if errors.As(err, &refused) {
			return &ArbitrationError{Ahead: true, Err: refused.Err}
		}
		return unsupported(err)
	}
	if d.announced == 0 {
		sending, done, err := grant.Sending(ctx, d.client.SetTimeout())
		if err != nil {
			return err
		}
		defer done()
		err = d.client.Set(sending, elected(&gpb.SetRequest{}, fence-1))
		switch {
		case err == nil:
			return &ArbitrationError{Ignored: true}
		case refusal(err) != codes.PermissionDenied:
			return err
		}
	}
	d.announced = fence
	return nil
}

// unsupported tells a device without the extension from other failures.
func unsupported(err error) error {
	switch refusal(err) {
	case codes.Unimplemented, codes.InvalidArgument:
		return &ArbitrationError{Err: err}
	}
	return err
}
