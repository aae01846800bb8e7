package simulator_test

import (
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
)

func TestWhatIsReadOnlyCannotBeWritten(t *testing.T) {
	options := quirks(t, "readonly=/interfaces/interface/hold-time", "readonly=/interfaces/interface/config/mtu")
	options.Config = []byte(`{"openconfig-interfaces:interfaces":{"interface":[{"name":"lo0","config":{"name":"lo0","mtu":1500}}]}}`)
	d := start(t, options)
	const loopback = "/interfaces/interface[name=lo0]"
	for _, c := range []change{
		mtu(1),
		{update: [][2]string{{port, `{"hold-time":{"config":{"up":5}},"config":{"description":"x"}}`}}},
		{update: [][2]string{{"/interfaces/interface[name=lo1]", `{"config":{"name":"lo1","mtu":1500}}`}}},
		{replace: [][2]string{{loopback + "/config", `{"name":"lo0"}`}}},
		{delete: []string{loopback + "/config/mtu"}},
	} {
		d.refuse(t, codes.InvalidArgument, c)
	}
	d.mustSet(t, change{update: [][2]string{{loopback + "/config", `{"mtu":1500,"description":"x"}`}}})
	d.mustSet(t, change{delete: []string{loopback}})
}

func TestWhatCannotBeDeletedGoesWithItsEntryOnly(t *testing.T) {
	d := start(t, quirks(t, "undeletable=/network-instances/network-instance/protocols/protocol/bgp/global/config/as"))
	d.mustSet(t, change{update: bgp})
	for _, p := range []string{"/bgp/global/config/as", "/bgp/global/config", "/bgp"} {
		if text := d.refuse(t, codes.FailedPrecondition, change{delete: []string{protocol + p}}); !strings.Contains(text, protocol+"/bgp/global") {
			t.Errorf("the error is %q", text)
		}
	}
	d.refuse(t, codes.FailedPrecondition, change{replace: [][2]string{{protocol + "/bgp/global/config", `{"router-id":"192.0.2.1"}`}}})
	d.mustSet(t, change{update: [][2]string{{protocol + "/bgp/global/config/as", "65002"}}})
	d.mustSet(t, change{delete: []string{protocol}})
}

func TestWhatIsMandatoryMustBeThereWithItsParent(t *testing.T) {
	d := start(t, quirks(t, "mandatory=/interfaces/interface/config/mtu"))
	d.refuse(t, codes.FailedPrecondition, change{update: [][2]string{{description, `"x"`}}})
	d.mustSet(t, change{update: [][2]string{{port + "/config", `{"description":"x","mtu":1500}`}}})
	d.refuse(t, codes.FailedPrecondition, change{delete: []string{port + "/config/mtu"}})
	d.mustSet(t, change{delete: []string{description}})
	d.mustSet(t, change{update: [][2]string{{port + "/hold-time/config/up", "5"}}})
}

func TestAFeatureNeedsASetOfItsOwn(t *testing.T) {
	d := start(t, quirks(t, "feature_gate=/network-instances/network-instance/protocols/protocol/bgp/global"))
	up := change{update: bgp}
	peer := change{update: [][2]string{{group, `{"config":{"peer-group-name":"spines"}}`}}}
	named := change{update: [][2]string{{protocol, `{"config":{"identifier":"BGP","name":"BGP","enabled":true}}`}}}
	d.refuse(t, codes.FailedPrecondition, change{update: append(append([][2]string{}, named.update...), peer.update...)})
	d.refuse(t, codes.FailedPrecondition, change{update: append(append([][2]string{}, up.update...), peer.update...)})
	d.refuse(t, codes.FailedPrecondition, change{update: append(append([][2]string{}, up.update...), mtu(1).update...)})
	d.mustSet(t, named)
	d.refuse(t, codes.FailedPrecondition, peer)
	d.refuse(t, codes.FailedPrecondition, change{delete: []string{port + "/config/type"}, update: up.update})
	d.mustSet(t, up)
	d.mustSet(t, change{update: append(append([][2]string{}, peer.update...), mtu(1).update...)})
	d.mustSet(t, change{delete: []string{protocol}})
	d.mustSet(t, up)
}

func TestAnEntryOfAFeatureNeedsASetOfItsOwn(t *testing.T) {
	d := start(t, quirks(t, "feature_gate=/network-instances/network-instance/protocols/protocol"))
	named := change{update: [][2]string{{protocol, `{"config":{"identifier":"BGP","name":"BGP","enabled":true}}`}}}
	d.refuse(t, codes.FailedPrecondition, change{update: bgp})
	d.refuse(t, codes.FailedPrecondition, change{update: append(append([][2]string{}, named.update...), mtu(1).update...)})
	d.mustSet(t, named)
	d.mustSet(t, change{update: append(append([][2]string{}, bgp...), mtu(1).update...)})
}
