package device_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/datatree"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/device"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
)

// verifying returns the device at address, which has the time given to show what
// it accepts, and what is observed of it.
func verifying(t *testing.T, address string, within time.Duration) (*device.Device, *outcomes) {
	t.Helper()
	c := config("r1", address)
	c.VerifyTimeout = within
	return observed(t, c)
}

// deleting is a change that deletes the entry at p.
func deleting(p *gpb.Path) device.Change {
	return device.Change{
		Path: p, Step: devicelock.Step{Operation: devicelock.Delete, Rank: devicelock.RankInterface},
		Decide: func(_ *datatree.Node, p *gpb.Path) (*gpb.SetRequest, error) {
			return &gpb.SetRequest{Delete: []*gpb.Path{p}}, nil
		},
	}
}

const ample = 30 * time.Second

func TestAStepEndsWhenItsDeviceShowsTheChangeAndNotBefore(t *testing.T) {
	for _, quirk := range []string{"eventual=300ms", "optimistic=true", "report_defaults=omit", "ifname_case=fold"} {
		t.Run(quirk, func(t *testing.T) {
			target := simulate(t, quirk, "commit_latency=100ms")
			for _, text := range []string{"one", "two"} {
				d, seen := verifying(t, target.Addr(), ample)
				if err := d.Apply(t.Context(), setting(interfacePath("Port-Channel1"), lag(text))); err != nil {
					t.Fatal(err)
				}
				// The next run does not know what this one has sent.
				if got := description(t, connect(t, target.Addr()), interfacePath("Port-Channel1")); got != text {
					t.Errorf("the next run reads %q, want %q", got, text)
				}
				if !slices.Equal(seen.all, []string{"done"}) {
					t.Errorf("the Sets ended %q", seen.all)
				}
			}
			d, _ := verifying(t, target.Addr(), ample)
			if err := d.Apply(t.Context(), deleting(interfacePath("Port-Channel1"))); err != nil {
				t.Fatal(err)
			}
			if entry, err := connect(t, target.Addr()).Read(t.Context(), interfacePath("Port-Channel1")); err != nil || entry != nil {
				t.Errorf("the next run reads %v, %v, want nothing", entry, err)
			}
		})
	}
}

func TestWhatADeviceAcceptsAndDoesNotShowIsReported(t *testing.T) {
	const within = 300 * time.Millisecond
	tests := map[string]struct {
		quirk, outcome string
		effect         device.Effect
		leaves         []string
	}{
		"a leaf without effect": {"shadow_accept=/interfaces/interface/config/description", "half_applied", device.EffectPart, []string{lagDescription}},
		"nothing in time": {"eventual=1h", "not_shown", device.EffectNone, []string{
			"/interfaces/interface[name=Port-Channel1]/config/description",
			"/interfaces/interface[name=Port-Channel1]/config/name",
			"/interfaces/interface[name=Port-Channel1]/config/type",
		}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			target := simulate(t, tt.quirk)
			d, seen := verifying(t, target.Addr(), within)
			err := d.Apply(t.Context(), setting(interfacePath("Port-Channel1"), lag("x")))
			var unshown *device.NotShownError
			if !errors.As(err, &unshown) || effectOf(err) != tt.effect {
				t.Fatalf("got %v, effect %q", err, effectOf(err))
			}
			if !slices.Equal(unshown.Leaves, tt.leaves) || unshown.After != within {
				t.Errorf("not shown after %v: %q", unshown.After, unshown.Leaves)
			}
			if n := target.Stats().Sets; n != 1 || !slices.Equal(seen.all, []string{tt.outcome}) {
				t.Errorf("it was sent %d times, and ended %q", n, seen.all)
			}
		})
	}
}

func TestWhatADeviceDoesNotDeleteIsReported(t *testing.T) {
	target := simulate(t, "delete_physical=noop")
	p := interfacePath("Ethernet1/1")
	d, _ := verifying(t, target.Addr(), 100*time.Millisecond)
	if err := d.Apply(t.Context(), setting(p, leaves{"description": "uplink"})); err != nil {
		t.Fatal(err)
	}
	err := d.Apply(t.Context(), deleting(p))
	if effectOf(err) != device.EffectNone || !strings.Contains(err.Error(), "[name=Ethernet1/1]/config/description") {
		t.Errorf("got %v, effect %q", err, effectOf(err))
	}
}

func TestSecretsAreTakenOnTrust(t *testing.T) {
	target := guarded(t, "secret_form=hashed")
	d, _ := verifying(t, target.Addr(), ample)
	if err := d.Apply(t.Context(), password(t, "new")); err != nil {
		t.Error(err)
	}
}

func TestAChangeThatCannotBeReadBackIsNotKnown(t *testing.T) {
	written := false
	p := &proxy{
		set: func(_ int, forward func() error) error {
			written = true
			return forward()
		},
		get: func() error {
			if written {
				return status.Error(codes.Internal, "the reader has crashed")
			}
			return nil
		},
	}
	d, _ := verifying(t, through(t, p, simulate(t)), 100*time.Millisecond)
	err := d.Apply(t.Context(), setting(interfacePath("Port-Channel1"), lag("x")))
	if effectOf(err) != device.EffectUnknown || !strings.Contains(err.Error(), "the reader has crashed") {
		t.Errorf("got %v, effect %q", err, effectOf(err))
	}
	if len(p.sets) != 1 {
		t.Errorf("it was sent %d times", len(p.sets))
	}
}

func TestWhatIsNotShownIsNotConfirmed(t *testing.T) {
	target := simulate(t, "commit=full", "shadow_accept=/interfaces/interface/config/description")
	c := config("r1", target.Addr())
	c.VerifyTimeout, c.CommitConfirmed = 100*time.Millisecond, time.Minute
	d := named(t, fleetOf(t, devicelock.Options{}, c), "r1")
	err := d.Apply(t.Context(), setting(interfacePath("Port-Channel1"), lag("x")))
	if effectOf(err) != device.EffectNone || !strings.Contains(err.Error(), lagDescription) {
		t.Errorf("got %v, effect %q", err, effectOf(err))
	}
	if target.Exists("/interfaces/interface[name=Port-Channel1]") {
		t.Error("the commit was not cancelled")
	}
}
