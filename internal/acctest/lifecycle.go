package acctest

import (
	"maps"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/oc/ocstruct"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/simulator"
)

// Lifecycle lets the real Terraform create the entry with everything, import
// it and plan the import, change every attribute at once, remove all optional ones, and destroy it.
// After each step another plan is empty, and the device holds just what is
// expected. Where the environment names a real device it all happens there, and
// the provider's reading stands for what the device holds.
func Lifecycle(t *testing.T, c Case) {
	t.Helper()
	Terraform(t)
	var target *simulator.Target
	var before map[string]string
	block, onDevice := RealProvider()
	if onDevice {
		prepare(t, c.Device)
	} else {
		target = Device(t, c.Device)
		block, before = Provider(target), Leaves(t, target)
	}
	all, least, ignored := settings{second: map[string]bool{}}, settings{without: map[string]bool{}}, []string{"timeouts"}
	open := settings{without: map[string]bool{}} // without secrets, which no import can read
	for _, r := range c.Rows {
		if r.Key {
			continue
		}
		// What excludes others keeps its value when all change together.
		all.second[r.Attribute] = len(r.Without) == 0
		least.without[r.Attribute] = !r.Required && !slices.Contains(c.Keep, r.Attribute)
		if r.Secret {
			open.without[r.Attribute] = true
			ignored = append(ignored, r.Attribute+"_version")
		}
	}
	step := func(name string, now settings) resource.TestStep {
		return resource.TestStep{
			Config: block + Resource(c.Type, c.config(t, now)),
			Check: func(*terraform.State) error {
				if !onDevice {
					Same(t, name, Leaves(t, target), c.leaves(before, now))
					conforms(t, name, target)
				}
				return nil
			},
			ConfigPlanChecks: resource.ConfigPlanChecks{PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
		}
	}
	resource.UnitTest(t, resource.TestCase{
		ProtoV6ProviderFactories: Factories(),
		Steps: []resource.TestStep{
			step("create", settings{}),
			{
				ResourceName: c.Type + ".this", ImportState: true, ImportStateId: c.ID, ImportStateVerify: true,
				ImportStateVerifyIdentifierAttribute: "device", ImportStateVerifyIgnore: ignored,
			},
			{
				// Planning the import finds nothing to change.
				Config:       block + Resource(c.Type, c.config(t, open)),
				ResourceName: c.Type + ".this", ImportState: true, ImportStateId: c.ID, ImportStateKind: resource.ImportBlockWithID,
			},
			step("change", all),
			step("remove", least),
		},
	})
	if onDevice {
		return
	}
	maps.DeleteFunc(before, func(path, _ string) bool { return len(path) > len(c.Entry) && path[:len(c.Entry)+1] == c.Entry+"/" })
	Same(t, "destroy", Leaves(t, target), before)
}

// conforms has ygot read and check the device's configuration: it knows the
// model from elsewhere than the provider and the simulator.
func conforms(t *testing.T, what string, target *simulator.Target) {
	t.Helper()
	device := &ocstruct.Device{}
	if err := ocstruct.Unmarshal([]byte(target.Config("/")), device); err != nil {
		t.Errorf("%s: ygot cannot read the device's configuration: %v", what, err)
		return
	}
	if err := device.Validate(); err != nil {
		t.Errorf("%s: ygot finds the device's configuration invalid: %v", what, err)
	}
}
