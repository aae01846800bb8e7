package provider

import (
	"reflect"
	"strings"
	"testing"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/device"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/gnmi"
)

// overriding are all overrides: a value that the profile eos does not have, and
// where it ends up.
var overriding = map[string]struct {
	value any
	got   func(device.Profile) any
	want  any
}{
	"network_instance":  {"main", func(p device.Profile) any { return p.NetworkInstance }, "main"},
	"bgp":               {"main", func(p device.Profile) any { return p.BGP }, "main"},
	"static":            {"main", func(p device.Profile) any { return p.Static }, "main"},
	"encoding":          {"proto", func(p device.Profile) any { return p.Wire.Encoding }, "proto"},
	"origin":            {false, func(p device.Profile) any { return p.Wire.NoOrigin }, true},
	"reads":             {"subscribe", func(p device.Profile) any { return p.Wire.Read }, "subscribe"},
	"writes":            {"leaves", func(p device.Profile) any { return p.Wire.Leaves }, true},
	"max_operations":    {7, func(p device.Profile) any { return p.MaxOperations }, 7},
	"separate":          {[]any{"/interfaces/interface/config"}, func(p device.Profile) any { return strings.Join(p.Separate, " ") }, "/interfaces/interface/config"},
	"explicit_enabled":  {false, func(p device.Profile) any { return p.ExplicitEnabled }, false},
	"attach_interfaces": {true, func(p device.Profile) any { return p.AttachInterfaces }, true},
	"aborted_refuses":   {true, func(p device.Profile) any { return p.Wire.AbortedRefuses }, true},
	"atomic_lag":        {false, func(p device.Profile) any { return p.AtomicLAG }, false},
}

func TestAnOverrideChangesThatSettingOfTheProfileAlone(t *testing.T) {
	eos, _ := device.ProfileByName("eos")
	if fields := reflect.TypeFor[device.Profile]().NumField() - 1 + reflect.TypeFor[gnmi.Wire]().NumField(); fields != len(overriding) {
		t.Errorf("a profile has %d settings, and %d are tested", fields, len(overriding))
	}
	for name, o := range overriding {
		t.Run(name, func(t *testing.T) {
			p := good(t, object{"devices": object{"r1": object{"address": "127.0.0.1", "profile": "eos", "overrides": object{name: o.value}}}}, nil)[0].Profile
			if o.got(p) != o.want {
				t.Errorf("got %v, want %v", o.got(p), o.want)
			}
			for other, rest := range overriding {
				if other != name && rest.got(p) != rest.got(eos) {
					t.Errorf("%s is %v, want %v", other, rest.got(p), rest.got(eos))
				}
			}
		})
	}
}

func TestOverridesCorrectTheProfileThatTheyStandBeside(t *testing.T) {
	everywhere := object{"network_instance": "common", "bgp": "common"}
	for name, c := range map[string]struct {
		own         object
		environment map[string]string
		want        string // network instance, BGP and static
	}{
		"a device without its own":        {object{}, nil, "common common STATIC"},
		"a device with overrides":         {object{"overrides": object{"bgp": "own"}}, nil, "common own STATIC"},
		"a device with a profile":         {object{"profile": "junos"}, nil, "DEFAULT bgp static"},
		"a device with both":              {object{"profile": "junos", "overrides": object{"bgp": "own"}}, nil, "DEFAULT own static"},
		"the environment does not matter": {object{}, map[string]string{"OPENCONFIG_PROFILE": "junos"}, "common common STATIC"},
	} {
		t.Run(name, func(t *testing.T) {
			c.own["address"] = "127.0.0.1"
			p := good(t, object{"profile": "eos", "overrides": everywhere, "devices": object{"r1": c.own}}, c.environment)[0].Profile
			if got := p.NetworkInstance + " " + p.BGP + " " + p.Static; got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestOverridesOfTheShortFormAreOfItsDevice(t *testing.T) {
	p := good(t, object{"address": "127.0.0.1", "profile": "eos", "overrides": object{"bgp": "main"}}, nil)[0].Profile
	if p.BGP != "main" || p.NetworkInstance != "default" {
		t.Errorf("got %+v", p)
	}
}

func TestADeviceWithAnOverrideThatIsNotKnownYetIsUnknown(t *testing.T) {
	for name := range overriding {
		if c := good(t, object{"address": "127.0.0.1", "overrides": object{name: unknown}}, nil)[0]; !c.Unknown {
			t.Errorf("%s: got %+v", name, c)
		}
	}
}

func TestAnOverrideThatMeansNothingIsRefused(t *testing.T) {
	for name, v := range map[string]any{
		"network_instance": "", "encoding": "ascii", "reads": "poll", "writes": "xml", "max_operations": -1,
		"separate": []any{"/interfaces/interface/colour"},
	} {
		_, diags := reading(t, object{"devices": object{"r1": object{"address": "127.0.0.1", "overrides": object{name: v}}}}, nil)
		if diags.ErrorsCount() != 1 || place(diags.Errors()[0]) != `devices["r1"].overrides.`+name {
			t.Errorf("%s: got %v", name, diags)
		}
	}
}
