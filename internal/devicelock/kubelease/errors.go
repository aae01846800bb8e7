package kubelease

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
)

func isLost(err error) bool { return errors.Is(err, devicelock.ErrLeaseLost) }

// fail makes err what the methods of a store return.
func (s *Store) fail(err error) error {
	if err == nil || isLost(err) {
		return err
	}
	failure := &devicelock.StoreError{Backend: backend, Endpoint: s.api.endpoint, Err: err}
	var certificate *tls.CertificateVerificationError
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		failure.Err = fmt.Errorf("the API server did not answer in time: check that this host reaches it: %w", err)
	case apierrors.IsUnauthorized(err):
		failure.Permanent = true
		failure.Err = fmt.Errorf("the API server does not accept the credentials: "+
			"check the user of the kubeconfig's context, and that its token or certificate has not expired: %w", err)
	case apierrors.HasStatusCause(err, namespaceTerminating):
		failure.Permanent = true
		failure.Err = fmt.Errorf("the namespace %q is being deleted: %w", s.api.namespace, err)
	case apierrors.IsForbidden(err):
		failure.Permanent = true
		failure.Err = fmt.Errorf("the user may not use Leases in the namespace %q: it needs a role with the verbs get, list, watch, "+
			"create, update and delete on leases of the API group coordination.k8s.io there: %w", s.api.namespace, err)
	case missingNamespace(err):
		failure.Permanent = true
		failure.Err = fmt.Errorf("the namespace %q does not exist: create it, or set namespace to where the Leases of the devices are: %w",
			s.api.namespace, err)
	case apierrors.IsNotFound(err):
		failure.Permanent = true
		failure.Err = fmt.Errorf("there are no Leases (coordination.k8s.io/v1) at this address: check that it is a Kubernetes API server: %w", err)
	case apierrors.IsInvalid(err) || apierrors.IsBadRequest(err):
		failure.Permanent = true
		failure.Err = fmt.Errorf("the API server refuses the Lease: %w", err)
	case errors.As(err, &certificate):
		failure.Permanent = true
		failure.Err = fmt.Errorf("the API server's certificate is not trusted: check the certificate authority in the kubeconfig: %w", err)
	}
	return failure
}

// namespaceTerminating is the cause that the API server gives for refusing to
// create something in a namespace that is being deleted.
const namespaceTerminating metav1.CauseType = "NamespaceTerminating"

// missingNamespace tells that what was not found is the namespace, which only
// creation finds out: the list of a namespace that does not exist is empty.
func missingNamespace(err error) bool {
	var status apierrors.APIStatus
	if !apierrors.IsNotFound(err) || !errors.As(err, &status) {
		return false
	}
	details := status.Status().Details
	return details != nil && details.Kind == "namespaces"
}
