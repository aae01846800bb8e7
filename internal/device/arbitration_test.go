package device_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/gnmi/proto/gnmi_ext"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/datatree"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/device"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock/leasetest"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/simulator"
)

// arbitrating runs a device with a way of arbitration. What it returns opens the
// device in a fleet of its own that sends the lock's tokens; all these fleets
// share one lock. Before the device stands p, if there is one.
func arbitrating(t *testing.T, way simulator.Arbitration, p *proxy) (*simulator.Target, func() *device.Device) {
	t.Helper()
	target := simulate(t, "arbitration="+string(way))
	engine, address := leasetest.NewMemory(), target.Addr()
	if p != nil {
		address = through(t, p, target)
	}
	return target, func() *device.Device {
		c := config("leaf1", address)
		c.Arbitration = true
		leases := &devicelock.Leases{Store: engine.Open(), Linger: time.Millisecond}
		return named(t, fleetOf(t, devicelock.Options{Leases: leases, LockDelay: 10 * time.Millisecond}, c), "leaf1")
	}
}

// story tells what a device was asked and what it let through, without the
// capabilities and with Gets in a row as one.
func story(target *simulator.Target) (told []string) {
	for _, r := range target.Log() {
		switch {
		case r.RPC == "Get":
			if len(told) == 0 || told[len(told)-1] != "get" {
				told = append(told, "get")
			}
		case r.RPC != "Set":
		case r.Code != "OK":
			told = append(told, "refuse "+r.Election)
		case len(r.Update)+len(r.Replace)+len(r.Delete) == 0:
			told = append(told, "hear of "+r.Election)
		default:
			told = append(told, "set "+r.Election)
		}
	}
	return told
}

// An owner is heard of before it reads, so that nobody writes what it has not
// read. Whether the device arbitrates at all is tried once in each process.
func TestAnOwnerAnnouncesItsTokenBeforeItReadsAndSendsItWithEverySet(t *testing.T) {
	target, open := arbitrating(t, simulator.ArbitrationFull, nil)
	one, other := open(), open()
	for i, d := range []*device.Device{one, other, one} {
		if err := d.Apply(t.Context(), setting(interfacePath("Port-Channel7"), lag(fmt.Sprint("change ", i)))); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{
		"hear of 1", "refuse 0", "get", "set 1",
		"hear of 2", "refuse 1", "get", "set 2",
		"hear of 3", "get", "set 3",
	}
	if got := story(target); !slices.Equal(got, want) {
		t.Errorf("the device was asked to\n%q, want\n%q", got, want)
	}
}

func TestADeviceThatDoesNotArbitrateIsRefusedWithTheReason(t *testing.T) {
	for way, want := range map[simulator.Arbitration]string{
		simulator.ArbitrationIgnored:     "ignores master arbitration",
		simulator.ArbitrationUnsupported: "does not support master arbitration",
	} {
		target, open := arbitrating(t, way, nil)
		err := open().Apply(t.Context(), setting(interfacePath("Port-Channel7"), lag("x")))
		var failure *device.ArbitrationError
		if !errors.As(err, &failure) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", way, err)
		}
		if target.Exists("/interfaces/interface[name=Port-Channel7]") {
			t.Errorf("%s: something was written", way)
		}
	}
}

func TestAnOwnerThatLostItsLockIsRefusedByTheDeviceItself(t *testing.T) {
	target, open := arbitrating(t, simulator.ArbitrationFull, nil)
	stale := open()
	change := setting(interfacePath("Port-Channel7"), lag("x"))
	decide := change.Decide
	change.Decide = func(entry *datatree.Node, p *gpb.Path) (*gpb.SetRequest, error) {
		// Meanwhile a later owner makes itself known.
		takeOver(t, target, 1<<40)
		return decide(entry, p)
	}
	err := stale.Apply(t.Context(), change)
	var failure *device.ArbitrationError
	if !errors.As(err, &failure) || !failure.Stale || !strings.Contains(err.Error(), "newer owner") {
		t.Errorf("error %v", err)
	}
	if target.Exists("/interfaces/interface[name=Port-Channel7]") {
		t.Error("the stale owner's Set was carried out")
	}
}

func TestANewOwnerWhoseTokenIsTooSmallLearnsWhy(t *testing.T) {
	target, open := arbitrating(t, simulator.ArbitrationFull, nil)
	takeOver(t, target, 9)
	err := open().Apply(t.Context(), setting(interfacePath("Port-Channel7"), lag("x")))
	var failure *device.ArbitrationError
	if !errors.As(err, &failure) || !failure.Ahead || failure.Stale {
		t.Fatalf("error %v", err)
	}
	// The device's own words have the token that it remembers.
	for _, want := range []string{"another lock service", "this user", "less than 9"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in the error: %v", want, err)
		}
	}
	if got, want := story(target), []string{"hear of 9", "refuse 1"}; !slices.Equal(got, want) {
		t.Errorf("the device was asked to %q, want %q", got, want)
	}
}

func TestARefusedRepetitionDoesNotHideWhatTheFirstSetDid(t *testing.T) {
	for _, applied := range []bool{true, false} {
		var target *simulator.Target
		p := &proxy{set: func(n int, forward func() error) error {
			if n != 3 { // after the announcement and the trial of an earlier token
				return forward()
			}
			if applied {
				if err := forward(); err != nil {
					return err
				}
			}
			takeOver(t, target, 1<<40)
			return errLost
		}}
		target, open := arbitrating(t, simulator.ArbitrationFull, p)
		err := open().Apply(t.Context(), setting(interfacePath("Port-Channel7"), lag("x")))
		var failure *device.ArbitrationError
		if applied != (err == nil) || !applied && (!errors.As(err, &failure) || !failure.Stale) {
			t.Errorf("the first Set was applied: %v, the step ended with %v", applied, err)
		}
		if got := target.Exists("/interfaces/interface[name=Port-Channel7]"); got != applied {
			t.Errorf("the device has it: %v, want %v", got, applied)
		}
	}
}

// takeOver sends an empty Set with a token, as another owner. It may be called
// by any goroutine.
func takeOver(t *testing.T, target *simulator.Target, fence uint64) {
	t.Helper()
	conn, err := grpc.NewClient("passthrough:///"+target.Addr(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Error(err)
		return
	}
	defer func() { _ = conn.Close() }()
	_, err = gpb.NewGNMIClient(conn).Set(t.Context(), &gpb.SetRequest{Extension: []*gnmi_ext.Extension{{Ext: &gnmi_ext.Extension_MasterArbitration{
		MasterArbitration: &gnmi_ext.MasterArbitration{ElectionId: &gnmi_ext.Uint128{Low: fence}},
	}}}})
	if err != nil {
		t.Error(err)
	}
}
