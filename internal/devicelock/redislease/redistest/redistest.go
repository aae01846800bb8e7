// Package redistest starts Redis for tests: the real server where there is one
// on the PATH, otherwise one in this process that speaks the same protocol.
package redistest

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
)

// Options says which server is wanted. The zero value is a plain one.
type Options struct {
	// Password is what the default user has to give. Empty means none.
	Password string
	// TLS is what the server shows, and wants to see; nil means no TLS.
	TLS *Certificates
	// Cluster makes it the only node of a Redis Cluster.
	Cluster bool
	// Args are further arguments for the real server.
	Args []string
}

// Server is a running server. It stops with the test at the latest.
type Server struct {
	// Addr is where it listens, host:port.
	Addr string
	// Real tells whether it is the real server.
	Real bool

	options Options
	stop    func()
}

// Start starts a plain server and returns its address.
func Start(t testing.TB) (addr string) {
	t.Helper()
	return Run(t, Options{}).Addr
}

// NeedReal skips a test that the server in this process cannot serve, unless
// there is a real one.
func NeedReal(t testing.TB, reason string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Skipf("no %s on the PATH, and its replacement does not serve: %s", program, reason)
	}
}

// Run starts a server on a free port of the loopback address, and waits until it
// answers. It keeps nothing on disk.
func Run(t testing.TB, options Options) *Server {
	t.Helper()
	s := &Server{options: options}
	if path, err := exec.LookPath(program); err == nil {
		s.Real = true
		s.startReal(t, path)
		t.Logf("redis: %s at %s", path, s.Addr)
	} else {
		s.startReplacement(t)
		t.Logf("redis: miniredis at %s, because there is no %s on the PATH", s.Addr, program)
	}
	t.Cleanup(s.Stop)
	return s
}

// URL is where the server is, with its password.
func (s *Server) URL() string {
	scheme, user := "redis", ""
	if s.options.TLS != nil {
		scheme = "rediss"
	}
	if s.options.Password != "" {
		user = ":" + s.options.Password + "@"
	}
	return scheme + "://" + user + s.Addr
}

// Stop stops the server at once; what it knew is lost. It may be called again.
func (s *Server) Stop() { s.stop() }

// Do has the server carry out a command.
func (s *Server) Do(t testing.TB, args ...any) any {
	t.Helper()
	options := &redis.Options{Addr: s.Addr, Password: s.options.Password}
	if s.options.TLS != nil {
		options.TLSConfig = s.options.TLS.Client
	}
	client := redis.NewClient(options)
	defer func() { _ = client.Close() }()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	reply, err := client.Do(ctx, args...).Result()
	if err != nil {
		t.Fatalf("redis: %v: %v", args[0], err)
	}
	return reply
}

const (
	program = "redis-server"
	// patience bounds the wait for a server.
	patience = 10 * time.Second
)

func (s *Server) startReplacement(t testing.TB) {
	t.Helper()
	server := miniredis.NewMiniRedis()
	server.ClockTTL(true)
	if s.options.Password != "" {
		server.RequireAuth(s.options.Password)
	}
	var err error
	if s.options.TLS != nil {
		err = server.StartTLS(s.options.TLS.Server)
	} else {
		err = server.Start()
	}
	if err != nil {
		t.Fatalf("start miniredis: %v", err)
	}
	s.Addr = server.Addr()
	s.stop = sync.OnceFunc(server.Close)
}

func (s *Server) startReal(t testing.TB, path string) {
	t.Helper()
	dir := t.TempDir()
	args := []string{"--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", dir}
	if s.options.Password != "" {
		args = append(args, "--requirepass", s.options.Password)
	}
	port := "--port"
	if c := s.options.TLS; c != nil {
		args = append(args, "--port", "0", "--tls-cert-file", write(t, dir, "server.crt", c.serverCert),
			"--tls-key-file", write(t, dir, "server.key", c.serverKey), "--tls-ca-cert-file", write(t, dir, "ca.crt", c.CA))
		port = "--tls-port"
	}
	if s.options.Cluster {
		args = append(args, "--cluster-enabled", "yes")
	}
	args = append(args, s.options.Args...)
	s.Addr, s.stop = launch(t, func(number string) []string {
		return append([]string{path}, append(args, port, number)...)
	})
	if s.options.Cluster {
		s.formCluster(t)
	}
}

