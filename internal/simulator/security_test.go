package simulator_test

import (
	"crypto/tls"
	"crypto/x509"
	"testing"

	"github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/simulator"
)

func TestThePasswordIsAskedForInEveryRPC(t *testing.T) {
	d := start(t, simulator.Options{Username: "admin", Password: "secret"})
	for _, pairs := range [][]string{nil, {"username", "admin"}, {"username", "admin", "password", "Secret"}, {"username", "admin", "password", "secret", "password", "secret"}} {
		ctx := metadata.AppendToOutgoingContext(t.Context(), pairs...)
		_, capabilities := d.client.Capabilities(ctx, &gnmi.CapabilityRequest{})
		_, set := d.client.Set(ctx, mtu(1).request(t))
		stream, err := d.client.Subscribe(ctx)
		if err == nil {
			_, err = stream.Recv()
		}
		for _, err := range []error{capabilities, set, err} {
			if status.Code(err) != codes.Unauthenticated {
				t.Errorf("%q: %v", pairs, err)
			}
		}
	}
	ctx := metadata.AppendToOutgoingContext(t.Context(), "username", "admin", "password", "secret")
	if _, err := d.client.Set(ctx, mtu(1).request(t)); err != nil {
		t.Error(err)
	}
}

func TestTLSWithAndWithoutAClientCertificate(t *testing.T) {
	cert, key, err := simulator.SelfSigned("127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	clientCert, clientKey, err := simulator.SelfSigned("client")
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(cert)
	pair, err := tls.X509KeyPair(clientCert, clientKey)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name     string
		clientCA []byte
		config   *tls.Config
		ok       bool
	}{
		{"verified", nil, &tls.Config{RootCAs: roots}, true},
		{"unknown authority", nil, &tls.Config{RootCAs: x509.NewCertPool()}, false},
		{"mutual", clientCert, &tls.Config{RootCAs: roots, Certificates: []tls.Certificate{pair}}, true},
		{"no client certificate", clientCert, &tls.Config{RootCAs: roots}, false},
		{"another authority", cert, &tls.Config{RootCAs: roots, Certificates: []tls.Certificate{pair}}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			target, err := simulator.Start(t.Context(), simulator.Options{TLSCert: cert, TLSKey: key, ClientCA: tt.clientCA})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = target.Close() }()
			_, err = dial(t, target.Addr(), credentials.NewTLS(tt.config)).Capabilities(t.Context(), &gnmi.CapabilityRequest{})
			if (err == nil) != tt.ok {
				t.Errorf("the client got %v", err)
			}
		})
	}
}
