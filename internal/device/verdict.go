package device

import (
	"errors"

	"google.golang.org/grpc/codes"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/gnmi"
)

// rpc returns what is known of the RPC that failed with err; the zero value if
// err is not about one.
func rpc(err error) gnmi.RPCError {
	var failed *gnmi.RPCError
	if !errors.As(err, &failed) {
		return gnmi.RPCError{}
	}
	return *failed
}

// sent tells whether a request that failed with err left, as far as is known.
func sent(err error) bool { return ambiguous(err) || rpc(err).Outcome == gnmi.Refused }

// notSent tells whether a request did not leave on a connection that there was.
func notSent(err error) bool { return rpc(err).Outcome == gnmi.NotSent }

// ambiguous tells whether a request left, and may have been carried out.
func ambiguous(err error) bool { return rpc(err).Outcome == gnmi.Ambiguous }

// refusal returns the code of a refusal, OK for everything else.
func refusal(err error) codes.Code {
	if failed := rpc(err); failed.Outcome == gnmi.Refused {
		return failed.Code
	}
	return codes.OK
}

// finished tells whether a device that answered so has ended its work on the
// request. These are codes of devices and of what is between; the others mean
// that somebody gave up waiting.
func finished(err error) bool {
	failed := rpc(err)
	return failed.Answered && (failed.Code == codes.Internal || failed.Code == codes.Unknown)
}

// unauthenticated tells whether a device does not let this one in. It has not
// looked at the request, and does not let it be read back either.
func unauthenticated(err error) bool { return rpc(err).Code == codes.Unauthenticated }

// denied tells whether a device, or a newer owner, does not let this one write.
func denied(err error) bool {
	var stale *ArbitrationError
	return errors.As(err, &stale) || unauthenticated(err) || rpc(err).Code == codes.PermissionDenied
}

// lost tells whether the lock was lost that the request was sent under.
func lost(err error) bool {
	var gone *devicelock.LostError
	return errors.As(err, &gone)
}
