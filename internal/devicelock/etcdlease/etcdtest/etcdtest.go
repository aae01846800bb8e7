// Package etcdtest runs an etcd server inside a test.
package etcdtest

import (
	"net/url"
	"testing"
	"time"

	"go.etcd.io/etcd/server/v3/embed"
)

// startLimit bounds the start of a server.
const startLimit = 30 * time.Second

// Server is an etcd server that ends with its test.
type Server struct {
	// Endpoint is its address, as https://host:port or http://host:port.
	Endpoint string
	etcd     *embed.Etcd
	config   *embed.Config
}

// Start starts a server on loopback, without TLS and authentication.
func Start(t testing.TB) *Server { return StartTLS(t, "", "", "") }

// StartTLS starts a server whose clients need TLS, with the certificate and key
// in these files, and a certificate that the authority in caFile has signed if
// that is not empty.
func StartTLS(t testing.TB, certFile, keyFile, caFile string) *Server {
	t.Helper()
	config := embed.NewConfig()
	config.Dir = t.TempDir()
	config.LogLevel = "fatal"
	config.LogOutputs = []string{"/dev/null"}
	config.UnsafeNoFsync = true
	config.TickMs, config.ElectionMs = 50, 500
	scheme := "http"
	if certFile != "" {
		scheme = "https"
		config.ClientTLSInfo.CertFile, config.ClientTLSInfo.KeyFile = certFile, keyFile
		config.ClientTLSInfo.TrustedCAFile, config.ClientTLSInfo.ClientCertAuth = caFile, caFile != ""
	}
	client, peer := url.URL{Scheme: scheme, Host: "127.0.0.1:0"}, url.URL{Scheme: "http", Host: "127.0.0.1:0"}
	config.ListenClientUrls, config.AdvertiseClientUrls = []url.URL{client}, []url.URL{client}
	config.ListenPeerUrls, config.AdvertisePeerUrls = []url.URL{peer}, []url.URL{peer}
	config.InitialCluster = config.InitialClusterFromName(config.Name)
	s := &Server{config: config}
	s.start(t)
	host := s.etcd.Clients[0].Addr().String()
	s.Endpoint = scheme + "://" + host
	// A server that is started again listens at the same address.
	s.config.ListenClientUrls = []url.URL{{Scheme: scheme, Host: host}}
	t.Cleanup(s.Stop)
	return s
}

func (s *Server) start(t testing.TB) {
	t.Helper()
	etcd, err := embed.StartEtcd(s.config)
	if err != nil {
		t.Fatalf("start etcd: %v", err)
	}
	s.etcd = etcd
	select {
	case <-etcd.Server.ReadyNotify():
	case err := <-etcd.Err():
		t.Fatalf("etcd: %v", err)
	case <-time.After(startLimit):
		etcd.Close()
		t.Fatal("etcd did not start in time")
	}
}

// Stop stops the server. It keeps its data.
func (s *Server) Stop() {
	if s.etcd != nil {
		s.etcd.Close()
		s.etcd = nil
	}
}

// Restart starts a server that was stopped again.
func (s *Server) Restart(t testing.TB) {
	t.Helper()
	s.start(t)
}
