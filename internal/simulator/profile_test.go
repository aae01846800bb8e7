package simulator_test

import (
	"slices"
	"testing"

	"github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/simulator"
)

// like runs a target with the profile of a system.
func like(tb testing.TB, profile string) device {
	tb.Helper()
	var options simulator.Options
	if err := options.Profile(profile); err != nil {
		tb.Fatal(err)
	}
	return start(tb, options)
}

func TestAProfileHasTheNamesOfTheSystem(t *testing.T) {
	names := map[string][2]string{ // the default network instance, BGP
		"strict": {"DEFAULT", "any"}, "eos": {"default", "BGP"}, "iosxr": {"DEFAULT", "default"}, "nxos": {"default", "bgp"},
		"junos": {"DEFAULT", "bgp"}, "srlinux": {"DEFAULT", "BGP"}, "sonic": {"default", "bgp"},
	}
	if got := simulator.Profiles(); len(got) != len(names) || got[0] != "strict" {
		t.Errorf("the profiles are %v", got)
	}
	for _, profile := range simulator.Profiles() {
		d := like(t, profile)
		first := "/network-instances/network-instance[name=" + names[profile][0] + "]"
		d.leaf(t, first+"/config/type", "DEFAULT_INSTANCE")
		bgp := func(name string) change {
			return change{update: [][2]string{{first + "/protocols/protocol[identifier=BGP][name=" + name + "]/config", `{"identifier":"BGP","name":"` + name + `"}`}}}
		}
		if err := d.set(t, bgp("other")); (err == nil) != (profile == "strict") {
			t.Errorf("%s: another name of BGP: %v", profile, err)
		}
		d.mustSet(t, bgp(names[profile][1]))
	}
}

func TestAProfileHasTheWaysOfTheSystem(t *testing.T) {
	lone := change{update: [][2]string{
		{lag, `{"config":{"name":"Port-Channel1"},"openconfig-if-aggregate:aggregation":{"config":{"lag-type":"LACP"}}}`},
	}}
	for profile, want := range map[string]struct {
		forgetsTypes, hidesDefaults, needsAttachment bool
		getConfig, rejects                           codes.Code
	}{
		"strict":  {false, false, false, codes.OK, codes.InvalidArgument},
		"eos":     {true, true, false, codes.OK, codes.InvalidArgument},
		"iosxr":   {false, false, false, codes.OK, codes.InvalidArgument},
		"nxos":    {false, false, false, codes.OK, codes.InvalidArgument},
		"junos":   {false, false, true, codes.OK, codes.InvalidArgument},
		"srlinux": {true, true, true, codes.OK, codes.InvalidArgument},
		"sonic":   {false, false, false, codes.Unimplemented, codes.Aborted},
	} {
		d := like(t, profile)
		d.mustSet(t, lone)
		if d.Exists(lag+"/aggregation/config/lag-type") == want.forgetsTypes {
			t.Errorf("%s: the type of a LAG without members is %s", profile, d.Config(lag+"/aggregation"))
		}
		d.mustSet(t, change{update: [][2]string{{port + "/config/enabled", `true`}}})
		told := slices.ContainsFunc(d.once(t, gnmi.Encoding_PROTO, port+"/config"), func(u *gnmi.Update) bool {
			return u.GetPath().GetElem()[3].GetName() == "enabled"
		})
		if told == want.hidesDefaults {
			t.Errorf("%s: a default that was set is told: %v", profile, told)
		}
		if err := d.set(t, change{update: [][2]string{addressed}}); (err != nil) != want.needsAttachment {
			t.Errorf("%s: an address without an attachment: %v", profile, err)
		}
		if _, err := d.get(t.Context(), gnmi.GetRequest_CONFIG, path(t, port)); status.Code(err) != want.getConfig {
			t.Errorf("%s: Get of CONFIG: %v, want %v", profile, err, want.getConfig)
		}
		d.refuse(t, want.rejects, change{update: [][2]string{{port + "/config/mtu", `"many"`}}})
	}
}

func TestAQuirkOverridesTheProfile(t *testing.T) {
	var options simulator.Options
	if err := options.Profile("eos"); err != nil {
		t.Fatal(err)
	}
	if err := options.Quirk("default_ni_name=main"); err != nil {
		t.Fatal(err)
	}
	if d := start(t, options); !d.Exists("/network-instances/network-instance[name=main]") {
		t.Error("the network instance has the profile's name")
	}
	if err := options.Profile("ios"); err == nil {
		t.Error("a profile that there is not is accepted")
	}
}
