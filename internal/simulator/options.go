package simulator

import (
	"io"
	"time"
)

// Options say how a target behaves. The zero value is a target that refuses to
// start: it needs TLSCert and TLSKey, or Plaintext.
type Options struct {
	// Plaintext serves without TLS. TLSCert and TLSKey are then not used.
	Plaintext bool
	// TLSCert and TLSKey are the server's certificate and its key, in PEM.
	TLSCert, TLSKey []byte
	// ClientCA holds certificates in PEM. When it is set, a client must show a
	// certificate that one of these has signed.
	ClientCA []byte

	// Username and Password are what an RPC must carry as metadata of these
	// names. No credentials are asked for when both are empty.
	Username, Password string

	// SetLatency is how long a Set takes to commit, after it was validated and
	// before it is applied; a client that goes away meanwhile does not stop it.
	// GetLatency is how long a Get waits before it reads.
	SetLatency, GetLatency time.Duration
	// Exclusive refuses a Set with Aborted while another one runs. Otherwise
	// such a Set waits for its turn.
	Exclusive bool

	// Arbitration is what becomes of the master arbitration extension; empty
	// means ArbitrationIgnored.
	Arbitration Arbitration

	// Commit is what becomes of the commit-confirmed extension; empty means
	// CommitIgnored. PendingBlocksOthers is what becomes of other Sets while a
	// commit waits for its confirmation; empty means PendingReject.
	Commit              CommitConfirmed
	PendingBlocksOthers PendingOthers

	// Quirks are the target's own ways.
	Quirks

	// Log receives one JSON object a line for every RPC that ended (see
	// Record), or is nil. Lines are written one at a time.
	Log io.Writer

	// Config is JSON_IETF (RFC 7951) of the root that is merged over the
	// factory content at start.
	Config []byte
	// StateFile names a file that holds the running configuration after every
	// change; while a commit waits for its confirmation, it holds the one from
	// before the commit. When it exists at start, its content takes the place of
	// the factory content and of Config.
	StateFile string
}
