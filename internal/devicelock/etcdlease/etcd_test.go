package etcdlease_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock/clienttls"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock/etcdlease"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock/etcdlease/etcdtest"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock/redislease/redistest"
)

const device = "192.0.2.1:9339"

func request(id string) devicelock.Request {
	return devicelock.Request{Owner: devicelock.Owner{ID: id, User: id}, TTL: time.Minute}
}

func take(t *testing.T, store *etcdlease.Store, id string) devicelock.Lease {
	t.Helper()
	lease, record, err := store.Acquire(t.Context(), device, request(id))
	if err != nil || lease == nil {
		t.Fatalf("%s did not get the device: %+v, %v", id, record, err)
	}
	return lease
}

// refused expects a call to fail for a reason that the error tells.
func refused(t *testing.T, store *etcdlease.Store, permanent bool, says ...string) {
	t.Helper()
	_, err := store.Inspect(t.Context(), device)
	var failure *devicelock.StoreError
	if !errors.As(err, &failure) || failure.Backend != "etcd" || failure.Permanent != permanent {
		t.Fatalf("error %#v (%v), want a StoreError, permanent %v", err, err, permanent)
	}
	for _, text := range append(says, failure.Endpoint) {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("%q does not say %q", err, text)
		}
	}
}

// administer returns a client of the server.
func administer(t *testing.T, server *etcdtest.Server) *clientv3.Client {
	t.Helper()
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{server.Endpoint}, Logger: zap.NewNop(), DialTimeout: 5 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return client
}

func must[T any](t *testing.T) func(answer T, err error) T {
	return func(answer T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return answer
	}
}

func TestCredentialsAreUsedAndWrongOnesNamed(t *testing.T) {
	server := etcdtest.Start(t)
	admin := administer(t, server)
	for user, prefix := range map[string]string{"root": "", "lock": "/locks/", "other": "/other/"} {
		must[*clientv3.AuthRoleAddResponse](t)(admin.RoleAdd(t.Context(), user))
		must[*clientv3.AuthUserAddResponse](t)(admin.UserAdd(t.Context(), user, "secret of "+user))
		must[*clientv3.AuthUserGrantRoleResponse](t)(admin.UserGrantRole(t.Context(), user, user))
		if prefix != "" {
			must[*clientv3.AuthRoleGrantPermissionResponse](t)(admin.RoleGrantPermission(t.Context(), user, prefix,
				clientv3.GetPrefixRangeEnd(prefix), clientv3.PermissionType(clientv3.PermReadWrite)))
		}
	}
	must[*clientv3.AuthEnableResponse](t)(admin.AuthEnable(t.Context()))
	options := etcdlease.Options{Endpoints: []string{server.Endpoint}, Prefix: "/locks/", Username: "lock", Password: "secret of lock"}

	store := open(t, options)
	lease := take(t, store, "a")
	if err := lease.Renew(t.Context(), devicelock.Owner{ID: "a"}); err != nil {
		t.Errorf("renewing with the prefix's rights alone: %v", err)
	}
	if err := store.Break(t.Context(), device, "a", devicelock.Owner{ID: "b"}, 2*time.Second); err != nil {
		t.Errorf("freeing with the prefix's rights alone: %v", err)
	}

	wrong := options
	wrong.Password = "guess"
	refused(t, open(t, wrong), true, "user name or the password")
	without := options
	without.Username, without.Password = "", ""
	refused(t, open(t, without), true, "wants a user name")
	elsewhere := options
	elsewhere.Username, elsewhere.Password = "other", "secret of other"
	refused(t, open(t, elsewhere), true, "may not read and write the keys")
}

func TestTLSWorksBothWaysRound(t *testing.T) {
	certificates := redistest.NewCertificates(t)
	file := func(name, content string) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	cert, key := certificates.ServerPEM()
	server := etcdtest.StartTLS(t, file("cert", cert), file("key", key), file("ca", certificates.CA))
	mutual := clienttls.Settings{CACert: certificates.CA, ClientCert: certificates.ClientCert, ClientKey: certificates.ClientKey}
	with := func(endpoint string, settings clienttls.Settings) *etcdlease.Store {
		return open(t, etcdlease.Options{Endpoints: []string{endpoint}, Settings: settings})
	}
	_ = take(t, with(server.Endpoint, mutual), "a").Release(t.Context())
	_, address, _ := strings.Cut(server.Endpoint, "://")
	_ = take(t, with(address, mutual), "b").Release(t.Context()) // TLS by the settings alone

	unchecked := mutual
	unchecked.CACert, unchecked.SkipVerify = "", true
	_ = take(t, with(server.Endpoint, unchecked), "c").Release(t.Context())

	unknown := mutual
	unknown.CACert = redistest.NewCertificates(t).CA
	refused(t, with(server.Endpoint, unknown), true, "not trusted", "CA certificate")
	misnamed := mutual
	misnamed.ServerName = "etcd.example"
	refused(t, with(server.Endpoint, misnamed), true, "another name")
	anonymous := mutual
	anonymous.ClientCert, anonymous.ClientKey = "", ""
	// Whether the server's reason arrives before it closes the connection is
	// chance.
	if _, err := with(server.Endpoint, anonymous).Inspect(t.Context(), device); err == nil || !strings.Contains(err.Error(), "client certificate") {
		t.Errorf("without a client certificate: %v", err)
	}

	plain := etcdtest.Start(t)
	_, address, _ = strings.Cut(plain.Endpoint, "://")
	refused(t, with("https://"+address, mutual), false, "does not talk TLS")
	_, address, _ = strings.Cut(server.Endpoint, "://")
	refused(t, open(t, etcdlease.Options{Endpoints: []string{address}}), false, "expects TLS", "https://")
}

