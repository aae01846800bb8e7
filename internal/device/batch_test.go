package device_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
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

// crowd has steps wait for a device whose first Set takes until they all do.
type crowd struct {
	t      *testing.T
	target *simulator.Target
	proxy  *proxy
	watch  *watch
	device *device.Device
	begun  chan struct{}
	free   chan struct{}
}

func crowded(t *testing.T, spoil func(n int, forward func() error) error) *crowd {
	t.Helper()
	c := &crowd{t: t, target: simulate(t), watch: newWatch(), begun: make(chan struct{}), free: make(chan struct{})}
	c.proxy = &proxy{set: func(n int, forward func() error) error {
		if n == 1 {
			close(c.begun)
			<-c.free
		}
		if spoil != nil {
			return spoil(n, forward)
		}
		return forward()
	}}
	conf := config("r1", through(t, c.proxy, c.target))
	conf.Batch = true
	c.device = named(t, fleetOf(t, devicelock.Options{Observer: c.watch}, conf), "r1")
	return c
}

// apply has changes wait for the first one's Set, and returns how each ended.
func (c *crowd) apply(ctx context.Context, first device.Change, others ...device.Change) []error {
	c.t.Helper()
	errs := make([]error, 1+len(others))
	var all sync.WaitGroup
	all.Go(func() { errs[0] = c.device.Apply(ctx, first) })
	<-c.begun
	c.watch.drain()
	for i, other := range others {
		all.Go(func() { errs[1+i] = c.device.Apply(ctx, other) })
		c.watch.awaitAny(c.t, devicelock.Requested)
	}
	close(c.free)
	all.Wait()
	return errs
}

// awaitAny waits until something happened to any step.
func (w *watch) awaitAny(tb testing.TB, kind devicelock.EventKind) {
	tb.Helper()
	for {
		select {
		case e := <-w.events:
			if e.Kind == kind {
				return
			}
		case <-tb.Context().Done():
			tb.Fatalf("no step was %s", kind)
		}
	}
}

func TestStepsThatWaitGoTogetherInOneSet(t *testing.T) {
	c := crowded(t, nil)
	var others []device.Change
	for i := range 8 {
		others = append(others, setting(interfacePath(fmt.Sprint("Port-Channel", 2+i)), lag(fmt.Sprint("number ", i))))
	}
	others = append(others, vlan("red"), setting(instancePath("red"), leaves{"type": "L3VRF"}))
	for i, err := range c.apply(t.Context(), setting(interfacePath("Port-Channel1"), lag("first")), others...) {
		if err != nil {
			t.Errorf("step %d: %v", i, err)
		}
	}
	if len(c.proxy.sets) != 2 {
		t.Errorf("11 steps, of which 10 waited, were %d Sets, want 2", len(c.proxy.sets))
	}
	for i := range 8 {
		if has, _ := c.target.Leaf(fmt.Sprintf("/interfaces/interface[name=Port-Channel%d]/config/description", 2+i)); has != fmt.Sprint("number ", i) {
			t.Errorf("Port-Channel%d has %q", 2+i, has)
		}
	}
	if !c.target.Exists("/network-instances/network-instance[name=red]/vlans/vlan[vlan-id=10]") {
		t.Error("the VLAN, which needs the network instance, is missing")
	}
}

func TestAnErrorOfABatchStaysWithItsOwner(t *testing.T) {
	c := crowded(t, nil)
	wrong := setting(interfacePath("Port-Channel4"), nil)
	wrong.Decide = func(_ *datatree.Node, p *gpb.Path) (*gpb.SetRequest, error) {
		return &gpb.SetRequest{Update: []*gpb.Update{{Path: datatree.Join(p, &gpb.PathElem{Name: "config"}), Val: ietf(`{"name":"other"}`)}}}, nil
	}
	undecided := setting(interfacePath("Port-Channel5"), nil)
	errUndecided := errors.New("it exists already")
	undecided.Decide = func(*datatree.Node, *gpb.Path) (*gpb.SetRequest, error) { return nil, errUndecided }
	errs := c.apply(t.Context(), setting(interfacePath("Port-Channel1"), lag("first")),
		setting(interfacePath("Port-Channel2"), lag("second")), wrong, setting(interfacePath("Port-Channel3"), lag("third")), undecided)
	var set *device.SetError
	if errs[0] != nil || errs[1] != nil || errs[3] != nil || !errors.As(errs[2], &set) || !errors.Is(errs[4], errUndecided) {
		t.Errorf("got %v", errs)
	}
	for _, name := range []string{"Port-Channel2", "Port-Channel3"} {
		if !c.target.Exists("/interfaces/interface[name=" + name + "]") {
			t.Errorf("%s is missing", name)
		}
	}
	if c.target.Exists("/interfaces/interface[name=Port-Channel4]") {
		t.Error("what was refused is there")
	}
}

