package main

// mutant is one way to break the lock.
type mutant struct {
	// name says what the lock does wrong.
	name string
	// file is what is changed: old, which is there once, becomes new.
	file, old, new string
}

const (
	keeper = "internal/devicelock/keeper.go"
	seek   = "internal/devicelock/seek.go"
	leased = "internal/devicelock/leased.go"
	pins   = "internal/devicelock/pin.go"
	leases = "internal/devicelock/leases.go"
)

var mutants = []mutant{
	// No Set outside the lease's validity, no grant while an old Set may be
	// under way.
	{
		"a lease that lapsed is used without the lock delay", seek,
		"TTL: k.leasing.TTL + k.leasing.LockDelay}", "TTL: k.leasing.TTL}",
	},
	{
		"a dead owner's lease is used without the lock delay", seek,
		"k.sleep(k.leasing.LockDelay, nil)", "k.sleep(0, nil)",
	},
	{
		"a Set may outlast the lease that it was sent under", leased,
		"if protected {\n\t\tctx, stopDeadline", "if false {\n\t\tctx, stopDeadline",
	},
	{
		"a Set goes on when the lease is lost", leased,
		"func() { cancel(context.Cause(k.lost)) })", "func() {})",
	},
	{
		"a Set is sent under a lease that was lost", leased,
		"if k.lost.Err() != nil {\n\t\treturn nil, nil, context.Cause(k.lost)", "if false {\n\t\treturn nil, nil, context.Cause(k.lost)",
	},
	{
		"a Set is sent though less time is left than it may take", leased,
		"if protected && left < limit {", "if protected && left < 0 {",
	},
	{
		"a lease is trusted for its whole time", keeper,
		"usable := k.leasing.TTL - Margin(k.leasing.TTL)\n\treturn validity", "usable := k.leasing.TTL + k.leasing.LockDelay\n\treturn validity",
	},
	{
		"a wall clock that ran ahead is not noticed", keeper,
		"return min(k.validUntil-k.gate.registry.now(), k.validWall.Sub(k.leasing.Clock().Round(0)))", "return k.validUntil - k.gate.registry.now()",
	},
	{
		"a lease is not renewed", keeper,
		"case <-timer.C:\n\t\t\tk.keepAlive()", "case <-timer.C:",
	},
	{
		"a lease that somebody freed by force is kept", keeper,
		"if record.Holder == nil || record.Holder.ID != k.id {", "if false {",
	},
	// Turns.
	{
		"a process keeps the device for as long as it has steps", leased,
		"|| now-k.gained >= k.leasing.Cohort", "",
	},
	{
		"an urgent run waits for its turn like any other", leased,
		"k.wantedBy > k.gate.registry.options.Priority ||", "",
	},
	{
		"those who wait are not looked for", keeper,
		"k.wanted = len(others) > 0", "k.wanted = false",
	},
	{
		"every step takes a lease of its own", leased,
		"if k.state == keeping && !k.wanted && now < k.idleSince+k.leasing.Linger {", "if false {",
	},
	{
		"a lease is kept when nobody needs it", leased,
		"if k == nil || k.stopping || g.holder != nil", "if true || k.stopping || g.holder != nil",
	},
	{
		"a waiter that gave up stays in the queue", seek,
		"case k.stopped.Err() != nil:\n\t\t\tk.withdraw()", "case k.stopped.Err() != nil:",
	},
	{
		"a waiter waits for one owner without end", "internal/devicelock/timer.go",
		"return g.keeper.aheadSince, g.registry.leasing.Timeout", "return g.keeper.aheadSince, -1",
	},
	// What others did.
	{
		"what others changed is not noticed", keeper,
		"if lease == nil || !lease.Consecutive(g.lastFence) {", "if lease == nil {",
	},
	// A store that fails.
	{
		"a short outage fails the steps", seek,
		"if permanent(err) || registry.now()-failing >= k.leasing.Patience {", "if true {",
	},
	{
		"wrong credentials are tried again and again", seek,
		"if permanent(err) || registry", "if registry",
	},
	{
		"without the service steps go on though they should fail", keeper,
		"case err != nil && k.leasing.Proceed:", "case err != nil:",
	},
	{
		"a lease lost to somebody else counts as a service that is down", keeper,
		"case errors.Is(err, ErrLeaseLost):\n\t\tk.lostBy(err)", "case errors.Is(err, ErrLeaseLost) && k.leasing.Proceed:\n\t\tk.unprotect(err)\n\tcase errors.Is(err, ErrLeaseLost):\n\t\tk.lostBy(err)",
	},
	// Runs and several devices.
	{
		"a run's hold gives way to others", leased,
		"if !k.wanted || len(k.gate.pins) > 0 {", "if !k.wanted {",
	},
	{
		"steps go on when their run's hold was lost", keeper,
		"if len(g.pins) > 0 {\n\t\tg.pinsLost", "if false {\n\t\tg.pinsLost",
	},
	{
		"several devices are taken in the order of the caller", pins,
		"slices.Sorted(slices.Values(keys))", "slices.Collect(slices.Values(keys))",
	},
	{
		"what is held stays held when the process ends", leases,
		"gate.keeper.stop()", "_ = gate.keeper.stopping",
	},
	// The stores.
	{
		"files: a lease is given without the kernel's lock", "internal/devicelock/filelease/lease.go",
		"if !l.lock.Locked() {", "if false {",
	},
	{
		"etcd: two take a free key at once", "internal/devicelock/etcdlease/acquire.go",
		"If(state.stillFirst(names, &request.Owner)...).", "If().",
	},
	{
		"etcd: an owner renews what was taken from it", "internal/devicelock/etcdlease/lease.go",
		"If(clientv3.Compare(clientv3.LeaseValue(l.names.holder), \"=\", l.id)).", "If().",
	},
	{
		"redis: the first one to ask takes a key from those who wait", "internal/devicelock/redislease/scripts.go",
		"if not holder and (not first[1]", "if not holder and (true or not first[1]",
	},
	{
		"kubernetes: a Lease that is held is taken", "internal/devicelock/kubelease/acquire.go",
		"if s.held(v) {\n\t\treturn nil, nil\n\t}", "",
	},
}
