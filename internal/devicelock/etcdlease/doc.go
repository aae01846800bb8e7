// Package etcdlease keeps the leases of devices in etcd, by etcd's own client
// library.
//
// Each device has keys below Prefix and its own key, which is percent-encoded:
//
//   - holder is bound to an etcd lease of the TTL, and has the owner's record. It
//     is created by one transaction, whose revision is the fence: revisions of a
//     store never fall.
//   - waiters/CLASS/ID are bound to an etcd lease of devicelock.RequestTTL each.
//     Their order is that of CLASS, which is 0 for the urgent, and then that in
//     which etcd created them.
//   - last is written with holder and stays: it tells whether somebody else has
//     held the device between two leases.
//
// All decisions are transactions, so no two processes disagree. What a process
// leaves behind when it is killed goes with its etcd leases.
package etcdlease
