// Package filelease keeps the leases of devices in files, for the processes of
// one host.
//
// The kernel's lock on a file is the lease: when its owner dies, whatever way, the
// kernel frees it at once. Owners and their order are written beside it. Every
// device has a directory:
//
//	mutex           is locked for the moment in which anything is looked at or changed
//	key             the device's key
//	counters.json   the last fence and the last place in the queue
//	lease           is locked by the holder
//	lease.json      the holder's record; one that is left without a lock says
//	                that its owner died
//	wait-C-N        is locked by the waiter with class C and place N
//	wait-C-N.json   the waiter's record
//
// What is locked is never written to, because some systems then let nobody read
// it. Directories stay: the fence must never fall.
//
// The directory must be on a local file system. Network file systems differ in
// what their locks promise, and when they notice that an owner has died.
package filelease
