package gnmi_test

import (
	"testing"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/gnmi"
)

func TestOneDeviceHasOneCanonicalAddress(t *testing.T) {
	for address, want := range map[string]string{
		"192.0.2.1":                "192.0.2.1:9339",
		"192.0.2.1:":               "192.0.2.1:9339",
		"192.0.2.1:57400":          "192.0.2.1:57400",
		"Leaf1.Example":            "leaf1.example:9339",
		"leaf1.example.":           "leaf1.example:9339",
		"LEAF1.example.:6030":      "leaf1.example:6030",
		"2001:db8::1":              "[2001:db8::1]:9339",
		"2001:DB8:0:0:0:0:0:1":     "[2001:db8::1]:9339",
		"[2001:db8::1]":            "[2001:db8::1]:9339",
		"[2001:DB8::1]:6030":       "[2001:db8::1]:6030",
		"[2001:db8:0::1]:":         "[2001:db8::1]:9339",
		"fe80::1%eth0":             "[fe80::1%eth0]:9339",
		"[::1]:9339":               "[::1]:9339",
		"localhost":                "localhost:9339",
		"::ffff:192.0.2.1":         "192.0.2.1:9339",
		"[::ffff:192.0.2.1]:57400": "192.0.2.1:57400",
	} {
		got, err := gnmi.CanonicalAddress(address)
		if err != nil || got != want {
			t.Errorf("CanonicalAddress(%q) = %q, %v; want %q", address, got, err, want)
			continue
		}
		if again, err := gnmi.CanonicalAddress(got); err != nil || again != got {
			t.Errorf("CanonicalAddress(%q) = %q, %v: not stable", got, again, err)
		}
	}
}

func TestAMalformedAddressIsRefused(t *testing.T) {
	for _, address := range []string{
		"", ":", ":9339", "[]", "[]:9339", "http://leaf1", "https://leaf1:9339", "leaf1/9339", "leaf 1", "leaf1:9339/x",
		"leaf1:gnmi!", "leaf1:99999", "leaf1:-1", "leaf1:0", "[2001:db8::1", "[2001:db8::1]9339", "a:b:c",
	} {
		if got, err := gnmi.CanonicalAddress(address); err == nil {
			t.Errorf("CanonicalAddress(%q) = %q", address, got)
		}
	}
}

func TestLoopbackIsWhatStaysOnThisHost(t *testing.T) {
	for address, want := range map[string]bool{
		"127.0.0.1:9339": true, "127.9.9.9:1": true, "[::1]:9339": true, "localhost:9339": true,
		"192.0.2.1:9339": false, "localhost.example:9339": false, "127.0.0.1": false, "[2001:db8::1]:9339": false,
	} {
		if gnmi.Loopback(address) != want {
			t.Errorf("Loopback(%q) is not %v", address, want)
		}
	}
}
