package cli_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/gnmi/proto/gnmi_ext"
	"github.com/openconfig/ygot/ygot"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/cli"
)

// command is a running simulate command.
type command struct {
	tb     testing.TB
	addr   string
	stdout *bufio.Reader
	stderr bytes.Buffer
	cancel context.CancelFunc
	exit   chan int
}

func simulate(tb testing.TB, flags ...string) *command {
	tb.Helper()
	ctx, cancel := context.WithCancel(tb.Context())
	read, write := io.Pipe()
	c := &command{tb: tb, stdout: bufio.NewReader(read), cancel: cancel, exit: make(chan int, 1)}
	go func() {
		code := cli.Run(ctx, append([]string{"simulate", "-listen", "127.0.0.1:0"}, flags...), nil, write, &c.stderr)
		_ = write.Close()
		c.exit <- code
	}()
	line, err := c.stdout.ReadString('\n')
	if err != nil {
		cancel()
		tb.Fatalf("the command ended with %d before it was ready: %s", <-c.exit, c.stderr.String())
	}
	addr, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "simulator ready on 127.0.0.1:")
	if !ok || addr == "0" {
		tb.Errorf("the line is %q", line)
	}
	c.addr = "127.0.0.1:" + addr
	return c
}

// end cancels the command, as SIGTERM does, and expects a clean exit and no
// more output.
func (c *command) end() {
	c.tb.Helper()
	c.cancel()
	rest, _ := io.ReadAll(c.stdout)
	if code := <-c.exit; code != 0 || len(rest) > 0 {
		c.tb.Errorf("exit code %d, further output %q, errors %q", code, rest, c.stderr.String())
	}
}

func (c *command) client(creds credentials.TransportCredentials) gnmi.GNMIClient {
	c.tb.Helper()
	conn, err := grpc.NewClient(c.addr, grpc.WithTransportCredentials(creds))
	if err != nil {
		c.tb.Fatal(err)
	}
	c.tb.Cleanup(func() { _ = conn.Close() })
	return gnmi.NewGNMIClient(conn)
}

func describe(tb testing.TB, ctx context.Context, client gnmi.GNMIClient, value string) {
	tb.Helper()
	path, err := ygot.StringToStructuredPath("/interfaces/interface[name=Ethernet1/1]/config/description")
	if err != nil {
		tb.Fatal(err)
	}
	if _, err := client.Set(ctx, &gnmi.SetRequest{Update: []*gnmi.Update{{
		Path: path, Val: &gnmi.TypedValue{Value: &gnmi.TypedValue_JsonIetfVal{JsonIetfVal: []byte(`"` + value + `"`)}},
	}}}); err != nil {
		tb.Fatal(err)
	}
}

