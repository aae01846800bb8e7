package acctest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/simulator"
)

// way is a device that is not like the specification, and what its user tells
// the provider about it.
type way struct {
	// profile is the simulator's and the provider's, empty for none; quirks are
	// the simulator's beyond it, each name=value.
	profile string
	quirks  []string
	// options are settings of the simulator that are no quirks.
	options func(*simulator.Options)
	// device are the device's settings in the provider block, block those around
	// them.
	device, block map[string]any
	// names are what the device calls what it has from the start.
	names names
	// limit is what the device makes impossible; nil if nothing.
	limit *limit
	// late is for devices that carry out or show a Set a while after they have
	// answered it: comparisons wait for that.
	late bool
	// again is part of the error of a step, or of what is wrong after it, that is
	// gone when the step is repeated.
	again string
	// defaults tells that the device does not show what has its default, or shows
	// what nobody has set.
	defaults bool
	// ignores tells which leaves of the device are not compared, with their
	// value: what it does on its own account.
	ignores func(path, value string) bool
}

// limit is what a device makes impossible, and how its user is told.
type limit struct {
	// stage is when, text part of what the user is told.
	stage, text string
	// at is the attribute that it has to be told of, empty for none.
	at string
	// omit are attributes to leave out for such a device, keep those never to
	// remove; with that all the rest is possible.
	omit, keep []string
}

func (w *way) name() string {
	name := w.profile
	if name == "" {
		name = strings.Join(w.quirks, ",")
	}
	if within, ok := w.device["verify_timeout"]; ok {
		name += fmt.Sprint(",verify_timeout=", within)
	}
	return name
}

// settings are the device's settings in the provider block.
func (w *way) settings(address string) map[string]any {
	out := map[string]any{"address": address}
	if w.profile != "" {
		out["profile"] = w.profile
	}
	maps.Copy(out, w.device)
	return out
}

// start starts the device with what the case wants on it.
func (w *way) start(t *testing.T, config string) *simulator.Target {
	t.Helper()
	options := simulator.Options{Config: []byte(config)}
	if w.profile != "" {
		if err := options.Profile(w.profile); err != nil {
			t.Fatal(err)
		}
	}
	if w.options != nil {
		w.options(&options)
	}
	return Simulate(t, options, w.quirks...)
}

// leaves are the leaves of the device that count.
func (w *way) leaves(t *testing.T, target *simulator.Target) map[string]string {
	t.Helper()
	out := Leaves(t, target)
	if w.ignores != nil {
		maps.DeleteFunc(out, w.ignores)
	}
	return out
}

// patience is how long a late device may take.
const patience = 10 * time.Second

// names are what a device calls what it has from the start; empty ones are those
// of the cases.
type names struct {
	// instance is the default network instance, bgp and static the only names of
	// these protocols.
	instance, bgp, static string
	// unit is what an interface's id in a network instance must end with.
	unit string
}

// named is the case on the device leaf1 with such names. Where the device has a fixed
// name the configuration leaves it to the provider.
func (c Case) named(n names) Case {
	var pairs []string
	c.Keys = maps.Clone(c.Keys)
	c.Keys["device"] = "leaf1"
	if n.instance != "" {
		pairs = append(pairs, "[name=DEFAULT]", "[name="+n.instance+"]", `"name":"DEFAULT"`, `"name":"`+n.instance+`"`, ",DEFAULT", ","+n.instance)
		maps.DeleteFunc(c.Keys, func(name string, _ any) bool { return name == "network_instance" })
	}
	if n.bgp != "" {
		pairs = append(pairs, "[name=BGP]", "[name="+n.bgp+"]", `"name":"BGP"`, `"name":"`+n.bgp+`"`, ",BGP", ","+n.bgp)
		maps.DeleteFunc(c.Keys, func(_ string, v any) bool { return v == "BGP" })
	}
	if n.static != "" {
		pairs = append(pairs, `"name":"S"`, `"name":"`+n.static+`"`)
	}
	if n.unit != "" {
		pairs = append(pairs, "interfaces/Ethernet1~2", "interfaces/Ethernet1~2"+n.unit, "[id=Ethernet1/2]", "[id=Ethernet1/2"+n.unit+"]", `"Ethernet1/2"`, `"Ethernet1/2`+n.unit+`"`)
	}
	to := strings.NewReplacer(pairs...)
	c.Entry, c.Device, c.ID = to.Replace(c.Entry), to.Replace(c.Device), to.Replace(c.ID)
	leaves := map[string]string{}
	for path, text := range c.KeyLeaves {
		if path == "config/name" && text == `"BGP"` && n.bgp != "" {
			text = `"` + n.bgp + `"`
		}
		leaves[to.Replace(path)] = to.Replace(text)
	}
	c.KeyLeaves = leaves
	c.Rows = slices.Clone(c.Rows)
	for i := range c.Rows {
		c.Rows[i].Attribute, c.Rows[i].Leaf = to.Replace(c.Rows[i].Attribute), to.Replace(c.Rows[i].Leaf)
	}
	return c
}

// wide is the number of attributes from which a case is thinned.
const wide = 40

// thinned is a wide case with one attribute for all that stand in the same list,
// or in none, and have the same values. A device does to one of them what it does
// to the others.
func (c Case) thinned() Case {
	if len(c.Rows) <= wide {
		return c
	}
	seen := map[string]bool{}
	c.Rows = slices.DeleteFunc(slices.Clone(c.Rows), func(r Row) bool {
		like := strings.Join([]string{r.Leaf[:strings.LastIndexByte(r.Leaf, ']')+1], r.First, r.Second}, "\x00")
		again := seen[like]
		seen[like] = true
		return again && !r.Required && !r.Secret && !r.Key && len(r.Without) == 0
	})
	return c
}

// sample is an attribute for quirks that are about one part of the model: one
// that can come and go alone, and that is the only one of its name.
func (c *Case) sample() Row {
	i := slices.IndexFunc(c.Rows, func(r Row) bool {
		namesake := func(other Row) bool {
			return other.Attribute != r.Attribute && strings.HasSuffix(other.Leaf, r.Leaf[strings.LastIndexByte(r.Leaf, '/'):])
		}
		return !slices.ContainsFunc(c.Rows, namesake) && !r.Required && !r.Key && !r.Secret && !r.Apart && len(r.Without) == 0 && !slices.Contains(c.Keep, r.Attribute)
	})
	return c.Rows[i]
}

// at are the attributes in a part of the model, a path without keys.
func (c *Case) at(path string) []string {
	var out []string
	for _, r := range c.Rows {
		if strings.HasPrefix(c.path(r)+"/", path+"/") {
			out = append(out, r.Attribute)
		}
	}
	return out
}

// path is a row's path in the model, without keys.
func (c *Case) path(r Row) string { return modelPath(c.Entry + "/" + r.Leaf) }

// modelPath takes the keys out of a path.
func modelPath(path string) string {
	var b strings.Builder
	depth := 0
	for _, char := range path {
		switch {
		case char == '[':
			depth++
		case char == ']':
			depth--
		case depth == 0:
			b.WriteRune(char)
		}
	}
	return b.String()
}
