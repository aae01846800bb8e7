package kind

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/datatree"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/oc"
)

// port is a kind of interface with a few attributes.
func portKind() *compiled {
	return compile(Kind{
		Name: "interface", Path: "/interfaces/interface[name={name}]", Keys: map[string]string{"name": "Name."},
		Fields: []Field{
			{Path: "description", Text: "Text."}, {Path: "mtu", Text: "MTU."}, {Path: "enabled", Text: "Enabled."},
			{Path: "hold-time", Text: "Delays."}, {Path: "hold-time/up", Text: "Up."}, {Path: "hold-time/down", Text: "Down."},
			{Path: "ethernet", Text: "Ethernet."}, {Path: "ethernet/mac-address", Text: "MAC."},
			{Path: "ethernet/switched-vlan", Text: "VLANs."}, {Path: "ethernet/switched-vlan/native-vlan", Text: "Native."},
			{Path: "aggregation", Text: "LAG."}, {Path: "aggregation/switched-vlan", Text: "VLANs."}, {Path: "aggregation/switched-vlan/native-vlan", Text: "Native."},
		},
	})
}

// everything is a value of a kind that has all that JSON of an entry has.
func everything(t *testing.T, c *compiled, json string) tftypes.Value {
	t.Helper()
	entry, err := datatree.New(oc.Model).EnsureAt(c.path(map[string]string{"name": "Port-Channel1"}).GetElem())
	if err != nil {
		t.Fatal(err)
	}
	if err := entry.Decode([]byte(json)); err != nil {
		t.Fatal(err)
	}
	types := map[string]tftypes.Type{"name": tftypes.String}
	values := map[string]tftypes.Value{"name": tftypes.NewValue(tftypes.String, "Port-Channel1")}
	for name, v := range members(c.root.decodeMembers(tftypes.Value{}, entry, true)) {
		types[name], values[name] = v.Type(), v
	}
	return tftypes.NewValue(tftypes.Object{AttributeTypes: types}, values)
}

func TestTheAttributeAtFaultIsTheOneThatADevicesWordsName(t *testing.T) {
	c := portKind()
	v := everything(t, c, `{"config":{"description":"x","mtu":9000},"hold-time":{"config":{"up":1}},
		"ethernet":{"config":{"mac-address":"00:11:22:33:44:55"},"switched-vlan":{"config":{"native-vlan":1}}},
		"aggregation":{"switched-vlan":{"config":{"native-vlan":1}}}}`)
	for words, want := range map[string]path.Path{
		"mtu 9000 is out of range":                                          path.Root("mtu"),
		"/interfaces/interface[name=Port-Channel1]/config/mtu: bad value":   path.Root("mtu"),
		"invalid value for 'up'":                                            path.Root("hold_time").AtName("up"),
		"/oc-if:interfaces/ethernet/config/mac_address: not a unicast":      path.Root("ethernet").AtName("mac_address"),
		"aggregation/switched-vlan/config/native-vlan 1 is not in the list": path.Root("aggregation").AtName("switched_vlan").AtName("native_vlan"),
		"native-vlan 1 is not in the list":                                  path.Empty(), // there are two
		"enabled must be false":                                             path.Empty(), // the resource does not set it
		"the candidate could not be committed":                              path.Empty(),
	} {
		if at, ok := c.culprit(words, v); ok != (len(want.Steps()) > 0) || ok && !at.Equal(want) {
			t.Errorf("%q: got %s, %v", words, at, ok)
		}
	}
}

func TestAPathThatLeadsToNothingElseNamesItsAttribute(t *testing.T) {
	c := compile(Kind{
		Name: "subinterface", Path: "/interfaces/interface[name={interface}]/subinterfaces/subinterface[index={index}]",
		Keys:   map[string]string{"interface": "Name.", "index": "Number."},
		Fields: []Field{{Path: "enabled", Text: "Up."}, {Path: "ipv4", Text: "IPv4."}, {Path: "ipv4/enabled", Text: "On."}},
	})
	v := tftypes.NewValue(c.root.members, map[string]tftypes.Value{
		"enabled": tftypes.NewValue(tftypes.Bool, true),
		"ipv4":    tftypes.NewValue(c.root.children[1].tftype, map[string]tftypes.Value{"enabled": tftypes.NewValue(tftypes.Bool, true)}),
	})
	for words, want := range map[string]path.Path{
		"/config/enabled: not supported":                 path.Root("enabled"),
		"/ipv4/config/enabled: not supported":            path.Root("ipv4").AtName("enabled"),
		"enabled is not supported":                       path.Empty(), // there are two
		"/openconfig-if-ip:ipv4/config/enabled: no such": path.Root("ipv4").AtName("enabled"),
	} {
		if at, ok := c.culprit(words, v); ok != (len(want.Steps()) > 0) || ok && !at.Equal(want) {
			t.Errorf("%q: got %s, %v", words, at, ok)
		}
	}
}

func TestTheAttributeAtFaultMayBeOneThatIsTakenAway(t *testing.T) {
	c := portKind()
	plan, prior := everything(t, c, `{"config":{"mtu":9000}}`), everything(t, c, `{"config":{"mtu":9000,"description":"x"}}`)
	if at, ok := c.culprit("/interfaces/interface[name=Port-Channel1]/config/description cannot be deleted", plan, prior); !ok || !at.Equal(path.Root("description")) {
		t.Errorf("got %s, %v", at, ok)
	}
	if at, ok := c.culprit("mtu 9000 is out of range", plan, prior); !ok || !at.Equal(path.Root("mtu")) {
		t.Errorf("of what both have: got %s, %v", at, ok)
	}
}
