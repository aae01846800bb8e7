package redislease

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"strings"
)

// TLS is how to talk TLS. It is used when a field is set, or the URL begins with
// rediss://; the zero value adds nothing to that.
type TLS struct {
	// Enabled is for Sentinel and Cluster without any other field.
	Enabled bool
	// CACert is what the server's certificate is checked with, instead of the
	// system's certificates. ClientCert and ClientKey are shown to the server.
	// Each is PEM if it begins with "-----BEGIN", otherwise a file's name.
	CACert, ClientCert, ClientKey string
	// ServerName is the name to expect in the server's certificate, instead of
	// the address's host.
	ServerName string
	// SkipVerify turns the check of the server's certificate off.
	SkipVerify bool
}

// config returns base, which comes from the URL if there is one, with t; nil if
// there is to be no TLS.
func (t TLS) config(base *tls.Config, byURL bool) (*tls.Config, error) {
	if t == (TLS{}) {
		return base, nil
	}
	if base == nil {
		if byURL {
			return nil, errors.New("TLS is configured, but the URL is for a connection without: it has to begin with rediss://")
		}
		base = &tls.Config{}
	}
	base.MinVersion = tls.VersionTLS12
	if t.CACert != "" {
		pem, err := pemOf(t.CACert)
		if err != nil {
			return nil, fmt.Errorf("read the CA certificate: %w", err)
		}
		base.RootCAs = x509.NewCertPool()
		if !base.RootCAs.AppendCertsFromPEM(pem) {
			return nil, errors.New("the CA certificate has no certificate in PEM")
		}
	}
	if (t.ClientCert == "") != (t.ClientKey == "") {
		return nil, errors.New("a client certificate and its key are needed together")
	}
	if t.ClientCert != "" {
		cert, err := pemOf(t.ClientCert)
		if err != nil {
			return nil, fmt.Errorf("read the client certificate: %w", err)
		}
		key, err := pemOf(t.ClientKey)
		if err != nil {
			return nil, fmt.Errorf("read the client key: %w", err)
		}
		pair, err := tls.X509KeyPair(cert, key)
		if err != nil {
			return nil, fmt.Errorf("use the client certificate and key: %w", err)
		}
		base.Certificates = []tls.Certificate{pair}
	}
	if t.ServerName != "" {
		base.ServerName = t.ServerName
	}
	if t.SkipVerify {
		base.InsecureSkipVerify = true
	}
	return base, nil
}

// pemOf returns the text itself if it is PEM, else the content of the file.
func pemOf(value string) ([]byte, error) {
	if strings.HasPrefix(value, "-----BEGIN") {
		return []byte(value), nil
	}
	return os.ReadFile(value)
}
