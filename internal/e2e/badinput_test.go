package e2e

import (
	"context"
	"fmt"
	"net"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/acctest"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/simulator"
)

// listen returns a listener on a free port of this host.
func listen(tb testing.TB) net.Listener {
	tb.Helper()
	l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	return l
}

// refusedAddress is an address at which nobody listens.
func refusedAddress(tb testing.TB) string {
	tb.Helper()
	l := listen(tb)
	if err := l.Close(); err != nil {
		tb.Fatal(err)
	}
	return l.Addr().String()
}

// certificate is a certificate of this host and its key.
func certificate(tb testing.TB, hosts ...string) (cert, key []byte) {
	tb.Helper()
	cert, key, err := simulator.SelfSigned(hosts...)
	if err != nil {
		tb.Fatal(err)
	}
	return cert, key
}

// secured is the options of a device that speaks TLS and wants a password.
func secured(tb testing.TB) simulator.Options {
	tb.Helper()
	cert, key := certificate(tb, "127.0.0.1", "localhost")
	return simulator.Options{TLSCert: cert, TLSKey: key, Username: "admin", Password: "rosebud"}
}

const login = `username = "admin", password = "rosebud"`

func TestADeviceThatCannotBeUsedFailsItsOwnResourcesOnly(t *testing.T) {
	t.Parallel()
	const resources = 30
	tests := map[string]struct {
		// bad starts the device and returns its settings.
		bad  func(t *testing.T) (d *simulated, settings string)
		says []string
	}{
		"wrong password": {
			func(t *testing.T) (*simulated, string) {
				d := startDevice(t, secured(t))
				return d, fmt.Sprintf(`address = %q, tls = { skip_verify = true }, username = "admin", password = "guess"`, d.Addr())
			},
			[]string{"does not accept the username or password", "Check the provider's username and password", "Nothing was written"},
		},
		"untrusted certificate": {
			func(t *testing.T) (*simulated, string) {
				d := startDevice(t, secured(t))
				return d, fmt.Sprintf(`address = %q, %s`, d.Addr(), login)
			},
			[]string{"certificate is not trusted", "tls.ca_cert decides", "tls.skip_verify = true accepts any", "Nothing was written"},
		},
		"certificate for another name": {
			func(t *testing.T) (*simulated, string) {
				o := secured(t)
				o.TLSCert, o.TLSKey = certificate(t, "leaf1.example.net")
				d := startDevice(t, o)
				return d, fmt.Sprintf(`address = %q, tls = { ca_cert = %q }, %s`, d.Addr(), o.TLSCert, login)
			},
			[]string{"certificate is not trusted", "tls.server_name for which name", "Nothing was written"},
		},
		"TLS to a port without": {
			func(t *testing.T) (*simulated, string) {
				d := startDevice(t, simulator.Options{})
				return d, fmt.Sprintf(`address = %q, connect_timeout = "2s"`, d.Addr())
			},
			[]string{"TLS", "set plaintext = true", "Nothing was written"},
		},
		"plaintext to a port with TLS": {
			func(t *testing.T) (*simulated, string) {
				d := startDevice(t, secured(t))
				return d, fmt.Sprintf(`address = %q, plaintext = true, connect_timeout = "2s", %s`, d.Addr(), login)
			},
			[]string{"speaks TLS", "leave plaintext out", "Nothing was written"},
		},
		"nobody listens": {
			func(t *testing.T) (*simulated, string) { return nil, plaintext(refusedAddress(t)) },
			[]string{"connection refused", "Check the address", "Nothing was written"},
		},
	}
	eachCommand(t, func(t *testing.T, command string) {
		for name, test := range tests {
			t.Run(name, func(t *testing.T) {
				bad, settings := test.bad(t)
				good := startDevice(t, simulator.Options{})
				w := newWorkspace(t, command, connection(map[string]string{"bad": settings, "good": plaintext(good.Addr())})+
					interfaces("bad", resources, "x")+interfaces("good", resources, "x"))
				r := w.apply().failed(append(test.says, `Device "bad"`)...)
				t.Logf("took %s: %s", r.took.Round(time.Millisecond), firstError(r))
				good.expectSets("healthy device", resources)
				if n := len(w.state()); n != resources {
					t.Errorf("the state has %d resources, not those of the healthy device", n)
				}
				if bad == nil {
					return
				}
				if n := countOK(bad.sets()); n != 0 {
					t.Errorf("the device carried out %d Sets", n)
				}
				// A device locks out a user who tries too often.
				if n := bad.Stats().Gets; n > 1 {
					t.Errorf("there were %d logins", n)
				}
				for _, secret := range []string{"rosebud", "guess"} {
					if strings.Contains(r.output, secret) {
						t.Errorf("the output has the password:\n%s", r.output)
					}
				}
			})
		}
	})
}

