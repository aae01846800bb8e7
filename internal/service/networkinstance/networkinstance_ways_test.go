package networkinstance_test

import (
	"testing"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/acctest"
)

func TestANetworkInstanceCanBeManagedOnADeviceWithEveryWay(t *testing.T) {
	acctest.UnderEveryWay(t, networkInstanceCase())
}
