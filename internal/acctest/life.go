package acctest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/simulator"
)

// UnderEveryWay lets an entry be created with everything, imported, changed in
// all attributes at once, stripped of all optional ones, and destroyed, on
// devices of every profile and on devices with each quirk alone. As in
// Terraform's runs each step has a provider of its own. After each step the
// device holds what is expected and nothing else has changed, reading changes
// nothing in the state, and another plan is empty. What a device makes
// impossible has to fail with the documented error, and what is left has to be
// possible. Of a wide kind the devices with a quirk see a part that stands for
// the rest.
func UnderEveryWay(t *testing.T, c Case) {
	t.Helper()
	thin := c.thinned()
	profiles, quirks := profileWays(&c), quirkWays(&thin)
	everyQuirkHasAWay(t, slices.Concat(profiles, quirks))
	each := func(c Case, ways []way) {
		for _, w := range ways {
			t.Run(w.name(), func(t *testing.T) {
				t.Parallel()
				own := c.named(w.names)
				begin(t, w, own).run(w.limit)
				if l := w.limit; l != nil && len(l.omit)+len(l.keep) > 0 {
					own.Rows = slices.DeleteFunc(own.Rows, func(r Row) bool { return slices.Contains(l.omit, r.Attribute) })
					own.Keep = append(slices.Clone(own.Keep), l.keep...)
					begin(t, w, own).run(nil)
				}
			})
		}
	}
	each(c, profiles)
	each(thin, quirks)
}

// everyQuirkHasAWay fails for profiles, quirks and values of quirks that no way
// is for.
func everyQuirkHasAWay(t *testing.T, ways []way) {
	t.Helper()
	seen := map[string]bool{}
	for _, w := range ways {
		seen[w.profile] = true
		for _, q := range w.quirks {
			name, _, _ := strings.Cut(q, "=")
			seen[q], seen[name] = true, true
		}
	}
	want := simulator.Profiles()
	for name, choices := range simulator.QuirkChoices() {
		if len(choices) == 0 {
			want = append(want, name)
		}
		for _, value := range choices {
			var o simulator.Options
			if err := o.Quirk(name + "=" + value); err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(o, simulator.Options{}) { // else it is no quirk
				want = append(want, name+"="+value)
			}
		}
	}
	for _, w := range want {
		if !seen[w] {
			t.Errorf("there is no way for %s", w)
		}
	}
}

// life is one resource on one device, from its creation to its end.
type life struct {
	t      *testing.T
	w      way
	c      Case
	target *simulator.Target
	before map[string]string
	plugin *Plugin
	it     *Instance
	at     string
}

func begin(t *testing.T, w way, c Case) *life {
	t.Helper()
	l := &life{t: t, w: w, c: c, target: w.start(t, c.Device)}
	l.before = w.leaves(t, l.target)
	l.next()
	l.it = l.plugin.Resource(c.Type)
	t.Cleanup(func() { l.close() })
	return l
}

func (l *life) close() {
	if err := l.plugin.Close(context.Background()); err != nil {
		l.t.Error(err)
	}
}

// next goes on with a provider that knows nothing of what the last one saw.
func (l *life) next() {
	l.t.Helper()
	var schemas *tfprotov6.GetProviderSchemaResponse
	if l.plugin != nil {
		schemas = l.plugin.schemas
		l.close()
	}
	var err error
	block := map[string]any{"devices": map[string]any{"leaf1": l.w.settings(l.target.Addr())}}
	maps.Copy(block, l.w.block)
	if _, secure := l.w.device["tls"]; !secure {
		block["plaintext"] = true
	}
	if l.plugin, err = openPlugin(l.t.Context(), block, schemas); err != nil {
		l.t.Fatal(err)
	}
	if l.it != nil {
		l.it.plugin = l.plugin
	}
}

// run goes through all stages, or up to the one that the device's limit is in.
func (l *life) run(limit *limit) {
	l.t.Helper()
	all, least := settings{second: map[string]bool{}}, settings{without: map[string]bool{}}
	open := settings{without: map[string]bool{}} // without secrets, which no import can read
	for _, r := range l.c.Rows {
		if r.Key {
			continue
		}
		all.second[r.Attribute] = len(r.Without) == 0
		least.without[r.Attribute] = !r.Required && !slices.Contains(l.c.Keep, r.Attribute)
		open.without[r.Attribute] = r.Secret
	}
	for _, stage := range []struct {
		name string
		run  func() error
	}{
		{"create", func() error { return l.apply(settings{}) }},
		{"import", func() error { return l.importing(open) }},
		{"change", func() error { return l.apply(all) }},
		{"remove", func() error { return l.apply(least) }},
		{"destroy", l.destroy},
	} {
		l.at = stage.name
		err := stage.run()
		if limit != nil && limit.stage == stage.name {
			if err == nil || !strings.Contains(err.Error(), limit.text) || limit.at != "" && !strings.Contains(err.Error(), fmt.Sprintf("AttributeName(%q)", limit.at)) {
				l.t.Errorf("%s: the user is told %v, want %q of the attribute %q", stage.name, err, limit.text, limit.at)
			}
			return
		}
		if err != nil {
			l.t.Fatalf("%s: %v", stage.name, err)
		}
	}
}

