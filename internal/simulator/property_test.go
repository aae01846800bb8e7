package simulator_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"pgregory.net/rapid"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/oc/ocstruct"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/simulator"
)

// flat is a tree in the simplest form: the JSON of every leaf by its path.
type flat map[string]string

// under tells whether path is at or below top.
func under(path, top string) bool { return path == top || strings.HasPrefix(path, top+"/") }

func (f flat) remove(top string) {
	maps.DeleteFunc(f, func(path, _ string) bool { return under(path, top) })
}

var element = regexp.MustCompile(`/([a-z-]+)((?:\[[^]]*\])*)`)

// entries yields the list entries on the way of a path: the path of each, and
// its keys.
func entries(path string, yield func(entry string, keys map[string]string)) {
	for _, at := range element.FindAllStringSubmatchIndex(path, -1) {
		keys := map[string]string{}
		for pair := range strings.SplitSeq(path[at[4]:at[5]], "]") {
			if key, value, ok := strings.Cut(strings.TrimPrefix(pair, "["), "="); ok {
				keys[key] = value
			}
		}
		if len(keys) > 0 {
			yield(path[:at[1]], keys)
		}
	}
}

func quoted(key, value string) string {
	switch key {
	case "index":
		return value
	case "identifier":
		return `"openconfig-policy-types:` + value + `"`
	}
	return `"` + value + `"`
}

func (f flat) write(container string, body map[string]string) {
	entries(container, func(entry string, keys map[string]string) {
		for key, value := range keys {
			f[entry+"/"+key] = quoted(key, value)
		}
	})
	for leaf, value := range body {
		f[container+"/"+leaf] = value
	}
}

// valid is the whole validation, in the plainest way.
func (f flat) valid() bool {
	for path, value := range f {
		ok := true
		entries(path, func(entry string, keys map[string]string) {
			for key, value := range keys {
				ok = ok && f[entry+"/config/"+key] == quoted(key, value)
			}
		})
		name := strings.Trim(value, `"`)
		switch {
		case strings.HasSuffix(path, "/config/aggregate-id"), strings.HasSuffix(path, "/config/interface"):
			ok = ok && f["/interfaces/interface[name="+name+"]/name"] != ""
		case strings.HasSuffix(path, "/config/subinterface"):
			of := strings.Trim(f[strings.TrimSuffix(path, "subinterface")+"interface"], `"`)
			ok = ok && f["/interfaces/interface[name="+of+"]/subinterfaces/subinterface[index="+name+"]/index"] != ""
		case strings.HasSuffix(path, "/config/peer-group"):
			ok = ok && f[protocol+"/bgp/peer-groups/peer-group[peer-group-name="+name+"]/peer-group-name"] != ""
		}
		if !ok {
			return false
		}
	}
	for n := range simulator.FactoryPorts {
		if f[fmt.Sprintf("/interfaces/interface[name=Ethernet1/%d]/name", n+1)] == "" {
			return false
		}
	}
	return f[instance+"/name"] != ""
}

// read asks the target for all its configuration leaves.
func (d device) read(tb testing.TB) flat {
	tb.Helper()
	updates, _, err := d.subscribe(tb, once(gnmi.Encoding_JSON_IETF, path(tb, "/")))
	if err != nil {
		tb.Fatal(err)
	}
	f := flat{}
	for p, v := range updates {
		if !strings.Contains(p, "/state/") {
			f[p] = string(v.GetJsonIetfVal())
		}
	}
	return f
}

// containers are what random Sets write, with the values that they may put
// into each leaf.
func containers() map[string]map[string][]string {
	all := map[string]map[string][]string{}
	names := []string{"Ethernet1/1", "Ethernet1/2", "ae0", "ae1"}
	var refs, indexes []string
	for _, name := range names {
		refs = append(refs, `"`+name+`"`)
		top := "/interfaces/interface[name=" + name + "]"
		all[top+"/config"] = map[string][]string{"name": {`"` + name + `"`}, "mtu": {"1500", "9000"}, "description": {`"a"`, `"b"`}}
		all[top+"/ethernet/config"] = map[string][]string{"aggregate-id": {`"ae0"`, `"ae1"`}}
		for _, index := range []string{"0", "1"} {
			indexes = append(indexes, index)
			all[top+"/subinterfaces/subinterface[index="+index+"]/config"] = map[string][]string{"index": {index}, "description": {`"s"`}}
		}
	}
	all[instance+"/config"] = map[string][]string{"name": {`"DEFAULT"`}, "description": {`"d"`}}
	all[instance+"/interfaces/interface[id=up]/config"] = map[string][]string{"id": {`"up"`}, "interface": refs, "subinterface": indexes}
	all[protocol+"/config"] = map[string][]string{"identifier": {`"openconfig-policy-types:BGP"`}, "name": {`"BGP"`}}
	for _, name := range []string{"spines", "leaves"} {
		all[protocol+"/bgp/peer-groups/peer-group[peer-group-name="+name+"]/config"] = map[string][]string{"peer-group-name": {`"` + name + `"`}, "peer-as": {"65000"}}
	}
	for _, address := range []string{"192.0.2.0", "2001:db8::1"} {
		all[protocol+"/bgp/neighbors/neighbor[neighbor-address="+address+"]/config"] = map[string][]string{
			"neighbor-address": {`"` + address + `"`}, "peer-group": {`"spines"`, `"leaves"`}, "peer-as": {"65000", "65001"},
		}
	}
	return all
}

