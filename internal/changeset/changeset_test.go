package changeset_test

import (
	"slices"
	"strconv"
	"testing"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"pgregory.net/rapid"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/changeset"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/datatree"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/oc"
)

const (
	port         = "/interfaces/interface[name=Ethernet1/2]"
	subinterface = "/interfaces/interface[name=Ethernet1/1]/subinterfaces/subinterface[index=0]"
)

// fataler is a *testing.T or a *rapid.T.
type fataler interface {
	Helper()
	Fatal(args ...any)
}

func path(tb fataler, text string) *gpb.Path {
	tb.Helper()
	p, err := datatree.ParsePath(text)
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

// entry is the entry at a path with the content that JSON describes.
func entry(tb fataler, at, json string) *datatree.Node {
	tb.Helper()
	n, err := datatree.New(oc.Model).EnsureAt(path(tb, at).GetElem())
	if err != nil {
		tb.Fatal(err)
	}
	if err := n.Decode([]byte(json)); err != nil {
		tb.Fatal(err)
	}
	return n
}

// lines writes a request with an operation a line.
func lines(req *gpb.SetRequest) []string {
	var out []string
	for _, p := range req.GetDelete() {
		out = append(out, "delete "+datatree.PathText(p))
	}
	for _, u := range req.GetReplace() {
		out = append(out, "replace "+datatree.PathText(u.GetPath())+" "+string(u.GetVal().GetJsonIetfVal()))
	}
	for _, u := range req.GetUpdate() {
		out = append(out, "update "+datatree.PathText(u.GetPath())+" "+string(u.GetVal().GetJsonIetfVal()))
	}
	slices.Sort(out)
	return out
}

func TestDiffSendsWhatChangedAndNothingElse(t *testing.T) {
	const vlans = port + "/ethernet/switched-vlan/config/trunk-vlans"
	for _, tt := range []struct {
		name, at, prior, desired string
		want                     []string
	}{
		{
			"a new entry is an update of each of its containers, with the key in config", port, "",
			`{"config":{"mtu":9000,"type":"iana-if-type:ethernetCsmacd"},"hold-time":{"config":{"up":5}}}`,
			[]string{
				`update ` + port + `/config {"openconfig-interfaces:mtu":9000,"openconfig-interfaces:name":"Ethernet1/2","openconfig-interfaces:type":"iana-if-type:ethernetCsmacd"}`,
				`update ` + port + `/hold-time/config {"openconfig-interfaces:up":5}`,
			},
		},
		{"what is equal sends nothing", port, `{"config":{"mtu":9000}}`, `{"config":{"mtu":9000}}`, nil},
		{
			"a changed leaf goes alone, with the key", port, `{"config":{"mtu":9000,"description":"x"}}`, `{"config":{"mtu":1500,"description":"x"}}`,
			[]string{`update ` + port + `/config {"openconfig-interfaces:mtu":1500,"openconfig-interfaces:name":"Ethernet1/2"}`},
		},
		{"a leaf that went is deleted", port, `{"config":{"mtu":9000,"description":"x"}}`, `{"config":{"description":"x"}}`, []string{`delete ` + port + `/config/mtu`}},
		{
			"a container that went loses its leaves, not itself", port,
			`{"config":{"mtu":9000},"hold-time":{"config":{"up":5,"down":6}}}`, `{"config":{"mtu":9000}}`,
			[]string{`delete ` + port + `/hold-time/config/down`, `delete ` + port + `/hold-time/config/up`},
		},
		{
			"a changed leaf-list is replaced", port, `{"ethernet":{"switched-vlan":{"config":{"trunk-vlans":[10]}}}}`, `{"ethernet":{"switched-vlan":{"config":{"trunk-vlans":["20..30",10]}}}}`,
			[]string{`replace ` + vlans + ` ["20..30",10]`},
		},
		{
			"the order of a system-ordered leaf-list does not count", port, `{"ethernet":{"switched-vlan":{"config":{"trunk-vlans":[10,20]}}}}`,
			`{"ethernet":{"switched-vlan":{"config":{"trunk-vlans":[20,10]}}}}`, nil,
		},
		{
			"a list entry that went is deleted as an entry", subinterface,
			`{"ipv4":{"addresses":{"address":[{"ip":"192.0.2.1","config":{"ip":"192.0.2.1","prefix-length":31}}]}},"config":{"enabled":true}}`, `{"config":{"enabled":true}}`,
			[]string{`delete ` + subinterface + `/ipv4/addresses/address[ip=192.0.2.1]`},
		},
		{
			"an entry that loses all but its keys has them written again", subinterface,
			`{"config":{"index":0,"enabled":true},"ipv4":{"addresses":{"address":[{"ip":"192.0.2.1","config":{"ip":"192.0.2.1","prefix-length":31}}]}}}`,
			`{"config":{"index":0},"ipv4":{"addresses":{"address":[{"ip":"192.0.2.1","config":{"ip":"192.0.2.1"}}]}}}`,
			[]string{
				`delete ` + subinterface + `/config/enabled`, `delete ` + subinterface + `/ipv4/addresses/address[ip=192.0.2.1]/config/prefix-length`,
				`update ` + subinterface + `/ipv4/addresses/address[ip=192.0.2.1]/config {"openconfig-if-ip:ip":"192.0.2.1"}`,
			},
		},
		{
			"an entry that is there is addressed as the device spells it", subinterface,
			`{"ipv6":{"addresses":{"address":[{"ip":"2001:DB8::1","config":{"ip":"2001:DB8::1","prefix-length":64}}]}}}`,
			`{"ipv6":{"addresses":{"address":[{"ip":"2001:db8::1","config":{"ip":"2001:db8::1","prefix-length":127}}]}}}`,
			[]string{`update ` + subinterface + `/ipv6/addresses/address[ip=2001:DB8::1]/config {"openconfig-if-ip:ip":"2001:DB8::1","openconfig-if-ip:prefix-length":127}`},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var prior *datatree.Node
			if tt.prior != "" {
				prior = entry(t, tt.at, tt.prior)
			}
			req, err := changeset.Diff(path(t, tt.at), prior, entry(t, tt.at, tt.desired))
			if err != nil {
				t.Fatal(err)
			}
			if got := lines(req); !slices.Equal(got, tt.want) {
				t.Errorf("the request is\n%q\nwant\n%q", got, tt.want)
			}
			if changeset.Empty(req) != (tt.want == nil) {
				t.Errorf("Empty is %v", changeset.Empty(req))
			}
		})
	}
}

