package gnmi_test

import (
	"crypto/tls"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/gnmi"
)

func serveTLS(t *testing.T, d *device, config *tls.Config) *device {
	t.Helper()
	return serve(t, d, grpc.Creds(credentials.NewTLS(config)))
}

func TestTheDevicesCertificateDecidesUnlessTheUserWaivesIt(t *testing.T) {
	ca, other := newAuthority(t), newAuthority(t)
	good, named := ca.sign(time.Time{}), ca.sign(time.Time{}, "r1.example")
	expired := ca.sign(time.Now().Add(-time.Hour))
	for name, c := range map[string]struct {
		server  pair
		tls     gnmi.TLS
		trusted bool
	}{
		"authority as text":         {good, gnmi.TLS{CACert: ca.pem}, true},
		"authority as a file":       {good, gnmi.TLS{CACert: file(t, ca.pem)}, true},
		"one of two authorities":    {good, gnmi.TLS{CACert: other.pem + ca.pem}, true},
		"another authority":         {good, gnmi.TLS{CACert: other.pem}, false},
		"the system's authorities":  {good, gnmi.TLS{}, false},
		"another name":              {named, gnmi.TLS{CACert: ca.pem}, false},
		"another name, as set":      {named, gnmi.TLS{CACert: ca.pem, ServerName: "r1.example"}, true},
		"another name, set wrongly": {named, gnmi.TLS{CACert: ca.pem, ServerName: "r2.example"}, false},
		"expired":                   {expired, gnmi.TLS{CACert: ca.pem}, false},
		"expired, but waived":       {expired, gnmi.TLS{SkipVerify: true}, true},
		"anything, waived":          {named, gnmi.TLS{SkipVerify: true}, true},
	} {
		t.Run(name, func(t *testing.T) {
			d := serveTLS(t, &device{}, c.server.tls(t, nil))
			err := dial(t, d.Addr(), gnmi.Config{TLS: c.tls}).Set(t.Context(), aSet())
			switch {
			case c.trusted && err != nil:
				t.Error(err)
			case !c.trusted && !gnmi.Untrusted(connectError(t, err).Err):
				t.Errorf("the certificate is not the cause: %v", err)
			}
		})
	}
}

func TestMutualTLSShowsTheClientsCertificate(t *testing.T) {
	ca, other := newAuthority(t), newAuthority(t)
	server, client, stranger := ca.sign(time.Time{}), ca.sign(time.Time{}), other.sign(time.Time{})
	for name, c := range map[string]struct {
		tls gnmi.TLS
		ok  bool
	}{
		"as text":                   {gnmi.TLS{CACert: ca.pem, ClientCert: client.cert, ClientKey: client.key}, true},
		"as files":                  {gnmi.TLS{CACert: ca.pem, ClientCert: file(t, client.cert), ClientKey: file(t, client.key)}, true},
		"none":                      {gnmi.TLS{CACert: ca.pem}, false},
		"that the device distrusts": {gnmi.TLS{CACert: ca.pem, ClientCert: stranger.cert, ClientKey: stranger.key}, false},
	} {
		t.Run(name, func(t *testing.T) {
			d := serveTLS(t, &device{}, server.tls(t, ca))
			err := dial(t, d.Addr(), gnmi.Config{TLS: c.tls, ConnectTimeout: short}).Set(t.Context(), aSet())
			if (err == nil) != c.ok {
				t.Errorf("got %v", err)
			}
			if !c.ok {
				_ = connectError(t, err)
			}
		})
	}
}

func TestTLSMaterialThatCannotBeUsedIsFoundBeforeDialling(t *testing.T) {
	ca := newAuthority(t)
	client, another := ca.sign(time.Time{}), ca.sign(time.Time{})
	for name, c := range map[string]struct {
		tls  gnmi.TLS
		says string
	}{
		"authority without certificate": {gnmi.TLS{CACert: file(t, "nothing")}, "tls.ca_cert"},
		"authority that is no file":     {gnmi.TLS{CACert: "/does/not/exist"}, "tls.ca_cert"},
		"certificate without key":       {gnmi.TLS{ClientCert: client.cert}, "tls.client_key"},
		"key without certificate":       {gnmi.TLS{ClientKey: client.key}, "tls.client_cert"},
		"certificate of another key":    {gnmi.TLS{ClientCert: client.cert, ClientKey: another.key}, "do not fit"},
		"key that is no file":           {gnmi.TLS{ClientCert: client.cert, ClientKey: "/does/not/exist"}, "tls.client_key"},
		"key without its PEM lines":     {gnmi.TLS{ClientCert: client.cert, ClientKey: "MIGHAgEAMBMG"}, "tls.client_key"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := gnmi.New(gnmi.Config{Address: "127.0.0.1:1", TLS: c.tls})
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Fatalf("got %v", err)
			}
			if strings.Contains(err.Error(), "PRIVATE KEY") || strings.Contains(err.Error(), "MIGH") {
				t.Errorf("the error holds a key: %v", err)
			}
		})
	}
}
