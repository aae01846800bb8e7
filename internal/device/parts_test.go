package device_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/changeset"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/datatree"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/device"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/oc"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/simulator"
)

// profiled is a simulated device of a profile, and what stands before it.
func profiled(t *testing.T, profile device.Profile) (*device.Device, *proxy, *simulator.Target) {
	t.Helper()
	target, p := simulate(t), &proxy{}
	c := config("r1", through(t, p, target))
	c.Profile = profile
	return named(t, fleetOf(t, devicelock.Options{}, c), "r1"), p, target
}

// port is a change of an interface to what JSON of it says, from what other
// JSON says, which may be empty.
func port(t *testing.T, name, before, after string) device.Change {
	t.Helper()
	read := func(json string) *datatree.Node {
		if json == "" {
			return nil
		}
		root := datatree.New(oc.Model)
		if err := root.DecodeAt(interfacePath(name).GetElem(), []byte(json)); err != nil {
			t.Fatal(err)
		}
		return root.At(interfacePath(name).GetElem())
	}
	c := setting(interfacePath(name), nil)
	c.Decide = func(_ *datatree.Node, p *gpb.Path) (*gpb.SetRequest, error) {
		return changeset.Diff(p, read(before), read(after))
	}
	return c
}

const (
	lagOfThree = `{"config":{"type":"ieee8023adLag","mtu":9000},"hold-time":{"config":{"up":100,"down":200}},
		"aggregation":{"config":{"lag-type":"LACP","min-links":2},"switched-vlan":{"config":{"interface-mode":"TRUNK","trunk-vlans":[10,"20..30"]}}}}`
	lagOfTwo = `{"config":{"type":"ieee8023adLag","mtu":1500},"hold-time":{"config":{"up":300,"down":200}},
		"aggregation":{"config":{"lag-type":"LACP","min-links":1},"switched-vlan":{"config":{"interface-mode":"TRUNK"}}}}`
)

func TestANewEntryWithTooManyOperationsIsStillOneSet(t *testing.T) {
	d, p, target := profiled(t, device.Profile{MaxOperations: 2})
	plain, _, reference := profiled(t, device.Profile{})
	for _, d := range []*device.Device{d, plain} {
		if err := d.Apply(t.Context(), port(t, "Port-Channel1", "", lagOfThree)); err != nil {
			t.Fatal(err)
		}
	}
	if len(p.sets) != 1 || len(p.sets[0].GetUpdate()) != 1 {
		t.Errorf("it was written by %d Sets", len(p.sets))
	}
	const at = "/interfaces/interface[name=Port-Channel1]"
	if got, want := target.Config(at), reference.Config(at); got != want || got == "" {
		t.Errorf("the device has %s, want %s", got, want)
	}
}

func TestAnUpdateWithTooManyOperationsIsCutUnderOneHold(t *testing.T) {
	target, p, w := simulate(t), &proxy{}, newWatch()
	c := config("r1", through(t, p, target))
	c.Profile = device.Profile{MaxOperations: 2}
	d := named(t, fleetOf(t, devicelock.Options{Observer: w}, c), "r1")
	if err := d.Apply(t.Context(), port(t, "Port-Channel1", "", lagOfThree)); err != nil {
		t.Fatal(err)
	}
	p.sets = nil
	if err := d.Apply(t.Context(), port(t, "Port-Channel1", lagOfThree, lagOfTwo)); err != nil {
		t.Fatal(err)
	}
	if len(p.sets) != 2 {
		t.Errorf("there were %d Sets for four operations, want two", len(p.sets))
	}
	for _, s := range p.sets {
		if n := len(s.GetDelete()) + len(s.GetReplace()) + len(s.GetUpdate()); n > 2 {
			t.Errorf("a Set has %d operations", n)
		}
	}
	acquired := 0
	for len(w.events) > 0 {
		if e := <-w.events; e.Kind == devicelock.Acquired {
			acquired++
		}
	}
	if acquired != 2 {
		t.Errorf("two steps took the lock %d times", acquired)
	}
	if mtu, _ := target.Leaf("/interfaces/interface[name=Port-Channel1]/config/mtu"); mtu != "1500" || target.Exists("/interfaces/interface[name=Port-Channel1]/aggregation/switched-vlan/config/trunk-vlans") {
		t.Errorf("the device has %s", target.Config("/interfaces/interface[name=Port-Channel1]"))
	}
}

func TestWhatASecondSetDoesNotDoIsReportedBesideWhatTheFirstDid(t *testing.T) {
	d, p, _ := profiled(t, device.Profile{Separate: []string{"/interfaces/interface/config"}})
	p.set = func(n int, forward func() error) error {
		if n == 2 {
			return status.Error(codes.InvalidArgument, "no such LAG type")
		}
		return forward()
	}
	err := d.Apply(t.Context(), port(t, "Port-Channel1", "", lagOfThree))
	var set *device.SetError
	if !errors.As(err, &set) || set.Effect != device.EffectPart {
		t.Fatalf("got %v (%T)", err, err)
	}
	if mtu, _ := set.Entry.Container("config").Leaf("mtu"); mtu != "9000" || set.Entry.Container("aggregation").Container("config") != nil {
		t.Errorf("the device is said to hold %+v", set.Entry)
	}
}

