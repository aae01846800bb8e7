package device_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/changeset"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/datatree"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/device"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
)

// outcomes is an observer that notes how Sets ended.
type outcomes struct{ all []string }

// Sent is part of device.Observer.
func (o *outcomes) Sent(_ context.Context, s device.Sent) { o.all = append(o.all, s.Outcome) }

// patient returns the device at address with time for repetitions, and what is
// observed of it.
func patient(t *testing.T, address string) (*device.Device, *outcomes) {
	t.Helper()
	c := config("r1", address)
	c.GNMI.RetryBudget = 20 * time.Second
	return observed(t, c)
}

// observed returns the device, and what is observed of it.
func observed(t *testing.T, c device.Config) (*device.Device, *outcomes) {
	t.Helper()
	seen := &outcomes{}
	f, err := device.NewFleet(devicelock.New(devicelock.Options{LockDelay: 10 * time.Millisecond}), seen, []device.Config{c})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close(context.Background()) })
	return named(t, f, "r1"), seen
}

func TestWhatADeviceRefusesAndHoldsIsDone(t *testing.T) {
	for _, code := range []codes.Code{codes.Internal, codes.InvalidArgument, codes.Aborted, codes.FailedPrecondition, codes.Unknown} {
		target := simulate(t)
		p := &proxy{set: func(_ int, forward func() error) error {
			return errors.Join(forward(), status.Error(code, "commit failed"))
		}}
		d, seen := patient(t, through(t, p, target))
		var warned error
		change := setting(interfacePath("Port-Channel1"), lag("held"))
		change.Warn = func(err error) { warned = err }
		if err := d.Apply(t.Context(), change); err != nil {
			t.Errorf("%s: %v", code, err)
		}
		if got := description(t, d, change.Path); got != "held" {
			t.Errorf("%s: the device is thought to have %q", code, got)
		}
		if last := seen.all[len(seen.all)-1]; last != "settled" {
			t.Errorf("%s: observed as %q", code, seen.all)
		}
		if refused := code != codes.Internal && code != codes.Unknown; refused && (warned == nil || !strings.Contains(warned.Error(), "commit failed")) {
			t.Errorf("%s: the warning is %v", code, warned)
		}
	}
}

func TestWhatADeviceCarriesOutByHalfIsReportedWithWhatItHolds(t *testing.T) {
	target := simulate(t)
	at := interfacePath("Port-Channel1")
	p := &proxy{}
	p.set = func(int, func() error) error {
		return errors.Join(
			target.Update("/interfaces/interface[name=Port-Channel1]", `{"config":{"name":"Port-Channel1","type":"iana-if-type:ieee8023adLag"}}`),
			status.Error(codes.InvalidArgument, "description: too long"))
	}
	d, seen := patient(t, through(t, p, target))
	err := d.Apply(t.Context(), setting(at, lag("half")))
	var set *device.SetError
	if !errors.As(err, &set) || set.Effect != device.EffectPart {
		t.Fatalf("got %v (%T)", err, err)
	}
	kind, _ := set.Entry.Container("config").Leaf("type")
	if _, there := set.Entry.Container("config").Leaf("description"); kind != "ieee8023adLag" || there {
		t.Errorf("the device is said to hold %+v", set.Entry)
	}
	if !slices.Equal(seen.all, []string{"half_applied"}) {
		t.Errorf("observed as %q", seen.all)
	}
}

func TestOnlyWhatMayHelpIsSentAgain(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		sets int
	}{
		"another session":     {status.Error(codes.Aborted, "locked by another session"), 2},
		"too large":           {status.Error(codes.ResourceExhausted, "message larger than max"), 1},
		"wrong":               {status.Error(codes.InvalidArgument, "no"), 1},
		"a missing condition": {status.Error(codes.FailedPrecondition, "no"), 1},
		"not permitted":       {status.Error(codes.PermissionDenied, "no"), 1},
	} {
		p := &proxy{set: func(n int, forward func() error) error {
			if n == 1 {
				return c.err
			}
			return forward()
		}}
		d, _ := patient(t, through(t, p, simulate(t)))
		err := d.Apply(t.Context(), setting(interfacePath("Port-Channel1"), lag("x")))
		if len(p.sets) != c.sets || (err == nil) != (c.sets > 1) {
			t.Errorf("%s: %d Sets, want %d; %v", name, len(p.sets), c.sets, err)
		}
	}
}

