package device_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/device"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/gnmi"
)

// shy stands before a simulated device and refuses some Gets.
type shy struct {
	proxy
	counting          sync.Mutex
	refused, answered int
}

// counts returns how many Gets of type CONFIG were refused, and answered.
func (s *shy) counts() (refused, answered int) {
	s.counting.Lock()
	defer s.counting.Unlock()
	return s.refused, s.answered
}

// refusing returns a device that refuses Gets with the code that refuse says,
// and what counts them.
func refusing(t *testing.T, refuse func(*gpb.Path) codes.Code) (*device.Device, *shy) {
	t.Helper()
	s := &shy{}
	s.types = []gpb.GetRequest_DataType{gpb.GetRequest_CONFIG, gpb.GetRequest_ALL}
	s.answer = func(req *gpb.GetRequest) (*gpb.GetResponse, error) {
		code := refuse(req.GetPath()[0])
		s.counting.Lock()
		switch {
		case code == codes.OK:
			s.answered++
		case req.GetType() == gpb.GetRequest_CONFIG:
			s.refused++ // one of type ALL may follow
		}
		s.counting.Unlock()
		if code != codes.OK {
			return nil, status.Error(code, "not that much")
		}
		return s.device.Get(t.Context(), req)
	}
	return connect(t, through(t, &s.proxy, simulate(t))), s
}

// wide refuses paths without a key.
func wide(code codes.Code) func(*gpb.Path) codes.Code {
	return func(p *gpb.Path) codes.Code {
		for _, e := range p.GetElem() {
			if len(e.GetKey()) > 0 {
				return codes.OK
			}
		}
		return code
	}
}

func TestADeviceThatRefusesWideReadsIsReadEntryByEntryThenAndLater(t *testing.T) {
	for _, code := range []codes.Code{codes.ResourceExhausted, codes.InvalidArgument, codes.Unimplemented} {
		t.Run(code.String(), func(t *testing.T) {
			d, s := refusing(t, wide(code))
			var readers sync.WaitGroup
			for i := range 8 {
				readers.Go(func() {
					entry, err := d.Read(t.Context(), interfacePath(fmt.Sprintf("Ethernet1/%d", i+1)))
					if err != nil || entry == nil {
						t.Errorf("port %d: got %v, %v", i+1, entry, err)
					}
				})
			}
			readers.Wait()
			before, _ := s.counts()
			for _, p := range []*gpb.Path{interfacePath("Ethernet9/9"), interfacePath("Ethernet1/1")} {
				entry, err := d.Read(t.Context(), p)
				if err != nil || (entry == nil) != (p.GetElem()[1].GetKey()["name"] == "Ethernet9/9") {
					t.Errorf("%v: got %v, %v", p, entry, err)
				}
			}
			if refused, answered := s.counts(); refused != before || answered != 9 {
				t.Errorf("after %d refusals there were %d more, and %d answers; want 0 and 9", before, refused-before, answered)
			}
		})
	}
}

func TestNetworkInstancesAreReadOneByOneWhereAllAreTooMany(t *testing.T) {
	d, s := refusing(t, wide(codes.ResourceExhausted))
	for i := range 6 {
		if _, err := d.Read(t.Context(), instancePath(fmt.Sprintf("vrf%d", i))); err != nil {
			t.Fatal(err)
		}
	}
	if refused, answered := s.counts(); refused != 1 || answered != 6 {
		t.Errorf("there were %d refusals and %d answers", refused, answered)
	}
}

func TestAnEntryThatIsRefusedByItselfFailsAndWideReadsAreTriedAgain(t *testing.T) {
	var mu sync.Mutex
	code := codes.ResourceExhausted
	d, s := refusing(t, func(*gpb.Path) codes.Code {
		mu.Lock()
		defer mu.Unlock()
		return code
	})
	_, err := d.Read(t.Context(), interfacePath("Ethernet1/1"))
	var failed *gnmi.RPCError
	if refused, _ := s.counts(); !errors.As(err, &failed) || failed.Code != codes.ResourceExhausted || refused != 2 {
		t.Errorf("got %v after %d refusals", err, refused)
	}
	mu.Lock()
	code = codes.OK
	mu.Unlock()
	for i := range 4 {
		if entry, err := d.Read(t.Context(), interfacePath(fmt.Sprintf("Ethernet1/%d", i+1))); err != nil || entry == nil {
			t.Errorf("got %v, %v", entry, err)
		}
	}
	if _, answered := s.counts(); answered != 1 {
		t.Errorf("there were %d Gets, want one for all", answered)
	}
}

func TestADeviceThatFailsIsNotAskedForLess(t *testing.T) {
	for _, code := range []codes.Code{codes.Unavailable, codes.PermissionDenied, codes.Internal} {
		d, s := refusing(t, wide(code))
		entry, err := d.Read(t.Context(), interfacePath("Ethernet9/9"))
		if refused, answered := s.counts(); err == nil || entry != nil || refused != 1 || answered != 0 {
			t.Errorf("%s: got %v, %v with %d refusals and %d answers", code, entry, err, refused, answered)
		}
	}
}