func TestSimulateKeepsItsStateAcrossARestartAndLogsEveryRPC(t *testing.T) {
	dir := t.TempDir()
	state, log := filepath.Join(dir, "state.json"), filepath.Join(dir, "log")
	config := filepath.Join(dir, "config.json")
	if err := os.WriteFile(config, []byte(`{"openconfig-interfaces:interfaces":{"interface":[
		{"name":"Ethernet1/2","config":{"name":"Ethernet1/2","mtu":9000}}]}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	c := simulate(t, "--plaintext", "--state", state, "--log", log, "--config", config)
	describe(t, t.Context(), c.client(insecure.NewCredentials()), "kept")
	c.end()

	c = simulate(t, "--plaintext", "--state", state, "--log", log)
	resp, err := c.client(insecure.NewCredentials()).Get(t.Context(), &gnmi.GetRequest{
		Path: []*gnmi.Path{{}}, Encoding: gnmi.Encoding_JSON_IETF, Type: gnmi.GetRequest_CONFIG,
	})
	if err != nil {
		t.Fatal(err)
	}
	text := string(resp.GetNotification()[0].GetUpdate()[0].GetVal().GetJsonIetfVal())
	for _, want := range []string{`"description":"kept"`, `"mtu":9000`} {
		if !strings.Contains(text, want) {
			t.Errorf("the restarted device does not have %s", want)
		}
	}
	c.end()

	lines, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	var records []map[string]any
	for line := range strings.Lines(string(lines)) {
		var r map[string]any
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		records = append(records, r)
	}
	if len(records) != 2 || records[0]["rpc"] != "Set" || records[1]["rpc"] != "Get" || records[0]["code"] != "OK" ||
		records[0]["overlap"] != 0.0 || records[0]["start"] == nil || records[0]["end"] == nil {
		t.Fatalf("the log is %s", lines)
	}
	if paths, ok := records[0]["update"].([]any); !ok || len(paths) != 1 ||
		paths[0] != "/interfaces/interface[name=Ethernet1/1]/config/description" {
		t.Errorf("the log has the paths %v", records[0]["update"])
	}
}

func TestSimulateMakesItselfACertificateAndAsksForThePassword(t *testing.T) {
	c := simulate(t, "--username", "admin", "--password", "admin")
	client := c.client(credentials.NewTLS(&tls.Config{InsecureSkipVerify: true}))
	if _, err := client.Capabilities(t.Context(), &gnmi.CapabilityRequest{}); err == nil {
		t.Error("the device let in a client without a password")
	}
	describe(t, metadata.AppendToOutgoingContext(t.Context(), "username", "admin", "password", "admin"), client, "tls")
	c.end()
	if !strings.Contains(c.stderr.String(), "certificate") {
		t.Errorf("nothing was said about the certificate: %q", c.stderr.String())
	}
}

// claim makes the client the master with this election id.
func claim(tb testing.TB, client gnmi.GNMIClient, id uint64) error {
	tb.Helper()
	_, err := client.Set(tb.Context(), &gnmi.SetRequest{Extension: []*gnmi_ext.Extension{{Ext: &gnmi_ext.Extension_MasterArbitration{
		MasterArbitration: &gnmi_ext.MasterArbitration{ElectionId: &gnmi_ext.Uint128{Low: id}},
	}}}})
	return err
}

func TestSimulateArbitratesAmongMastersIfToldTo(t *testing.T) {
	for way, refusal := range map[string]codes.Code{"full": codes.PermissionDenied, "ignored": codes.OK, "unsupported": codes.Unimplemented} {
		log := filepath.Join(t.TempDir(), "log")
		c := simulate(t, "--plaintext", "--arbitration", way, "--log", log)
		client := c.client(insecure.NewCredentials())
		for _, id := range []uint64{2, 1} {
			err := claim(t, client, id)
			if id == 1 && status.Code(err) != refusal {
				t.Errorf("%s: the Set of an earlier master: %v, want %s", way, err, refusal)
			}
		}
		c.end()
		lines, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{`"election":"2"`, `"election":"1"`, `"peer":"127.0.0.1:`} {
			if !strings.Contains(string(lines), want) {
				t.Errorf("%s: the log does not have %s: %s", way, want, lines)
			}
		}
	}
}

func TestSimulateWaitsForConfirmationsIfToldTo(t *testing.T) {
	commit := &gnmi_ext.Commit{Id: "a", Action: &gnmi_ext.Commit_Commit{Commit: &gnmi_ext.CommitRequest{}}}
	for way, want := range map[string]codes.Code{
		"full reject": codes.FailedPrecondition, "full allow": codes.OK, "no_set_duration reject": codes.FailedPrecondition,
		"ignored reject": codes.OK, "unsupported reject": codes.OK,
	} {
		log := filepath.Join(t.TempDir(), "log")
		name, others, _ := strings.Cut(way, " ")
		c := simulate(t, "--plaintext", "--commit", name, "--pending-blocks-others", others, "--log", log)
		client := c.client(insecure.NewCredentials())
		_, err := client.Set(t.Context(), &gnmi.SetRequest{Extension: []*gnmi_ext.Extension{{Ext: &gnmi_ext.Extension_Commit{Commit: commit}}}})
		if (err != nil) != (name == "unsupported") {
			t.Errorf("%s: the commit: %v", way, err)
		}
		if _, err := client.Set(t.Context(), &gnmi.SetRequest{}); status.Code(err) != want {
			t.Errorf("%s: the Set after it: %v, want %s", way, err, want)
		}
		c.end()
		if lines, err := os.ReadFile(log); err != nil || !strings.Contains(string(lines), `"commit":"commit","commit_id":"a"`) {
			t.Errorf("%s: the log does not tell the commit: %s (%v)", way, lines, err)
		}
	}
}

