package simulator_test

import (
	"strings"
	"testing"

	"google.golang.org/grpc/codes"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/simulator"
)

func TestASetIsOneTransactionInTheOrderDeleteReplaceUpdate(t *testing.T) {
	d := start(t, simulator.Options{})
	d.mustSet(t, change{update: [][2]string{{port + "/config", `{"description":"old","mtu":1500}`}}})
	d.mustSet(t, change{
		update:  [][2]string{{port + "/config/description", `"new"`}},
		replace: [][2]string{{port + "/config", `{"name":"Ethernet1/1","type":"iana-if-type:ethernetCsmacd","description":"replaced"}`}},
		delete:  []string{port + "/config/description"},
	})
	d.leaf(t, port+"/config/description", "new")
	if d.Exists(port + "/config/mtu") {
		t.Error("replace kept a leaf that it omits")
	}
}

func TestANeighborNeedsItsProtocolInstance(t *testing.T) {
	d := start(t, simulator.Options{})
	message := d.refuse(t, codes.FailedPrecondition, change{update: [][2]string{
		{neighbor, `{"neighbor-address":"192.0.2.0","config":{"neighbor-address":"192.0.2.0","peer-as":65000}}`},
	}})
	if !strings.Contains(message, `../config/`) || !strings.Contains(message, `"BGP"`) {
		t.Errorf("the message does not say what is missing: %s", message)
	}
	d.mustSet(t, change{update: bgp})
	d.mustSet(t, change{update: [][2]string{
		{neighbor + "/config", `{"neighbor-address":"192.0.2.0","peer-as":65000}`},
	}})
	message = d.refuse(t, codes.FailedPrecondition, change{update: [][2]string{
		{neighbor + "/config", `{"peer-group":"spines"}`},
	}})
	t.Log(message)
}
