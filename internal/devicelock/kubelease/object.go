package kubelease

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
)

// The labels and annotations of our Leases; the package's documentation tells
// what they are.
const (
	domain           = "openconfig.terraform.io/"
	lockLabel        = domain + "lock"
	roleLabel        = domain + "role"
	keyAnnotation    = domain + "key"
	ownerAnnotation  = domain + "owner"
	beganAnnotation  = domain + "began"
	clientAnnotation = domain + "client"
)

// The values of the label role.
const (
	holderRole = "holder"
	waiterRole = "waiter"
)

// margin is how much longer than its duration a Lease of ours lasts: what the
// estimates of the server's clock by two hosts may differ, and more.
const margin = 2 * time.Second

// claim is a Lease that was read.
type claim struct {
	lease *coordinationv1.Lease
	// ours means that a store of this package wrote the claim, and owner is
	// what it said. Otherwise owner is what the Lease tells of its holder.
	ours  bool
	owner devicelock.Owner
}

// read makes out who a Lease belongs to. A Lease of ours that an operator took
// over has still our annotations: what counts is the holder's identity.
func read(lease *coordinationv1.Lease) *claim {
	c := &claim{lease: lease}
	var owner devicelock.Owner
	err := json.Unmarshal([]byte(lease.Annotations[ownerAnnotation]), &owner)
	if err == nil && owner.ID != "" && strings.HasSuffix(c.identity(), "/"+owner.ID) &&
		lease.Spec.RenewTime != nil && lease.Spec.LeaseDurationSeconds != nil {
		c.ours, c.owner = true, owner
		return c
	}
	c.owner = devicelock.Owner{ID: c.identity(), User: c.identity()}
	if lease.Spec.AcquireTime != nil {
		c.owner.Since = lease.Spec.AcquireTime.Time
	}
	return c
}

// identity is the holder's; empty if the Lease was given back without being
// deleted.
func (c *claim) identity() string {
	if c.lease.Spec.HolderIdentity == nil {
		return ""
	}
	return *c.lease.Spec.HolderIdentity
}

// duration is how long the Lease lasts; false if not limited.
func (c *claim) duration() (time.Duration, bool) {
	if c.lease.Spec.LeaseDurationSeconds == nil {
		return 0, false
	}
	return time.Duration(*c.lease.Spec.LeaseDurationSeconds) * time.Second, true
}

// key is the device's, or the Lease's name if it is not ours.
func (c *claim) key() string { return cmp.Or(c.lease.Annotations[keyAnnotation], c.lease.Name) }

func (c *claim) waits() bool { return c.ours && c.lease.Labels[roleLabel] == waiterRole }

// lock is the value that all Leases of one lock have.
func (c *claim) lock() string { return cmp.Or(c.lease.Labels[lockLabel], lockValue(c.lease.Name)) }

// began is the version of the write that the claim began with: a holder's fence,
// or a waiter's place among its equals.
func (c *claim) began() uint64 {
	text := c.lease.ResourceVersion
	if noted := c.lease.Annotations[beganAnnotation]; c.ours && noted != "" {
		text = noted
	}
	version, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0
	}
	return version
}

// identity returns an owner's holderIdentity: for people, and of this one alone.
func identity(owner *devicelock.Owner) string {
	who := cmp.Or(owner.User, "terraform")
	if owner.Host != "" {
		who += "@" + owner.Host
	}
	return who + "/" + owner.ID
}

// writer fills in the Leases of one store.
type writer struct {
	clock *serverClock
	// origin names the store.
	origin string
}

// acquired makes lease the owner's from now on.
func (w *writer) acquired(lease *coordinationv1.Lease, key, name string, request devicelock.Request) error {
	w.label(lease, key, name, holderRole)
	delete(lease.Annotations, beganAnnotation)
	if lease.Spec.HolderIdentity != nil {
		transitions := int32(1)
		if lease.Spec.LeaseTransitions != nil {
			transitions += *lease.Spec.LeaseTransitions
		}
		lease.Spec.LeaseTransitions = &transitions
	}
	now := w.now()
	lease.Spec.AcquireTime = &now
	return w.renewed(lease, request.Owner, request.TTL)
}

// waiting makes lease the owner's place in the queue.
func (w *writer) waiting(lease *coordinationv1.Lease, key, name string, owner devicelock.Owner) error {
	w.label(lease, key, name, waiterRole)
	return w.renewed(lease, owner, devicelock.RequestTTL)
}

func (w *writer) label(lease *coordinationv1.Lease, key, name, role string) {
	if lease.Labels == nil {
		lease.Labels = make(map[string]string)
	}
	lease.Labels[lockLabel], lease.Labels[roleLabel] = lockValue(name), role
	if lease.Annotations == nil {
		lease.Annotations = make(map[string]string)
	}
	lease.Annotations[keyAnnotation], lease.Annotations[clientAnnotation] = key, w.origin
}

// keep notes on lease, which is to be renewed, what the claim began with.
func (w *writer) keep(lease *coordinationv1.Lease, began uint64) {
	lease.Annotations[beganAnnotation] = strconv.FormatUint(began, 10)
}

// renewed makes lease last for ttl from now, with this record of its owner.
func (w *writer) renewed(lease *coordinationv1.Lease, owner devicelock.Owner, ttl time.Duration) error {
	record, err := json.Marshal(owner)
	if err != nil {
		return fmt.Errorf("write the owner's record: %w", err)
	}
	lease.Annotations[ownerAnnotation] = string(record)
	holder := identity(&owner)
	seconds := int32(max(1, (ttl+time.Second-1)/time.Second))
	now := w.now()
	lease.Spec.HolderIdentity, lease.Spec.LeaseDurationSeconds, lease.Spec.RenewTime = &holder, &seconds, &now
	return nil
}

func (w *writer) now() metav1.MicroTime {
	return metav1.NewMicroTime(w.clock.time().UTC().Truncate(time.Microsecond))
}
