package telemetry

import (
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// noon is when things happen in these tests.
var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

var (
	aVLAN     = devicelock.Step{Operation: devicelock.Create, Rank: devicelock.RankVLAN, Owner: "openconfig_vlan 10"}
	aNeighbor = devicelock.Step{Operation: devicelock.Delete, Rank: devicelock.RankBGPNeighbor, Owner: "openconfig_bgp_neighbor 192.0.2.1"}
	aRun      = RunInfo{Run: "run-1", Workspace: "fabric", User: "ops", Host: "runner-1", PID: 4711}
	somebody  = devicelock.Owner{
		ID: "x", User: "night", Host: "runner-2", PID: 12, Run: "run-2", Workspace: "core", Resource: "create of openconfig_vlan 20",
		Priority: devicelock.Urgent, Since: noon.Add(-time.Minute),
	}
)

// leaseKinds are the kinds whose events have no step.
var leaseKinds = []devicelock.EventKind{
	devicelock.LeaseAcquired, devicelock.LeaseReleased, devicelock.LeaseLost, devicelock.Unprotected,
}

// stepKinds are the others.
var stepKinds = []devicelock.EventKind{
	devicelock.Requested, devicelock.Acquired, devicelock.Released, devicelock.Cancelled, devicelock.TimedOut, devicelock.Yielded,
	devicelock.GaveUp, devicelock.Waiting, devicelock.Failed, devicelock.Lost,
}
