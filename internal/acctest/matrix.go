package acctest

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
)

// Row is one attribute of a kind: two values for it, and what they are on the
// device.
type Row struct {
	// Attribute is its path, with the keys of maps and the numbers of
	// elements of sets; a / within a key is written ~.
	Attribute string
	// First and Second are values, in JSON.
	First, Second string
	// Leaf is the path from the entry, FirstLeaf and SecondLeaf are the texts
	// in JSON_IETF.
	Leaf, FirstLeaf, SecondLeaf string
	// Required attributes cannot be removed. Keys of set elements cannot be
	// changed alone either. Secrets are sent when their version changes.
	Required, Key, Secret bool
	// Without are attributes that cannot be set together with this one. An
	// attribute Apart is not part of the full configuration.
	Without []string
	Apart   bool
}

// Case is a kind with all its attributes.
type Case struct {
	Type string
	// Keys are the attributes in the entry's path, Entry is that path.
	Keys  map[string]any
	Entry string
	// KeyLeaves are the leaves that come with the entry and its list entries,
	// below Entry, in JSON.
	KeyLeaves map[string]string
	// Device is what is on the device before, in JSON.
	Device string
	// ID is the import id.
	ID string
	// Keep are attributes that Lifecycle does not remove before it destroys:
	// what is destroyed depends on them.
	Keep []string
	Rows []Row
}

// settings chooses the values of a configuration.
type settings struct {
	second  map[string]bool // attributes that have their second value
	without map[string]bool // attributes that are not set
	with    map[string]bool // attributes Apart that are set
}

func (c *Case) values(s settings) []Row {
	return slices.DeleteFunc(slices.Clone(c.Rows), func(r Row) bool {
		return s.without[r.Attribute] || r.Apart && !s.with[r.Attribute]
	})
}

// config is the configuration in the form of JSON objects.
func (c *Case) config(t testing.TB, s settings) map[string]any {
	t.Helper()
	root := maps.Clone(c.Keys)
	for _, r := range c.Rows { // elements of maps stay although nothing is in them
		if at := strings.Split(r.Attribute, "/"); !r.Apart && len(at) > 2 {
			for i := range at {
				if isKey(at[i]) {
					put(root, at[:i+1], nil)
				}
			}
		}
	}
	for _, r := range c.values(s) {
		text, version := r.First, 1
		if s.second[r.Attribute] {
			text, version = r.Second, 2
		}
		var v any
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			t.Fatalf("%s: %v", r.Attribute, err)
		}
		put(root, strings.Split(r.Attribute, "/"), v)
		if r.Secret {
			put(root, strings.Split(r.Attribute+"_version", "/"), version)
		}
	}
	return lists(root).(map[string]any)
}

func put(at map[string]any, names []string, v any) {
	for i, name := range names {
		name = strings.ReplaceAll(name, "~", "/")
		if i == len(names)-1 && v != nil {
			at[name] = v
			return
		}
		if at[name] == nil {
			at[name] = map[string]any{}
		}
		at = at[name].(map[string]any)
	}
}

// lists turns the objects with the only member "0" into lists.
func lists(v any) any {
	m, ok := v.(map[string]any)
	if !ok {
		return v
	}
	for name, member := range m {
		m[name] = lists(member)
	}
	if e, ok := m["0"]; ok {
		return []any{e}
	}
	return m
}

// leaves are what a device has that had before and got the configuration.
func (c *Case) leaves(before map[string]string, s settings) map[string]string {
	out := maps.Clone(before)
	for path, text := range c.KeyLeaves {
		out[c.Entry+"/"+path] = text
	}
	for _, r := range c.values(s) {
		out[c.Entry+"/"+r.Leaf] = r.FirstLeaf
		if s.second[r.Attribute] {
			out[c.Entry+"/"+r.Leaf] = r.SecondLeaf
		}
		if compact, ok := compactJSON(out[c.Entry+"/"+r.Leaf]); ok {
			out[c.Entry+"/"+r.Leaf] = compact
		}
	}
	return out
}

