package simulator

import "time"

// setQuirks are what a Set does otherwise.
type setQuirks struct {
	// LockSticksAfterError keeps the configuration locked for this long after a
	// Set that failed.
	LockSticksAfterError time.Duration
	// LockedForeverBy refuses every Set: this session holds the configuration.
	LockedForeverBy string
	// ApplyThenError and PartialApplyThenError answer every so many Sets with an
	// error although all, or the first half, of it was applied.
	ApplyThenError, PartialApplyThenError int
	// DirtyCandidateOnReject adds what the model or the other quirks had a Set
	// refused for to the next one, as far as it got.
	DirtyCandidateOnReject bool
	// Merge is how an update merges: deep (which empty means), or shallow, which
	// replaces the containers that the value has at its first level, so that what
	// it does not repeat below them is lost.
	Merge string
	// Undeletable, Readonly, Unsupported and Mandatory are parts of the model
	// that cannot be deleted, not be written, are not known, or must be there
	// wherever their parent is. The first two go with the list entry around them
	// all the same, and a write of what is there already is none.
	Undeletable, Readonly, Unsupported, Mandatory []string
	// DeleteAbsent is what becomes of deleting what is absent: ok (which empty
	// means), not_found or error (Internal).
	DeleteAbsent string
	// RejectCode is the code of every Set that the target rejects for what it
	// asks for: aborted, internal, invalid_argument or not_found. Empty means the
	// code that says why.
	RejectCode string
	// AutopruneEmptyParent removes the list entries around what is deleted that
	// have nothing but their keys left.
	AutopruneEmptyParent bool
	// BusyFor refuses Sets for this long after each Set.
	BusyFor time.Duration
	// Optimistic answers a valid Set OK before it is carried out, which it is after
	// the commit latency. The next Set waits for that.
	Optimistic bool
	// ShadowAccept are parts of the model whose values are taken and have no
	// effect.
	ShadowAccept []string
	// MaxOperations bounds the operations of a Set; 0 means any number.
	MaxOperations int
	// FeatureGate are parts of the model that bring up a feature. Until one is
	// there, what is next to it below the same parent is refused, or, of the entry
	// of a list, what is below it beside its config. The Set that brings it up may
	// have nothing else in it than the list entries around it.
	FeatureGate []string
}

func setQuirkTable() []quirk {
	return []quirk{
		toggle("exclusive", "a second Set at the same time is refused", func(o *Options) *bool { return &o.Exclusive }),
		period("lock_sticks_after_error", "how long the configuration is locked after a Set that failed", func(o *Options) *time.Duration { return &o.LockSticksAfterError }),
		word("locked_forever_by", "the session that holds the configuration", func(o *Options) *string { return &o.LockedForeverBy }),
		count("apply_then_error", "every so many Sets are carried out and answered with an error", func(o *Options) *int { return &o.ApplyThenError }),
		count("partial_apply_then_error", "every so many Sets are carried out by half and answered with an error", func(o *Options) *int { return &o.PartialApplyThenError }),
		toggle("dirty_candidate_on_reject", "what a refused Set wanted goes with the next one", func(o *Options) *bool { return &o.DirtyCandidateOnReject }),
		choice("merge", "how an update merges", func(o *Options) *string { return &o.Merge }, "deep", "shallow"),
		place("undeletable", "what cannot be deleted", func(o *Options) *[]string { return &o.Undeletable }),
		place("readonly", "what cannot be written", func(o *Options) *[]string { return &o.Readonly }),
		place("unsupported", "what the target does not know", func(o *Options) *[]string { return &o.Unsupported }),
		place("mandatory", "what must be there where its parent is", func(o *Options) *[]string { return &o.Mandatory }),
		choice("delete_absent", "the answer to deleting what is absent", func(o *Options) *string { return &o.DeleteAbsent }, "ok", "not_found", "error"),
		choice("reject_code", "the code of every Set that is rejected", func(o *Options) *string { return &o.RejectCode }, "aborted", "internal", "invalid_argument", "not_found"),
		toggle("autoprune_empty_parent", "what a delete leaves without content goes too", func(o *Options) *bool { return &o.AutopruneEmptyParent }),
		period("commit_latency", "how long a Set takes", func(o *Options) *time.Duration { return &o.SetLatency }),
		period("busy_for", "how long Sets are refused after each Set", func(o *Options) *time.Duration { return &o.BusyFor }),
		toggle("optimistic", "a Set is answered before it is carried out", func(o *Options) *bool { return &o.Optimistic }),
		place("shadow_accept", "what is taken and has no effect", func(o *Options) *[]string { return &o.ShadowAccept }),
		count("max_operations", "the operations that a Set may have", func(o *Options) *int { return &o.MaxOperations }),
		place("feature_gate", "what a Set of its own has to bring up", func(o *Options) *[]string { return &o.FeatureGate }),
	}
}

func commitQuirkTable() []quirk {
	return []quirk{
		choice("commit", "the commit-confirmed extension", func(o *Options) *CommitConfirmed { return &o.Commit },
			CommitFull, CommitNoSetDuration, CommitUnsupported, CommitIgnored),
		count("lose_commit_reply", "every so many replies to the start of a commit are lost", func(o *Options) *int { return &o.LoseCommitReply }),
		period("rollback_late", "how long after its time a rollback comes", func(o *Options) *time.Duration { return &o.RollbackLate }),
		choice("pending_blocks_others", "other Sets while a commit waits for its confirmation", func(o *Options) *PendingOthers { return &o.PendingBlocksOthers },
			PendingReject, PendingAllow),
		choice("arbitration", "the master arbitration extension", func(o *Options) *Arbitration { return &o.Arbitration },
			ArbitrationFull, ArbitrationUnsupported, ArbitrationIgnored),
	}
}
