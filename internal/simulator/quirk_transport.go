package simulator

import "time"

// transportQuirks are what happens to RPCs whatever they are about.
type transportQuirks struct {
	// LoseCommitReply loses every so many replies to the start of a commit, and the
	// connection with it. RollbackLate is how long after its time a rollback comes;
	// until then the commit can be confirmed.
	LoseCommitReply int
	RollbackLate    time.Duration
	// RateLimit is how many RPCs a second are served, MaxSessions how many
	// connections at a time; 0 means any number. RPCs over it are refused with
	// ResourceExhausted and a google.rpc.RetryInfo, connections closed.
	RateLimit, MaxSessions int
	// MaxMessage is the size of the largest message either way, in bytes; 0 means
	// 64 MiB.
	MaxMessage int
	// KeepaliveEnforce is how much time a client must leave between two pings, with
	// or without RPCs; 0 means what gRPC has by default, which is five minutes and
	// no pings without RPCs.
	KeepaliveEnforce time.Duration
	// BlackHole answers nothing from the first RPC on that comes after so many.
	BlackHole int
	// RebootInSet reboots in the middle of every so many Sets; the target comes
	// back a second later, with the configuration it started with.
	RebootInSet int
	// Certificate is what is wrong with the server's certificate: expired, no_san
	// (it names no host) or rotated (from the second connection on it is that of
	// an authority that nobody knows). Options.TLSCert is then the authority that
	// signs it, such as SelfSigned makes one.
	Certificate string
	// AuthCode is the code of wrong credentials: unauthenticated (which empty
	// means) or permission_denied.
	AuthCode string
}

func transportQuirkTable() []quirk {
	return []quirk{
		count("rate_limit", "the RPCs that are served in a second", func(o *Options) *int { return &o.RateLimit }),
		count("max_sessions", "the connections at a time", func(o *Options) *int { return &o.MaxSessions }),
		count("max_message", "the largest message, in bytes", func(o *Options) *int { return &o.MaxMessage }),
		period("keepalive_enforce", "how often a client may ping at most", func(o *Options) *time.Duration { return &o.KeepaliveEnforce }),
		count("black_hole", "the RPCs after which nothing is answered any more", func(o *Options) *int { return &o.BlackHole }),
		count("reboot_in_set", "every so many Sets end in a reboot, which brings the configuration of the start back", func(o *Options) *int { return &o.RebootInSet }),
		choice("certificate", "what is wrong with the certificate", func(o *Options) *string { return &o.Certificate }, "expired", "no_san", "rotated"),
		choice("auth_code", "the code of wrong credentials", func(o *Options) *string { return &o.AuthCode }, "unauthenticated", "permission_denied"),
	}
}
