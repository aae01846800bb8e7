package device

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	gpb "github.com/openconfig/gnmi/proto/gnmi"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/datatree"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/oc"
)

// parts returns the requests that a step's request is sent as, in order: one,
// unless the profile wants operations separate or bounds their number. A new
// entry with too many is written as one update of the entry, which needs no
// second request; an update of what exists is not, because some devices forget
// what such an update does not mention.
func (p Profile) parts(req *gpb.SetRequest, entry *gpb.Path, isNew bool) ([]*gpb.SetRequest, error) {
	before, main, after := p.separated(req)
	var parts []*gpb.SetRequest
	for _, part := range []*gpb.SetRequest{before, main, after} {
		n := operations(part)
		switch {
		case n == 0:
		case p.MaxOperations == 0 || n <= p.MaxOperations:
			parts = append(parts, part)
		case isNew:
			whole, err := merged(part, entry)
			if err != nil {
				return nil, err
			}
			parts = append(parts, chunks(whole, p.MaxOperations)...)
		default:
			parts = append(parts, chunks(part, p.MaxOperations)...)
		}
	}
	return parts, nil
}

// separated takes out of a request what the profile wants in a Set of its own:
// what is written goes before, what is deleted after.
func (p Profile) separated(req *gpb.SetRequest) (before, main, after *gpb.SetRequest) {
	before, main, after = &gpb.SetRequest{}, &gpb.SetRequest{}, &gpb.SetRequest{}
	separate := func(path *gpb.Path) bool {
		text := plainText(path)
		return slices.ContainsFunc(p.Separate, func(s string) bool { return text == s || strings.HasPrefix(text, s+"/") })
	}
	for _, d := range req.GetDelete() {
		if separate(d) {
			after.Delete = append(after.Delete, d)
		} else {
			main.Delete = append(main.Delete, d)
		}
	}
	for _, u := range req.GetReplace() {
		if separate(u.GetPath()) {
			before.Replace = append(before.Replace, u)
		} else {
			main.Replace = append(main.Replace, u)
		}
	}
	for _, u := range req.GetUpdate() {
		if separate(u.GetPath()) {
			before.Update = append(before.Update, u)
		} else {
			main.Update = append(main.Update, u)
		}
	}
	return before, main, after
}

// plainText is the text of a path without keys.
func plainText(p *gpb.Path) string {
	var b strings.Builder
	for _, e := range p.GetElem() {
		b.WriteString("/" + e.GetName())
	}
	return b.String()
}

func operations(req *gpb.SetRequest) int {
	return len(req.GetDelete()) + len(req.GetReplace()) + len(req.GetUpdate())
}

// merged is a request with its updates in the entry as one of the entry. What it
// has beside them is as it was.
func merged(req *gpb.SetRequest, entry *gpb.Path) (*gpb.SetRequest, error) {
	root := datatree.New(oc.Model)
	out, inside := &gpb.SetRequest{Delete: req.GetDelete(), Replace: req.GetReplace()}, &gpb.SetRequest{}
	within := datatree.PathText(entry) + "/"
	for _, u := range req.GetUpdate() {
		if strings.HasPrefix(datatree.PathText(u.GetPath())+"/", within) {
			inside.Update = append(inside.Update, u)
		} else {
			out.Update = append(out.Update, u)
		}
	}
	if len(inside.GetUpdate()) == 0 {
		return req, nil
	}
	if err := root.Apply(inside); err != nil {
		return nil, err
	}
	content, err := root.At(entry.GetElem()).JSON()
	if err != nil {
		return nil, fmt.Errorf("encoding %s: %w", datatree.PathText(entry), err)
	}
	body, err := json.Marshal(content)
	if err != nil {
		return nil, fmt.Errorf("encoding %s: %w", datatree.PathText(entry), err)
	}
	whole := &gpb.Update{Path: entry, Val: &gpb.TypedValue{Value: &gpb.TypedValue_JsonIetfVal{JsonIetfVal: body}}}
	out.Update = append([]*gpb.Update{whole}, out.Update...)
	return out, nil
}

// chunks cuts a request into requests of at most n operations, in the order in
// which a device carries them out.
func chunks(req *gpb.SetRequest, n int) []*gpb.SetRequest {
	var out []*gpb.SetRequest
	last := func() *gpb.SetRequest {
		if len(out) == 0 || operations(out[len(out)-1]) == n {
			out = append(out, &gpb.SetRequest{})
		}
		return out[len(out)-1]
	}
	for _, d := range req.GetDelete() {
		r := last()
		r.Delete = append(r.Delete, d)
	}
	for _, u := range req.GetReplace() {
		r := last()
		r.Replace = append(r.Replace, u)
	}
	for _, u := range req.GetUpdate() {
		r := last()
		r.Update = append(r.Update, u)
	}
	return out
}