func countOK(sets []simulator.Record) (n int) {
	for _, r := range sets {
		if r.Code == "OK" {
			n++
		}
	}
	return n
}

// firstError returns the first error that a run shows, in one line.
func firstError(r result) string {
	_, text, _ := strings.Cut(r.flat(), "Error: ")
	text, _, _ = strings.Cut(text, "Error: ")
	return text
}

func TestADeviceThatNeverAnswersCostsOneAttemptForAllItsResources(t *testing.T) {
	t.Parallel()
	const resources = 30
	eachCommand(t, func(t *testing.T, command string) {
		for name, settings := range map[string]string{"TLS": "", "plaintext": ", plaintext = true"} {
			hole, good := acctest.StartBlackHole(t), startDevice(t, simulator.Options{})
			w := newWorkspace(t, command, connection(map[string]string{
				"hole": fmt.Sprintf(`address = %q, connect_timeout = "2s"%s`, hole.Address, settings), "good": plaintext(good.Addr()),
			})+interfaces("hole", resources, "x")+interfaces("good", resources, "x"))
			r := w.apply().failed(`Cannot reach device "hole"`, hole.Address, "no answer within 2s", "Nothing was written")
			t.Logf("%s: took %s, %d connections: %s", name, r.took.Round(time.Millisecond), hole.Accepted.Load(), firstError(r))
			good.expectSets("healthy device", resources)
			if n := len(w.state()); n != resources {
				t.Errorf("%s: the state has %d resources", name, n)
			}
			// All tell of the same attempt, by how long it took to the
			// millisecond. (gRPC may go on to try by itself meanwhile.)
			attempts := map[string]int{}
			for _, attempt := range regexp.MustCompile(`connecting to [^)]*\)`).FindAllString(r.flat(), -1) {
				attempts[attempt]++
			}
			for attempt, n := range attempts {
				if len(attempts) != 1 || n != resources {
					t.Errorf("%s: %d resources failed after %s", name, n, attempt)
				}
			}
			if n := hole.Accepted.Load(); n == 0 || n > resources/3 {
				t.Errorf("%s: there were %d connections", name, n)
			}
		}
	})
}

func TestWhatCannotBeRightIsRefusedWithNothingWritten(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		resource string
		says     []string
	}{
		"unknown device": {
			interfaces("leaf9", 1, "x"),
			[]string{"Unknown device", `The provider has no device "leaf9". It has "leaf1", "leaf2".`},
		},
		"no device named": {
			`resource "openconfig_interface" "x" { name = "Ethernet1/1" }`,
			[]string{"has to name one of them", `"leaf1", "leaf2"`},
		},
		"VLAN 4095": {
			`resource "openconfig_vlan" "x" {
				device           = "leaf1"
				network_instance = "DEFAULT"
				vlan_id          = 4095
			}`,
			[]string{"vlan_id", "4094"},
		},
		"malformed address": {
			`resource "openconfig_bgp_neighbor" "x" {
				device           = "leaf1"
				network_instance = "DEFAULT"
				protocol         = "BGP"
				neighbor_address = "192.0.2.256"
			}`,
			[]string{"neighbor_address"},
		},
		"neighbor without a BGP instance": {
			`resource "openconfig_bgp_neighbor" "x" {
				device           = "leaf1"
				network_instance = "DEFAULT"
				protocol         = "BGP"
				neighbor_address = "192.0.2.1"
			}`,
			[]string{"/protocols/protocol[identifier=BGP][name=BGP] does not exist", "Nothing was written"},
		},
		"entry with other content": {
			`resource "openconfig_vlan" "x" {
				device           = "leaf1"
				network_instance = "DEFAULT"
				vlan_id          = 7
				name             = "mine"
			}`,
			[]string{"Already on the device", "terraform import openconfig_vlan.NAME 'leaf1,DEFAULT,7'", "Nothing was written"},
		},
	}
	eachCommand(t, func(t *testing.T, command string) {
		for name, test := range tests {
			t.Run(name, func(t *testing.T) {
				d := startDevice(t, simulator.Options{})
				if err := d.Update("/network-instances/network-instance[name=DEFAULT]/vlans/vlan[vlan-id=7]",
					`{"vlan-id":7,"config":{"vlan-id":7,"name":"theirs"}}`); err != nil {
					t.Fatal(err)
				}
				w := newWorkspace(t, command, connection(map[string]string{"leaf1": plaintext(d.Addr()), "leaf2": plaintext(d.Addr())})+test.resource)
				r := w.apply().failed(test.says...)
				t.Log(firstError(r))
				d.untouched()
			})
		}
	})
}
