package e2e

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/simulator"
)

// The secrets of the test. Some have what JSON, URLs and HCL write in other ways.
const (
	loginSecret       = `log"in<s>\secret&1`
	environmentSecret = "environment-secret/+2"
	firstSecret       = `first"neighbor<s>\secret&3`
	secondSecret      = "second neighbor secret 4"
)

// echo is the answer of a device that shows what it was sent, as text and as the
// JSON that it came in.
func echo(tb testing.TB, code codes.Code, secret string) error {
	tb.Helper()
	value, err := json.Marshal(map[string]string{"auth-password": secret})
	if err != nil {
		tb.Fatal(err)
	}
	return status.Error(code, fmt.Sprintf("auth-password %s is too weak: %s", secret, value))
}

func TestNoSecretGetsIntoAnythingThatARunLeaves(t *testing.T) {
	t.Parallel()
	eachCommand(t, func(t *testing.T, command string) {
		o := secured(t)
		o.Password = loginSecret
		clientCert, clientKey := certificate(t, "provider")
		o.ClientCA = clientCert
		leaf1 := startDevice(t, o)
		leaf2 := startDevice(t, simulator.Options{Username: "operator", Password: environmentSecret})
		configuration := func(note string, version int) string {
			return `
variable "login" { ephemeral = true }
variable "client_key" { ephemeral = true }
variable "neighbor" {
  sensitive = true
  ephemeral = true
}
` + connection(map[string]string{
				"leaf1": fmt.Sprintf("address = %q, username = \"admin\", password = var.login, tls = { ca_cert = %q, client_cert = %q, client_key = var.client_key }",
					leaf1.Addr(), o.TLSCert, clientCert),
				"leaf2": plaintext(leaf2.Addr()),
			}) + interfaces("leaf1", 1, note) + interfaces("leaf2", 1, note) + bgp("leaf1", 1) + bgp("leaf2", 1) +
				guarded("leaf1", 1, "var.neighbor", version) + guarded("leaf2", 1, "var.neighbor", version)
		}
		w := newWorkspace(t, command, configuration("visible-1", 1))
		settings := []string{
			"TF_LOG=TRACE", "TF_LOG_PATH=" + filepath.Join(w.dir, "log"),
			"OPENCONFIG_EVENTS_FILE=" + w.events(), "OPENCONFIG_METRICS_FILE=" + filepath.Join(w.dir, "metrics.prom"),
			"OPENCONFIG_LOCK_BACKEND=file", "OPENCONFIG_LOCK_FILE_DIRECTORY=" + filepath.Join(w.dir, "locks"),
			"OPENCONFIG_USERNAME=operator", "OPENCONFIG_PASSWORD=" + environmentSecret,
			"TF_VAR_login=" + loginSecret, "TF_VAR_client_key=" + string(clientKey),
		}
		w.env = append(settings, "TF_VAR_neighbor="+firstSecret)
		left := reach{}
		note := func(what string, r result) result {
			left["the output of "+what] = []byte(r.output)
			return r
		}
		// Several runs write the same files, so what they left is looked at in between.
		look := func(where string) {
			t.Helper()
			left.files(t, w.dir)
			// Of a key, any line will do.
			keyLine := strings.Split(string(clientKey), "\n")[1]
			for name, secret := range map[string]string{
				"the password": loginSecret, "the password of the environment": environmentSecret, "the key": keyLine,
				"the neighbor's first": firstSecret, "the neighbor's second": secondSecret,
			} {
				for _, place := range left.shows(t, secret) {
					t.Errorf("%s: %s is in %s", where, name, place)
				}
			}
		}

		note("plan", w.run("plan", "-out=plan")).succeeded()
		note("show", w.run("show", "-json", "plan")).succeeded()
		note("a saved plan's apply", w.run("apply", "plan")).succeeded()
		if got, _ := leaf1.Leaf(instance + "/protocols/protocol[identifier=BGP][name=BGP]/bgp/neighbors/neighbor[neighbor-address=198.51.100.1]/config/auth-password"); got != firstSecret {
			t.Errorf("the device has the password %q", got)
		}
		look("create")
		for _, place := range []string{"the output of plan", "the output of show", "plan/tfplan", "terraform.tfstate"} {
			if !strings.Contains(string(left[place]), "visible-1") {
				t.Errorf("nothing of the run is in %q", place)
			}
		}
		for place, sign := range map[string]string{"log": "gNMI Set", "events.jsonl": "openconfig_bgp_neighbor", "metrics.prom": leaf1.Addr()} {
			if !strings.Contains(string(left[place]), sign) {
				t.Errorf("nothing of the run is in %q", place)
			}
		}

		w.env = append(settings, "TF_VAR_neighbor="+secondSecret)
		w.write(configuration("visible-2", 2))
		note("update", w.apply()).succeeded()
		look("update")

		w.env = append(settings, "TF_VAR_neighbor="+firstSecret)
		w.write(configuration("visible-2", 3))
		leaf1.FailNextSet(echo(t, codes.InvalidArgument, firstSecret))
		leaf2.FailNextSet(echo(t, codes.FailedPrecondition, firstSecret))
		r := note("refused update", w.apply()).failed("auth-password (secret) is too weak")
		t.Log(firstError(r))
		look("refused")

		w.write(configuration("visible-2", 4))
		leaf1.FailNextSet(echo(t, codes.Unauthenticated, loginSecret))
		leaf2.FailNextSet(echo(t, codes.PermissionDenied, environmentSecret))
		r = note("refused login", w.apply()).failed("auth-password (secret) is too weak")
		t.Log(firstError(r))
		look("refused login")

		note("destroy", w.destroy()).succeeded()
		look("destroy")
	})
}

