package kubetest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// OperatorDuration is leaseDurationSeconds of an operator's Leases. It renews
// them every second.
const OperatorDuration = 5 * time.Second

// Operator locks devices in the way of a Kubernetes operator for network devices:
// by one Lease named after the device, which it creates, or takes over if it has
// ended by the operator's own clock, and deletes to release. It knows nothing of
// others' labels and annotations, and has none. It is safe for concurrent use.
type Operator struct {
	identity  string
	namespace string
	client    *http.Client
	host      string
	now       func() time.Time
}

// Operator returns an operator with this identity, whose clock is now.
func (c Cluster) Operator(t testing.TB, identity string, now func() time.Time) *Operator {
	t.Helper()
	client, host := c.Client(t)
	return &Operator{identity: identity, namespace: c.Namespace, client: client, host: host, now: now}
}

// Acquire makes the device the operator's if it can: false if somebody else holds
// it. To renew is to acquire again.
func (o *Operator) Acquire(ctx context.Context, device string) (bool, error) {
	lease, err := o.Get(ctx, device)
	if err != nil {
		return false, err
	}
	now, seconds := metav1.NewMicroTime(o.now()), int32(OperatorDuration/time.Second)
	method, name := http.MethodPut, device
	switch {
	case lease == nil:
		lease = &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: device, Namespace: o.namespace}}
		lease.Spec.AcquireTime = &now
		method, name = http.MethodPost, ""
	case o.sees(lease):
		return false, nil
	case holder(lease) != o.identity:
		lease.Spec.AcquireTime = &now
	}
	lease.Spec.HolderIdentity, lease.Spec.LeaseDurationSeconds, lease.Spec.RenewTime = &o.identity, &seconds, &now
	status, err := o.do(ctx, method, name, typed(lease), nil)
	return err == nil && status != http.StatusConflict, err
}

// Held tells whether the operator takes the device for somebody else's.
func (o *Operator) Held(ctx context.Context, device string) (bool, error) {
	lease, err := o.Get(ctx, device)
	return lease != nil && o.sees(lease), err
}

// Release deletes the Lease if it is the operator's, without a precondition.
func (o *Operator) Release(ctx context.Context, device string) error {
	lease, err := o.Get(ctx, device)
	if err != nil || lease == nil || holder(lease) != o.identity {
		return err
	}
	return o.Delete(ctx, device)
}

// Vacate leaves the Lease without a holder, as some operators release.
func (o *Operator) Vacate(ctx context.Context, device string) error {
	lease, err := o.Get(ctx, device)
	if err != nil || lease == nil || holder(lease) != o.identity {
		return err
	}
	lease.Spec.HolderIdentity = new(string)
	_, err = o.do(ctx, http.MethodPut, device, typed(lease), nil)
	return err
}

// Get returns the device's Lease, nil if there is none.
func (o *Operator) Get(ctx context.Context, device string) (*coordinationv1.Lease, error) {
	lease := new(coordinationv1.Lease)
	status, err := o.do(ctx, http.MethodGet, device, nil, lease)
	if status == http.StatusNotFound || err != nil {
		return nil, err
	}
	return lease, nil
}

// Delete deletes the device's Lease whoever has it, as an administrator does.
func (o *Operator) Delete(ctx context.Context, device string) error {
	_, err := o.do(ctx, http.MethodDelete, device, nil, nil)
	return err
}

// sees tells that the Lease is somebody else's and has not ended.
func (o *Operator) sees(lease *coordinationv1.Lease) bool {
	who := holder(lease)
	if who == "" || who == o.identity || lease.Spec.RenewTime == nil || lease.Spec.LeaseDurationSeconds == nil {
		return false
	}
	end := lease.Spec.RenewTime.Add(time.Duration(*lease.Spec.LeaseDurationSeconds) * time.Second)
	return end.After(o.now())
}

func holder(lease *coordinationv1.Lease) string {
	if lease.Spec.HolderIdentity == nil {
		return ""
	}
	return *lease.Spec.HolderIdentity
}

// do does one request. That the Lease is not there, or was changed or created in
// between, is no error.
func (o *Operator) do(ctx context.Context, method, name string, body, into any) (int, error) {
	content := new(bytes.Buffer)
	if body != nil {
		if err := json.NewEncoder(content).Encode(body); err != nil {
			return 0, fmt.Errorf("encode the request: %w", err)
		}
	}
	url := o.host + "/apis/coordination.k8s.io/v1/namespaces/" + o.namespace + "/leases"
	if name != "" {
		url += "/" + name
	}
	request, err := http.NewRequestWithContext(ctx, method, url, content)
	if err != nil {
		return 0, fmt.Errorf("make the request: %w", err)
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := o.client.Do(request)
	if err != nil {
		return 0, fmt.Errorf("ask the API server: %w", err)
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	switch {
	case err != nil:
		return 0, fmt.Errorf("read the reply: %w", err)
	case response.StatusCode == http.StatusNotFound, response.StatusCode == http.StatusConflict:
		return response.StatusCode, nil
	case response.StatusCode >= http.StatusBadRequest:
		return 0, fmt.Errorf("%s %s: %s: %s", method, url, response.Status, text)
	case into == nil:
		return response.StatusCode, nil
	}
	if err := json.Unmarshal(text, into); err != nil {
		return 0, fmt.Errorf("decode the reply: %w", err)
	}
	return response.StatusCode, nil
}