// apply applies a configuration and checks what came of it.
func (l *life) apply(now settings) error {
	config := l.c.config(l.t, now)
	first := true
	err := l.patiently(func() error {
		l.next()
		if !first {
			if err := l.it.Refresh(l.t.Context()); err != nil {
				return err
			}
		}
		changed, err := l.it.Step(l.t.Context(), config)
		if err == nil && first && !changed {
			err = errors.New("the plan has no change")
		}
		first = false
		if err != nil {
			return err
		}
		return l.holds(l.c.leaves(l.before, now))
	})
	if err != nil {
		return err
	}
	if err := l.readsTheSame(); err != nil {
		return err
	}
	return l.plansNothing(l.it, config)
}

// patiently does something again for as long as it fails as the device is known
// to fail.
func (l *life) patiently(do func() error) error {
	for deadline := time.Now().Add(patience); ; {
		err := do()
		if err == nil || l.w.again == "" || !strings.Contains(err.Error(), l.w.again) || time.Now().After(deadline) {
			return err
		}
	}
}

// eventually repeats a check on a device that is late until it holds.
func (l *life) eventually(check func() error) error {
	for deadline := time.Now().Add(patience); ; {
		err := check()
		if err == nil || !l.w.late || time.Now().After(deadline) {
			return err
		}
	}
}

// holds compares what the device holds with what it should.
func (l *life) holds(want map[string]string) error {
	want = maps.Clone(want)
	if l.w.ignores != nil {
		maps.DeleteFunc(want, l.w.ignores)
	}
	return l.eventually(func() error {
		if d := differences(l.w.leaves(l.t, l.target), want); len(d) > 0 {
			return errors.New(strings.Join(d, "\n"))
		}
		return nil
	})
}

// readsTheSame reads the resource, as the next run does.
func (l *life) readsTheSame() error {
	state := l.it.State
	return l.eventually(func() error {
		l.next()
		l.it.State = state
		if err := l.it.Refresh(l.t.Context()); err != nil {
			return err
		}
		if !l.it.State.Equal(state) {
			diff, _ := state.Diff(l.it.State)
			l.it.State = state
			return fmt.Errorf("reading changes the state: %v", diff)
		}
		return nil
	})
}

func (l *life) plansNothing(it *Instance, config map[string]any) error {
	before := it.State
	changed, err := it.Step(l.t.Context(), config)
	if err == nil && changed {
		diff, _ := before.Diff(it.State)
		err = fmt.Errorf("the same configuration plans a change: %v", diff)
	}
	return err
}

// importing imports the entry and plans what it was created from.
func (l *life) importing(now settings) error {
	l.next()
	imported, err := l.plugin.Import(l.t.Context(), l.c.Type, l.c.ID)
	if err != nil {
		return err
	}
	config, device := l.c.config(l.t, now), l.w.leaves(l.t, l.target)
	if !l.w.defaults {
		return l.plansNothing(imported, config)
	}
	// An import does not see the configuration, and a plan has to be what that says:
	// it sets a default that the state lacks, or takes one away that nobody set.
	// Neither changes anything on the device, and it happens once.
	if _, err := imported.Step(l.t.Context(), config); err != nil {
		return err
	}
	if d := differences(l.w.leaves(l.t, l.target), device); len(d) > 0 {
		return errors.New(strings.Join(d, "\n"))
	}
	return l.plansNothing(imported, config)
}

// destroy destroys the resource. What others have in its entry stays only where
// the entry does.
func (l *life) destroy() error {
	err := l.patiently(func() error { l.next(); return l.it.Destroy(l.t.Context()) })
	if err != nil {
		return err
	}
	if !l.it.State.IsNull() {
		return errors.New("the destroyed resource has a state")
	}
	maps.DeleteFunc(l.before, func(path, _ string) bool { return strings.HasPrefix(path, l.c.Entry+"/") })
	return l.holds(l.before)
}
