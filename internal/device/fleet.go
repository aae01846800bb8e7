package device

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/gnmi"
)

// Config is one device of the provider's configuration.
type Config struct {
	Name string
	// LockKey names the device among all that write to it; empty means its
	// canonical address. Two names of one device need the same key.
	LockKey string
	// Unmanaged leaves the device out of this run, its state untouched.
	Unmanaged bool
	// Unknown tells that the address or a secret is not known yet; the device
	// can then be planned for but not contacted.
	Unknown bool
	// Arbitration sends the lock's token with every Set, so that the device
	// itself refuses an owner whose lock is not valid any more.
	Arbitration bool
	// Profile is how the device wants to be spoken to.
	Profile Profile
	// Policies are what its resources do where there is a choice.
	Policies Policies
	// CommitConfirmed is how long the device waits for the confirmation of a
	// change before it rolls back; 0 makes changes final at once.
	CommitConfirmed time.Duration
	// VerifyTimeout is how long the device may take to show what it accepted; 0
	// takes its word for it.
	VerifyTimeout time.Duration
	// Batch puts the steps that wait for the device into one Set.
	Batch bool
	GNMI  gnmi.Config
}

// Fleet is the devices of one provider configuration. It is safe for
// concurrent use.
type Fleet struct {
	registry *devicelock.Registry
	devices  map[string]*Device
	unknown  map[string]bool

	mu    sync.Mutex
	holds map[string]*hold // by id
}

// hold is what HoldForRun has taken.
type hold struct {
	pins  []*devicelock.Pin
	until time.Time
}

// NewFleet prepares the devices and contacts none. Devices with one lock key
// share their lock and what is known of them. The observer, which may be nil, is
// told of their Sets. It fails when an address or TLS material cannot be used.
func NewFleet(registry *devicelock.Registry, observer Observer, configs []Config) (*Fleet, error) {
	f := &Fleet{registry: registry, devices: map[string]*Device{}, unknown: map[string]bool{}, holds: map[string]*hold{}}
	snapshots := map[string]*snapshot{}
	var problems []error
	for _, c := range configs {
		if c.Unknown {
			f.unknown[c.Name] = true
			continue
		}
		address, err := gnmi.CanonicalAddress(c.GNMI.Address)
		if err != nil {
			problems = append(problems, fmt.Errorf("device %q: %w", c.Name, err))
			continue
		}
		c.GNMI.Address = address
		c.GNMI.Wire = c.Profile.Wire
		client, err := gnmi.New(c.GNMI)
		if err != nil {
			problems = append(problems, fmt.Errorf("device %q: %w", c.Name, err))
			continue
		}
		key := c.LockKey
		if key == "" {
			key = address
		}
		if snapshots[key] == nil {
			snapshots[key] = newSnapshot()
		}
		d := &Device{
			Name: c.Name, client: client, gate: registry.Gate(key), registry: registry, snapshot: snapshots[key], unmanaged: c.Unmanaged,
			observer: observer, arbitration: c.Arbitration, profile: c.Profile, rollbackAfter: c.CommitConfirmed, verifyFor: c.VerifyTimeout,
			lagTypes: map[string]string{}, policies: &followed{Policies: c.Policies},
		}
		if c.Batch {
			d.batches = &batches{}
		}
		f.devices[c.Name] = d
	}
	return f, errors.Join(problems...)
}

// ErrUnknownYet is returned for a device whose address or secret will only be
// known during apply.
var ErrUnknownYet = errors.New("the device's address or a secret is not known yet")

// Device returns the device called name. An empty name means the only device
// there is. It returns ErrUnknownYet or an *UnknownDeviceError.
func (f *Fleet) Device(name string) (*Device, error) {
	if name == "" && len(f.devices)+len(f.unknown) == 1 {
		for only := range f.devices {
			name = only
		}
		for only := range f.unknown {
			name = only
		}
	}
	if f.unknown[name] {
		return nil, ErrUnknownYet
	}
	if d := f.devices[name]; d != nil {
		return d, nil
	}
	known := slices.AppendSeq(slices.Collect(maps.Keys(f.devices)), maps.Keys(f.unknown))
	slices.Sort(known)
	return nil, &UnknownDeviceError{Name: name, Known: known}
}

// Names returns the names of the devices that take part in this run and can be
// contacted, in order.
func (f *Fleet) Names() []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(f.devices)) {
		if f.devices[name].Managed() {
			names = append(names, name)
		}
	}
	return names
}

// HoldForRun takes the devices' locks for a whole run, but for no longer than
// limit, and returns an id for [Fleet.EndHold]. The run's own steps, which are
// those of this process, pass through them. owner is what others are told that
// stands in their way. Errors are those of devicelock's Gate.Pin.
func (f *Fleet) HoldForRun(ctx context.Context, owner string, limit time.Duration, devices ...*Device) (id string, err error) {
	keys := make([]string, len(devices))
	for i, d := range devices {
		keys[i] = d.gate.Key()
	}
	step := devicelock.Step{Operation: devicelock.Hold, Rank: devicelock.RankInterface, Owner: owner}
	pins, err := f.registry.PinAll(ctx, step, limit, keys...)
	if err != nil {
		return "", err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	id = rand.Text()
	f.holds[id] = &hold{pins: pins, until: time.Now().Add(limit)}
	return id, nil
}

// ErrHoldOver means that a run's hold of its devices has ended before the run:
// its time ran out, or the lock was lost.
var ErrHoldOver = errors.New("the run does not hold its devices any more")

// CheckHold returns until when the hold lasts, or ErrHoldOver.
func (f *Fleet) CheckHold(id string) (until time.Time, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	h := f.holds[id]
	if h == nil {
		return time.Time{}, ErrHoldOver
	}
	for _, pin := range h.pins {
		if !pin.Held() {
			return time.Time{}, ErrHoldOver
		}
	}
	return h.until, nil
}

// EndHold gives the devices back. It is no error if they have been.
func (f *Fleet) EndHold(id string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if h := f.holds[id]; h != nil {
		for _, pin := range h.pins {
			pin.Release()
		}
		delete(f.holds, id)
	}
}

// Enter counts a step or its planning among those that Terraform has admitted,
// until leave is called.
func (f *Fleet) Enter() (leave func()) { return f.registry.Enter() }

// Close gives back all locks and ends all connections.
func (f *Fleet) Close(ctx context.Context) error {
	problems := []error{f.registry.Close(ctx)}
	for _, d := range f.devices {
		problems = append(problems, d.client.Close())
	}
	return errors.Join(problems...)
}