// formCluster gives all slots to the server and waits until it serves them.
func (s *Server) formCluster(t testing.TB) {
	t.Helper()
	s.Do(t, "CLUSTER", "ADDSLOTSRANGE", 0, 16383)
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for deadline := time.Now().Add(patience); ; <-ticker.C {
		if info, _ := s.Do(t, "CLUSTER", "INFO").(string); strings.Contains(info, "cluster_state:ok") {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("redis: the cluster does not come up")
		}
	}
}

// Sentinel starts a Sentinel that watches the real server under a name, and
// returns its address. It takes the master for dead after half a second.
func (s *Server) Sentinel(t testing.TB, name string) (addr string) {
	t.Helper()
	NeedReal(t, "it is no Sentinel")
	path, err := exec.LookPath(program)
	if err != nil {
		t.Fatal(err)
	}
	host, port, err := net.SplitHostPort(s.Addr)
	if err != nil {
		t.Fatal(err)
	}
	config := fmt.Sprintf("bind 127.0.0.1\nsentinel monitor %[1]s %[2]s %[3]s 1\nsentinel down-after-milliseconds %[1]s 500\n"+
		"sentinel failover-timeout %[1]s 2000\n", name, host, port)
	if s.options.Password != "" {
		config += fmt.Sprintf("sentinel auth-pass %s %s\n", name, s.options.Password)
	}
	file := write(t, t.TempDir(), "sentinel.conf", config)
	addr, stop := launch(t, func(number string) []string { return []string{path, file, "--port", number, "--sentinel"} })
	t.Cleanup(stop)
	return addr
}

// launch runs a command on a free port and returns when it is ready. Another
// process may take the port first; then it tries the next.
func launch(t testing.TB, command func(port string) []string) (addr string, stop func()) {
	t.Helper()
	var err error
	for range 5 {
		port := freePort(t)
		if stop, err = try(command(strconv.Itoa(port))); err == nil {
			return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), stop
		}
	}
	t.Fatalf("start redis: %v", err)
	return "", nil
}

// lifeline runs a server until its own input ends, as it does with the process
// that tests, however that ends.
const lifeline = `"$@" & server=$!; cat >/dev/null; kill "$server"; wait "$server"`

func try(command []string) (stop func(), err error) {
	cmd := exec.Command("sh", append([]string{"-c", lifeline, "sh"}, command...)...) //nolint:noctx // it is stopped by its input
	input, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	output, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	ready := make(chan error, 1)
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		ready <- await(output)
		_, _ = io.Copy(io.Discard, output)
	}()
	stop = sync.OnceFunc(func() {
		_ = input.Close()
		<-drained
		_ = cmd.Wait()
	})
	select {
	case err = <-ready:
	case <-time.After(patience):
		err = fmt.Errorf("not ready after %s", patience)
	}
	if err != nil {
		stop()
		return nil, err
	}
	return stop, nil
}

// await reads a server's log until it is ready or says why it will not be.
func await(log io.Reader) error {
	lines := bufio.NewScanner(log)
	var last string
	for lines.Scan() {
		last = lines.Text()
		switch {
		case strings.Contains(last, "Ready to accept connections"), strings.Contains(last, "Sentinel ID is"):
			return nil
		case strings.Contains(last, "Failed listening"), strings.Contains(last, "atal"):
			return fmt.Errorf("%s: %s", program, last)
		}
	}
	return fmt.Errorf("%s ended: %s", program, last)
}

// freePort returns a port that is free now, and low enough for the one that a
// node of a Cluster adds ten thousand to.
func freePort(t testing.TB) int {
	t.Helper()
	for {
		listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		port := listener.Addr().(*net.TCPAddr).Port //nolint:forcetypeassert // it listens by TCP
		_ = listener.Close()
		if port < 55000 {
			return port
		}
	}
}

func write(t testing.TB, dir, name, content string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
