// Package asking keeps track of who asks a store for a lease: an Acquire whose
// caller has left may still be carried out, so a Withdraw has to wait for it.
package asking

import (
	"context"
	"sync"
)

// Owners are those whose Acquire is under way. The zero value is nobody. It is
// safe for concurrent use.
type Owners struct {
	mu sync.Mutex
	// over has, by the owner's id, when the last Acquire is over.
	over map[string]chan struct{}
}

// Begin notes that the owner with this id asks, until end is called, once.
func (o *Owners) Begin(id string) (end func()) {
	over := make(chan struct{})
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.over == nil {
		o.over = map[string]chan struct{}{}
	}
	o.over[id] = over
	return func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		if o.over[id] == over {
			delete(o.over, id)
		}
		close(over)
	}
}

// Wait waits until the owner's last Acquire is over. It returns ctx's error if
// that ends first.
func (o *Owners) Wait(ctx context.Context, id string) error {
	o.mu.Lock()
	over := o.over[id]
	o.mu.Unlock()
	if over == nil {
		return nil
	}
	select {
	case <-over:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
