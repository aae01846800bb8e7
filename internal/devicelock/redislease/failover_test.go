package redislease_test

import (
	"net"
	"testing"
	"time"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock/redislease"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock/redislease/redistest"
)

func TestALeaseThatWasReplicatedOutlivesItsServer(t *testing.T) {
	t.Parallel()
	redistest.NeedReal(t, "it has no replicas")
	master := redistest.Run(t, redistest.Options{Password: secret})
	host, port, err := net.SplitHostPort(master.Addr)
	if err != nil {
		t.Fatal(err)
	}
	replica := redistest.Run(t, redistest.Options{Password: secret, Args: []string{"--replicaof", host, port, "--masterauth", secret}})
	sentinel := master.Sentinel(t, "lock")
	options := redislease.Options{
		Sentinel: redislease.Sentinel{MasterName: "lock", Addresses: []string{sentinel}}, Password: secret, Timeout: 2 * time.Second,
	}
	store := open(t, options)
	lease := take(t, store, "a")
	signals := store.Watch(t.Context(), device)
	hears(t, "its subscription", signals)
	eventually(t, "replication", func() bool {
		n, _ := replica.Do(t, "EXISTS", counts).(int64)
		return n == 1
	})
	says(t, refused(t, redislease.Options{URL: replica.URL()}), false, "is a replica")

	// Sentinel has to know the replica before it can promote it.
	eventually(t, "the discovery of the replica", func() bool { return replicas(t, sentinel) > 0 })
	master.Stop()
	eventually(t, "the failover", func() bool {
		err := lease.Renew(t.Context(), request("a", time.Minute).Owner)
		if err != nil {
			_ = storeError(t, err)
		}
		return err == nil
	})
	hears(t, "its new subscription", signals)
	record := wait(t, open(t, options), "b")
	if record.Holder == nil || record.Holder.ID != "a" || record.Fence != lease.Fence() {
		t.Errorf("the new server has %+v", record)
	}
	if err := lease.Release(t.Context()); err != nil {
		t.Fatal(err)
	}
	hears(t, "the request or the release", signals)
	next, _, err := store.Acquire(t.Context(), device, request("b", time.Minute))
	if err != nil || next == nil || next.Fence() <= lease.Fence() {
		t.Errorf("the next lease: %v, %v", next, err)
	}
}

// replicas is how many a Sentinel knows of the master.
func replicas(t *testing.T, sentinel string) int {
	t.Helper()
	known, _ := (&redistest.Server{Addr: sentinel}).Do(t, "SENTINEL", "REPLICAS", "lock").([]any)
	return len(known)
}

func TestAMasterThatSentinelDoesNotKnowIsNamed(t *testing.T) {
	t.Parallel()
	server := redistest.Run(t, redistest.Options{})
	redistest.NeedReal(t, "it is no Sentinel")
	sentinel := server.Sentinel(t, "lock")
	says(t, refused(t, redislease.Options{Sentinel: redislease.Sentinel{MasterName: "other", Addresses: []string{sentinel}}}),
		true, "know no master of this name")
	take(t, open(t, redislease.Options{URL: "redis://" + sentinel + "?master_name=lock"}), "a")
}

func TestANodeOfAClusterIsNotTakenForASingleServer(t *testing.T) {
	t.Parallel()
	redistest.NeedReal(t, "it serves both ways")
	server := redistest.Run(t, redistest.Options{Cluster: true})
	says(t, refused(t, redislease.Options{URL: "redis://" + server.Addr + "/1"}), true, "belongs to a Redis Cluster")
	take(t, open(t, redislease.Options{URL: "redis://" + server.Addr + "?addr=" + server.Addr}), "a")
}
