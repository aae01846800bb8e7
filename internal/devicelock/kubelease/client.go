package kubelease

import (
	"context"
	"net/http"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/connrotation"
)

// client does the requests for the Leases of one namespace. Its errors are the
// library's.
type client struct {
	rest       *rest.RESTClient
	http       *http.Client
	dialer     *connrotation.Dialer
	parameters runtime.ParameterCodec
	namespace  string
	endpoint   string
	timeout    time.Duration
}

const resource = "leases"

// bound gives ctx a deadline if it has none.
func (c *client) bound(ctx context.Context) (context.Context, context.CancelFunc) {
	if _, ok := ctx.Deadline(); ok {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, c.timeout)
}

// finish returns a context for a write: it ends with ctx's deadline, but not
// when ctx is cancelled. Of a write that is cut off nobody knows when, or
// whether, it arrives.
func (c *client) finish(ctx context.Context) (context.Context, context.CancelFunc, error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	limit := time.Now().Add(c.timeout)
	if deadline, ok := ctx.Deadline(); ok {
		limit = deadline
	}
	writing, cancel := context.WithDeadline(context.WithoutCancel(ctx), limit)
	return writing, cancel, nil
}

// pageSize is how many Leases a list has at a time.
const pageSize = 500

// list returns the Leases with the labels, and the version of the namespace that
// it is.
func (c *client) list(ctx context.Context, labels string) ([]coordinationv1.Lease, string, error) {
	options := metav1.ListOptions{LabelSelector: labels, Limit: pageSize}
	var all []coordinationv1.Lease
	for {
		var page coordinationv1.LeaseList
		err := c.rest.Get().Namespace(c.namespace).Resource(resource).VersionedParams(&options, c.parameters).Do(ctx).Into(&page)
		if err != nil {
			return nil, "", err
		}
		all = append(all, page.Items...)
		if page.Continue == "" {
			return all, page.ResourceVersion, nil
		}
		options.Continue = page.Continue
	}
}

func (c *client) get(ctx context.Context, name string) (*coordinationv1.Lease, error) {
	lease := new(coordinationv1.Lease)
	if err := c.rest.Get().Namespace(c.namespace).Resource(resource).Name(name).Do(ctx).Into(lease); err != nil {
		return nil, err
	}
	return lease, nil
}

func (c *client) create(ctx context.Context, lease *coordinationv1.Lease) (*coordinationv1.Lease, error) {
	ctx, cancel, err := c.finish(ctx)
	if err != nil {
		return nil, err
	}
	defer cancel()
	created := new(coordinationv1.Lease)
	if err := c.rest.Post().Namespace(c.namespace).Resource(resource).Body(lease).Do(ctx).Into(created); err != nil {
		return nil, err
	}
	return created, nil
}

// update replaces the Lease, provided that it is still of lease's version and
// UID.
func (c *client) update(ctx context.Context, lease *coordinationv1.Lease) (*coordinationv1.Lease, error) {
	ctx, cancel, err := c.finish(ctx)
	if err != nil {
		return nil, err
	}
	defer cancel()
	updated := new(coordinationv1.Lease)
	if err := c.rest.Put().Namespace(c.namespace).Resource(resource).Name(lease.Name).Body(lease).Do(ctx).Into(updated); err != nil {
		return nil, err
	}
	return updated, nil
}

// remove deletes the Lease, provided that it is still of lease's version and UID.
func (c *client) remove(ctx context.Context, lease *coordinationv1.Lease) error {
	ctx, cancel, err := c.finish(ctx)
	if err != nil {
		return err
	}
	defer cancel()
	options := &metav1.DeleteOptions{
		Preconditions: &metav1.Preconditions{UID: &lease.UID, ResourceVersion: &lease.ResourceVersion},
	}
	return c.rest.Delete().Namespace(c.namespace).Resource(resource).Name(lease.Name).Body(options).Do(ctx).Error()
}

// watchFor is how long the server lets a watch run; then it is taken up again.
const watchFor = 5 * time.Minute

// watchName watches the Lease with this name from the version on, watchLabels
// those with the labels. An empty version means from now, beginning with what
// there is.
func (c *client) watchName(ctx context.Context, name, version string) (watch.Interface, error) {
	return c.watch(ctx, metav1.ListOptions{
		FieldSelector:   fields.OneTermEqualSelector(metav1.ObjectNameField, name).String(),
		ResourceVersion: version,
	})
}

func (c *client) watchLabels(ctx context.Context, labels, version string) (watch.Interface, error) {
	return c.watch(ctx, metav1.ListOptions{LabelSelector: labels, ResourceVersion: version})
}

func (c *client) watch(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
	seconds := int64(watchFor / time.Second)
	options.Watch, options.AllowWatchBookmarks, options.TimeoutSeconds = true, true, &seconds
	return c.rest.Get().Namespace(c.namespace).Resource(resource).VersionedParams(&options, c.parameters).Watch(ctx)
}

// close ends the connections. No request may be under way; but a watch that was
// cancelled may not have left its connection yet, which is not idle then.
func (c *client) close() {
	c.dialer.CloseAll()
	utilnet.CloseIdleConnectionsFor(c.http.Transport)
}