func TestALostAnswerToABatchIsSettledForAll(t *testing.T) {
	c := crowded(t, func(n int, forward func() error) error {
		if n == 2 {
			return errors.Join(errLost, forward())
		}
		return forward()
	})
	errs := c.apply(t.Context(), setting(interfacePath("Port-Channel1"), lag("first")),
		setting(interfacePath("Port-Channel2"), lag("second")), setting(interfacePath("Port-Channel3"), lag("third")))
	if err := errors.Join(errs...); err != nil {
		t.Error(err)
	}
}

func TestOfWhatABatchDidByHalfEachStepIsToldItsOwnPart(t *testing.T) {
	var c *crowd
	c = crowded(t, func(n int, forward func() error) error {
		if n == 2 {
			return errors.Join(
				c.target.Update("/interfaces/interface[name=Port-Channel2]", `{"config":{"name":"Port-Channel2","type":"iana-if-type:ieee8023adLag","description":"second"}}`),
				c.target.Update("/interfaces/interface[name=Port-Channel4]", `{"config":{"name":"Port-Channel4","type":"iana-if-type:ieee8023adLag"}}`),
				status.Error(codes.InvalidArgument, "half"))
		}
		return forward()
	})
	var warned []error
	whole := setting(interfacePath("Port-Channel2"), lag("second"))
	whole.Warn = func(err error) { warned = append(warned, err) }
	errs := c.apply(t.Context(), setting(interfacePath("Port-Channel1"), lag("first")),
		whole, setting(interfacePath("Port-Channel3"), lag("third")), setting(interfacePath("Port-Channel4"), lag("fourth")))
	if errs[1] != nil || len(warned) != 1 || !strings.Contains(warned[0].Error(), "half") {
		t.Errorf("the step that is there: %v, warned %v", errs[1], warned)
	}
	if errs[2] != nil || !c.target.Exists("/interfaces/interface[name=Port-Channel3]") {
		t.Errorf("the step that was left to its own turn: %v", errs[2])
	}
	var set *device.SetError
	if !errors.As(errs[3], &set) || set.Effect != device.EffectPart || set.Entry == nil {
		t.Errorf("the step that is there by half: %v (%+v)", errs[3], set)
	}
}

func TestWhatABatchLeavesOutBesideItsEntriesIsToldToAll(t *testing.T) {
	var c *crowd
	c = crowded(t, func(n int, forward func() error) error {
		if n == 2 {
			return errors.Join(c.target.Update("/interfaces/interface[name=Port-Channel2]", `{"config":{"name":"Port-Channel2","type":"iana-if-type:ieee8023adLag","description":"second"}}`),
				status.Error(codes.InvalidArgument, "half"))
		}
		return forward()
	})
	beside := setting(interfacePath("Port-Channel3"), lag("third"))
	decide := beside.Decide
	beside.Decide = func(entry *datatree.Node, p *gpb.Path) (*gpb.SetRequest, error) {
		req, err := decide(entry, p)
		if err == nil {
			req.Update = append(req.Update, &gpb.Update{Path: interfacePath("Port-Channel9"), Val: ietf(`{"name":"Port-Channel9","config":{"name":"Port-Channel9","type":"iana-if-type:ieee8023adLag"}}`)})
		}
		return req, err
	}
	errs := c.apply(t.Context(), setting(interfacePath("Port-Channel1"), lag("first")), setting(interfacePath("Port-Channel2"), lag("second")), beside)
	for i, held := range map[int]bool{1: true, 2: false} {
		var set *device.SetError
		if !errors.As(errs[i], &set) || set.Effect != device.EffectPart || (set.Entry != nil) != held {
			t.Errorf("step %d: %v (%+v)", i, errs[i], set)
		}
	}
}

func TestDeletionsOfABatchNeedNoOrder(t *testing.T) {
	c := crowded(t, nil)
	for path, json := range map[string]string{
		"/network-instances/network-instance[name=red]": `{"config":{"name":"red","type":"openconfig-network-instance-types:L3VRF"},"vlans":{"vlan":[{"vlan-id":10,"config":{"vlan-id":10}}]}}`,
	} {
		if err := c.target.Update(path, json); err != nil {
			t.Fatal(err)
		}
	}
	removal := func(p *gpb.Path, rank devicelock.Rank) device.Change {
		c := setting(p, nil)
		c.Step.Operation, c.Step.Rank = devicelock.Delete, rank
		c.Decide = func(entry *datatree.Node, p *gpb.Path) (*gpb.SetRequest, error) {
			if entry == nil {
				return nil, nil
			}
			return changeset.Delete(p), nil
		}
		return c
	}
	errs := c.apply(t.Context(), setting(interfacePath("Port-Channel1"), lag("first")),
		removal(instancePath("red"), devicelock.RankNetworkInstance), removal(vlan("red").Path, devicelock.RankVLAN))
	if err := errors.Join(errs...); err != nil {
		t.Error(err)
	}
	if len(c.proxy.sets) != 2 || c.target.Exists("/network-instances/network-instance[name=red]") {
		t.Errorf("%d Sets; the network instance is there: %v", len(c.proxy.sets), c.target.Exists("/network-instances/network-instance[name=red]"))
	}
}

// drain forgets what happened so far.
func (w *watch) drain() {
	for len(w.events) > 0 {
		<-w.events
	}
}
