package simulator_test

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"testing"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/simulator"
)

// handshakes connects to a target so many times, and returns what became of the
// last one.
func handshakes(t *testing.T, quirk string, n int) error {
	t.Helper()
	cert, key, err := simulator.SelfSigned("127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	options := quirks(t, quirk)
	options.TLSCert, options.TLSKey = cert, key
	target, err := simulator.Start(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = target.Close() }()
	dialer := tls.Dialer{Config: &tls.Config{
		RootCAs: x509.NewCertPool(), NextProtos: []string{"h2"}, ClientSessionCache: tls.NewLRUClientSessionCache(1),
	}}
	dialer.Config.RootCAs.AppendCertsFromPEM(cert)
	for i := range n {
		conn, err := dialer.DialContext(t.Context(), "tcp", target.Addr())
		if err != nil {
			if i < n-1 {
				t.Fatal(err)
			}
			return err
		}
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
	}
	return nil
}

// RFC 5280, sections 4.1.2.5 and 6.1.3.
func TestACertificateMayBeExpired(t *testing.T) {
	var invalid x509.CertificateInvalidError
	if err := handshakes(t, "certificate=expired", 1); !errors.As(err, &invalid) || invalid.Reason != x509.Expired {
		t.Errorf("the client got %v", err)
	}
}

// RFC 6125, section 6.4: a name in the subject does not count.
func TestACertificateMayNameNoHost(t *testing.T) {
	var name x509.HostnameError
	if err := handshakes(t, "certificate=no_san", 1); !errors.As(err, &name) {
		t.Errorf("the client got %v", err)
	}
}

func TestACertificateMayBeReplacedByThatOfAnotherAuthority(t *testing.T) {
	if err := handshakes(t, "certificate=rotated", 1); err != nil {
		t.Errorf("the first connection got %v", err)
	}
	var unknown x509.UnknownAuthorityError
	if err := handshakes(t, "certificate=rotated", 2); !errors.As(err, &unknown) {
		t.Errorf("the second connection got %v", err)
	}
}
