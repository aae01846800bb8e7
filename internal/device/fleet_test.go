package device_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	gpb "github.com/openconfig/gnmi/proto/gnmi"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/datatree"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/device"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/gnmi"
)

// twoNames is a fleet in which one device has two names with a lock key each.
func twoNames(t *testing.T, w *watch, address, key1, key2 string) (first, second *device.Device) {
	t.Helper()
	a, b := config("a", address), config("b", address)
	a.LockKey, b.LockKey = key1, key2
	f := fleetOf(t, devicelock.Options{Observer: w}, a, b)
	return named(t, f, "a"), named(t, f, "b")
}

func TestNamesWithOneLockKeyShareTheLockAndWhatIsKnown(t *testing.T) {
	for name, key := range map[string]string{"a key": "chassis-7", "the same address": ""} {
		t.Run(name, func(t *testing.T) {
			target, w := simulate(t), newWatch()
			a, b := twoNames(t, w, target.Addr(), key, key)
			release := hold(t, a, interfacePath("Port-Channel1"))
			waiting := setting(interfacePath("Port-Channel2"), lag("waiter"))
			decide, holderDone := waiting.Decide, false
			waiting.Decide = func(entry *datatree.Node, p *gpb.Path) (*gpb.SetRequest, error) {
				holderDone = target.Stats().Sets == 1
				return decide(entry, p)
			}
			ended := make(chan error, 1)
			go func() { ended <- b.Apply(t.Context(), waiting) }()
			w.await(t, devicelock.Requested, waiting.Path)
			if err := errors.Join(release(), <-ended); err != nil {
				t.Fatal(err)
			}
			if !holderDone {
				t.Error("both held the device at once")
			}
			if got := description(t, b, interfacePath("Port-Channel1")); got != "holder" {
				t.Errorf("under its other name the device is thought to have %q", got)
			}
			if n := target.Stats().Gets; n != 1 {
				t.Errorf("there were %d Gets", n)
			}
		})
	}
}

func TestNamesWithLockKeysOfTheirOwnDoNotWaitForEachOther(t *testing.T) {
	target, w := simulate(t), newWatch()
	a, b := twoNames(t, w, target.Addr(), "a", "b")
	release := hold(t, a, interfacePath("Port-Channel1"))
	if err := b.Apply(t.Context(), setting(interfacePath("Port-Channel2"), lag("other"))); err != nil {
		t.Error(err)
	}
	if err := release(); err != nil {
		t.Error(err)
	}
}

func TestADeviceIsFoundByItsNameOrByBeingTheOnlyOne(t *testing.T) {
	pending := device.Config{Name: "pending", Unknown: true}
	one := fleetOf(t, devicelock.Options{}, config("r1", "192.0.2.1"))
	if d := named(t, one, ""); d.Name != "r1" || d.Address() != "192.0.2.1:9339" || !d.Managed() {
		t.Errorf("got %q at %s", d.Name, d.Address())
	}
	two := fleetOf(t, devicelock.Options{}, config("r2", "192.0.2.2"), pending, config("r1", "192.0.2.1"))
	for _, name := range []string{"", "r9"} {
		_, err := two.Device(name)
		var unknown *device.UnknownDeviceError
		if !errors.As(err, &unknown) || !slices.Equal(unknown.Known, []string{"pending", "r1", "r2"}) {
			t.Errorf("%q: got %v", name, err)
		}
	}
	if _, err := two.Device("pending"); !errors.Is(err, device.ErrUnknownYet) {
		t.Errorf("got %v", err)
	}
	if _, err := fleetOf(t, devicelock.Options{}, pending).Device(""); !errors.Is(err, device.ErrUnknownYet) {
		t.Errorf("the only device, unknown: got %v", err)
	}
}

func TestAFleetNamesEachDeviceThatItCannotUse(t *testing.T) {
	bad, worse := config("bad", "http://192.0.2.1"), config("worse", "192.0.2.2")
	worse.GNMI.Plaintext, worse.GNMI.TLS = false, gnmi.TLS{CACert: "/does/not/exist"}
	_, err := device.NewFleet(devicelock.New(devicelock.Options{}), nil, []device.Config{bad, worse})
	if err == nil {
		t.Fatal("the fleet was made")
	}
	for _, part := range []string{`device "bad"`, "http://192.0.2.1", `device "worse"`, "tls.ca_cert"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q does not say %q", err, part)
		}
	}
}