func TestNoSecretGetsIntoTheErrorsAboutItself(t *testing.T) {
	t.Parallel()
	const secret = "hush/4711"
	cert, key := certificate(t, "provider")
	body := strings.Split(strings.TrimSpace(string(key)), "\n")[1]
	address := refusedAddress(t)
	redis := func(url string) []string {
		return []string{"OPENCONFIG_LOCK_BACKEND=redis", "OPENCONFIG_LOCK_REDIS_URL=" + url}
	}
	etcd := func(settings ...string) []string {
		return append(settings, "OPENCONFIG_LOCK_BACKEND=etcd", "OPENCONFIG_LOCK_ETCD_ENDPOINTS=https://"+address)
	}
	eachCommand(t, func(t *testing.T, command string) {
		for name, test := range map[string]struct {
			env          []string
			secret, says string
		}{
			"a Redis that is not there":         {redis("redis://ops:hush%2F4711@" + address), secret, "lock service redis"},
			"a Redis URL without a port":        {redis("redis://ops:hush%2F4711@127.0.0.1:port"), secret, "the URL is not understood"},
			"a Redis URL with a bare slash":     {redis("redis://ops:" + secret + "@" + address), secret, "the URL is not understood"},
			"a Redis URL of another scheme":     {redis("http://ops:hush%2F4711@" + address), secret, "the URL is not understood"},
			"a Redis URL without a scheme":      {redis("ops:hush%2F4711@" + address), secret, "the URL is not understood"},
			"an etcd that is not there":         {etcd("OPENCONFIG_LOCK_ETCD_USERNAME=ops", "OPENCONFIG_LOCK_ETCD_PASSWORD="+secret), secret, "lock service etcd"},
			"an etcd key without its PEM lines": {etcd("OPENCONFIG_LOCK_ETCD_CLIENT_KEY="+body, "OPENCONFIG_LOCK_ETCD_CLIENT_CERT="+string(cert)), body, "read the client key"},
			"a device key without PEM lines":    {[]string{"OPENCONFIG_TLS_CLIENT_KEY=" + body, "OPENCONFIG_TLS_CLIENT_CERT=" + string(cert)}, body, "tls.client_key is neither PEM text nor a readable file"},
			"a device key without an end":       {[]string{"OPENCONFIG_TLS_CLIENT_KEY=" + string(key[:len(key)/2]), "OPENCONFIG_TLS_CLIENT_CERT=" + string(cert)}, body, "tls.client_cert and tls.client_key do not fit together"},
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				d := startDevice(t, simulator.Options{})
				settings := plaintext(d.Addr())
				if strings.HasPrefix(name, "a device") {
					settings = fmt.Sprintf("address = %q", d.Addr())
				}
				w := newWorkspace(t, command, connection(map[string]string{"leaf1": settings})+interfaces("leaf1", 1, "x"))
				w.env = append([]string{"TF_LOG=TRACE", "TF_LOG_PATH=" + filepath.Join(w.dir, "log"), "OPENCONFIG_EVENTS_FILE=" + w.events()}, test.env...)
				r := w.apply().failed(test.says)
				t.Log(firstError(r))
				left := reach{"the output": []byte(r.output)}
				left.files(t, w.dir)
				for _, place := range left.shows(t, test.secret) {
					t.Errorf("it is in %s", place)
				}
				d.untouched()
			})
		}
	})
}
