package etcdlease

import (
	"context"
	"errors"
	"fmt"
	"io"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock/clienttls"
)

// backend is the store's name in the configuration.
const backend = "etcd"

var errClosed = errors.New("the store is closed")

// fail returns the error of a call as a *[devicelock.StoreError], but leaves
// devicelock.ErrLeaseLost as it is.
func (s *Store) fail(err error) error {
	if err == nil || errors.Is(err, devicelock.ErrLeaseLost) {
		return err
	}
	err = rpctypes.Error(err)
	advice, permanent := refusal(err)
	if advice == "" && !errors.Is(err, context.Canceled) && unreachable(err) {
		advice, permanent, err = s.unreached(err)
	}
	if advice != "" {
		err = fmt.Errorf("%s: %w", advice, err)
	}
	return &devicelock.StoreError{Backend: backend, Endpoint: s.endpoint, Permanent: permanent, Err: err}
}

// refusal explains answers that will not change by asking again.
func refusal(err error) (advice string, ok bool) {
	switch {
	case errors.Is(err, rpctypes.ErrAuthFailed):
		return "the server does not accept the user name or the password: check both", true
	case errors.Is(err, rpctypes.ErrUserEmpty):
		return "the server wants a user name and a password, and none are configured", true
	case errors.Is(err, rpctypes.ErrPermissionDenied):
		return "the user may not read and write the keys that begin with the prefix: check its roles", true
	case errors.Is(err, rpctypes.ErrAuthNotEnabled):
		return "the server has authentication switched off: leave out the user name and the password", true
	default:
		return "", false
	}
}

// unreachable tells that no server has answered.
func unreachable(err error) bool {
	if errors.Is(err, context.DeadlineExceeded) {
		return true
	}
	var answer rpctypes.EtcdError
	if errors.As(err, &answer) {
		return false
	}
	code := status.Code(err)
	return code == codes.Unavailable || code == codes.DeadlineExceeded
}

// unreached adds to the error of a call why no endpoint was reached. That is
// permanent if no endpoint can be used as it is configured.
func (s *Store) unreached(err error) (advice string, permanent bool, cause error) {
	permanent = true
	var failures []error
	for _, address := range s.target.addresses {
		failure := s.attempts.last(address)
		if failure == nil {
			permanent = false
			continue
		}
		failures = append(failures, failure)
		explained, ok := clienttls.Explain(failure)
		if errors.Is(failure, io.EOF) {
			explained = "the server closed the connection; perhaps it does not talk TLS at this port"
		}
		permanent = permanent && ok
		if advice == "" {
			advice = explained
		}
	}
	if len(failures) == 0 {
		// The server closed the connection, or says nothing.
		if advice, ok := clienttls.Explain(err); ok {
			return advice, true, err
		}
		if s.target.tls == nil {
			return "the server did not answer (if it expects TLS, its endpoint has to begin with https://)", false, err
		}
		if len(s.target.tls.Certificates) == 0 {
			return "the server did not answer (perhaps it asks for a client certificate, and none is configured)", false, err
		}
		return "the server did not answer", false, err
	}
	if advice == "" {
		advice = "no endpoint could be reached"
	}
	if status.Code(err) == codes.Unavailable {
		return advice, permanent, errors.Join(failures...)
	}
	return advice, permanent, fmt.Errorf("%w: %w", err, errors.Join(failures...))
}
