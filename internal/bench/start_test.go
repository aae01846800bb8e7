package bench

import (
	"bufio"
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// starts is how often each provider is started in a round.
const starts = 31

// cookie is what Terraform's plugin protocol, version 6, has in the environment
// of a provider, so that it knows that Terraform started it.
const cookie = "TF_PLUGIN_MAGIC_COOKIE=d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2"

// BenchmarkStart reports how many times as long the provider takes from its
// start until Terraform has its schema as the smallest provider does.
func BenchmarkStart(b *testing.B) {
	ours, empty := build(b, "../.."), build(b, "./empty")
	var oursTook, emptyTook []time.Duration
	for b.Loop() {
		for range starts {
			oursTook = append(oursTook, startToSchema(b, ours))
			emptyTook = append(emptyTook, startToSchema(b, empty))
		}
	}
	b.ReportMetric(median(oursTook)*1000, "ms-provider")
	b.ReportMetric(median(emptyTook)*1000, "ms-floor")
	b.ReportMetric(ratios(oursTook, emptyTook), "ratio")
}

// startToSchema does what Terraform does with a provider first: it starts the
// process, reads the address that it prints, connects and asks for the schema.
func startToSchema(b *testing.B, dir string) time.Duration {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), filepath.Join(dir, binary))
	cmd.Env = append(os.Environ(), cookie, "PLUGIN_PROTOCOL_VERSIONS=6")
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	started := time.Now()
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	// The core protocol's version, the plugin's, network, address, and more.
	handshake := strings.Split(strings.TrimSpace(line), "|")
	if len(handshake) < 5 {
		b.Fatalf("the provider said %q", line)
	}
	dial := func(ctx context.Context, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, handshake[2], handshake[3])
	}
	conn, err := grpc.NewClient("passthrough:///provider", grpc.WithContextDialer(dial), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	var request, reply []byte
	err = conn.Invoke(b.Context(), "/tfplugin6.Provider/GetProviderSchema", &request, &reply, grpc.ForceCodec(bytesCodec{}), grpc.MaxCallRecvMsgSize(256<<20))
	if err != nil {
		b.Fatal(err)
	}
	took := time.Since(started)
	if len(reply) == 0 {
		b.Fatal("the provider has no schema")
	}
	_ = os.Remove(handshake[3]) // a process that is killed leaves its socket
	return took
}

// bytesCodec leaves messages as they are on the wire. The protocol's Go types
// are internal to the plugin library.
type bytesCodec struct{}

// Name is part of encoding.Codec.
func (bytesCodec) Name() string { return "proto" }

// Marshal is part of encoding.Codec.
func (bytesCodec) Marshal(v any) ([]byte, error) { return *v.(*[]byte), nil }

// Unmarshal is part of encoding.Codec.
func (bytesCodec) Unmarshal(data []byte, v any) error {
	*v.(*[]byte) = append([]byte(nil), data...)
	return nil
}
