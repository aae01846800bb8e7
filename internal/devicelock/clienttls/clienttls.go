// Package clienttls makes the TLS configuration of a lock service's client from
// what a user writes.
package clienttls

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// Settings are what a user says about TLS.
type Settings struct {
	// CACert is what the server's certificate is checked with, instead of the
	// system's certificates. ClientCert and ClientKey are shown to the server.
	// Each is PEM text or the name of a file.
	CACert, ClientCert, ClientKey string
	// ServerName is the name to expect in the server's certificate, instead of
	// the address's host.
	ServerName string
	// SkipVerify turns the check of the server's certificate off.
	SkipVerify bool
}

// Apply adds the settings to config. An error names the setting at fault.
func (s Settings) Apply(config *tls.Config) error {
	config.MinVersion = tls.VersionTLS12
	if s.CACert != "" {
		pem, err := pemOf(s.CACert)
		if err != nil {
			return fmt.Errorf("read the CA certificate: %w", err)
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(pem) {
			return errors.New("the CA certificate has no certificate in PEM")
		}
	}
	if (s.ClientCert == "") != (s.ClientKey == "") {
		return errors.New("a client certificate and its key are needed together")
	}
	if s.ClientCert != "" {
		cert, err := pemOf(s.ClientCert)
		if err != nil {
			return fmt.Errorf("read the client certificate: %w", err)
		}
		key, err := pemOf(s.ClientKey)
		if err != nil {
			return fmt.Errorf("read the client key: %w", err)
		}
		pair, err := tls.X509KeyPair(cert, key)
		if err != nil {
			return fmt.Errorf("use the client certificate and key: %w", err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	if s.ServerName != "" {
		config.ServerName = s.ServerName
	}
	config.InsecureSkipVerify = config.InsecureSkipVerify || s.SkipVerify
	return nil
}

// pemOf returns the text itself if it is PEM, else the content of the file that
// it names. An error does not repeat it: it may be a key that lacks its PEM lines.
func pemOf(value string) ([]byte, error) {
	if strings.Contains(value, "-----BEGIN ") {
		return []byte(value), nil
	}
	content, err := os.ReadFile(value)
	var at *fs.PathError
	if errors.As(err, &at) {
		return nil, fmt.Errorf("neither PEM text nor a readable file: %w", at.Err)
	}
	return content, err
}

// Explain says why no TLS connection came about; ok is false if err is about
// something else.
func Explain(err error) (advice string, ok bool) {
	var (
		verification *tls.CertificateVerificationError
		header       tls.RecordHeaderError
		alert        tls.AlertError
		name         x509.HostnameError
	)
	switch {
	case errors.As(err, &name):
		return "the server's certificate is for another name: check the address, or set the server name to expect", true
	case errors.As(err, &verification):
		return "the server's certificate is not trusted: check the CA certificate", true
	case errors.As(err, &header):
		return "the server does not talk TLS at this port", true
	case errors.As(err, &alert), strings.Contains(err.Error(), "remote error: tls"):
		return "the server refused the TLS connection: check the client certificate and key", true
	}
	return "", false
}
