package gnmi_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// authority signs certificates.
type authority struct {
	tb   testing.TB
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	pem  string
}

func newAuthority(tb testing.TB) *authority {
	tb.Helper()
	a := &authority{tb: tb}
	template := &x509.Certificate{IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	var der []byte
	der, a.key = a.create(template, template, nil)
	var err error
	if a.cert, err = x509.ParseCertificate(der); err != nil {
		tb.Fatal(err)
	}
	a.pem = block("CERTIFICATE", der)
	return a
}

// create makes a certificate; signer nil means that it signs itself.
func (a *authority) create(template, parent *x509.Certificate, signer *ecdsa.PrivateKey) ([]byte, *ecdsa.PrivateKey) {
	a.tb.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.tb.Fatal(err)
	}
	if signer == nil {
		signer = key
	}
	template.SerialNumber, template.Subject = big.NewInt(time.Now().UnixNano()), pkix.Name{CommonName: "test"}
	template.NotBefore = time.Now().Add(-48 * time.Hour)
	if template.NotAfter.IsZero() {
		template.NotAfter = time.Now().Add(time.Hour)
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, key.Public(), signer)
	if err != nil {
		a.tb.Fatal(err)
	}
	return der, key
}

// pair is a certificate and its key in PEM.
type pair struct{ cert, key string }

// sign returns a certificate for names, or for 127.0.0.1 when there are none.
func (a *authority) sign(until time.Time, names ...string) pair {
	a.tb.Helper()
	template := &x509.Certificate{DNSNames: names, NotAfter: until, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}}
	if len(names) == 0 {
		template.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1)}
	}
	der, key := a.create(template, a.cert, a.key)
	text, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		a.tb.Fatal(err)
	}
	return pair{block("CERTIFICATE", der), block("PRIVATE KEY", text)}
}

func block(kind string, der []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}

// tls returns what a server with this certificate needs. Clients must show a
// certificate of the authority, unless that is nil.
func (p pair) tls(tb testing.TB, clients *authority) *tls.Config {
	tb.Helper()
	certificate, err := tls.X509KeyPair([]byte(p.cert), []byte(p.key))
	if err != nil {
		tb.Fatal(err)
	}
	config := &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}
	if clients != nil {
		config.ClientAuth, config.ClientCAs = tls.RequireAndVerifyClientCert, x509.NewCertPool()
		config.ClientCAs.AddCert(clients.cert)
	}
	return config
}

// file returns the name of a file with text.
func file(tb testing.TB, text string) string {
	tb.Helper()
	name := filepath.Join(tb.TempDir(), "pem")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		tb.Fatal(err)
	}
	return name
}
