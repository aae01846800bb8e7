package redistest

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
	"testing"
	"time"
)

// Certificates are an authority and what it has issued, in PEM: for a server at
// the loopback address and for its clients, without whose certificate the server
// talks to nobody.
type Certificates struct {
	CA, ClientCert, ClientKey string
	// Server and Client are the two ends' configurations.
	Server, Client *tls.Config

	serverCert, serverKey string
}

// NewCertificates returns new ones, valid for an hour.
func NewCertificates(t testing.TB) *Certificates {
	t.Helper()
	authority, authorityKey := issue(t, &x509.Certificate{
		Subject: pkix.Name{CommonName: "test authority"}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}, nil, nil)
	server, serverKey := issue(t, &x509.Certificate{
		Subject: pkix.Name{CommonName: "server"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}, authority, authorityKey)
	client, clientKey := issue(t, &x509.Certificate{
		Subject: pkix.Name{CommonName: "client"}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}, authority, authorityKey)

	c := &Certificates{
		CA:         encode("CERTIFICATE", authority.Raw),
		ClientCert: encode("CERTIFICATE", client.Raw), ClientKey: encodeKey(t, clientKey),
		serverCert: encode("CERTIFICATE", server.Raw), serverKey: encodeKey(t, serverKey),
	}
	pool := x509.NewCertPool()
	pool.AddCert(authority)
	c.Server = &tls.Config{
		MinVersion: tls.VersionTLS12, ClientCAs: pool, ClientAuth: tls.RequireAndVerifyClientCert,
		Certificates: []tls.Certificate{{Certificate: [][]byte{server.Raw}, PrivateKey: serverKey}},
	}
	c.Client = &tls.Config{
		MinVersion: tls.VersionTLS12, RootCAs: pool,
		Certificates: []tls.Certificate{{Certificate: [][]byte{client.Raw}, PrivateKey: clientKey}},
	}
	return c
}

// issue signs template with the issuer's key, or its own without an issuer.
func issue(t testing.TB, template, issuer *x509.Certificate, issuerKey *ecdsa.PrivateKey) (*x509.Certificate, *ecdsa.PrivateKey) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	if issuer == nil {
		issuer, issuerKey = template, key
	}
	template.SerialNumber = big.NewInt(time.Now().UnixNano())
	template.NotBefore, template.NotAfter = time.Now().Add(-time.Minute), time.Now().Add(time.Hour)
	raw, err := x509.CreateCertificate(rand.Reader, template, issuer, &key.PublicKey, issuerKey)
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := x509.ParseCertificate(raw)
	if err != nil {
		t.Fatal(err)
	}
	return certificate, key
}

func encode(kind string, der []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}

func encodeKey(t testing.TB, key *ecdsa.PrivateKey) string {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return encode("PRIVATE KEY", der)
}

// ServerPEM returns the server's certificate and its key.
func (c *Certificates) ServerPEM() (cert, key string) { return c.serverCert, c.serverKey }
