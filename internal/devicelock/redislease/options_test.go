package redislease_test

import (
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock/clienttls"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock/redislease"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock/redislease/redistest"
)

const secret = "hunter2"

func TestWrongCredentialsAreNamed(t *testing.T) {
	server := redistest.Run(t, redistest.Options{Password: secret})
	plain := redistest.Start(t)
	take(t, open(t, redislease.Options{URL: "redis://" + server.Addr, Password: secret}), "a")
	take(t, open(t, redislease.Options{URL: "redis://:wrong@" + server.Addr, Username: "default", Password: secret}), "a")

	for name, test := range map[string]struct {
		options redislease.Options
		want    string
	}{
		"a wrong password":              {redislease.Options{URL: "redis://:not" + secret + "@" + server.Addr}, "does not accept the user name or the password"},
		"an unknown user":               {redislease.Options{URL: "redis://" + server.Addr, Username: "nobody", Password: "not" + secret}, "does not accept the user name or the password"},
		"no password":                   {redislease.Options{URL: "redis://" + server.Addr}, "wants a password, and none is configured"},
		"a database that is not there":  {redislease.Options{URL: "redis://" + plain + "/9999"}, "no database of this number"},
		"a Cluster that is none at all": {redislease.Options{Cluster: []string{plain}}, "does not belong to a Redis Cluster"},
	} {
		t.Run(name, func(t *testing.T) {
			if strings.Contains(name, "database") || strings.Contains(name, "Cluster") {
				redistest.NeedReal(t, "it has any number of databases, and is always a Cluster")
			}
			err := refused(t, test.options)
			says(t, err, true, test.want)
			if strings.Contains(err.Error(), secret) {
				t.Errorf("the password is in the error: %v", err)
			}
		})
	}
}

func TestAServerThatIsNotThereMayComeBack(t *testing.T) {
	server := redistest.Run(t, redistest.Options{})
	server.Stop()
	says(t, refused(t, redislease.Options{URL: server.URL()}), false, "refused")
	says(t, refused(t, redislease.Options{Cluster: []string{server.Addr}}), false, "Cluster "+server.Addr)
	says(t, refused(t, redislease.Options{Sentinel: redislease.Sentinel{MasterName: "lock", Addresses: []string{server.Addr}}}),
		false, "master lock of Sentinel "+server.Addr)
}

func TestTheRightsInTheDocumentationSuffice(t *testing.T) {
	redistest.NeedReal(t, "it knows no rules for users")
	server := redistest.Run(t, redistest.Options{})
	text, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	_, rules, ok := strings.Cut(string(text), "~terraform")
	rules, _, end := strings.Cut(rules, "//\t(in")
	if !ok || !end {
		t.Fatal("the rules are not in the documentation")
	}
	rule := []any{"ACL", "SETUSER", "lock", "on", ">" + secret}
	for _, field := range strings.Fields(strings.ReplaceAll("~terraform"+rules, "//", "")) {
		rule = append(rule, field)
	}
	server.Do(t, rule...)

	store := open(t, redislease.Options{URL: "redis://lock:" + secret + "@" + server.Addr})
	hears(t, "its subscription", store.Watch(t.Context(), device))
	lease := take(t, store, "a")
	if record := wait(t, store, "b"); len(record.Waiting) != 1 {
		t.Errorf("waiting %+v", record.Waiting)
	}
	if err := lease.Renew(t.Context(), request("a", time.Minute).Owner); err != nil {
		t.Error(err)
	}
	if records, err := store.List(t.Context()); err != nil || len(records) != 1 {
		t.Errorf("listed %+v, %v", records, err)
	}
	if err := store.Withdraw(t.Context(), device, "b"); err != nil {
		t.Error(err)
	}
	if err := store.Break(t.Context(), device, "a", devicelock.Owner{}, 0); err != nil {
		t.Error(err)
	}

	for what, rule := range map[string]string{"command": "-pexpire", "key": "resetkeys", "channel": "resetchannels"} {
		user := "no-" + what
		server.Do(t, "ACL", "SETUSER", user, "on", ">"+secret, "allkeys", "allchannels", "allcommands", rule)
		store := open(t, redislease.Options{URL: "redis://" + user + ":" + secret + "@" + server.Addr})
		_, _, err := store.Acquire(t.Context(), what, request("a", time.Minute))
		if err == nil {
			_, _, err = store.Acquire(t.Context(), what, request("b", time.Minute))
		}
		says(t, storeError(t, err), true, "may not do what the lock needs")
	}
}