func TestAServerThatIsNotThereIsNamedAndMayComeBack(t *testing.T) {
	server := etcdtest.Start(t)
	store := open(t, etcdlease.Options{Endpoints: []string{server.Endpoint}})
	lease := take(t, store, "a")
	server.Stop()
	refused(t, store, false, "connection refused")
	var failure *devicelock.StoreError
	if err := lease.Renew(t.Context(), devicelock.Owner{ID: "a"}); !errors.As(err, &failure) || errors.Is(err, devicelock.ErrLeaseLost) {
		t.Errorf("a server that is gone is no lost lease: %v", err)
	}
	server.Restart(t)
	deadline, again := time.After(20*time.Second), time.NewTicker(100*time.Millisecond)
	defer again.Stop()
	for {
		err := lease.Renew(t.Context(), devicelock.Owner{ID: "a"})
		if err == nil {
			return
		}
		select {
		case <-again.C:
		case <-deadline:
			t.Fatalf("after the server came back: %v", err)
		}
	}
}

func TestACallEndsWithItsContextAndWithTheStore(t *testing.T) {
	server := etcdtest.Start(t)
	store := open(t, etcdlease.Options{Endpoints: []string{server.Endpoint}})
	take(t, store, "a")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := store.Acquire(ended, device, request("b")); !errors.Is(err, context.Canceled) {
		t.Errorf("with a context that ended: %v", err)
	}
	if err := store.Withdraw(t.Context(), device, "b"); err != nil {
		t.Errorf("withdrawing after that: %v", err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	refused(t, store, false, "closed")
}

func TestAWatcherHearsOfAReleaseAcrossACompaction(t *testing.T) {
	server := etcdtest.Start(t)
	one, other := open(t, etcdlease.Options{Endpoints: []string{server.Endpoint}}), open(t, etcdlease.Options{Endpoints: []string{server.Endpoint}})
	lease := take(t, one, "a")
	signals := other.Watch(t.Context(), device)
	hears := func(what string) {
		t.Helper()
		select {
		case <-signals:
		case <-time.After(20 * time.Second):
			t.Fatalf("no word of %s", what)
		}
	}
	hears("the beginning")
	admin := administer(t, server)
	var revision int64
	for range 20 {
		revision = must[*clientv3.PutResponse](t)(admin.Put(t.Context(), "/elsewhere", "x")).Header.Revision
	}
	must[*clientv3.CompactResponse](t)(admin.Compact(t.Context(), revision))
	if err := lease.Release(t.Context()); err != nil {
		t.Fatal(err)
	}
	hears("a release")
	// Its own doing is no news.
	if _, _, err := other.Acquire(t.Context(), device, request("b")); err != nil {
		t.Fatal(err)
	}
	select {
	case <-signals:
		t.Error("a watcher was told of its own doing")
	case <-time.After(300 * time.Millisecond):
	}
}

func TestWhatAWaiterLeavesGoesWithItsRequest(t *testing.T) {
	server := etcdtest.Start(t)
	admin := administer(t, server)
	store := open(t, etcdlease.Options{Endpoints: []string{server.Endpoint}, Prefix: "/locks"})
	lease := take(t, store, "a")
	for _, id := range []string{"b", "c"} {
		if got, _, err := store.Acquire(t.Context(), device, request(id)); got != nil || err != nil {
			t.Fatalf("%s: %v, %v", id, got, err)
		}
	}
	if err := errors.Join(store.Withdraw(t.Context(), device, "b"), store.Withdraw(t.Context(), device, "c"), lease.Release(t.Context())); err != nil {
		t.Fatal(err)
	}
	left := must[*clientv3.GetResponse](t)(admin.Get(t.Context(), "/locks/", clientv3.WithPrefix(), clientv3.WithKeysOnly()))
	if len(left.Kvs) != 1 || !strings.HasSuffix(string(left.Kvs[0].Key), "/last") {
		t.Errorf("left are %v, want the last fence alone", left.Kvs)
	}
	if leases := must[*clientv3.LeaseLeasesResponse](t)(admin.Leases(t.Context())); len(leases.Leases) != 0 {
		t.Errorf("%d leases of etcd are left", len(leases.Leases))
	}
}

func TestOptionsThatCannotBeAreRefused(t *testing.T) {
	for name, tt := range map[string]struct {
		options etcdlease.Options
		says    string
	}{
		"no endpoint":       {etcdlease.Options{}, "endpoints"},
		"no port":           {etcdlease.Options{Endpoints: []string{"https://etcd"}}, "host:port"},
		"another scheme":    {etcdlease.Options{Endpoints: []string{"redis://etcd:2379"}}, "host:port"},
		"mixed":             {etcdlease.Options{Endpoints: []string{"https://a:1", "http://b:1"}}, "http://"},
		"a user alone":      {etcdlease.Options{Endpoints: []string{"a:1"}, Username: "x"}, "together"},
		"no such file":      {etcdlease.Options{Endpoints: []string{"a:1"}, Settings: clienttls.Settings{CACert: "/no/such/file"}}, "CA certificate"},
		"a password inside": {etcdlease.Options{Endpoints: []string{"https://user:hunter2@a:1"}}, "host:port"},
	} {
		_, err := etcdlease.New(tt.options)
		var failure *devicelock.StoreError
		if !errors.As(err, &failure) || !failure.Permanent || !strings.Contains(err.Error(), tt.says) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