// removing deletes the descriptions of two LAGs; one of them has none.
func removing() device.Change {
	c := setting(interfacePath("Port-Channel1"), nil)
	c.Decide = func(*datatree.Node, *gpb.Path) (*gpb.SetRequest, error) {
		return &gpb.SetRequest{Delete: []*gpb.Path{
			path("/interfaces/interface[name=Port-Channel1]/config/description"), path("/interfaces/interface[name=Port-Channel1]/config/mtu"),
		}}, nil
	}
	return c
}

func TestDeletingWhatIsAbsentIsDoneHoweverADeviceCallsIt(t *testing.T) {
	for _, code := range []codes.Code{codes.NotFound, codes.InvalidArgument, codes.Internal} {
		target := simulate(t)
		p := &proxy{}
		p.set = func(n int, forward func() error) error {
			if len(p.sets[n-1].GetDelete()) > 1 || !target.Exists("/interfaces/interface[name=Port-Channel1]") && len(p.sets[n-1].GetDelete()) > 0 {
				return status.Error(code, "no such node")
			}
			return forward()
		}
		d, _ := patient(t, through(t, p, target))
		at := interfacePath("Port-Channel1")
		if err := d.Apply(t.Context(), setting(at, lag("here"))); err != nil {
			t.Fatal(err)
		}
		if err := d.Apply(t.Context(), removing()); err != nil {
			t.Errorf("%s: the absent leaf: %v", code, err)
		}
		if got := description(t, d, at); got != "" {
			t.Errorf("%s: the device has %q", code, got)
		}
		gone := setting(at, nil)
		gone.Decide = func(_ *datatree.Node, p *gpb.Path) (*gpb.SetRequest, error) {
			return changeset.Delete(p), target.Delete("/interfaces/interface[name=Port-Channel1]")
		}
		if err := d.Apply(t.Context(), gone); err != nil {
			t.Errorf("%s: the absent entry: %v", code, err)
		}
	}
}

func TestADevicesWordsAreToldWithoutTheSecretsOfTheStep(t *testing.T) {
	p := &proxy{set: func(int, func() error) error {
		return status.Error(codes.InvalidArgument, `bad value "hunter2" for description`)
	}}
	d, _ := patient(t, through(t, p, simulate(t)))
	change := setting(interfacePath("Port-Channel1"), lag("hunter2"))
	change.Secrets = []string{"hunter2"}
	err := d.Apply(t.Context(), change)
	if err == nil || strings.Contains(err.Error(), "hunter2") || !strings.Contains(err.Error(), "bad value") {
		t.Errorf("got %v", err)
	}
}

func TestAChangeThatADeviceShowsBitByBitIsWaitedFor(t *testing.T) {
	target := simulate(t)
	refused, looks := false, 0
	p := &proxy{}
	p.set = func(int, func() error) error {
		refused = true
		return errors.Join(
			target.Update("/interfaces/interface[name=Port-Channel1]", `{"config":{"name":"Port-Channel1","type":"iana-if-type:ieee8023adLag"}}`),
			status.Error(codes.InvalidArgument, "commit failed"))
	}
	p.get = func() error {
		if refused {
			looks++
		}
		if looks != 2 {
			return nil
		}
		return target.Update("/interfaces/interface[name=Port-Channel1]", `{"config":{"description":"late"}}`)
	}
	d, _ := patient(t, through(t, p, target))
	if err := d.Apply(t.Context(), setting(interfacePath("Port-Channel1"), lag("late"))); err != nil {
		t.Error(err)
	}
}
