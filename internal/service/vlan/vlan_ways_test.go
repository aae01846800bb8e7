package vlan_test

import (
	"testing"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/acctest"
)

func TestAVLANCanBeManagedOnADeviceWithEveryWay(t *testing.T) {
	acctest.UnderEveryWay(t, vlanCase())
}