func TestTheOrderOfAUserOrderedLeafListCounts(t *testing.T) {
	const instance = "/network-instances/network-instance[name=blue]"
	policies := func(names string) *datatree.Node {
		return entry(t, instance, `{"inter-instance-policies":{"apply-policy":{"config":{"import-policy":[`+names+`]}}}}`)
	}
	req, err := changeset.Diff(path(t, instance), policies(`"a","b"`), policies(`"b","a"`))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{`replace ` + instance + `/inter-instance-policies/apply-policy/config/import-policy ["b","a"]`}
	if got := lines(req); !slices.Equal(got, want) {
		t.Errorf("the request is %q, want %q", got, want)
	}
}

func TestResetLeavesTheKeyAndMandatoryLeaves(t *testing.T) {
	req, err := changeset.Reset(path(t, port), entry(t, port, `{"config":{"type":"ethernetCsmacd","mtu":9000},"hold-time":{"config":{"up":5}}}`))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{`delete ` + port + `/config/mtu`, `delete ` + port + `/hold-time/config/up`}
	if got := lines(req); !slices.Equal(got, want) {
		t.Errorf("the request is %q, want %q", got, want)
	}
}

// image draws some leaves and addresses of a subinterface.
func image(t *rapid.T, label string) *datatree.Node {
	n := entry(t, subinterface, `{}`)
	for _, leaf := range []string{"description", "enabled"} {
		if rapid.Bool().Draw(t, label+leaf) {
			n.Ensure("config").SetLeaf(leaf, map[string][]string{"description": {"a", "b"}, "enabled": {"true", "false"}}[leaf][rapid.IntRange(0, 1).Draw(t, label+leaf+"value")])
		}
	}
	for _, ip := range []string{"192.0.2.1", "192.0.2.3"} {
		if rapid.Bool().Draw(t, label+ip) {
			e := n.Ensure("ipv4").Ensure("addresses").EnsureEntry("address", map[string]string{"ip": ip})
			e.Ensure("config").SetLeaf("prefix-length", strconv.Itoa(rapid.IntRange(30, 31).Draw(t, label+ip+"length")))
		}
	}
	return n
}

func TestTheDifferenceLeadsToTheDesiredImageAndSparesOthers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		prior, desired := image(t, "prior"), image(t, "desired")
		device := datatree.New(oc.Model)
		at, err := device.EnsureAt(path(t, subinterface).GetElem())
		if err != nil {
			t.Fatal(err)
		}
		at.Merge(prior)
		at.Ensure("ipv6").Ensure("config").SetLeaf("mtu", "1400") // somebody else's
		req, err := changeset.Diff(path(t, subinterface), prior, desired)
		if err != nil {
			t.Fatal(err)
		}
		if err := device.Apply(req); err != nil {
			t.Fatal(err)
		}
		desired.Ensure("ipv6").Ensure("config").SetLeaf("mtu", "1400")
		again, err := changeset.Diff(path(t, subinterface), device.At(path(t, subinterface).GetElem()), desired)
		if err != nil {
			t.Fatal(err)
		}
		if !changeset.Empty(again) {
			t.Fatalf("after\n%q\nthe device still differs by\n%q", lines(req), lines(again))
		}
	})
}

func TestWhatAnEntryIsComesBeforeWhatIsInIt(t *testing.T) {
	base, desired := lagWithType(t)
	req, err := changeset.Diff(base, nil, desired)
	if err != nil {
		t.Fatal(err)
	}
	if first := datatree.PathText(req.GetUpdate()[0].GetPath()); first != datatree.PathText(base)+"/config" {
		t.Errorf("the first update is of %s", first)
	}
}

// lagWithType is a LAG that says what it is, and of which type.
func lagWithType(t *testing.T) (*gpb.Path, *datatree.Node) {
	t.Helper()
	base, err := datatree.ParsePath("/interfaces/interface[name=Port-Channel1]")
	if err != nil {
		t.Fatal(err)
	}
	entry, err := datatree.New(oc.Model).EnsureAt(base.GetElem())
	if err != nil {
		t.Fatal(err)
	}
	entry.Ensure("config").SetLeaf("type", "ieee8023adLag")
	entry.Ensure("aggregation").Ensure("config").SetLeaf("lag-type", "LACP")
	return base, entry
}

func TestALeafGoesBeforeTheOneThatItsReferenceLeadsThrough(t *testing.T) {
	const place = "/network-instances/network-instance[name=red]/interfaces/interface[id=a]"
	prior := entry(t, place, `{"config":{"id":"a","interface":"Ethernet1/1","subinterface":7}}`)
	req, err := changeset.Diff(path(t, place), prior, entry(t, place, `{"config":{"id":"a"}}`))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{place + "/config/subinterface", place + "/config/interface"}
	var got []string
	for _, p := range req.GetDelete() {
		got = append(got, datatree.PathText(p))
	}
	if !slices.Equal(got, want) {
		t.Errorf("deleted are %q, want %q", got, want)
	}
}
