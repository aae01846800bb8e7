// Package backend makes the store of leases that a configuration names. One
// table has all settings of the lock: the provider's block, the environment and
// the command line read the same names.
package backend

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock/etcdlease"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock/filelease"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock/kubelease"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock/redislease"
)

// The backends that keep no leases: the lock reaches no farther than one
// process, or does not exist.
const (
	Memory = "memory"
	Off    = "off"
)

// The backends with a store of leases.
const (
	File       = "file"
	Etcd       = "etcd"
	Redis      = "redis"
	Kubernetes = "kubernetes"
)

// Names are the backends that a configuration can name.
func Names() []string { return []string{File, Etcd, Redis, Kubernetes, Memory, Off} }

// Settings say where the lock is kept and how it behaves. Zero fields stand for
// the defaults: the backend [File], and those of [devicelock.Leases].
type Settings struct {
	// Backend is one of [Names].
	Backend string
	// Timeout, TTL and LockDelay are those of devicelock.Leases.
	Timeout, TTL, LockDelay time.Duration
	// Priority is the run's.
	Priority devicelock.Priority
	// Proceed makes steps go on without the lock when its service is down.
	Proceed bool

	// One of these is for the backend.
	File       filelease.Options
	Etcd       etcdlease.Options
	Redis      redislease.Options
	Kubernetes kubelease.Options
}

// Open returns the store of the backend's leases, nil for [Memory] and [Off],
// which have none. It connects to nothing yet. An error names the setting at
// fault, or is a *[devicelock.StoreError].
func (s *Settings) Open() (devicelock.Store, error) {
	switch s.Backend {
	case File, "":
		return filelease.New(s.File), nil
	case Etcd:
		if len(s.Etcd.Endpoints) == 0 {
			return nil, fmt.Errorf("%s needs %s (environment: %s), such as [\"https://192.0.2.5:2379\"]", Etcd, "etcd.endpoints", variable("etcd.endpoints"))
		}
		return opened(etcdlease.New(s.Etcd))
	case Redis:
		return opened(redislease.New(s.Redis))
	case Kubernetes:
		return opened(kubelease.New(s.Kubernetes))
	case Memory, Off:
		return nil, nil
	}
	return nil, fmt.Errorf("there is no backend %q: it must be one of %s", s.Backend, strings.Join(Names(), ", "))
}

// opened keeps a store that there is none of from being a Store that is not nil.
func opened[S devicelock.Store](store S, err error) (devicelock.Store, error) {
	if err != nil {
		return nil, err
	}
	return store, nil
}

// Leases returns how gates use the store, nil without one.
func (s *Settings) Leases(store devicelock.Store, owner devicelock.Owner) *devicelock.Leases {
	if store == nil {
		return nil
	}
	return &devicelock.Leases{
		Store: store, TTL: s.TTL, LockDelay: s.LockDelay, Timeout: s.Timeout, Proceed: s.Proceed, Owner: owner,
	}
}

// Keeps tells whether the backend keeps leases beyond a process.
func (s *Settings) Keeps() bool { return !slices.Contains([]string{Memory, Off}, s.Backend) }

// Longest returns the longest time that one Set may take under the lease's TTL.
func (s *Settings) Longest() time.Duration {
	ttl := s.TTL
	if ttl == 0 {
		ttl = devicelock.DefaultTTL
	}
	return ttl - devicelock.Margin(ttl)
}