func TestSimulateHasTheWaysOfAProfileAndOfFlagsThatOverrideIt(t *testing.T) {
	for want, flags := range map[string][]string{
		"default": {"--profile", "eos"},
		"main":    {"--quirk", "default_ni_name=main", "--profile", "eos"},
		"DEFAULT": {"--profile", "strict"},
	} {
		c := simulate(t, append(flags, "--plaintext")...)
		path, err := ygot.StringToStructuredPath("/network-instances/network-instance[name=" + want + "]")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.client(insecure.NewCredentials()).Get(t.Context(), &gnmi.GetRequest{Path: []*gnmi.Path{path}, Encoding: gnmi.Encoding_JSON_IETF}); err != nil {
			t.Errorf("%q: %v", flags, err)
		}
		c.end()
	}
	// What a profile says of arbitration, a flag says otherwise.
	for want, flags := range map[codes.Code][]string{codes.PermissionDenied: nil, codes.OK: {"--arbitration", "ignored"}} {
		c := simulate(t, append([]string{"--plaintext"}, append(flags, "--profile", "sonic")...)...)
		client := c.client(insecure.NewCredentials())
		for _, id := range []uint64{2, 1} {
			if err := claim(t, client, id); id == 1 && status.Code(err) != want {
				t.Errorf("%q: the Set of an earlier master: %v, want %v", flags, err, want)
			}
		}
		c.end()
	}
}

func TestMistakesInArgumentsEndWithTheUsage(t *testing.T) {
	for _, args := range [][]string{
		{},
		{"dance"},
		{"simulate", "--quirk"},
		{"simulate", "now"},
		{"simulate", "--plaintext", "--tls-cert", "f"},
		{"simulate", "--tls-cert", "f"},
		{"simulate", "--set-latency", "-1s"},
		{"simulate", "--set-latency", "fast"},
		{"simulate", "--arbitration", "some"},
		{"simulate", "--commit", "some"},
		{"simulate", "--pending-blocks-others", "some"},
		{"simulate", "--profile"},
		{"simulate", "--profile", "some"},
		{"simulate", "--quirk", "some"},
		{"simulate", "--quirk", "some=1"},
		{"simulate", "--quirk", "absent=some"},
	} {
		var stdout, stderr bytes.Buffer
		if code := cli.Run(t.Context(), args, nil, &stdout, &stderr); code != 2 {
			t.Errorf("%q: exit code %d", args, code)
		}
		if stdout.Len() > 0 || !strings.Contains(stderr.String(), "Usage:") {
			t.Errorf("%q: wrote %q and %q", args, stdout.String(), stderr.String())
		}
	}
}

func TestHelpIsNoMistake(t *testing.T) {
	for _, args := range [][]string{{"help"}, {"-h"}, {"simulate", "-h"}} {
		var out bytes.Buffer
		if code := cli.Run(t.Context(), args, nil, &out, &out); code != 0 || !strings.Contains(out.String(), "Usage:") {
			t.Errorf("%q: exit code %d, %q", args, code, out.String())
		}
	}
}

func TestWhatCannotBeStartedFails(t *testing.T) {
	dir := t.TempDir()
	bad := filepath.Join(dir, "bad.json")
	if err := os.WriteFile(bad, []byte(`{"openconfig-interfaces:interfaces":1}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"--config", filepath.Join(dir, "absent")},
		{"--config", bad},
		{"--state", bad},
		{"--listen", "127.0.0.1:99999"},
		{"--listen", "nowhere"},
		{"--log", filepath.Join(dir, "no", "log")},
		{"--tls-cert", bad, "--tls-key", bad},
	} {
		var stdout, stderr bytes.Buffer
		if code := cli.Run(t.Context(), append([]string{"simulate"}, args...), nil, &stdout, &stderr); code != 1 {
			t.Errorf("%q: exit code %d: %s", args, code, stderr.String())
		}
		if stdout.Len() > 0 || !strings.HasPrefix(stderr.String(), "simulate: ") {
			t.Errorf("%q: wrote %q and %q", args, stdout.String(), stderr.String())
		}
	}
}
