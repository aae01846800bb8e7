package simulator

import (
	"encoding/json"
	"fmt"

	"github.com/openconfig/gnmi/proto/gnmi"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/schema"
)

// Update merges JSON_IETF into what path, in text, leads to, as somebody on the
// device's console would: it is validated like a Set, but is no RPC, waits for
// nobody and appears in no log. A pending commit does not stop it, and takes it
// back when it is rolled back.
func (t *Target) Update(path, json string) error {
	p, err := parsePath(path)
	if err != nil {
		return err
	}
	return t.edit(&gnmi.SetRequest{Update: []*gnmi.Update{update(p, []byte(json))}})
}

// Delete removes what path leads to, in the way of Update.
func (t *Target) Delete(path string) error {
	p, err := parsePath(path)
	if err != nil {
		return err
	}
	return t.edit(&gnmi.SetRequest{Delete: []*gnmi.Path{p}})
}

func (t *Target) edit(req *gnmi.SetRequest) error {
	return t.commit(nil, nil, func(now *node) (*node, error) { return t.apply(now, req) }, nil)
}

// Config returns the configuration that path leads to, in JSON_IETF (RFC 7951),
// or an empty text when nothing is there. Of several matches it is the first.
func (t *Target) Config(path string) string {
	n := t.lookup(path)
	if n == nil {
		return ""
	}
	text, err := configView().json(nil, n, "")
	if err != nil {
		return ""
	}
	return string(text)
}

// Leaf returns the value of a leaf in its canonical form (RFC 7950, section
// 9.1: identities without prefix), or of a leaf-list as a JSON array of these.
func (t *Target) Leaf(path string) (value string, ok bool) {
	n := t.lookup(path)
	if n == nil || !n.def.isLeaf() {
		return "", false
	}
	if n.def.Kind == schema.LeafList {
		text, err := json.Marshal(n.values)
		return string(text), err == nil
	}
	return n.values[0], true
}

// Exists tells whether anything is at path.
func (t *Target) Exists(path string) bool { return t.lookup(path) != nil }

// lookup finds what path leads to, or nil. It panics when the model has no such
// path, which is a mistake of the program that asks.
func (t *Target) lookup(path string) *node {
	p, err := parsePath(path)
	if err != nil {
		panic(fmt.Sprintf("simulator: %v", err))
	}
	steps, err := resolvePath(t.model, nil, p)
	if err != nil {
		panic(fmt.Sprintf("simulator: %v", err))
	}
	if found := find(t.root.Load(), steps); len(found) > 0 {
		return found[0].node()
	}
	return nil
}

func parsePath(text string) (*gnmi.Path, error) {
	steps, err := schema.ParsePath(text)
	if err != nil {
		return nil, err
	}
	p := &gnmi.Path{}
	for _, s := range steps {
		p.Elem = append(p.Elem, &gnmi.PathElem{Name: s.Name, Key: s.Keys})
	}
	return p, nil
}
