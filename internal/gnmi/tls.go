package gnmi

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strings"
)

// TLS says how the device proves who it is, and how the provider does. Each
// PEM setting is the text itself or the name of a file that holds it.
type TLS struct {
	// CACert is the PEM of the authorities that may sign the device's
	// certificate; empty means those of the operating system.
	CACert string
	// ClientCert and ClientKey are the provider's own certificate and key, for
	// mutual TLS; both or neither.
	ClientCert, ClientKey string
	// ServerName is the name that the certificate must be for, where it is not
	// the host of the address.
	ServerName string
	// SkipVerify accepts any certificate. The connection is then encrypted but
	// the peer could be anybody.
	SkipVerify bool
}

func (t TLS) build(address string) (*tls.Config, error) {
	name := t.ServerName
	if name == "" {
		host, _, err := net.SplitHostPort(address)
		if err != nil {
			return nil, fmt.Errorf("address %q: %w", address, err)
		}
		name = host
	}
	config := &tls.Config{
		ServerName:         name,
		InsecureSkipVerify: t.SkipVerify, //nolint:gosec // only where the user wrote it
		MinVersion:         tls.VersionTLS12,
	}
	if t.CACert != "" {
		text, err := pem("ca_cert", t.CACert)
		if err != nil {
			return nil, err
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("tls.ca_cert holds no PEM certificate")
		}
	}
	if t.ClientCert == "" && t.ClientKey == "" {
		return config, nil
	}
	if t.ClientCert == "" || t.ClientKey == "" {
		return nil, fmt.Errorf("tls.client_cert and tls.client_key must be set together")
	}
	cert, err := pem("client_cert", t.ClientCert)
	if err != nil {
		return nil, err
	}
	key, err := pem("client_key", t.ClientKey)
	if err != nil {
		return nil, err
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return nil, fmt.Errorf("tls.client_cert and tls.client_key do not fit together: %w", err)
	}
	config.Certificates = []tls.Certificate{pair}
	return config, nil
}

// pem returns a setting's PEM text, read from the file that it names if it is
// not PEM itself. An error does not repeat the value: what was meant as a key and
// is none would be shown.
func pem(setting, value string) ([]byte, error) {
	if strings.Contains(value, "-----BEGIN ") {
		return []byte(value), nil
	}
	text, err := os.ReadFile(value)
	if err != nil {
		var at *fs.PathError
		if errors.As(err, &at) {
			err = at.Err
		}
		return nil, fmt.Errorf("tls.%s is neither PEM text nor a readable file: %w", setting, err)
	}
	return text, nil
}
