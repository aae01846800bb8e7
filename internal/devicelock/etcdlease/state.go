package etcdlease

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"go.etcd.io/etcd/api/v3/mvccpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
)

// names are what a device's keys are called in etcd.
type names struct {
	all, holder, last, waiters string
}

// The parts of a device's names.
const (
	holderPart  = "holder"
	lastPart    = "last"
	waitersPart = "waiters/"
)

func (s *Store) names(key string) names {
	all := s.prefix + url.PathEscape(key) + "/"
	return names{all: all, holder: all + holderPart, last: all + lastPart, waiters: all + waitersPart}
}

// class is what the names of requests of a priority begin with.
func (n *names) class(priority devicelock.Priority) string {
	if priority == devicelock.Urgent {
		return n.waiters + "0/"
	}
	return n.waiters + "1/"
}

// waiter is the name of a request.
func (n *names) waiter(owner *devicelock.Owner) string {
	return n.class(owner.Priority) + url.PathEscape(owner.ID)
}

// parse returns the device and the part of a name; ok is false for a name that
// the store did not give.
func (s *Store) parse(name string) (key, part string, ok bool) {
	rest, ok := strings.CutPrefix(name, s.prefix)
	if !ok {
		return "", "", false
	}
	escaped, part, ok := strings.Cut(rest, "/")
	if !ok {
		return "", "", false
	}
	key, err := url.PathUnescape(escaped)
	return key, part, err == nil
}

// entry is the value of a key.
type entry struct {
	// Origin is the store that wrote it.
	Origin string           `json:"origin"`
	Owner  devicelock.Owner `json:"owner,omitzero"`
}

func encode(e entry) (string, error) {
	text, err := json.Marshal(e)
	return string(text), err
}

// kept is an entry with where it is kept.
type kept struct {
	entry
	name  string
	lease clientv3.LeaseID
	// fence is the revision that created it.
	fence uint64
}

// state is what etcd has about a device.
type state struct {
	revision int64
	holder   *kept
	waiting  []kept // the next one first
	last     uint64 // the last holder's fence
}

// read returns the state of a device.
func read(ctx context.Context, client *clientv3.Client, names names) (*state, error) {
	answer, err := client.Get(ctx, names.all, clientv3.WithPrefix())
	if err != nil {
		return nil, err
	}
	s := &state{revision: answer.Header.Revision}
	for _, kv := range answer.Kvs {
		if err := s.add(strings.TrimPrefix(string(kv.Key), names.all), kv); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// add adds what etcd has under a part of a device's names.
func (s *state) add(part string, kv *mvccpb.KeyValue) error {
	isWaiter := strings.HasPrefix(part, waitersPart)
	if part == lastPart {
		s.last = uint64(kv.ModRevision)
	}
	if part != holderPart && !isWaiter {
		return nil
	}
	k := kept{name: string(kv.Key), lease: clientv3.LeaseID(kv.Lease), fence: uint64(kv.CreateRevision)}
	if err := json.Unmarshal(kv.Value, &k.entry); err != nil {
		return fmt.Errorf("the value of %s is not the lock's: %w", kv.Key, err)
	}
	if !isWaiter {
		s.holder = &k
		return nil
	}
	// Names begin with the class.
	at, _ := slices.BinarySearchFunc(s.waiting, k, func(a, b kept) int {
		return cmp.Or(cmp.Compare(class(a.name), class(b.name)), cmp.Compare(a.fence, b.fence))
	})
	s.waiting = slices.Insert(s.waiting, at, k)
	return nil
}

// class is the class in a waiter's name.
func class(name string) string {
	parts := strings.Split(name, "/")
	return parts[len(parts)-2]
}

// record returns the state as others see it.
func (s *state) record(ctx context.Context, client *clientv3.Client, key string) (devicelock.Record, error) {
	record := devicelock.Record{Key: key}
	for i := range s.waiting {
		record.Waiting = append(record.Waiting, s.waiting[i].Owner)
	}
	if s.holder == nil {
		return record, nil
	}
	owner := s.holder.Owner
	record.Holder, record.Fence = &owner, s.holder.fence
	now := time.Now()
	left, err := client.TimeToLive(ctx, s.holder.lease)
	switch {
	case err == nil && left.TTL >= 0:
		record.Expires = now.Add(time.Duration(left.TTL) * time.Second)
	case err == nil || errors.Is(err, rpctypes.ErrLeaseNotFound):
		record.Expires = now // it has just ended
	default:
		return devicelock.Record{}, err
	}
	return record, nil
}
