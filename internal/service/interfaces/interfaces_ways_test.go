package interfaces_test

import (
	"testing"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/acctest"
)

func TestAnInterfaceCanBeManagedOnADeviceWithEveryWay(t *testing.T) {
	acctest.UnderEveryWay(t, interfaceCase())
}

func TestASubinterfaceCanBeManagedOnADeviceWithEveryWay(t *testing.T) {
	acctest.UnderEveryWay(t, subinterfaceCase())
}
