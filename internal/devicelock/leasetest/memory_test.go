package leasetest_test

import (
	"testing"
	"time"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock/leasetest"
)

func TestMemoryKeepsTheContract(t *testing.T) {
	leasetest.Run(t, func(*testing.T) leasetest.Engine {
		engine := leasetest.NewMemory()
		return leasetest.Engine{
			Open:   func(*testing.T) devicelock.Store { return engine.Open() },
			Kill:   engine.Kill,
			MinTTL: 100 * time.Millisecond,
		}
	})
}
