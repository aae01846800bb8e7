package simulator_test

import (
	"strings"
	"testing"

	"google.golang.org/grpc/codes"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/simulator"
)

func TestLeafrefsHoldInTheFinalTree(t *testing.T) {
	d := start(t, simulator.Options{})
	d.mustSet(t, change{update: bgp})

	// What refers and what is referred to may come in one Set, in any order.
	d.mustSet(t, change{update: [][2]string{
		{neighbor + "/config", `{"neighbor-address":"192.0.2.0","peer-group":"spines"}`},
		{group + "/config", `{"peer-group-name":"spines"}`},
	}})
	for _, tt := range []struct {
		change change
		want   []string
	}{
		// The target goes, the reference stays.
		{change{delete: []string{group}}, []string{"neighbor[neighbor-address=192.0.2.0]/config/peer-group", `"spines"`, "peer-groups/peer-group/peer-group-name"}},
		{change{delete: []string{protocol + "/bgp/peer-groups"}}, []string{`"spines"`}},
		// A reference to what never was.
		{change{update: [][2]string{{port + "/ethernet/config", `{"openconfig-if-aggregate:aggregate-id":"ae0"}`}}}, []string{"aggregate-id", `"ae0"`, "/interfaces/interface/name"}},
		{change{update: [][2]string{{instance + "/policies-none", ``}}}, nil},
		// An entry without the config leaf that its key repeats.
		{change{delete: []string{port + "/config"}}, []string{"/interfaces/interface[name=Ethernet1/1]/name", "../config/name"}},
		{change{delete: []string{port + "/config/name"}}, []string{"../config/name"}},
		{change{replace: [][2]string{{port + "/config", `{"type":"iana-if-type:ethernetCsmacd"}`}}}, []string{"../config/name"}},
		{change{update: [][2]string{{"/interfaces/interface[name=ae1]/config/mtu", `9000`}}}, []string{"interface[name=ae1]/name", "../config/name"}},
		{change{update: [][2]string{{"/interfaces/interface[name=ae1]", `{"name":"ae1"}`}}}, []string{"../config/name"}},
	} {
		if tt.want == nil {
			d.refuse(t, codes.InvalidArgument, tt.change)
			continue
		}
		message := d.refuse(t, codes.FailedPrecondition, tt.change)
		for _, want := range tt.want {
			if !strings.Contains(message, want) {
				t.Errorf("%+v: the message %q lacks %q", tt.change, message, want)
			}
		}
	}
	// The reference goes with the target.
	d.mustSet(t, change{delete: []string{group, neighbor + "/config/peer-group"}})
	d.mustSet(t, change{delete: []string{protocol}})
}

func TestALeafrefWithAPredicateFollowsTheLeafThatItNames(t *testing.T) {
	d := start(t, simulator.Options{})
	sub := "/subinterfaces/subinterface[index=5]"
	ref := instance + "/interfaces/interface[id=uplink]"
	d.mustSet(t, change{update: [][2]string{
		{port + sub, `{"config":{"index":5}}`},
		{ref, `{"config":{"id":"uplink","interface":"Ethernet1/1","subinterface":5}}`},
	}})
	// Another interface has no such subinterface.
	message := d.refuse(t, codes.FailedPrecondition, change{update: [][2]string{{ref + "/config/interface", `"Ethernet1/2"`}}})
	if !strings.Contains(message, "/interfaces/interface[name=Ethernet1/2]/subinterfaces/subinterface/index has no value \"5\"") {
		t.Errorf("the message is %q", message)
	}
	d.refuse(t, codes.FailedPrecondition, change{delete: []string{ref + "/config/interface"}})
	d.refuse(t, codes.FailedPrecondition, change{delete: []string{port + sub}})
	d.refuse(t, codes.FailedPrecondition, change{update: [][2]string{{ref + "/config/subinterface", `6`}}})
	d.mustSet(t, change{update: [][2]string{
		{ref + "/config/interface", `"Ethernet1/2"`},
		{"/interfaces/interface[name=Ethernet1/2]" + sub, `{"config":{"index":5}}`},
	}, delete: []string{port + sub}})
}

func TestAKeyOfTwoLeavesIsHeldAgainstBoth(t *testing.T) {
	d := start(t, simulator.Options{})
	d.refuse(t, codes.FailedPrecondition, change{update: [][2]string{{protocol + "/config", `{"identifier":"BGP"}`}}})
	d.refuse(t, codes.InvalidArgument, change{update: [][2]string{{protocol + "/config", `{"identifier":"STATIC","name":"BGP"}`}}})
	d.mustSet(t, change{update: [][2]string{
		{strings.Replace(protocol, "=BGP]", "=openconfig-policy-types:BGP]", 1), `{"config":{"identifier":"openconfig-policy-types:BGP","name":"BGP"}}`},
	}})
	d.leaf(t, protocol+"/config/identifier", "BGP")
}

func TestALeafListOfReferencesIsHeldAgainstEach(t *testing.T) {
	d := start(t, simulator.Options{})
	d.mustSet(t, change{update: bgp})
	policy := "/routing-policy/policy-definitions/policy-definition"
	d.mustSet(t, change{update: [][2]string{
		{neighbor, `{"config":{"neighbor-address":"192.0.2.0"},"apply-policy":{"config":{"import-policy":["b","a"]}}}`},
		{policy, `[{"name":"a","config":{"name":"a"}},{"name":"b","config":{"name":"b"}}]`},
	}})
	d.leaf(t, neighbor+"/apply-policy/config/import-policy", `["b","a"]`)
	d.refuse(t, codes.FailedPrecondition, change{delete: []string{policy + "[name=a]"}})
	d.refuse(t, codes.FailedPrecondition, change{update: [][2]string{{neighbor + "/apply-policy/config/import-policy", `["c"]`}}})
	d.mustSet(t, change{
		delete:  []string{policy + "[name=a]"},
		replace: [][2]string{{neighbor + "/apply-policy/config/import-policy", `["b"]`}},
	})
}
