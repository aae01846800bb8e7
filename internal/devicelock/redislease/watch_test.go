package redislease_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock/redislease"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock/redislease/redistest"
)

// hears waits for a value.
func hears(t *testing.T, what string, signals <-chan struct{}) {
	t.Helper()
	select {
	case <-signals:
	case <-time.After(10 * time.Second):
		t.Fatalf("no word of %s", what)
	}
}

// subscribers is how many connections listen for the device.
func subscribers(t *testing.T, server *redistest.Server) string {
	t.Helper()
	switch reply := server.Do(t, "PUBSUB", "NUMSUB", events).(type) {
	case map[any]any:
		return fmt.Sprint(reply[events])
	case []any:
		return fmt.Sprint(reply[1])
	default:
		t.Fatalf("NUMSUB: %v", reply)
		return ""
	}
}

func TestAWatcherHearsOfOthersButNotOfItself(t *testing.T) {
	server := redistest.Run(t, redistest.Options{})
	one, other := open(t, redislease.Options{URL: server.URL()}), open(t, redislease.Options{URL: server.URL()})
	mine, others := one.Watch(t.Context(), device), other.Watch(t.Context(), device)
	hears(t, "its subscription", mine)
	hears(t, "its subscription", others)

	lease := take(t, one, "a")
	wait(t, other, "b")
	hears(t, "a request", mine)
	wait(t, other, "b") // keeps the place, which is no news
	if err := lease.Release(t.Context()); err != nil {
		t.Fatal(err)
	}
	hears(t, "a release", others)
	lease = take(t, other, "b")
	wait(t, one, "c")
	hears(t, "a request", others)
	if err := one.Withdraw(t.Context(), device, "c"); err != nil {
		t.Fatal(err)
	}
	hears(t, "a withdrawal", others)
	if err := one.Break(t.Context(), device, "b", devicelock.Owner{}, 0); err != nil {
		t.Fatal(err)
	}
	hears(t, "force", others)
	if err := lease.Release(t.Context()); err != nil {
		t.Fatal(err)
	}

	// Messages come in order: when the one about another device has come, those
	// before it have come too.
	ends := []<-chan struct{}{one.Watch(t.Context(), "end"), other.Watch(t.Context(), "end")}
	for _, end := range ends {
		hears(t, "its subscription", end)
	}
	take(t, one, "d")
	wait(t, one, "e")
	if err := one.Withdraw(t.Context(), device, "d"); err != nil {
		t.Fatal(err)
	}
	hears(t, "the request or the withdrawal", others)
	third := open(t, redislease.Options{URL: server.URL()})
	for _, id := range []string{"holder", "waiter"} {
		if _, _, err := third.Acquire(t.Context(), "end", request(id, time.Minute)); err != nil {
			t.Fatal(err)
		}
	}
	for _, end := range ends {
		hears(t, "the end", end)
	}
	select {
	case <-mine:
		t.Error("it heard of its own doing")
	default:
	}
}

func TestAWatcherLooksAgainWhenItsConnectionWasLost(t *testing.T) {
	server := redistest.Run(t, redistest.Options{})
	line := newLine(t, server.Addr)
	store := open(t, redislease.Options{URL: "redis://" + line.addr})
	signals := store.Watch(t.Context(), device)
	hears(t, "its subscription", signals)
	line.cut()
	hears(t, "its new subscription", signals)
	lease := take(t, open(t, redislease.Options{URL: server.URL()}), "a")
	if err := lease.Release(t.Context()); err != nil {
		t.Fatal(err)
	}
	hears(t, "a release", signals)
}

func TestAWatcherThatComesLaterLooksOnceToo(t *testing.T) {
	store := open(t, redislease.Options{URL: "redis://" + redistest.Start(t)})
	hears(t, "its subscription", store.Watch(t.Context(), device))
	hears(t, "the subscription that there is", store.Watch(t.Context(), device))
	hears(t, "the subscription of another device", store.Watch(t.Context(), "another"))
}

func TestWatchingEndsWithItsContext(t *testing.T) {
	server := redistest.Run(t, redistest.Options{})
	store := open(t, redislease.Options{URL: server.URL()})
	ctx, cancel := context.WithCancel(t.Context())
	hears(t, "its subscription", store.Watch(ctx, device))
	hears(t, "its subscription", store.Watch(t.Context(), "another"))
	if got := subscribers(t, server); got != "1" {
		t.Fatalf("%s subscribers", got)
	}
	cancel()
	eventually(t, "the end of the subscription", func() bool { return subscribers(t, server) == "0" })
	hears(t, "its subscription", store.Watch(t.Context(), device))
}

func TestWatchingAServerThatIsNotThereEndsWithTheStore(t *testing.T) {
	server := redistest.Run(t, redistest.Options{})
	server.Stop()
	store := open(t, redislease.Options{URL: server.URL()})
	signals := store.Watch(t.Context(), device)
	began := time.Now()
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took > 3*time.Second {
		t.Errorf("closing took %s", took)
	}
	select {
	case <-signals:
		t.Error("heard of a subscription without a server")
	default:
	}
}
