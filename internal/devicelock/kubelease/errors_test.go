package kubelease

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/tools/clientcmd"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock/kubelease/kubetest"
)

// refused is what the first call of a store says.
func refused(t *testing.T, options Options) error {
	t.Helper()
	lease, _, err := open(t, options).Acquire(t.Context(), device, request("a", time.Minute))
	if lease != nil {
		t.Fatal("the store gave a lease")
	}
	return err
}

func TestRefusedCredentialsAreAPermanentError(t *testing.T) {
	server := kubetest.Simulate(t)
	err := refused(t, Options{Kubeconfig: server.KubeconfigFor(t, "expired-token", server.Namespace)})
	says(t, err, true, server.URL(), "does not accept the credentials")
	if strings.Contains(err.Error(), "expired-token") {
		t.Errorf("the error tells the token: %v", err)
	}
}

func TestAUserWhoMayOnlyReadLooksAtLocksAndIsToldTheRoleForMore(t *testing.T) {
	server := kubetest.Simulate(t)
	take(t, openCluster(t, server.Cluster), request("holder", time.Minute))
	options := Options{Kubeconfig: server.KubeconfigFor(t, kubetest.Viewer, server.Namespace)}
	viewer := open(t, options)
	record, err := viewer.Inspect(t.Context(), device)
	if err != nil || record.Holder == nil || record.Holder.ID != "holder" {
		t.Errorf("inspecting: %+v, %v", record, err)
	}
	records, err := viewer.List(t.Context())
	if err != nil || len(records) != 1 {
		t.Errorf("listing: %+v, %v", records, err)
	}
	says(t, refused(t, options), true, server.URL(), "may not use Leases in the namespace \"network\"")
	err = viewer.Break(t.Context(), device, "holder", devicelock.Owner{ID: "viewer"}, time.Second)
	says(t, err, true, server.URL(), "may not use Leases")
}

func TestAMissingNamespaceIsAPermanentErrorThatNamesIt(t *testing.T) {
	server := kubetest.Simulate(t)
	err := refused(t, Options{Kubeconfig: server.Kubeconfig, Namespace: "nowhere"})
	says(t, err, true, server.URL(), "the namespace \"nowhere\" does not exist")
}

func TestACertificateOfAnUnknownAuthorityIsAPermanentError(t *testing.T) {
	server := kubetest.Simulate(t)
	config, err := clientcmd.LoadFromFile(server.Kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	for _, cluster := range config.Clusters {
		cluster.CertificateAuthorityData = nil
	}
	if err := clientcmd.WriteToFile(*config, server.Kubeconfig); err != nil {
		t.Fatal(err)
	}
	says(t, refused(t, Options{Kubeconfig: server.Kubeconfig}), true, server.URL(), "certificate is not trusted")
}

func TestAServerThatIsNotThereMayComeBack(t *testing.T) {
	server := kubetest.Simulate(t)
	server.Stop()
	says(t, refused(t, Options{Kubeconfig: server.Kubeconfig}), false, server.URL(), "connection refused")
}

func TestAServerThatDoesNotAnswerIsGivenUpInTime(t *testing.T) {
	server := kubetest.Simulate(t)
	stuck := make(chan struct{})
	t.Cleanup(func() { close(stuck) }) // before the server, which waits for its requests
	server.Before(func(string, string) { <-stuck })
	err := refused(t, Options{Kubeconfig: server.Kubeconfig, Timeout: 50 * time.Millisecond})
	says(t, err, false, server.URL(), "did not answer in time")
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the cause is hidden: %v", err)
	}
}

func TestAnOverloadedServerIsNoReasonToGiveUp(t *testing.T) {
	server := kubetest.Simulate(t)
	store := openCluster(t, server.Cluster)
	lease := take(t, store, request("holder", time.Minute))
	server.Fail(http.StatusServiceUnavailable)
	says(t, lease.Renew(t.Context(), devicelock.Owner{ID: "holder"}), false, server.URL(), "unable to handle the request")
	server.Fail(0)
	if err := lease.Renew(t.Context(), devicelock.Owner{ID: "holder"}); err != nil {
		t.Errorf("renewing when the server is well again: %v", err)
	}
}

func TestAServerThatStopsFailsEveryCallAndHangsNone(t *testing.T) {
	server := kubetest.Simulate(t)
	store := openCluster(t, server.Cluster)
	lease := take(t, store, request("holder", time.Minute))
	wait(t, store, request("waiter", time.Minute))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	store.Watch(ctx, device)
	eventually(t, "watching", func() bool { return server.Requests("watch") == 2 })
	server.Stop()
	for name, call := range map[string]func() error{
		"acquire": func() error {
			_, _, err := store.Acquire(ctx, device, request("waiter", time.Minute))
			return err
		},
		"inspect":  func() error { _, err := store.Inspect(ctx, device); return err },
		"list":     func() error { _, err := store.List(ctx); return err },
		"withdraw": func() error { return store.Withdraw(ctx, device, "waiter") },
		"break": func() error {
			return store.Break(ctx, device, "holder", devicelock.Owner{ID: "by"}, time.Second)
		},
		"renew":   func() error { return lease.Renew(ctx, devicelock.Owner{ID: "holder"}) },
		"release": func() error { return lease.Release(ctx) },
	} {
		t.Run(name, func(t *testing.T) { says(t, call(), false, server.URL(), server.URL()) })
	}
}
