package provider_test

import (
	"context"
	"fmt"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/acctest"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/simulator"
)

func TestABatchOfTenStepsIsOneSet(t *testing.T) {
	target := acctest.Simulate(t, simulator.Options{}, "exclusive=true", "commit_latency=50ms")
	p, err := acctest.OpenPlugin(t.Context(), map[string]any{
		"plaintext": true, "batch": true, "lock": map[string]any{"backend": "memory"},
		"devices": map[string]any{"leaf1": map[string]any{"address": target.Addr()}},
	})
	must(t, err)
	t.Cleanup(func() { must(t, p.Close(context.Background())) })
	var walk errgroup.Group
	walk.SetLimit(10) // Terraform's own -parallelism
	for i := range 100 {
		walk.Go(func() error {
			_, err := p.Resource("openconfig_vlan").Step(context.Background(), vlanNumber(i))
			return err
		})
	}
	must(t, walk.Wait())
	sets := acctest.Sets(target)
	for i := range 100 {
		if !target.Exists(vlanPath(i)) {
			t.Errorf("VLAN %d is missing", i)
		}
	}
	// Ten at a time are eleven Sets if all are ready when a Set ends; a step that
	// is planned meanwhile goes with the next one.
	if len(sets) > 40 {
		t.Errorf("100 steps were %d Sets", len(sets))
	}
	t.Logf("100 steps were %d Sets", len(sets))
}

func vlanPath(i int) string {
	return fmt.Sprintf("/network-instances/network-instance[name=DEFAULT]/vlans/vlan[vlan-id=%d]", 10+i)
}
