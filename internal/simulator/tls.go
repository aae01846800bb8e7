package simulator

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"time"

	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
)

// transport returns how a target's connections are secured.
func transport(o Options) (credentials.TransportCredentials, error) {
	if o.Plaintext {
		return insecure.NewCredentials(), nil
	}
	if len(o.TLSCert) == 0 || len(o.TLSKey) == 0 {
		return nil, errors.New("a target needs a certificate and its key, or plaintext")
	}
	cert, err := tls.X509KeyPair(o.TLSCert, o.TLSKey)
	if err != nil {
		return nil, fmt.Errorf("reading the server's certificate: %w", err)
	}
	config := &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS12}
	if o.Certificate != "" {
		if config.GetCertificate, err = spoil(cert, o.Certificate); err != nil {
			return nil, err
		}
		config.Certificates = nil            // they come first
		config.SessionTicketsDisabled = true // each connection shows a certificate
	}
	if len(o.ClientCA) > 0 {
		config.ClientCAs = x509.NewCertPool()
		if !config.ClientCAs.AppendCertsFromPEM(o.ClientCA) {
			return nil, errors.New("reading the client CA: there is no certificate in PEM")
		}
		config.ClientAuth = tls.RequireAndVerifyClientCert
	}
	return credentials.NewTLS(config), nil
}

// SelfSigned makes a certificate for hosts (names or addresses) and its key,
// both in PEM. The certificate is valid for a year from an hour ago, and is its
// own authority: as a server's certificate, a client's, and as the CA of both.
func SelfSigned(hosts ...string) (cert, key []byte, err error) {
	template := serverCertificate()
	template.KeyUsage |= x509.KeyUsageCertSign
	template.IsCA = true
	for _, h := range hosts {
		if ip := net.ParseIP(h); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, h)
		}
	}
	return sign(template, nil)
}

// serverCertificate is a certificate that is not signed yet and has no hosts.
func serverCertificate() *x509.Certificate {
	now := time.Now()
	return &x509.Certificate{
		Subject:               pkix.Name{CommonName: "simulated device"},
		NotBefore:             now.Add(-time.Hour),
		NotAfter:              now.AddDate(1, 0, 0),
		KeyUsage:              x509.KeyUsageDigitalSignature,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
		BasicConstraintsValid: true,
	}
}

// sign makes a key for a certificate and signs it as authority does, or with that
// key itself when there is none. Both are in PEM.
func sign(template *x509.Certificate, authority *tls.Certificate) (cert, key []byte, err error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, fmt.Errorf("making a key: %w", err)
	}
	if template.SerialNumber, err = rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120)); err != nil {
		return nil, nil, fmt.Errorf("making a serial number: %w", err)
	}
	parent, signer := template, any(private)
	if authority != nil {
		parent, signer = authority.Leaf, authority.PrivateKey
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &private.PublicKey, signer)
	if err != nil {
		return nil, nil, fmt.Errorf("making a certificate: %w", err)
	}
	pkcs8, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return nil, nil, fmt.Errorf("writing a key: %w", err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs8}), nil
}
