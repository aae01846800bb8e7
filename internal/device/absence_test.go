package device_test

import (
	"errors"
	"testing"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/changeset"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/datatree"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/device"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/simulator"
)

// forgetful runs a device whose second Get finds nothing, and the fourth and on,
// and lets the first one pass.
func forgetful(t *testing.T) *simulator.Target {
	t.Helper()
	target := simulate(t, "false_empty_every=2")
	if _, err := connect(t, target.Addr()).Read(t.Context(), interfacePath("Ethernet1/1")); err != nil {
		t.Fatal(err)
	}
	return target
}

func TestAnEntryIsNotTakenAsAbsentBecauseOfOneEmptyAnswer(t *testing.T) {
	target := forgetful(t)
	if entry, err := connect(t, target.Addr()).Find(t.Context(), interfacePath("Ethernet1/1")); err != nil || entry == nil {
		t.Errorf("got %v, %v", entry, err)
	}
	if n := target.Stats().Gets; n != 3 {
		t.Errorf("there were %d Gets", n)
	}
}

func TestAnEntryThatTwoReadsDoNotFindIsAbsent(t *testing.T) {
	target := simulate(t)
	if entry, err := connect(t, target.Addr()).Find(t.Context(), interfacePath("Ethernet9/9")); err != nil || entry != nil {
		t.Errorf("got %v, %v", entry, err)
	}
	if n := target.Stats().Gets; n != 2 {
		t.Errorf("there were %d Gets", n)
	}
}

func TestAStepChangesAnEntryThatTheFirstReadDidNotFind(t *testing.T) {
	d := connect(t, forgetful(t).Addr())
	change := setting(interfacePath("Ethernet1/1"), lag("x"))
	change.Step.Operation = devicelock.Update
	found := false
	change.Decide = func(entry *datatree.Node, p *gpb.Path) (*gpb.SetRequest, error) {
		found = entry != nil
		return changeset.Delete(datatree.Join(p, &gpb.PathElem{Name: "config"}, &gpb.PathElem{Name: "mtu"})), nil
	}
	if err := d.Apply(t.Context(), change); err != nil || !found {
		t.Errorf("found: %v, %v", found, err)
	}
}

func TestAChangeIsNotDoneWhereTheEntryWentWithAllElse(t *testing.T) {
	target := simulate(t)
	p := interfacePath("Port-Channel1")
	px := &proxy{set: func(n int, forward func() error) error {
		if n == 1 {
			return forward()
		}
		if err := target.Delete(datatree.PathText(p)); err != nil {
			t.Error(err)
		}
		return status.Error(codes.Internal, "restarted")
	}}
	d, _ := patient(t, through(t, px, target))
	if err := d.Apply(t.Context(), setting(p, lag("x"))); err != nil {
		t.Fatal(err)
	}
	change := setting(p, lag("x"))
	change.Decide = func(_ *datatree.Node, p *gpb.Path) (*gpb.SetRequest, error) {
		return changeset.Delete(datatree.Join(p, &gpb.PathElem{Name: "config"}, &gpb.PathElem{Name: "description"})), nil
	}
	var failed *device.SetError
	if err := d.Apply(t.Context(), change); !errors.As(err, &failed) || failed.Effect != device.EffectPart || failed.Entry != nil {
		t.Errorf("got %v, with %+v", err, failed)
	}
}