func TestTLSWorksBothWaysRound(t *testing.T) {
	certificates := redistest.NewCertificates(t)
	server := redistest.Run(t, redistest.Options{TLS: certificates, Password: secret})
	dir := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	inText := redislease.TLS{Settings: clienttls.Settings{CACert: certificates.CA, ClientCert: certificates.ClientCert, ClientKey: certificates.ClientKey}}
	inFiles := redislease.TLS{Settings: clienttls.Settings{
		CACert: file("ca", certificates.CA), ClientCert: file("cert", certificates.ClientCert), ClientKey: file("key", certificates.ClientKey),
	}}
	unchecked := inText
	unchecked.CACert, unchecked.SkipVerify = "", true
	for _, config := range []redislease.TLS{inText, inFiles, unchecked} {
		take(t, open(t, redislease.Options{URL: server.URL(), TLS: config}), "a")
	}
	hears(t, "its subscription", open(t, redislease.Options{URL: server.URL(), TLS: inText}).Watch(t.Context(), device))

	stranger := redistest.NewCertificates(t)
	for name, test := range map[string]struct {
		change    func(*redislease.TLS)
		permanent bool
		want      string
	}{
		"another authority":     {func(c *redislease.TLS) { c.CACert = stranger.CA }, true, "not trusted: check the CA certificate"},
		"the system's":          {func(c *redislease.TLS) { c.CACert = "" }, true, "not trusted: check the CA certificate"},
		"another name":          {func(c *redislease.TLS) { c.ServerName = "redis.example" }, true, "for another name"},
		"no client certificate": {func(c *redislease.TLS) { c.ClientCert, c.ClientKey = "", "" }, true, "check the client certificate"},
		"a stranger's certificate": {func(c *redislease.TLS) {
			c.ClientCert, c.ClientKey = stranger.ClientCert, stranger.ClientKey
		}, true, "check the client certificate"},
	} {
		t.Run(name, func(t *testing.T) {
			config := inText
			test.change(&config)
			says(t, refused(t, redislease.Options{URL: server.URL(), TLS: config}), test.permanent, test.want)
		})
	}
	says(t, refused(t, redislease.Options{URL: "redis://" + server.Addr}), false, "rediss://")
}

func TestAServerWithoutTLSIsNamed(t *testing.T) {
	// A plain server takes a greeting in TLS for half a line, or for nonsense.
	says(t, refused(t, redislease.Options{URL: "rediss://" + redistest.Start(t), Timeout: 500 * time.Millisecond}),
		false, "does not talk TLS at this port")

	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var running sync.WaitGroup
	running.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = io.WriteString(conn, "-ERR unknown command\r\n")
			_ = conn.Close()
		}
	})
	t.Cleanup(running.Wait)
	t.Cleanup(func() { _ = listener.Close() })
	says(t, refused(t, redislease.Options{URL: "rediss://" + listener.Addr().String()}), true, "does not talk TLS at this port")
}

func TestOptionsThatCannotBeAreRefused(t *testing.T) {
	certificates := redistest.NewCertificates(t)
	const url = "redis://127.0.0.1"
	for name, test := range map[string]struct {
		options redislease.Options
		want    string
	}{
		"nothing":               {redislease.Options{}, "not said where Redis is"},
		"two at once":           {redislease.Options{URL: url, Cluster: []string{"127.0.0.1:7000"}}, "only one of"},
		"Sentinels of nothing":  {redislease.Options{Sentinel: redislease.Sentinel{Addresses: []string{"127.0.0.1:26379"}}}, "the master's name"},
		"a Sentinel's password": {redislease.Options{Sentinel: redislease.Sentinel{Password: secret}}, "the master's name"},
		"a database in Cluster": {redislease.Options{Cluster: []string{"127.0.0.1:7000"}, Database: 1}, "one database only"},
		"a database and a URL":  {redislease.Options{URL: url, Database: 1}, "into the URL"},
		"braces":                {redislease.Options{URL: url, Prefix: "a{b}"}, "braces"},
		"TLS for redis:":        {redislease.Options{URL: url, TLS: redislease.TLS{Settings: clienttls.Settings{SkipVerify: true}}}, "rediss://"},
		"a certificate alone":   {redislease.Options{URL: "rediss://h", TLS: redislease.TLS{Settings: clienttls.Settings{ClientCert: certificates.ClientCert}}}, "together"},
		"two that do not match": {redislease.Options{URL: "rediss://h", TLS: redislease.TLS{Settings: clienttls.Settings{ClientCert: certificates.CA, ClientKey: certificates.ClientKey}}}, "client certificate and key"},
		"a file that is not":    {redislease.Options{URL: "rediss://h", TLS: redislease.TLS{Settings: clienttls.Settings{CACert: "/does/not/exist"}}}, "CA certificate"},
		"no certificate in it":  {redislease.Options{URL: "rediss://h", TLS: redislease.TLS{Settings: clienttls.Settings{CACert: "-----BEGIN nothing"}}}, "no certificate"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := redislease.New(test.options)
			says(t, storeError(t, err), true, test.want)
		})
	}
}

func TestNoErrorHasThePasswordOfTheURL(t *testing.T) {
	for _, url := range []string{
		"redis://user:" + secret + "%zz@host:6379",
		"redis://user:a/" + secret + "@host:6379",
		"redis://user:1/" + secret + "@host:6379",
		"redis://user:1?" + secret + "@host:6379",
		"redis://user:1?addr=" + secret + "@host",
		"redis://user:1?master_name=m&x=" + secret,
		"redis://user:1#" + secret + "@host:6379/x",
		"user:" + secret + "@host:6379",
		secret,
		"http://" + secret + "@host",
	} {
		_, err := redislease.New(redislease.Options{URL: url})
		if err != nil && strings.Contains(err.Error(), secret) {
			t.Errorf("%s: %v", url, err)
		}
		if err == nil && !strings.Contains(url, "#") {
			t.Errorf("%s was accepted", url)
		}
	}
}

func TestPrefixesKeepLocksApart(t *testing.T) {
	addr := redistest.Start(t)
	for _, prefix := range []string{"", "a*[b]?\\", "a", "terraform-provider-openconfig:lock:more:"} {
		store := open(t, redislease.Options{URL: "redis://" + addr, Prefix: prefix})
		take(t, store, "owner of "+prefix)
		records, err := store.List(t.Context())
		if err != nil || len(records) != 1 || records[0].Key != device || records[0].Holder.ID != "owner of "+prefix {
			t.Errorf("%q lists %+v, %v", prefix, records, err)
		}
	}
}
