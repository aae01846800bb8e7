package clienttls_test

import (
	"crypto/tls"
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock/clienttls"
)

func TestAnErrorAboutAKeyDoesNotShowIt(t *testing.T) {
	const (
		cert = "\n-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"
		key  = "MIGHAgEAMBMGByqGSM49AgEG/CCqGSM49"
	)
	for _, mangled := range []string{key, strings.Repeat(key, 200)} {
		err := clienttls.Settings{ClientCert: cert, ClientKey: mangled}.Apply(&tls.Config{MinVersion: tls.VersionTLS12})
		if err == nil || !strings.Contains(err.Error(), "read the client key") || strings.Contains(err.Error(), "MIGH") {
			t.Errorf("got %v", err)
		}
	}
	err := clienttls.Settings{CACert: "/no/such/file"}.Apply(&tls.Config{MinVersion: tls.VersionTLS12})
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}
