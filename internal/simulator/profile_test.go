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

// system is the names that a system has from the start.
type system struct{ instance, bgp string }

func systems() map[string]system {
	return map[string]system{
		"strict": {"DEFAULT", "any"}, "eos": {"default", "BGP"}, "iosxr": {"DEFAULT", "default"}, "nxos": {"default", "bgp"},
		"junos": {"DEFAULT", "bgp"}, "srlinux": {"DEFAULT", "BGP"}, "sonic": {"default", "bgp"},
	}
}

func (s system) path() string { return "/network-instances/network-instance[name=" + s.instance + "]" }

// protocol creates a protocol that has the name of BGP.
func (s system) protocol(identifier, content string) [2]string {
	at := s.path() + "/protocols/protocol[identifier=" + identifier + "][name=" + s.bgp + "]"
	return [2]string{at, `{"config":{"identifier":"` + identifier + `","name":"` + s.bgp + `"}` + content + `}`}
}

func TestAProfileHasTheNamesOfTheSystem(t *testing.T) {
	if got := simulator.Profiles(); len(got) != len(systems()) || got[0] != "strict" {
		t.Errorf("the profiles are %v", got)
	}
	for profile, s := range systems() {
		d := like(t, profile)
		d.leaf(t, s.path()+"/config/type", "DEFAULT_INSTANCE")
		other := system{s.instance, "other"}
		if err := d.set(t, change{update: [][2]string{other.protocol("BGP", "")}}); (err == nil) != (profile == "strict") {
			t.Errorf("%s: another name of BGP: %v", profile, err)
		}
		d.mustSet(t, change{update: [][2]string{s.protocol("BGP", "")}})
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

func TestAProfileLacksOrNeedsWhatTheSystemDoes(t *testing.T) {
	const multipath = `{"neighbor-address":"192.0.2.0","config":{"neighbor-address":"192.0.2.0","peer-group":"spines"},
		"afi-safis":{"afi-safi":[{"afi-safi-name":"openconfig-bgp-types:IPV4_UNICAST",
			"config":{"afi-safi-name":"openconfig-bgp-types:IPV4_UNICAST"},"use-multiple-paths":{"config":{"enabled":true}}}]}}`
	for _, tt := range []struct {
		what string
		// change is of a device that has BGP.
		change  func(s system, bgp string) change
		refused []string
	}{
		{"IPv4 that is enabled", func(system, string) change {
			return change{update: [][2]string{{sub0, `{"config":{"index":0},"openconfig-if-ip:ipv4":{"config":{"enabled":true}}}`}}}
		}, []string{"iosxr"}},
		{"several paths for the family of a neighbor", func(_ system, bgp string) change {
			return change{update: [][2]string{
				{bgp + "/peer-groups/peer-group[peer-group-name=spines]/config/peer-group-name", `"spines"`},
				{bgp + "/neighbors/neighbor[neighbor-address=192.0.2.0]", multipath},
			}}
		}, []string{"junos"}},
		{"a neighbor without a group", func(_ system, bgp string) change {
			return change{update: [][2]string{{bgp + "/neighbors/neighbor[neighbor-address=192.0.2.2]/config", `{"neighbor-address":"192.0.2.2","peer-as":65002}`}}}
		}, []string{"srlinux"}},
		{"a prefix set with a mode", func(system, string) change {
			return change{update: [][2]string{{"/routing-policy/defined-sets/prefix-sets/prefix-set[name=p]/config", `{"name":"p","mode":"IPV4"}`}}}
		}, []string{"srlinux"}},
		{"BGP without its AS", func(_ system, bgp string) change {
			return change{delete: []string{bgp + "/global/config/as"}}
		}, []string{"nxos"}},
		{"a protocol with its content", func(s system, _ string) change {
			return change{update: [][2]string{s.protocol("ISIS", `,"bgp":{"global":{"config":{"as":65001}}}`)}}
		}, []string{"nxos"}},
		{"21 operations", func(system, string) change {
			return change{delete: slices.Repeat([]string{unset}, 21)}
		}, []string{"nxos"}},
		{"subinterfaces beside a switched VLAN", func(system, string) change {
			return change{update: [][2]string{
				{sub0 + "/config/index", `0`},
				{port + "/ethernet/switched-vlan/config/interface-mode", `"TRUNK"`},
			}}
		}, []string{"srlinux"}},
		{"an interface under its bare name", func(s system, _ string) change {
			return change{update: [][2]string{attach(s.path(), "Ethernet1/1")}}
		}, []string{"iosxr", "junos"}},
	} {
		for profile, s := range systems() {
			d := like(t, profile)
			bgp := s.protocol("BGP", "")
			d.mustSet(t, change{update: [][2]string{bgp}})
			d.mustSet(t, change{update: [][2]string{{bgp[0] + "/bgp/global/config", `{"as":65001,"router-id":"192.0.2.9"}`}}})
			if err := d.set(t, tt.change(s, bgp[0]+"/bgp")); (err != nil) != slices.Contains(tt.refused, profile) {
				t.Errorf("%s: %s: %v", profile, tt.what, err)
			}
		}
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
