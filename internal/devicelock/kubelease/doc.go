// Package kubelease keeps the leases of devices as Lease objects
// (coordination.k8s.io/v1) of a Kubernetes API server, in the way of the
// operators and controllers that lock a device by one Lease named after it.
//
// # What is stored
//
// A held device is one Lease in the configured namespace. It is created to
// acquire, its renewTime is updated to renew, and it is deleted to release.
// spec.holderIdentity names the owner and is never used twice;
// spec.leaseDurationSeconds is the TTL. Those that wait have a Lease each, named
// "<lease>-wait-<hash of the owner's id>", which the waiter deletes when its turn
// has come or when it gives up. Labels and annotations below
// "openconfig.terraform.io/" tell our Leases from those of others:
//
//	label lock          the Lease that the object is, or waits for
//	label role          holder or waiter
//	annotation key      the device's key, exactly
//	annotation owner    the owner's record, JSON
//	annotation began    the version of its first write, from the next one on
//	annotation client   the process's client, so that it ignores its own doing
//
// A Lease without them, or with another holderIdentity than the record's, is
// somebody else's: it is respected, and never deleted but by force.
//
// # Who is next
//
// The urgent go before the others, and among equals the order of the waiters'
// Leases' creation counts, by resourceVersion: creationTimestamp has whole
// seconds only. Whoever creates the holder's Lease first has the device; those
// that keep to the queue only try when nobody is before them. What an operator
// does is not known to the queue.
//
// # Time
//
// No host's clock is compared with another's. The clock of our Leases is the API
// server's, as the Date header of its replies tells it, to half a second: one
// ends when its duration plus two seconds have passed since renewTime. A server
// whose clock is set forward ends leases early; keep it on NTP. The clock behind
// somebody else's renewTime is not known, so that Lease has ended only when this
// client has seen it unchanged for its whole duration. Whoever then takes it over
// has an orphaned lease. A Lease without leaseDurationSeconds does not end by
// time.
//
// # Fences
//
// The fence is the resourceVersion of the write that acquired the Lease, as a
// number. Kubernetes promises since release 1.35 that resource versions of one
// kind can be compared as numbers and grow; with etcd as the store it has always
// been so. A namespace that is restored from a backup may start lower.
//
// # Writes
//
// Every write states what it rests on: an update the resourceVersion and the
// UID, a deletion both as preconditions. A server that has given the Lease to
// somebody else in between refuses it.
//
// # Rights
//
// The user needs the verbs get, list, watch, create, update and delete on leases
// of the API group coordination.k8s.io in the namespace; to look at locks alone,
// get and list.
package kubelease