func TestWhatGoesSeparatelyIsWrittenBeforeAndDeletedAfterTheRest(t *testing.T) {
	d, p, _ := profiled(t, device.Profile{Separate: []string{"/interfaces/interface/config"}})
	if err := d.Apply(t.Context(), port(t, "Port-Channel1", "", lagOfThree)); err != nil {
		t.Fatal(err)
	}
	without := strings.Replace(strings.Replace(lagOfThree, `,"mtu":9000`, "", 1), `"up":100`, `"up":101`, 1)
	if err := d.Apply(t.Context(), port(t, "Port-Channel1", lagOfThree, without)); err != nil {
		t.Fatal(err)
	}
	var story []string
	for _, s := range p.sets {
		separate, other := 0, 0
		for _, path := range append(slices.Clone(s.GetDelete()), updatePaths(s)...) {
			if strings.HasPrefix(datatree.PathText(path), "/interfaces/interface[name=Port-Channel1]/config") {
				separate++
			} else {
				other++
			}
		}
		story = append(story, fmt.Sprint(separate, other))
	}
	if want := []string{"1 0", "0 3", "0 1", "1 0"}; !slices.Equal(story, want) {
		t.Errorf("operations in the Sets, separate and other: %q, want %q", story, want)
	}
}

func updatePaths(s *gpb.SetRequest) []*gpb.Path {
	var paths []*gpb.Path
	for _, u := range append(slices.Clone(s.GetReplace()), s.GetUpdate()...) {
		paths = append(paths, u.GetPath())
	}
	return paths
}

func TestLeavesAreWrittenAsScalarsWhereADeviceWantsThem(t *testing.T) {
	profile := device.Profile{}
	profile.Wire.Leaves = true
	d, p, target := profiled(t, profile)
	plain, _, reference := profiled(t, device.Profile{})
	for _, d := range []*device.Device{d, plain} {
		for _, step := range [][2]string{{"", lagOfThree}, {lagOfThree, strings.Replace(lagOfThree, "20..30", "20..40", 1)}} {
			if err := d.Apply(t.Context(), port(t, "Port-Channel1", step[0], step[1])); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, s := range p.sets {
		for _, u := range append(s.GetReplace(), s.GetUpdate()...) {
			if u.GetVal().GetJsonIetfVal() != nil {
				t.Errorf("%s is written as JSON", datatree.PathText(u.GetPath()))
			}
		}
	}
	const at = "/interfaces/interface[name=Port-Channel1]"
	if got, want := target.Config(at), reference.Config(at); got != want || got == "" {
		t.Errorf("the device has %s, want %s", got, want)
	}
}

func TestALAGAndItsMembersGoTogetherWhereADeviceForgetsItsType(t *testing.T) {
	d, p, target := profiled(t, device.Profile{AtomicLAG: true})
	// The device forgets the type of a LAG that comes without its members.
	p.set = func(n int, forward func() error) error {
		err := forward()
		wrote := map[string]bool{}
		for _, path := range updatePaths(p.sets[n-1]) {
			wrote[datatree.PathText(path)] = true
		}
		const lagConfig = "/interfaces/interface[name=Port-Channel1]/aggregation/config"
		together := wrote[lagConfig] && slices.ContainsFunc(slices.Collect(maps.Keys(wrote)), func(p string) bool { return strings.HasSuffix(p, "/ethernet/config") })
		if err == nil && !together && target.Exists(lagConfig+"/lag-type") {
			err = target.Delete(lagConfig + "/lag-type")
		}
		return err
	}
	steps := []device.Change{
		port(t, "Port-Channel1", "", `{"config":{"type":"ieee8023adLag"},"aggregation":{"config":{"lag-type":"LACP"}}}`),
		port(t, "Ethernet1/1", "", `{"ethernet":{"config":{"aggregate-id":"Port-Channel1"}}}`),
		port(t, "Ethernet1/2", "", `{"ethernet":{"config":{"aggregate-id":"Port-Channel1","auto-negotiate":true}}}`),
	}
	for i, step := range steps {
		if err := d.Apply(t.Context(), step); err != nil {
			t.Fatal(err)
		}
		kind, _ := target.Leaf("/interfaces/interface[name=Port-Channel1]/aggregation/config/lag-type")
		if want := map[bool]string{true: "LACP"}[i > 0]; kind != want {
			t.Errorf("after step %d the type is %q, want %q", i, kind, want)
		}
	}
	if len(p.sets) != len(steps) {
		t.Errorf("%d steps were %d Sets", len(steps), len(p.sets))
	}
}
