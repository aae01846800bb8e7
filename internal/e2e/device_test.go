package e2e

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/simulator"
)

// simulated is a simulated device.
type simulated struct {
	*simulator.Target
	tb testing.TB

	mu      sync.Mutex
	changed chan struct{} // closed when an RPC has ended
}

// startDevice runs a simulated device until the test ends. Unless the options
// say how, it speaks plaintext.
func startDevice(tb testing.TB, options simulator.Options) *simulated {
	tb.Helper()
	d := &simulated{tb: tb, changed: make(chan struct{})}
	options.Plaintext = len(options.TLSCert) == 0
	options.Log = d
	target, err := simulator.Start(context.Background(), options)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = target.Close() })
	d.Target = target
	return d
}

// Write takes the device's log, one record a call.
func (d *simulated) Write(line []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	close(d.changed)
	d.changed = make(chan struct{})
	return len(line), nil
}

// awaitSets waits until the device has carried out n Sets.
func (d *simulated) awaitSets(n int) {
	d.tb.Helper()
	limit := time.NewTimer(runLimit)
	defer limit.Stop()
	for {
		d.mu.Lock()
		changed := d.changed
		d.mu.Unlock()
		if len(d.sets()) >= n {
			return
		}
		select {
		case <-changed:
		case <-limit.C:
			d.tb.Fatalf("the device has got %d Sets, not %d", len(d.sets()), n)
		}
	}
}

// awaitArrivals waits until n Sets have arrived, though they may still run.
func (d *simulated) awaitArrivals(n int) {
	d.tb.Helper()
	limit, look := time.NewTimer(runLimit), time.NewTicker(10*time.Millisecond)
	defer limit.Stop()
	defer look.Stop()
	for d.Stats().Sets < n {
		select {
		case <-look.C:
		case <-limit.C:
			d.tb.Fatalf("%d Sets have arrived, not %d", d.Stats().Sets, n)
		}
	}
}

// sets returns the records of the Sets in the order of their arrival.
func (d *simulated) sets() []simulator.Record {
	var sets []simulator.Record
	for _, r := range d.Log() {
		if r.RPC == "Set" {
			sets = append(sets, r)
		}
	}
	slices.SortStableFunc(sets, func(a, b simulator.Record) int { return a.Start.Compare(b.Start) })
	return sets
}

// expectSets expects exactly n Sets since the last look, all of them carried
// out, one at a time, each for another entry.
func (d *simulated) expectSets(what string, n int) {
	d.tb.Helper()
	d.quiet(what)
	sets, entries := d.sets(), map[string]int{}
	for _, r := range sets {
		entries[entryOf(r)]++
	}
	if len(sets) != n || len(entries) != n {
		d.tb.Errorf("%s: %d Sets for %d entries, not %d", what, len(sets), len(entries), n)
	}
	d.ResetLog()
}

// quiet expects that no Set overlapped another, was refused or failed.
func (d *simulated) quiet(what string) {
	d.tb.Helper()
	if s := d.Stats(); s.Overlapping != 0 || s.Refused != 0 || s.Failed != 0 || s.PeakSets > 1 {
		d.tb.Errorf("%s: %d Sets overlap, %d were refused, %d failed, %d ran at once", what, s.Overlapping, s.Refused, s.Failed, s.PeakSets)
	}
}

// untouched expects that no Set has arrived.
func (d *simulated) untouched() {
	d.tb.Helper()
	if n := d.Stats().Sets; n != 0 {
		d.tb.Errorf("the device got %d Sets: %v", n, d.sets())
	}
}

// entryOf returns the entry that a Set is about: its first path up to the last
// list whose entries are resources.
func entryOf(r simulator.Record) string {
	paths := slices.Concat(r.Delete, r.Replace, r.Update)
	if len(paths) == 0 {
		return ""
	}
	p := paths[0]
	for _, list := range []string{"/neighbor[", "/peer-group[", "/protocol[", "/vlan[", "/subinterface[", "/network-instance[", "/interface["} {
		if at := strings.Index(p, list); at >= 0 {
			end := at + len(list)
			for end < len(p) && (p[end] != '/' || strings.Count(p[at:end], "[") != strings.Count(p[at:end], "]")) {
				end++
			}
			return p[:end]
		}
	}
	return p
}

// dependent tells whether a Set is about something that is built on interfaces
// and VLANs.
func dependent(r simulator.Record) bool { return strings.Contains(entryOf(r), "/protocol[") }

// connection is the provider block for devices by name. Each value is HCL for
// the device, without its address where it has one already.
func connection(devices map[string]string, common ...string) string {
	var b strings.Builder
	b.WriteString("provider \"openconfig\" {\n")
	for _, line := range common {
		b.WriteString("  " + line + "\n")
	}
	b.WriteString("  devices = {\n")
	for _, name := range slices.Sorted(maps.Keys(devices)) {
		fmt.Fprintf(&b, "    %s = { %s }\n", name, devices[name])
	}
	b.WriteString("  }\n}\n")
	return b.String()
}

// plaintext is a device's settings for an address without TLS.
func plaintext(address string) string {
	return fmt.Sprintf("address = %q, plaintext = true", address)
}

// only is the provider block for one device.
func (d *simulated) only() string {
	return connection(map[string]string{"leaf1": plaintext(d.Addr())})
}

// interfaces declares physical ports. Their description ends in note.
func interfaces(device string, n int, note string) string {
	return fmt.Sprintf(`
resource "openconfig_interface" %[1]q {
  count       = %[2]d
  device      = %[1]q
  name        = "Ethernet1/${count.index + 1}"
  description = "port ${count.index + 1} %[3]s"
}
`, device, n, note)
}

// loopbacks declares interfaces that the device does not have by itself.
func loopbacks(device string, n int, note string) string {
	return fmt.Sprintf(`
resource "openconfig_interface" "%[1]s_loopback" {
  count       = %[2]d
  device      = %[1]q
  name        = "Loopback${count.index}"
  type        = "softwareLoopback"
  description = "loopback ${count.index} %[3]s"
}
`, device, n, note)
}

// vlans declares VLANs in the default network instance.
func vlans(device string, n int, note string) string {
	return fmt.Sprintf(`
resource "openconfig_vlan" %[1]q {
  count            = %[2]d
  device           = %[1]q
  network_instance = "DEFAULT"
  vlan_id          = count.index + 2
  name             = "vlan-${count.index + 2}-%[3]s"
}
`, device, n, note)
}

// bgp declares a BGP instance, a peer group and neighbors, which refer to one
// another on the device but not in the configuration.
func bgp(device string, neighbors int) string {
	return fmt.Sprintf(`
resource "openconfig_bgp" %[1]q {
  device           = %[1]q
  network_instance = "DEFAULT"
  name             = "BGP"
  global           = { as = 65001, router_id = "10.0.0.1", afi_safis = { IPV4_UNICAST = { enabled = true } } }
}
resource "openconfig_bgp_peer_group" %[1]q {
  device           = %[1]q
  network_instance = "DEFAULT"
  protocol         = "BGP"
  peer_group_name  = "spines"
  peer_as          = 65000
}
resource "openconfig_bgp_neighbor" %[1]q {
  count            = %[2]d
  device           = %[1]q
  network_instance = "DEFAULT"
  protocol         = "BGP"
  neighbor_address = "192.0.2.${count.index + 1}"
  peer_group       = "spines"
  enabled          = true
}
`, device, neighbors)
}
