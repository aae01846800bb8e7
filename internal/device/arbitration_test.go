package device_test

import (
	"context"
	"errors"
	"fmt"
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

// arbitrating runs a device with a way of arbitration, and returns it with its
// name in a fleet that sends the lock's tokens.
func arbitrating(t *testing.T, way simulator.Arbitration) (*simulator.Target, func() *device.Device) {
	t.Helper()
	target, err := simulator.Start(context.Background(), simulator.Options{Plaintext: true, Arbitration: way})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = target.Close() })
	engine := leasetest.NewMemory()
	return target, func() *device.Device {
		c := config("leaf1", target.Addr())
		c.Arbitration = true
		leases := &devicelock.Leases{Store: engine.Open(), Linger: time.Millisecond}
		return named(t, fleetOf(t, devicelock.Options{Leases: leases}, c), "leaf1")
	}
}

// elections returns the election ids of the Sets that were carried out.
func elections(target *simulator.Target) (ids []string) {
	for _, r := range target.Log() {
		if r.RPC == "Set" && r.Code == "OK" {
			ids = append(ids, r.Election)
		}
	}
	return ids
}

func TestAnOwnerAnnouncesItsTokenAndSendsItWithEverySet(t *testing.T) {
	target, open := arbitrating(t, simulator.ArbitrationFull)
	one, other := open(), open()
	for i, d := range []*device.Device{one, other, one} {
		if err := d.Apply(t.Context(), setting(interfacePath("Port-Channel7"), lag(fmt.Sprint("change ", i)))); err != nil {
			t.Fatal(err)
		}
	}
	// Each owner announces itself by an empty Set before the first one that
	// changes something. Tokens grow from one to the next.
	ids := elections(target)
	if strings.Join(ids, " ") != "1 1 2 2 3 3" {
		t.Errorf("election ids %v", ids)
	}
}

func TestADeviceThatDoesNotArbitrateIsRefusedWithTheReason(t *testing.T) {
	for way, want := range map[simulator.Arbitration]string{
		simulator.ArbitrationIgnored:     "ignores master arbitration",
		simulator.ArbitrationUnsupported: "does not support master arbitration",
	} {
		target, open := arbitrating(t, way)
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
	target, open := arbitrating(t, simulator.ArbitrationFull)
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

// takeOver sends an empty Set with a token.
func takeOver(t *testing.T, target *simulator.Target, fence uint64) {
	t.Helper()
	conn, err := grpc.NewClient("passthrough:///"+target.Addr(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	_, err = gpb.NewGNMIClient(conn).Set(t.Context(), &gpb.SetRequest{Extension: []*gnmi_ext.Extension{{Ext: &gnmi_ext.Extension_MasterArbitration{
		MasterArbitration: &gnmi_ext.MasterArbitration{ElectionId: &gnmi_ext.Uint128{Low: fence}},
	}}}})
	if err != nil {
		t.Fatal(err)
	}
}