func TestRandomSetsDoWhatTheSimplestModelDoes(t *testing.T) {
	d := start(t, simulator.Options{})
	factory := d.Config("/")
	all := containers()
	paths := slices.Sorted(maps.Keys(all))
	rapid.Check(t, func(rt *rapid.T) {
		d.mustSet(t, change{replace: [][2]string{{"/", factory}}})
		want := d.read(t)
		accepted := 0
		for range rapid.IntRange(1, 12).Draw(rt, "sets") {
			c, next := draw(rt, all, paths, want)
			before := d.Config("/")
			err := d.set(t, c)
			switch valid := next.valid(); {
			case valid && err != nil:
				rt.Fatalf("%+v was refused: %v", c, err)
			case !valid && status.Code(err) != codes.FailedPrecondition:
				rt.Fatalf("%+v was answered with %v", c, err)
			case valid:
				want = next
				accepted++
			case d.Config("/") != before:
				rt.Fatalf("%+v was refused and left a trace", c)
			}
			if got := d.read(t); !maps.Equal(got, want) {
				rt.Fatalf("after %+v there is\n%v\nwant\n%v", c, got, want)
			}
		}
		if accepted > 0 {
			validate(rt, d.Config("/"))
		}
	})
}

// draw makes a random Set, and applies it to a copy of the tree.
func draw(rt *rapid.T, all map[string]map[string][]string, paths []string, now flat) (change, flat) {
	var c change
	next := maps.Clone(now)
	for range rapid.IntRange(0, 2).Draw(rt, "deletes") {
		p := rapid.SampledFrom(paths).Draw(rt, "delete")
		// The container, or what is around it up to three levels.
		elements := element.FindAllString(p, -1)
		up := rapid.IntRange(0, min(3, len(elements)-1)).Draw(rt, "up")
		p = strings.Join(elements[:len(elements)-up], "")
		c.delete = append(c.delete, p)
		next.remove(p)
	}
	for _, kind := range []string{"replace", "update"} {
		for range rapid.IntRange(0, 3).Draw(rt, kind+"s") {
			p := rapid.SampledFrom(paths).Draw(rt, kind)
			body := map[string]string{}
			for _, leaf := range slices.Sorted(maps.Keys(all[p])) {
				// Most bodies have the key: without it nearly all would be refused.
				likely := strings.HasSuffix(p, "="+strings.Trim(all[p][leaf][0], `"`)+"]/config")
				if rapid.IntRange(0, 9).Draw(rt, leaf) < map[bool]int{true: 9, false: 5}[likely] {
					body[leaf] = rapid.SampledFrom(all[p][leaf]).Draw(rt, "value")
				}
			}
			raw := map[string]json.RawMessage{}
			for leaf, value := range body {
				raw[leaf] = json.RawMessage(value)
			}
			text, err := json.Marshal(raw)
			if err != nil {
				rt.Fatal(err)
			}
			if kind == "replace" {
				c.replace = append(c.replace, [2]string{p, string(text)})
				next.remove(p)
			} else {
				c.update = append(c.update, [2]string{p, string(text)})
			}
			next.write(p, body)
		}
	}
	return c, next
}

// validate holds a configuration against ygot, an independent implementation
// of the model with its types and leafrefs.
func validate(tb rapid.TB, config string) {
	var device ocstruct.Device
	if err := ocstruct.Unmarshal([]byte(config), &device); err != nil {
		tb.Fatalf("ygot does not read %s: %v", config, err)
	}
	if err := device.Validate(); err != nil {
		tb.Fatalf("ygot finds %s invalid: %v", config, err)
	}
}
