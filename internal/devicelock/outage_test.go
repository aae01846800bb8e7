package devicelock_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock/leasetest"
)

func TestAStepFailsWhenTheLockServiceIsDown(t *testing.T) {
	shared(t, func(t *testing.T, engine *leasetest.Memory) {
		engine.Fail(errors.New("connection refused"))
		p := start(t, engine, "a", nil)
		var err error
		took := waited(func() { _, err = p.gate().Acquire(t.Context(), anInterface) })
		var failure *devicelock.StoreError
		if !errors.As(err, &failure) || !strings.Contains(err.Error(), "connection refused") {
			t.Fatalf("error %v", err)
		}
		if took < 5*time.Second || took > 7*time.Second {
			t.Errorf("failed after %s, want about the patience of 5s", took)
		}
		if took := waited(func() { _, err = p.gate().Acquire(t.Context(), aVLAN) }); took > 0 || err == nil {
			t.Errorf("the next step was told after %s: %v", took, err)
		}
		if p.count(devicelock.Failed) != 2 {
			t.Errorf("%d events of failure", p.count(devicelock.Failed))
		}
		engine.Fail(nil)
		time.Sleep(20 * time.Second)
		acquire(t, p.gate(), anInterface).Release()
	})
}

func TestAPermanentFailureOfTheLockServiceIsToldAtOnce(t *testing.T) {
	shared(t, func(t *testing.T, engine *leasetest.Memory) {
		p := start(t, engine, "a", func(o *devicelock.Options) {
			o.Leases.Store = refusing{o.Leases.Store}
		})
		if took := waited(func() {
			if _, err := p.gate().Acquire(t.Context(), anInterface); err == nil || !strings.Contains(err.Error(), "wrong password") {
				t.Errorf("error %v", err)
			}
		}); took > 0 {
			t.Errorf("told after %s", took)
		}
	})
}

// refusing is a store that does not accept its user.
type refusing struct{ devicelock.Store }

func TestAShortOutageOfTheLockServiceIsBridged(t *testing.T) {
	shared(t, func(t *testing.T, engine *leasetest.Memory) {
		p := start(t, engine, "a", nil)
		engine.Fail(errors.New("restarting"))
		time.AfterFunc(3*time.Second, func() { engine.Fail(nil) })
		grant := acquire(t, p.gate(), anInterface)
		engine.Fail(errors.New("restarting"))
		time.AfterFunc(time.Minute, func() { engine.Fail(nil) })
		time.Sleep(5 * time.Minute)
		if p.count(devicelock.LeaseLost) > 0 {
			t.Error("the lease was lost")
		}
		grant.Release()
	})
}

func TestProceedGoesOnWithoutTheLockService(t *testing.T) {
	shared(t, func(t *testing.T, engine *leasetest.Memory) {
		engine.Fail(errors.New("connection refused"))
		p := start(t, engine, "a", func(o *devicelock.Options) { o.Leases.Proceed = true })
		var order log
		for i := range 3 {
			queueUp(t.Context(), t, p.gate(), named(anInterface, fmt.Sprint(i)), 10*ms, &order)
		}
		time.Sleep(10 * time.Second)
		if got := order.all(); !slices.Equal(got, []string{"0", "1", "2"}) {
			t.Errorf("order %v", got)
		}
		if err := p.Unprotected(); err == nil || !strings.Contains(err.Error(), "connection refused") {
			t.Errorf("warning %v", err)
		}
		if err := p.Unprotected(); err != nil {
			t.Errorf("told twice: %v", err)
		}
		engine.Fail(nil)
		time.Sleep(20 * time.Second)
		acquire(t, p.gate(), anInterface).Release()
		if p.count(devicelock.LeaseAcquired) != 1 {
			t.Error("the service is back, but is not used")
		}
	})
}

func TestProceedGoesOnWhenTheLockServiceIsLostInTheMiddle(t *testing.T) {
	shared(t, func(t *testing.T, engine *leasetest.Memory) {
		p := start(t, engine, "a", func(o *devicelock.Options) { o.Leases.Proceed = true })
		grant := acquire(t, p.gate(), anInterface)
		ctx, cancel, err := grant.Sending(t.Context(), time.Second)
		if err != nil {
			t.Fatal(err)
		}
		defer cancel()
		engine.Fail(errors.New("gone"))
		time.Sleep(10 * time.Minute)
		if _, lost := errors.AsType[*devicelock.LostError](context.Cause(ctx)); p.count(devicelock.Lost) > 0 || !lost {
			t.Logf("the context of an old Set: %v", context.Cause(ctx))
		}
		_, again, err := grant.Sending(t.Context(), time.Second)
		if err != nil {
			t.Fatalf("a Set must be possible: %v", err)
		}
		again()
		if p.Unprotected() == nil {
			t.Error("no warning")
		}
		engine.Fail(nil)
		grant.Release()
	})
}
