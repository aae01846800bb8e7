package gnmi_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/gnmi"
)

func connectError(t *testing.T, err error) *gnmi.ConnectError {
	t.Helper()
	var failed *gnmi.ConnectError
	if !errors.As(err, &failed) {
		t.Fatalf("got %v (%T), want a ConnectError", err, err)
	}
	return failed
}

func TestAnAddressWhereNothingListensSaysThatTheConnectionWasRefused(t *testing.T) {
	l := listen(t)
	address := l.Addr()
	_ = l.Close()
	err := connectError(t, dial(t, address, plaintext).Connect(t.Context()))
	if !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("the cause is lost: %v", err)
	}
	for _, part := range []string{address.String(), "plaintext", "refused"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q does not say %q", err, part)
		}
	}
}

func TestADeviceThatNeverAnswersRunsIntoTheConnectTimeout(t *testing.T) {
	for name, config := range map[string]gnmi.Config{
		"plaintext": {Plaintext: true, ConnectTimeout: short},
		"TLS":       {ConnectTimeout: short},
	} {
		t.Run(name, func(t *testing.T) {
			err := connectError(t, dial(t, blackHole(t).Addr(), config).Connect(t.Context()))
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("the cause is not the deadline: %v", err)
			}
			if !strings.Contains(err.Error(), name) {
				t.Errorf("%q does not say that it tried %s", err, name)
			}
		})
	}
}

func TestAllCallersShareOneAttemptAndItsFailure(t *testing.T) {
	hole := blackHole(t)
	c := dial(t, hole.Addr(), gnmi.Config{Plaintext: true, ConnectTimeout: short})
	errs := make([]error, 50)
	var callers sync.WaitGroup
	for i := range errs {
		callers.Go(func() {
			switch i % 3 {
			case 0:
				errs[i] = c.Connect(t.Context())
			case 1:
				_, errs[i] = c.Get(t.Context(), path("system"))
			case 2:
				errs[i] = c.Set(t.Context(), aSet())
			}
		})
	}
	callers.Wait()
	first := connectError(t, errs[0])
	for i, err := range errs {
		if connectError(t, err) != first {
			t.Errorf("caller %d got another failure: %v", i, err)
		}
	}
	if again := connectError(t, c.Connect(t.Context())); again != first {
		t.Errorf("a later caller tried anew: %v", again)
	}
	if n := hole.accepts.Load(); n != 1 {
		t.Errorf("there were %d attempts to connect", n)
	}
}

func TestACallerThatGoesAwayLeavesTheAttemptToTheOthers(t *testing.T) {
	d := serve(t, &device{})
	c := dial(t, d.Addr(), plaintext)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	var failed *gnmi.ConnectError
	if err := c.Connect(gone); err != nil && (!errors.Is(err, context.Canceled) || errors.As(err, &failed)) {
		t.Errorf("the caller that went away got %v", err)
	}
	if err := c.Connect(t.Context()); err != nil {
		t.Errorf("the next caller got %v", err)
	}
	if n := d.accepts.Load(); n != 1 {
		t.Errorf("there were %d connections", n)
	}
}

func TestAClientDialsOnlyWhenItIsUsed(t *testing.T) {
	d := serve(t, &device{})
	c := dial(t, d.Addr(), plaintext)
	if n := d.accepts.Load(); n != 0 {
		t.Fatalf("%d connections before the first use", n)
	}
	for range 3 {
		if err := c.Set(t.Context(), aSet()); err != nil {
			t.Fatal(err)
		}
	}
	if n := d.accepts.Load(); n != 1 {
		t.Errorf("three Sets took %d connections", n)
	}
}

func TestALostConnectionIsMadeAnew(t *testing.T) {
	d := serve(t, &device{})
	c := dial(t, d.Addr(), plaintext)
	if err := c.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	d.cut()
	// The loss is noticed by the RPC that runs into it, or before.
	if err := c.Set(t.Context(), aSet()); err != nil {
		if err := c.Set(t.Context(), aSet()); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAClosedClientSaysSo(t *testing.T) {
	c := dial(t, blackHole(t).Addr(), plaintext)
	_ = c.Close()
	if err := c.Connect(t.Context()); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Errorf("got %v", err)
	}
}

func TestADeviceThatHangsUpIsNotDialledWithoutAPause(t *testing.T) {
	l := listen(t)
	redialled := make(chan struct{}, 100)
	var hangingUp sync.WaitGroup
	hangingUp.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_ = conn.Close()
			select {
			case redialled <- struct{}{}:
			default:
			}
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		hangingUp.Wait()
	})
	c := dial(t, l.Addr(), plaintext)
	_ = connectError(t, c.Connect(t.Context()))
	// While another attempt runs into its deadline, the device that hangs up
	// could be dialled thousands of times.
	_ = connectError(t, dial(t, blackHole(t).Addr(), gnmi.Config{Plaintext: true, ConnectTimeout: short}).Connect(t.Context()))
	if n := len(redialled); n > 10 {
		t.Errorf("the device was dialled %d times or more", n)
	}
}
