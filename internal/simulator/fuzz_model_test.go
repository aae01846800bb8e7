package simulator

import (
	"encoding/json"
	"testing"

	"github.com/openconfig/gnmi/proto/gnmi"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/schema"
)

// FuzzSetsOfTheModelFollowEachOther sends up to eight Sets one after the other,
// made of paths and values of the model that choices lead to.
func FuzzSetsOfTheModelFollowEachOther(f *testing.F) {
	for _, choices := range []string{
		"", "\x00\x01\x02\x03", "abcdefghijklmnopqrstuvwxyz", "\xff\xfe\xfd\xfc", "Set, Set and Set again, and then delete it all",
	} {
		f.Add([]byte(choices))
	}
	target, err := New(Options{Plaintext: true})
	if err != nil {
		f.Fatal(err)
	}
	factory := target.root.Load()
	f.Fuzz(func(t *testing.T, choices []byte) {
		target.root.Store(factory)
		c := chooser(choices)
		for sets := 0; sets < 8 && len(c) > 0; sets++ {
			req := &gnmi.SetRequest{}
			for operations := 1 + c.of(3); operations > 0; operations-- {
				p, at := c.path(target.model)
				switch c.of(4) {
				case 0:
					req.Delete = append(req.Delete, p)
				case 1:
					req.Replace = append(req.Replace, jsonUpdate(p, c.json(t, at, p)))
				default:
					req.Update = append(req.Update, jsonUpdate(p, c.json(t, at, p)))
				}
			}
			attempt(t, target, req)
		}
	})
}

// chooser turns bytes into choices, the first ones when there are no more.
type chooser []byte

// of chooses one of n.
func (c *chooser) of(n int) int {
	if len(*c) == 0 {
		return 0
	}
	b := (*c)[0]
	*c = (*c)[1:]
	return int(b) % n
}

// path chooses a path, and returns what of the model it leads to. Some keys are
// left out.
func (c *chooser) path(at *def) (*gnmi.Path, *def) {
	p := &gnmi.Path{}
	for len(at.children) > 0 {
		i := c.of(len(at.children) + 1)
		if i == len(at.children) {
			break
		}
		at = at.children[i]
		e := &gnmi.PathElem{Name: at.Name}
		if at.Kind == schema.List && c.of(8) < 7 {
			e.Key = map[string]string{}
			for _, key := range at.Keys {
				e.Key[key] = c.text(at.byName[key])
			}
		}
		p.Elem = append(p.Elem, e)
	}
	return p, at
}

// texts are values for leaves of most types. Few, so that references lead
// somewhere.
var texts = []string{
	"Ethernet1/1", "ae0", "DEFAULT", "BGP", "g", "0", "1", "10", "65001", "10..20", "4294967296", "true", "1.5",
	"192.0.2.1", "2001:DB8::1", "192.0.2.0/24", "2001:db8::/32", "24..32", "exact", "00:53:00:AB:CD:EF", "*", "", "\u0000", "65001:1",
}

// text chooses a value of a leaf's type, or the first text when there is none.
func (c *chooser) text(leaf *def) string {
	t := leaf.Type.Resolved()
	first := c.of(256)
	if len(t.Values) > 0 {
		return t.Values[first%len(t.Values)].Name
	}
	for i := range texts {
		text := texts[(first+i)%len(texts)]
		if _, err := t.Canonical(text); err == nil {
			return text
		}
	}
	return texts[0]
}

// json chooses a value for what p leads to.
func (c *chooser) json(t *testing.T, at *def, p *gnmi.Path) string {
	t.Helper()
	var keys map[string]string
	if len(p.GetElem()) > 0 {
		keys = p.GetElem()[len(p.GetElem())-1].GetKey()
	}
	v := c.value(at, keys)
	if at.Kind == schema.List && keys == nil {
		v = []any{v, c.value(at, nil)}
	}
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// value chooses a value of at; of a list, that of an entry with keys, or keys of
// its own choice.
func (c *chooser) value(at *def, keys map[string]string) any {
	if at.isLeaf() {
		v := c.leaf(at, c.text(at))
		if at.Kind == schema.LeafList {
			return []any{v, c.leaf(at, c.text(at))}
		}
		return v
	}
	members := map[string]any{}
	if at.Kind == schema.List {
		config := map[string]any{}
		for _, key := range at.Keys {
			text, given := keys[key]
			if !given {
				text = c.text(at.byName[key])
			}
			members[key] = c.leaf(at.byName[key], text)
			config[key] = members[key]
		}
		if at.byName["config"] != nil {
			members["config"] = config
		}
	}
	for n := c.of(3); n > 0 && len(at.children) > 0; n-- {
		child := at.children[c.of(len(at.children))]
		switch {
		case members[child.Name] != nil:
		case child.Kind == schema.List:
			members[child.Name] = []any{c.value(child, nil)}
		default:
			members[child.Name] = c.value(child, nil)
		}
	}
	return members
}

func (c *chooser) leaf(at *def, text string) any {
	if canonical, err := at.Type.Canonical(text); err == nil {
		text = canonical
	}
	v, err := at.Type.JSON(text)
	if err != nil {
		return text
	}
	return v
}
