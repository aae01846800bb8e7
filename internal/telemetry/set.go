package telemetry

import (
	"context"
	"time"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
)

// Sink is told what happens at the device lock and what becomes of the Sets that
// it lets through. Its methods may be called concurrently.
type Sink interface {
	devicelock.Observer
	Set(ctx context.Context, event SetEvent)
}

// SetEvent is one Set RPC that a step sent or tried to send. It carries neither
// the request nor the device's message, because both may repeat secrets.
type SetEvent struct {
	// Device is the key of the device's lock, Name what the configuration
	// calls the device.
	Device, Name string
	Step         devicelock.Step
	// Fence is the token of the lease that the Set relied on; 0 without one.
	Fence uint64
	// Start is when the Set was sent, Took how long until its outcome was
	// known.
	Start time.Time
	Took  time.Duration
	// Outcome is one of the constants below.
	Outcome string
	// Code is the name of the gRPC status code, for example "OK".
	Code string
	// Operations is the number of deletes, replaces and updates in the request.
	Operations int
}

// The outcomes of a Set.
const (
	// Done: the device answered OK.
	Done = "done"
	// Refused: the device answered no.
	Refused = "refused"
	// NotSent: the request did not leave.
	NotSent = "not_sent"
	// Ambiguous: the request left, and nothing tells what became of it.
	Ambiguous = "ambiguous"
	// Settled: no answer came, or a refusal, but reading the device showed that
	// it had carried out the request.
	Settled = "settled"
	// HalfApplied: reading the device showed that it had carried out a part of
	// the request.
	HalfApplied = "half_applied"
	// NotShown: the device answered OK, and reading it did not show the change
	// within the time that it was given.
	NotShown = "not_shown"
	// RolledBack: the request was carried out and could not be confirmed, and the
	// device has taken it back.
	RolledBack = "rolled_back"
)
