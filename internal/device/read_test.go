package device_test

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/gnmi"
)

func TestManyReadsOfAFamilyAreOneGet(t *testing.T) {
	target := simulate(t)
	d := connect(t, target.Addr())
	var readers sync.WaitGroup
	for i := range 32 {
		readers.Go(func() {
			entry, err := d.Read(t.Context(), interfacePath(fmt.Sprintf("Ethernet1/%d", i+1)))
			if err != nil || entry == nil {
				t.Errorf("port %d: got %v, %v", i+1, entry, err)
			}
		})
	}
	readers.Wait()
	if entry, err := d.Read(t.Context(), interfacePath("Ethernet9/9")); err != nil || entry != nil {
		t.Errorf("an interface that is not there: got %v, %v", entry, err)
	}
	if n := target.Stats().Gets; n != 1 {
		t.Errorf("there were %d Gets", n)
	}
}

func TestFromTheFourthNetworkInstanceOnAllAreReadAtOnce(t *testing.T) {
	target := simulate(t)
	d := connect(t, target.Addr())
	for i, gets := range []int{1, 2, 3, 4, 4, 4} {
		if _, err := d.Read(t.Context(), instancePath(fmt.Sprintf("vrf%d", i))); err != nil {
			t.Fatal(err)
		}
		if n := target.Stats().Gets; n != gets {
			t.Errorf("after %d network instances there were %d Gets, want %d", i+1, n, gets)
		}
	}
}

func TestOwnSetsAreKnownWithoutReadingAgain(t *testing.T) {
	target := simulate(t)
	d := connect(t, target.Addr())
	p := interfacePath("Port-Channel1")
	for _, text := range []string{"first", "second"} {
		if err := d.Apply(t.Context(), setting(p, lag(text))); err != nil {
			t.Fatal(err)
		}
		if got := description(t, d, p); got != text {
			t.Errorf("got %q after %q was set", got, text)
		}
	}
	if s := target.Stats(); s.Gets != 1 || s.Sets != 2 {
		t.Errorf("there were %d Gets and %d Sets", s.Gets, s.Sets)
	}
}

func TestWhatAReaderGetsIsItsOwn(t *testing.T) {
	d := connect(t, simulate(t).Addr())
	p := interfacePath("Port-Channel1")
	if err := d.Apply(t.Context(), setting(p, lag("mine"))); err != nil {
		t.Fatal(err)
	}
	entry, err := d.Read(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	entry.Ensure("config").SetLeaf("description", "scribbled over")
	if got := description(t, d, p); got != "mine" {
		t.Errorf("a reader changed what others see to %q", got)
	}
}

func TestAReadThatFailsIsNotAbsenceAndIsTriedAgain(t *testing.T) {
	var broken atomic.Bool
	broken.Store(true)
	d := connect(t, through(t, &proxy{get: func() error {
		if broken.Load() {
			return status.Error(codes.Unavailable, "rebooting")
		}
		return nil
	}}, simulate(t)))
	entry, err := d.Read(t.Context(), interfacePath("Ethernet1/1"))
	var failed *gnmi.RPCError
	if !errors.As(err, &failed) || entry != nil {
		t.Errorf("got %v, %v", entry, err)
	}
	broken.Store(false)
	if entry, err := d.Read(t.Context(), interfacePath("Ethernet1/1")); err != nil || entry == nil {
		t.Errorf("got %v, %v after the device recovered", entry, err)
	}
}
