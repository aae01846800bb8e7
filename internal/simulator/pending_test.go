package simulator_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/simulator"
)

func TestACommitThatIsRefusedDoesNotStart(t *testing.T) {
	timed(t, full, func(t *testing.T, d device) {
		wrong := change{update: [][2]string{{port + "/config/mtu", `"x"`}}}.request(t)
		d.send(t, codes.InvalidArgument, with(wrong, commit("a", time.Minute)))
		d.FailNextSet(status.Error(codes.Aborted, "busy"))
		d.send(t, codes.Aborted, with(describes(t, "tried"), commit("a", time.Minute)))
		d.send(t, codes.OK, describes(t, "other"))
		d.after(t, time.Hour, "other")
	})
}

func TestAConfirmationThatArrivedInTimeComesBeforeTheRollback(t *testing.T) {
	timed(t, full, func(t *testing.T, d device) {
		d.send(t, codes.OK, with(describes(t, "tried"), commit("a", time.Minute)))
		d.after(t, time.Minute-time.Second, "tried")
		d.SetLatency(2 * time.Second)
		d.send(t, codes.OK, with(nil, confirm("a")))
		d.after(t, time.Hour, "tried")
		d.send(t, codes.OK, with(describes(t, "more"), commit("b", time.Minute)))
		d.after(t, time.Minute-time.Second, "more")
		d.send(t, codes.OK, with(nil, setDuration("b", durationpb.New(time.Minute))))
		d.after(t, time.Minute-time.Second, "more")
		d.FailNextSet(status.Error(codes.Unavailable, "lost"))
		if _, err := d.client.Set(t.Context(), with(nil, confirm("b"))); status.Code(err) != codes.Unavailable {
			t.Errorf("a confirmation that is lost: %v", err)
		}
		d.after(t, 0, "tried")
	})
}

func TestARollbackThatComesTooLateSparesTheNextCommit(t *testing.T) {
	timed(t, full, func(t *testing.T, d device) {
		d.send(t, codes.OK, with(describes(t, "tried"), commit("a", 3*time.Second)))
		d.SetLatency(4 * time.Second)
		var both sync.WaitGroup
		both.Go(func() {
			if _, err := d.client.Set(t.Context(), with(nil, confirm("a"))); err != nil {
				t.Error(err)
			}
		})
		d.after(t, time.Second, "tried")
		next := with(describes(t, "next"), commit("b", time.Second))
		both.Go(func() {
			if _, err := d.client.Set(t.Context(), next); err != nil {
				t.Error(err)
			}
		})
		both.Wait()
		d.after(t, time.Second-time.Millisecond, "next")
		d.after(t, time.Millisecond, "tried")
	})
}

func TestARollbackKeepsWhatWasChangedBeforeTheCommitTookEffect(t *testing.T) {
	timed(t, full, func(t *testing.T, d device) {
		d.SetLatency(2 * time.Second)
		console := time.AfterFunc(time.Second, func() {
			if err := d.Update(port+"/config", `{"mtu":9000}`); err != nil {
				t.Error(err)
			}
		})
		defer console.Stop()
		d.send(t, codes.OK, with(describes(t, "tried"), commit("a", time.Minute)))
		d.after(t, time.Minute, "")
		d.leaf(t, port+"/config/mtu", "9000")
	})
}

func TestARollbackUndoesWhatOthersWroteMeanwhile(t *testing.T) {
	allow := full
	allow.PendingBlocksOthers = simulator.PendingAllow
	timed(t, allow, func(t *testing.T, d device) {
		d.send(t, codes.OK, with(describes(t, "tried"), commit("a", time.Minute)))
		d.send(t, codes.OK, describes(t, "other"))
		d.send(t, codes.FailedPrecondition, with(describes(t, "more"), commit("b", time.Minute)))
		if err := d.Update(port+"/config", `{"mtu":9000}`); err != nil {
			t.Error(err)
		}
		d.after(t, time.Minute-time.Millisecond, "other")
		d.after(t, time.Millisecond, "")
		if d.Exists(port + "/config/mtu") {
			t.Error("what was changed on the console survived the rollback")
		}
	})
}

func TestARestartBeforeTheConfirmationRollsBack(t *testing.T) {
	options := full
	options.StateFile = filepath.Join(t.TempDir(), "state")
	saved := func(t *testing.T, want string) {
		t.Helper()
		text, err := os.ReadFile(options.StateFile)
		if err != nil || !strings.Contains(string(text), `"description":"`+want+`"`) {
			t.Errorf("the state file does not hold %q: %v", want, err)
		}
	}
	timed(t, options, func(t *testing.T, d device) {
		d.send(t, codes.OK, describes(t, "before"))
		d.send(t, codes.OK, with(describes(t, "tried"), commit("a", time.Minute)))
		saved(t, "before")
	})
	timed(t, options, func(t *testing.T, d device) {
		d.after(t, 0, "before")
		d.send(t, codes.FailedPrecondition, with(nil, confirm("a")))
		d.send(t, codes.OK, with(describes(t, "tried"), commit("b", time.Minute)))
		d.after(t, time.Minute, "before")
		saved(t, "before")
		d.send(t, codes.OK, with(describes(t, "kept"), commit("c", time.Minute)))
		d.send(t, codes.OK, with(nil, confirm("c")))
		saved(t, "kept")
		d.send(t, codes.OK, describes(t, "plain"))
		saved(t, "plain")
	})
}
