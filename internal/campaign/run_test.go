package campaign

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/acctest"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/simulator"
)

// state is what Terraform keeps of a resource between two runs.
type state struct {
	want
	value   tftypes.Value
	tainted bool
}

// workspace is a configuration's state, and the device that it is about.
type workspace struct {
	target *simulator.Target
	states map[string]state
	// batch puts steps that wait into one Set.
	batch bool
	// verify is how long the device may take to show what it accepted.
	verify string
}

// settings are those of a provider that gives up soon.
func (w *workspace) settings() map[string]any {
	return map[string]any{
		"plaintext": true, "connect_timeout": "2s", "read_timeout": "2s", "set_timeout": "1s", "retry_timeout": "3s",
		"batch": w.batch, "verify_timeout": w.verify,
		"lock":    map[string]any{"backend": "memory", "lock_delay": "600ms"},
		"devices": map[string]any{"leaf1": map[string]any{"address": w.target.Addr()}},
	}
}

// run is one run of Terraform, with a provider process of its own.
type run struct {
	*workspace
	plugin    *acctest.Plugin
	instances map[string]*acctest.Instance

	mu     sync.Mutex
	failed map[string]bool
	errs   []error
}

// run opens a provider, has f work with it, and keeps the states. It returns
// what f has not done.
func (w *workspace) run(f func(*run)) error {
	plugin, err := acctest.OpenPlugin(context.Background(), w.settings())
	if err != nil {
		return err
	}
	r := &run{workspace: w, plugin: plugin, instances: map[string]*acctest.Instance{}, failed: map[string]bool{}}
	for address, s := range w.states {
		i := plugin.Resource(s.typeName)
		i.State, i.Tainted = s.value, s.tainted
		r.instances[address] = i
	}
	f(r)
	wants := w.states
	w.states = map[string]state{}
	for address, i := range r.instances {
		if !i.State.IsNull() {
			w.states[address] = state{wants[address].want, i.State, i.Tainted}
		}
	}
	return errors.Join(append(r.errs, plugin.Close(context.Background()))...)
}

// together does something for each address at the same time, as Terraform does,
// and notes what fails.
func (r *run) together(addresses []string, do func(address string) error) {
	var all sync.WaitGroup
	for _, address := range addresses {
		all.Go(func() {
			if err := do(address); err != nil {
				r.mu.Lock()
				defer r.mu.Unlock()
				r.failed[address] = true
				r.errs = append(r.errs, fmt.Errorf("%s: %w", address, err))
			}
		})
	}
	all.Wait()
}

// stillReferredTo tells whether something refers to a resource whose destruction
// failed.
func (r *run) stillReferredTo(address string, gone desired) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for other := range r.failed {
		if slices.Contains(gone[other].after, address) {
			return true
		}
	}
	return false
}

// refresh reads all that there is, and tells whose state changed.
func (r *run) refresh() (changed []string) {
	var mu sync.Mutex
	r.together(slices.Sorted(maps.Keys(r.instances)), func(address string) error {
		i := r.instances[address]
		before := i.State
		err := i.Refresh(context.Background())
		if err == nil && !i.State.Equal(before) {
			mu.Lock()
			defer mu.Unlock()
			changed = append(changed, address)
		}
		return err
	})
	return changed
}

// apply takes the device to a configuration: what fails keeps what refers to it
// from being tried, and a refresh that fails keeps all. It tells what changed.
func (r *run) apply(d desired) (changed []string) {
	r.refresh()
	if len(r.errs) > 0 {
		return nil
	}
	var mu sync.Mutex
	for _, wave := range d.waves() {
		for _, address := range wave {
			if i := r.instances[address]; i == nil || i.State.IsNull() {
				r.instances[address] = r.plugin.Resource(d[address].typeName)
			}
			r.states[address] = state{want: d[address]}
		}
		r.together(wave, func(address string) error {
			r.mu.Lock()
			skip := slices.ContainsFunc(d[address].after, func(a string) bool { return r.failed[a] })
			r.mu.Unlock()
			if skip {
				return errors.New("skipped, as what it refers to failed")
			}
			did, err := r.instances[address].Step(context.Background(), d[address].attributes)
			if did {
				mu.Lock()
				defer mu.Unlock()
				changed = append(changed, address)
			}
			return err
		})
	}
	gone := desired{}
	for address, i := range r.instances {
		if _, wanted := d[address]; !wanted && !i.State.IsNull() {
			gone[address] = r.states[address].want
		}
	}
	for _, wave := range slices.Backward(gone.waves()) {
		r.together(wave, func(address string) error {
			if r.stillReferredTo(address, gone) {
				return errors.New("skipped, as what refers to it is still there")
			}
			mu.Lock()
			changed = append(changed, address)
			mu.Unlock()
			return r.instances[address].Destroy(context.Background())
		})
	}
	return changed
}
