package datatree_test

import (
	"testing"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/datatree"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/oc"
)

func TestADevicesSpellingIsReadAsTheValueThatItMeans(t *testing.T) {
	const (
		neighbor = "network-instances/network-instance/protocols/protocol/bgp/neighbors/neighbor/config/peer-as"
		mac      = "interfaces/interface/ethernet/config/mac-address"
		mtu      = "interfaces/interface/config/mtu"
		router   = "network-instances/network-instance/config/router-id"
	)
	for _, c := range []struct{ leaf, sent, want string }{
		{neighbor, "65546", "65546"},
		{neighbor, "1.10", "65546"}, // the example of RFC 5396
		{neighbor, "0.65000", "65000"},
		{neighbor, "64086.59905", "4200000001"},
		{neighbor, "1.65536", ""}, // half an AS number has 16 bits
		{neighbor, "1.2.3", ""},
		{neighbor, "1.", ""},
		{mac, "00:53:00:AA:BB:CC", "00:53:00:aa:bb:cc"},
		{mac, "0053.00aa.bbcc", "00:53:00:aa:bb:cc"},
		{mac, "00-53-00-AA-BB-CC", "00:53:00:aa:bb:cc"},
		{mac, "005300aabbcc", "00:53:00:aa:bb:cc"},
		{mac, "0053.00aa.bbcx", ""},
		{mac, "0053.00aa", ""},
		{mtu, "1.10", ""}, // it is no AS number
		{router, "192.0.2.1", "192.0.2.1"},
	} {
		s := oc.Model.MustFind(c.leaf)
		parent := oc.Model.MustFind(c.leaf[:len(c.leaf)-len("/"+s.Name)])
		n := datatree.New(parent)
		n.DecodeLeaf(s, c.sent)
		if got, _ := n.Leaf(s.Name); got != c.want {
			t.Errorf("%s of %q is read as %q, want %q", s.Name, c.sent, got, c.want)
		}
	}
}
