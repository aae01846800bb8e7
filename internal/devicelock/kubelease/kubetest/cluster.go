// Package kubetest gives tests an API server with Leases: a real one that the
// environment names, or a simulated one that enforces what a lock relies on:
// resource versions on update, preconditions on deletion, names, labels, rights,
// and watches that go on from a version or refuse to.
package kubetest

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
)

// Environment is the variable with the path of a kubeconfig. Tests then use the
// real API server that it leads to, in namespaces that they create.
const Environment = "OPENCONFIG_TEST_KUBECONFIG"

// Cluster is how to reach an API server, also from another process.
type Cluster struct {
	// Kubeconfig is the path of a kubeconfig file whose user may do everything.
	Kubeconfig string
	// Namespace is one that is the test's own.
	Namespace string
}

// Start returns an API server with a fresh namespace: the one that the
// environment names, or a simulated one. What it started ends with the test.
func Start(t testing.TB) Cluster {
	t.Helper()
	kubeconfig := os.Getenv(Environment)
	if kubeconfig == "" {
		return Simulate(t).Cluster
	}
	c := Cluster{Kubeconfig: kubeconfig, Namespace: "lock-" + strings.ToLower(rand.Text()[:10])}
	client, host := c.Client(t)
	do := func(method, url, body string) {
		// The test's context has ended when it cleans up.
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		request, err := http.NewRequestWithContext(ctx, method, url, bytes.NewBufferString(body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/json")
		response, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = response.Body.Close() }()
		if response.StatusCode >= http.StatusBadRequest {
			text, _ := io.ReadAll(response.Body)
			t.Fatalf("%s %s: %s: %s", method, url, response.Status, text)
		}
	}
	do(http.MethodPost, host+"/api/v1/namespaces", fmt.Sprintf(`{"apiVersion":"v1","kind":"Namespace","metadata":{"name":%q}}`, c.Namespace))
	t.Cleanup(func() { do(http.MethodDelete, host+"/api/v1/namespaces/"+c.Namespace, "") })
	return c
}

// Client returns an HTTP client with the kubeconfig's credentials, and the
// server's address. Its connections are closed when the test ends.
func (c Cluster) Client(t testing.TB) (*http.Client, string) {
	t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", c.Kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	// A transport that no other user of the library shares.
	config.Proxy = http.ProxyFromEnvironment
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { utilnet.CloseIdleConnectionsFor(client.Transport) })
	return client, config.Host
}

// KubeconfigFor writes a kubeconfig for the token, with the namespace in its
// context, and returns its path.
func (s *Server) KubeconfigFor(t testing.TB, token, namespace string) string {
	t.Helper()
	config := api.NewConfig()
	config.Clusters["simulated"] = &api.Cluster{
		Server:                   s.http.URL,
		CertificateAuthorityData: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.http.Certificate().Raw}),
	}
	config.AuthInfos["user"] = &api.AuthInfo{Token: token}
	config.Contexts["test"] = &api.Context{Cluster: "simulated", AuthInfo: "user", Namespace: namespace}
	config.CurrentContext = "test"
	path := filepath.Join(t.TempDir(), "kubeconfig")
	if err := clientcmd.WriteToFile(*config, path); err != nil {
		t.Fatal(err)
	}
	return path
}
