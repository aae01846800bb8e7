package telemetry

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
)

// Log writes to Terraform's log (TF_LOG). A step that has to wait says so at
// level INFO, with who is before it, at once and again as long as it waits. What
// the lock can no longer promise is a WARN; the rest is DEBUG. In a context
// without Terraform's logger it writes nothing.
type Log struct{}

var _ Sink = Log{}

// Observe is part of Sink.
func (Log) Observe(ctx context.Context, e devicelock.Event) {
	fields := logFields(&e)
	switch e.Kind {
	case devicelock.Requested:
		if e.Position > 0 || e.Elsewhere != nil {
			tflog.Info(ctx, "waiting for the device lock", fields)
			return
		}
	case devicelock.Waiting:
		tflog.Info(ctx, "still waiting for the device lock", fields)
		return
	case devicelock.LeaseLost, devicelock.Lost, devicelock.Failed, devicelock.Unprotected:
		tflog.Warn(ctx, "device lock "+e.Kind.String(), fields)
		return
	}
	tflog.Debug(ctx, "device lock "+e.Kind.String(), fields)
}

// Set is part of Sink.
func (Log) Set(ctx context.Context, e SetEvent) {
	tflog.Debug(ctx, "gNMI Set", map[string]any{
		"device": e.Device, "name": e.Name, "operation": e.Step.Operation.String(), "rank": e.Step.Rank.String(), "owner": e.Step.Owner,
		"fence": e.Fence, "outcome": e.Outcome, "code": e.Code, "took_ms": e.Took.Milliseconds(), "operations": e.Operations,
	})
}

func logFields(e *devicelock.Event) map[string]any {
	fields := map[string]any{"device": e.Key, "waited_ms": e.Waited.Milliseconds()}
	if e.Step != (devicelock.Step{}) {
		fields["operation"], fields["rank"], fields["owner"] = e.Step.Operation.String(), e.Step.Rank.String(), e.Step.Owner
	}
	if e.Held > 0 {
		fields["held_ms"] = e.Held.Milliseconds()
	}
	if e.Priority != devicelock.Normal {
		fields["priority"] = e.Priority.String()
	}
	if e.Fence > 0 {
		fields["fence"] = e.Fence
	}
	if e.Position > 0 {
		fields["position"] = e.Position
	}
	if e.Ahead > 0 {
		fields["ahead"] = e.Ahead
	}
	if e.Holder != (devicelock.Step{}) {
		fields["holder"], fields["holder_for_ms"] = e.Holder.String(), e.HolderFor.Milliseconds()
		fields["holder_since"] = e.At.Add(-e.HolderFor).Format(time.RFC3339)
	}
	if e.Elsewhere != nil {
		fields["elsewhere"], fields["elsewhere_for_ms"] = describe(e.Elsewhere), e.ElsewhereFor.Milliseconds()
		if !e.Elsewhere.Since.IsZero() {
			fields["elsewhere_since"] = e.Elsewhere.Since.Format(time.RFC3339)
		}
	}
	if e.Err != nil {
		fields["error"] = e.Err.Error()
	}
	return fields
}

// describe says who an owner is, as far as it is known.
func describe(o *devicelock.Owner) string {
	parts := []string{o.User + "@" + o.Host}
	if o.PID != 0 {
		parts[0] += fmt.Sprintf(" (process %d)", o.PID)
	}
	for _, part := range []struct{ what, value string }{{"run ", o.Run}, {"workspace ", o.Workspace}, {"", o.Resource}} {
		if part.value != "" {
			parts = append(parts, part.what+part.value)
		}
	}
	return strings.Join(parts, ", ")
}
