package devicelock

import (
	"context"
	"errors"
	"slices"
	"time"
)

// Pin keeps a device's lease in this process beyond single steps: for a whole
// run. The steps of this registry pass through it as ever; others wait, however
// urgent they are.
type Pin struct {
	gate  *Gate
	step  Step
	timer *time.Timer
}

// Pin takes the device's lease as a step does, waiting its turn, and keeps it
// until Release, or for limit. Without leases it only waits its turn. Errors are
// those of [Gate.Acquire].
//
// If the lease is lost, further steps at the gate fail with a [*LostError] until
// the pin is released: they rely on a run that nobody else interrupts.
func (g *Gate) Pin(ctx context.Context, step Step, limit time.Duration) (*Pin, error) {
	grant, err := g.Acquire(ctx, step)
	if err != nil {
		return nil, err
	}
	defer grant.Release()
	pin := &Pin{gate: g, step: step}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.pins[pin] = struct{}{}
	pin.timer = time.AfterFunc(limit, pin.Release)
	return pin, nil
}

// Release lets others have the device again. It is idempotent.
func (p *Pin) Release() {
	g := p.gate
	g.mu.Lock()
	defer g.mu.Unlock()
	p.timer.Stop()
	delete(g.pins, p)
	if len(g.pins) == 0 {
		g.pinsLost = nil
	}
	g.settle(g.registry.now())
}

// Held reports whether the pin still keeps others away.
func (p *Pin) Held() bool {
	g := p.gate
	g.mu.Lock()
	defer g.mu.Unlock()
	_, pinned := g.pins[p]
	return pinned && g.pinsLost == nil
}

// PinAll pins several devices, one after the other in the order of their keys,
// so that two runs that want the same devices cannot wait for each other. If one
// cannot be had it releases the others.
func (r *Registry) PinAll(ctx context.Context, step Step, limit time.Duration, keys ...string) ([]*Pin, error) {
	var pins []*Pin
	for _, key := range inOrder(keys) {
		pin, err := r.Gate(key).Pin(ctx, step, limit)
		if err != nil {
			for _, pinned := range pins {
				pinned.Release()
			}
			return nil, err
		}
		pins = append(pins, pin)
	}
	return pins, nil
}

// Grants are the holds of several gates.
type Grants struct {
	grants []*Grant
}

// AcquireAll acquires the gates of several devices for one step, one after the
// other in the order of their keys, so that overlapping sets cannot wait for each
// other. If one cannot be had it releases the others. Errors are those of
// [Gate.Acquire]; ctx must not hold one of these gates, or one of a later key.
func (r *Registry) AcquireAll(ctx context.Context, step Step, keys ...string) (*Grants, error) {
	all := &Grants{}
	for _, key := range inOrder(keys) {
		grant, err := r.Gate(key).Acquire(ctx, step)
		if err != nil {
			all.Release()
			return nil, err
		}
		all.grants = append(all.grants, grant)
		ctx = grant.Context()
	}
	return all, nil
}

// Grants returns the holds in the order of their keys.
func (g *Grants) Grants() []*Grant { return slices.Clone(g.grants) }

// Context returns a context that carries all the holds.
func (g *Grants) Context() (context.Context, error) {
	if len(g.grants) == 0 {
		return nil, errors.New("no device is held")
	}
	return g.grants[len(g.grants)-1].Context(), nil
}

// Release hands the gates on, the last one first.
func (g *Grants) Release() {
	for _, grant := range slices.Backward(g.grants) {
		grant.Release()
	}
}

// inOrder returns the keys in the one global order, each once.
func inOrder(keys []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(keys)))
}
