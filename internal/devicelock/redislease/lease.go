package redislease

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
)

// lease is one owner's hold of a key.
type lease struct {
	store           *Store
	names           names
	id              string
	fence, previous uint64
	ttl             time.Duration
}

var _ devicelock.Lease = (*lease)(nil)

// Fence implements [devicelock.Lease].
func (l *lease) Fence() uint64 { return l.fence }

// Orphaned implements [devicelock.Lease]: Redis frees a key that was not
// released only when its TTL has run out.
func (l *lease) Orphaned() bool { return false }

// Consecutive implements [devicelock.Lease].
func (l *lease) Consecutive(fence uint64) bool { return fence != 0 && fence == l.previous }

// Renew implements [devicelock.Lease] with one round trip.
func (l *lease) Renew(ctx context.Context, owner devicelock.Owner) error {
	record, err := json.Marshal(owner)
	if err != nil {
		return l.store.fail(fmt.Errorf("write the owner's record: %w", err))
	}
	renewed, err := l.store.run(ctx, nil, l.store.scripts.renew, l.names.keys, l.id, l.token(), record, milliseconds(l.ttl))
	if err != nil {
		return err
	}
	if renewed == int64(0) {
		return fmt.Errorf("renew in %s at %s: %w", backend, l.store.server.endpoint, devicelock.ErrLeaseLost)
	}
	return nil
}

// Release implements [devicelock.Lease] with one round trip.
func (l *lease) Release(ctx context.Context) error {
	_, err := l.store.run(ctx, nil, l.store.scripts.free, l.names.keys, l.id, l.token(), l.names.channel, l.store.origin)
	return err
}

// token is the fence as the scripts compare it.
func (l *lease) token() string { return strconv.FormatUint(l.fence, 10) }
