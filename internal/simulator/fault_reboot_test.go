package simulator_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/simulator"
)

func TestARebootBringsBackTheStart(t *testing.T) {
	timed(t, full, func(t *testing.T, d device) {
		d.code(t, codes.OK, "before")
		d.send(t, codes.OK, with(describes(t, "tried"), commit("a", time.Minute)))
		d.Inject(simulator.Fault{Kind: simulator.FaultReboot, For: 10 * time.Second})
		began := time.Now()
		d.code(t, codes.Unavailable, "during")
		d.described(t, "")
		d.code(t, codes.Unavailable, "early")
		if _, err := d.client.Set(t.Context(), describes(t, "after"), grpc.WaitForReady(true)); err != nil || time.Since(began) < 10*time.Second {
			t.Errorf("after %v the client got %v", time.Since(began), err)
		}
		d.after(t, time.Hour, "after")
	})
}

func TestARebootLosesWhatWaits(t *testing.T) {
	timed(t, simulator.Options{SetLatency: 2 * time.Second}, func(t *testing.T, d device) {
		d.Inject(simulator.Fault{Kind: simulator.FaultLateApply, For: time.Minute})
		d.code(t, codes.DeadlineExceeded, "late")
		d.Inject(simulator.Fault{Kind: simulator.FaultReboot, After: 2, RPC: "Set", For: time.Second})
		results := make(chan error, 3)
		for n := range 3 {
			go func() { results <- d.within(t, time.Minute, describes(t, fmt.Sprint(n))) }()
		}
		for range 3 {
			if err := <-results; err != nil && status.Code(err) != codes.Unavailable {
				t.Errorf("a Set got %v", err)
			}
		}
		d.after(t, time.Hour, "")
	})
}

func TestARebootInterruptsASetThatIsCommitting(t *testing.T) {
	timed(t, simulator.Options{SetLatency: time.Hour}, func(t *testing.T, d device) {
		began := time.Now()
		result := make(chan error, 1)
		req := describes(t, "slow")
		go func() {
			_, err := d.client.Set(t.Context(), req)
			result <- err
		}()
		synctest.Wait()
		d.Inject(simulator.Fault{Kind: simulator.FaultReboot, For: time.Second})
		if _, err := d.get(t.Context(), gnmi.GetRequest_ALL, path(t, port)); status.Code(err) != codes.Unavailable {
			t.Errorf("the Get got %v", err)
		}
		if err := <-result; status.Code(err) != codes.Unavailable || time.Since(began) > 0 {
			t.Errorf("after %v the Set got %v", time.Since(began), err)
		}
		d.after(t, 2*time.Hour, "")
	})
}
