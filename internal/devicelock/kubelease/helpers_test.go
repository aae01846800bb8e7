package kubelease

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock/kubelease/kubetest"
)

// device is a key that is the name of a Lease too.
const device = "leaf1"

func request(id string, ttl time.Duration) devicelock.Request {
	return devicelock.Request{Owner: devicelock.Owner{ID: id, User: id, Host: "host.example"}, TTL: ttl}
}

// open returns a store that is closed when the test ends.
func open(t *testing.T, options Options) *Store {
	t.Helper()
	store, err := New(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Errorf("closing the store: %v", err)
		}
	})
	return store
}

func openCluster(t *testing.T, c kubetest.Cluster) *Store {
	t.Helper()
	return open(t, Options{Kubeconfig: c.Kubeconfig, Namespace: c.Namespace})
}

func ask(t *testing.T, store *Store, r devicelock.Request) (devicelock.Lease, devicelock.Record) {
	t.Helper()
	lease, record, err := store.Acquire(t.Context(), device, r)
	if err != nil {
		t.Fatalf("%s asks: %v", r.Owner.ID, err)
	}
	return lease, record
}

// take acquires what must be free.
func take(t *testing.T, store *Store, r devicelock.Request) devicelock.Lease {
	t.Helper()
	lease, record := ask(t, store, r)
	if lease == nil {
		t.Fatalf("%s did not get the device: %+v", r.Owner.ID, record)
	}
	return lease
}

// wait acquires what must not be free, and returns who has it.
func wait(t *testing.T, store *Store, r devicelock.Request) devicelock.Owner {
	t.Helper()
	lease, record := ask(t, store, r)
	if lease != nil {
		t.Fatalf("%s got the device", r.Owner.ID)
	}
	if record.Holder == nil {
		return devicelock.Owner{}
	}
	return *record.Holder
}

func release(t *testing.T, lease devicelock.Lease) {
	t.Helper()
	if err := lease.Release(t.Context()); err != nil {
		t.Fatalf("releasing: %v", err)
	}
}

// eventually calls done until it is true.
func eventually(t *testing.T, what string, done func() bool) {
	t.Helper()
	if !comes(done) {
		t.Fatalf("%s did not happen", what)
	}
}

// comes calls done until it is true; false if that takes too long.
func comes(done func() bool) bool {
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for deadline := time.Now().Add(20 * time.Second); !done(); <-ticker.C {
		if time.Now().After(deadline) {
			return false
		}
	}
	return true
}

// says checks an error that the user has to do something about: it names the
// backend, where it is, and the cause.
func says(t *testing.T, err error, permanent bool, endpoint, text string) {
	t.Helper()
	var failed *devicelock.StoreError
	if !errors.As(err, &failed) || errors.Is(err, devicelock.ErrLeaseLost) {
		t.Fatalf("no *StoreError, or one that says that the lease has ended: %v", err)
	}
	if failed.Permanent != permanent || failed.Backend != "kubernetes" || failed.Endpoint != endpoint {
		t.Errorf("permanent %v, at %q: %v\nwant permanent %v, at %q", failed.Permanent, failed.Endpoint, err, permanent, endpoint)
	}
	if !strings.Contains(err.Error(), text) || !strings.Contains(err.Error(), endpoint) {
		t.Errorf("%v\nwant %q and %q", err, text, endpoint)
	}
}

// world is a simulated API server and hosts whose time passes only as the test
// wants it, more or less.
type world struct {
	*kubetest.Server

	mu     sync.Mutex
	passed time.Duration
	skew   time.Duration // of the server
}

func newWorld(t *testing.T) *world {
	t.Helper()
	return &world{Server: kubetest.Simulate(t)}
}

// pass lets time go by on all hosts.
func (w *world) pass(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.passed += d
	w.SetSkew(w.passed + w.skew)
}

// setServer sets the server's clock ahead of the true time.
func (w *world) setServer(skew time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.skew = skew
	w.SetSkew(w.passed + w.skew)
}

// clock is the clock of a host, ahead of the true time by skew.
func (w *world) clock(skew time.Duration) func() time.Time {
	return func() time.Time {
		w.mu.Lock()
		defer w.mu.Unlock()
		return time.Now().Add(w.passed + skew)
	}
}

// host returns a store on a host whose clock is ahead by skew.
func (w *world) host(t *testing.T, skew time.Duration) *Store {
	t.Helper()
	return open(t, Options{Kubeconfig: w.Kubeconfig, Namespace: w.Namespace, now: w.clock(skew)})
}
