package gnmi

import (
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
)

// DefaultPort is the port that IANA assigned to gNMI (service gnmi-gnoi).
const DefaultPort = "9339"

// CanonicalAddress returns address as host:port in lower case, with gNMI's port
// when none is given: one device has one such address, however it was written.
func CanonicalAddress(address string) (string, error) {
	malformed := fmt.Errorf("%q is not an address of the form host or host:port", address)
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		host, port = strings.TrimSuffix(strings.TrimPrefix(address, "["), "]"), ""
		if bracketed := len(host) == len(address)-2; !bracketed && len(host) != len(address) {
			return "", malformed
		}
	}
	if port == "" {
		port = DefaultPort
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return "", malformed
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if ip, err := netip.ParseAddr(host); err == nil {
		host = ip.Unmap().String()
	} else if host == "" || strings.ContainsAny(host, "/:[]@ \t\n") {
		return "", malformed
	}
	return net.JoinHostPort(host, port), nil
}

// Loopback tells whether address stays on this host.
func Loopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