func compactJSON(text string) (string, bool) {
	var v any
	if json.Unmarshal([]byte(text), &v) != nil {
		return "", false
	}
	out, err := json.Marshal(v)
	return string(out), err == nil
}

// isKey tells keys from attributes, whose names begin with a small letter.
func isKey(name string) bool { return name[0] < 'a' }

// settingsFor returns the settings in which a row can be tested.
func settingsFor(r Row) settings {
	s := settings{second: map[string]bool{}, without: map[string]bool{}, with: map[string]bool{r.Attribute: true}}
	for _, name := range r.Without {
		s.without[name] = true
	}
	return s
}

// EveryAttributeIsInTheTable fails for an attribute of the kind's schema that
// no row is for.
func EveryAttributeIsInTheTable(t *testing.T, c Case) {
	t.Helper()
	s := NewSession(t, Device(t, ""), c.Type)
	rows := map[string]bool{"device": true, "on_destroy": true, "on_existing": true}
	for name := range c.Keys {
		rows[name] = true
	}
	for _, r := range c.Rows {
		rows[pattern(r.Attribute)] = true
		if r.Secret {
			rows[r.Attribute+"_version"] = true
		}
	}
	for _, a := range s.Attributes() {
		if !rows[a] && !strings.HasPrefix(a, "timeouts/") {
			t.Errorf("%s has the attribute %s, which no row tests", c.Type, a)
		}
	}
}

// pattern writes keys as *.
func pattern(attribute string) string {
	names := strings.Split(attribute, "/")
	for i, name := range names {
		if isKey(name) {
			names[i] = "*"
		}
	}
	return strings.Join(names, "/")
}

// shard is how many rows one device is for: devices make the lock wait for
// others, so many small ones together are done sooner than a large one.
const shard = 8

// EachAttributeChangesItsLeafAlone creates the entry with everything, changes
// each attribute, removes it and sets it again, and deletes the entry; at each
// step it compares all that the device holds.
func EachAttributeChangesItsLeafAlone(t *testing.T, c Case) {
	t.Helper()
	rows := slices.DeleteFunc(slices.Clone(c.Rows), func(r Row) bool { return r.Key })
	for part := range slices.Chunk(rows, shard) {
		t.Run(part[0].Attribute, func(t *testing.T) {
			t.Parallel()
			c.change(t, part)
		})
	}
}

func (c *Case) change(t *testing.T, rows []Row) {
	t.Helper()
	target := Device(t, c.Device)
	before := Leaves(t, target)
	s := NewSession(t, target, c.Type)
	check := func(what string, now settings) {
		t.Helper()
		target.ResetLog()
		if !s.Apply(c.config(t, now)) {
			t.Errorf("%s: the plan has no change", what)
		}
		if sets := Sets(target); len(sets) != 1 {
			t.Errorf("%s: %d Sets, want one", what, len(sets))
		}
		Same(t, what, Leaves(t, target), c.leaves(before, now))
		state := s.State
		if s.Refresh(); !s.State.Equal(state) {
			t.Errorf("%s: reading changes the state", what)
		}
		if s.Apply(c.config(t, now)) {
			t.Errorf("%s: the same configuration plans a change", what)
		}
	}
	check("create", settings{})
	for _, r := range rows {
		if r.Apart || len(r.Without) > 0 {
			s.Apply(c.config(t, settingsFor(r)))
		}
		second := settingsFor(r)
		second.second[r.Attribute] = true
		check("change "+r.Attribute, second)
		if !r.Required {
			removed := settingsFor(r)
			removed.without[r.Attribute] = true
			check("remove "+r.Attribute, removed)
		}
	}
	check("set all again", settings{})
	s.Destroy()
	maps.DeleteFunc(before, func(path, _ string) bool { return strings.HasPrefix(path, c.Entry+"/") })
	Same(t, "delete", Leaves(t, target), before)
}
