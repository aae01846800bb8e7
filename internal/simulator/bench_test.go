package simulator_test

import (
	"fmt"
	"testing"

	"github.com/openconfig/gnmi/proto/gnmi"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/simulator"
)

// crowded starts a target with 500 interfaces, and 60 neighbors that refer to
// a peer group.
func crowded(tb testing.TB) device {
	tb.Helper()
	d := start(tb, simulator.Options{})
	c := change{update: append([][2]string{{group + "/config", `{"peer-group-name":"spines"}`}}, bgp...)}
	for n := range 500 {
		name := fmt.Sprintf("Ethernet2/%d", n)
		c.update = append(c.update, [2]string{"/interfaces/interface[name=" + name + "]", fmt.Sprintf(
			`{"config":{"name":%q,"description":"port","mtu":9000},"subinterfaces":{"subinterface":[{"index":0,"config":{"index":0}}]}}`, name)})
	}
	for n := range 60 {
		address := fmt.Sprintf("192.0.2.%d", n)
		c.update = append(c.update, [2]string{protocol + "/bgp/neighbors/neighbor[neighbor-address=" + address + "]/config",
			fmt.Sprintf(`{"neighbor-address":%q,"peer-group":"spines"}`, address)})
	}
	d.mustSet(tb, c)
	return d
}

func BenchmarkSetWith500Interfaces(b *testing.B) {
	for _, bench := range []struct {
		name    string
		changes [2]change
	}{
		{"one leaf", [2]change{
			{update: [][2]string{{"/interfaces/interface[name=Ethernet2/7]/config", `{"mtu":1500}`}}},
			{update: [][2]string{{"/interfaces/interface[name=Ethernet2/7]/config", `{"mtu":9000}`}}},
		}},
		{"create and delete an interface", [2]change{
			{update: [][2]string{{"/interfaces/interface[name=ae0]", `{"config":{"name":"ae0","description":"x","mtu":9000}}`}}},
			{delete: []string{"/interfaces/interface[name=ae0]"}},
		}},
		{"create and delete a neighbor", [2]change{
			{update: [][2]string{{protocol + "/bgp/neighbors/neighbor[neighbor-address=198.51.100.1]/config", `{"neighbor-address":"198.51.100.1","peer-group":"spines"}`}}},
			{delete: []string{protocol + "/bgp/neighbors/neighbor[neighbor-address=198.51.100.1]"}},
		}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			d := crowded(b)
			requests := [2]*gnmi.SetRequest{bench.changes[0].request(b), bench.changes[1].request(b)}
			b.ReportAllocs()
			b.ResetTimer()
			for n := range b.N {
				if _, err := d.client.Set(b.Context(), requests[n%2]); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// The floor of the benchmark above: an RPC that does nothing.
func BenchmarkEmptySet(b *testing.B) {
	d := crowded(b)
	for range b.N {
		if _, err := d.client.Set(b.Context(), &gnmi.SetRequest{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkGetOfAllInterfaces(b *testing.B) {
	d := crowded(b)
	for range b.N {
		if _, err := d.get(b.Context(), gnmi.GetRequest_CONFIG, path(b, "/interfaces")); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkNew(b *testing.B) {
	for range b.N {
		if _, err := simulator.New(simulator.Options{Plaintext: true}); err != nil {
			b.Fatal(err)
		}
	}
}
