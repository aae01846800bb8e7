package bgp_test

import (
	"testing"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/acctest"
)

func TestBGPCanBeManagedOnADeviceWithEveryWay(t *testing.T) {
	for _, c := range []acctest.Case{instanceCase(), peerGroupCase(), neighborCase()} {
		t.Run(c.Type, func(t *testing.T) { acctest.UnderEveryWay(t, c) })
	}
}
