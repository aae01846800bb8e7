// Package telemetry turns what happens at the device lock into records.
package telemetry

import (
	"context"

	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
)

// Log writes the lock's events to Terraform's log (TF_LOG). A step that has to
// wait says so at level INFO, with who is before it; the rest is DEBUG.
type Log struct{}

var _ devicelock.Observer = Log{}

// Observe is part of devicelock.Observer.
func (Log) Observe(ctx context.Context, e devicelock.Event) {
	fields := map[string]any{
		"device": e.Key, "operation": e.Step.Operation.String(), "rank": e.Step.Rank.String(), "owner": e.Step.Owner,
		"waited_ms": e.Waited.Milliseconds(),
	}
	if e.Held > 0 {
		fields["held_ms"] = e.Held.Milliseconds()
	}
	if e.Holder != (devicelock.Step{}) {
		fields["holder"], fields["holder_for_ms"] = e.Holder.String(), e.HolderFor.Milliseconds()
	}
	if e.Kind == devicelock.Requested && e.Position > 0 {
		fields["position"] = e.Position
		tflog.Info(ctx, "waiting for the device lock", fields)
		return
	}
	tflog.Debug(ctx, "device lock "+e.Kind.String(), fields)
}
