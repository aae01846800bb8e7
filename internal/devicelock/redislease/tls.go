package redislease

import (
	"crypto/tls"
	"errors"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock/clienttls"
)

// TLS is how to talk TLS. It is used when a field is set, or the URL begins with
// rediss://; the zero value adds nothing to that.
type TLS struct {
	// Enabled is for Sentinel and Cluster without any other field.
	Enabled bool
	clienttls.Settings
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
		base = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	if err := t.Apply(base); err != nil {
		return nil, err
	}
	return base, nil
}
