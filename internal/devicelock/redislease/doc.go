// Package redislease keeps the leases of devices in Redis, version 6 or later: a
// single server, one behind Sentinel, or a Cluster.
//
// # What is stored
//
// Every decision is one Lua script, which Redis runs as one step, on the keys of
// one device. They share a hash tag, so that a Cluster keeps them on one node;
// the device's key is in it percent-encoded:
//
//	<prefix>{<key>}:lease    hash: id, owner (JSON), fence, previous; expires
//	<prefix>{<key>}:queue    sorted set of the waiters' ids by class and sequence
//	<prefix>{<key>}:waiters  hash: id to when it lapses and its owner (JSON)
//	<prefix>{<key>}:counts   hash: the last fence and sequence; never expires
//	<prefix>{<key>}:events   channel: something happened to the lease or the queue
//
// Time is the server's alone: a lease ends when its key expires, and a waiter
// lapses by the server's clock. That a lease expired is not published; who waits
// knows from [devicelock.Record] when it will.
//
// # Fences
//
// A fence is the larger of the last fence plus one and the server's time in
// microseconds, and the lease remembers the fence before it. A bare count would
// give the same fence twice where fences matter most: when the last grant is
// lost with the server that made it.
//
// # What Redis does not promise
//
// Replication is asynchronous: a server that fails over, or restarts without an
// append-only file that is synced for every write, may have forgotten a lease
// that it had granted. For up to its renewal, until it learns that the lease has
// ended, the old owner then believes that it holds the device while the new one
// does too. The lock delay does not help, because the new owner takes a key that
// looks free. Fences do: the new owner's is larger, as long as the clocks of the
// servers differ by less than a failover takes, so a device that compares them
// refuses the old owner's Sets. Where devices do not, make the loss rarer:
//
//   - `min-replicas-to-write 1` and `min-replicas-max-lag 2` on the servers: one
//     that is cut off from its replicas stops to grant after that time.
//   - `appendonly yes` and `appendfsync always`, or a restart that takes longer
//     than the lease's TTL.
//   - `maxmemory-policy noeviction`: every other policy may evict leases.
//
// The package does not send WAIT: it tells how many replicas have a write, but
// does not take the write back when too few do, and Sentinel may still promote
// one that does not have it. Who cannot accept this takes the etcd or the
// kubernetes backend.
//
// Expiry on a replica is by its own clock, from the instant that its master set.
// A promoted replica whose clock is ahead ends leases that much early: keep the
// servers' clocks together to within the lock's margins.
//
// # Rights
//
// With the default prefix, a user needs these rules of the server's ACL:
//
//	~terraform-provider-openconfig:lock:* &terraform-provider-openconfig:lock:*
//	+@connection +@scripting +time +hget +hmget +hset +hincrby +hdel +del +pexpire
//	+pttl +zadd +zrange +zrem +zscore +publish +subscribe +unsubscribe +scan
//	(in a Cluster also +cluster, at Sentinel +sentinel +subscribe)
package redislease
