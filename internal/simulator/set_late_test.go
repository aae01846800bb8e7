package simulator_test

import (
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

func TestARefusedSetMayStayInTheCandidate(t *testing.T) {
	d := start(t, quirks(t, "dirty_candidate_on_reject=true"))
	wrong := [2]string{port + "/config/enabled", `"perhaps"`}
	d.refuse(t, codes.InvalidArgument, change{update: [][2]string{mtu(1).update[0], wrong, mtu(3).update[0]}})
	d.mustSet(t, mtu(2))
	d.leaf(t, port+"/config/mtu", "1500")
	d.leaf(t, "/interfaces/interface[name=Ethernet1/2]/config/mtu", "1500")
	if d.Exists("/interfaces/interface[name=Ethernet1/3]/config/mtu") {
		t.Error("what came after the mistake was carried out")
	}
	if err := d.Delete(port + "/config/mtu"); err != nil {
		t.Fatal(err)
	}
	d.mustSet(t, mtu(4))
	if d.Exists(port + "/config/mtu") {
		t.Error("the candidate was not emptied by the Set that took it")
	}
}

func TestACandidateThatCannotBeCommittedFailsTheNextSet(t *testing.T) {
	d := start(t, quirks(t, "dirty_candidate_on_reject=true"))
	d.refuse(t, codes.FailedPrecondition, change{update: [][2]string{{port + "/ethernet/config/aggregate-id", `"none"`}}})
	d.refuse(t, codes.FailedPrecondition, mtu(2))
	d.mustSet(t, mtu(2))
}

func TestASetMayBeAnsweredBeforeItIsCarriedOut(t *testing.T) {
	timed(t, quirks(t, "optimistic=true", "commit_latency=2s"), func(t *testing.T, d device) {
		d.code(t, codes.OK, "one")
		d.after(t, 2*time.Second-time.Millisecond, "")
		d.after(t, time.Millisecond, "one")
		d.refuse(t, codes.FailedPrecondition, change{delete: []string{port}})
		d.code(t, codes.OK, "two")
		began := time.Now()
		d.send(t, codes.OK, describes(t, "three"))
		if wait := time.Since(began); wait != 2*time.Second {
			t.Errorf("the next Set came after %v", wait)
		}
		d.FailNextSet(status.Error(codes.Internal, "out of memory"))
		d.after(t, 2*time.Second, "three")
		d.code(t, codes.OK, "lost")
		d.after(t, time.Hour, "three")
	})
}
