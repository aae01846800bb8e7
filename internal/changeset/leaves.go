package changeset

import (
	"fmt"
	"slices"
	"strconv"

	gpb "github.com/openconfig/gnmi/proto/gnmi"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/datatree"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/oc"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/schema"
)

// Leaves returns req with an update for each leaf, its value a native scalar
// (gNMI specification, section 2.2.3), in the place of JSON: for devices that do
// not read that. It fails on values that the model does not have.
func Leaves(req *gpb.SetRequest) (*gpb.SetRequest, error) {
	out := &gpb.SetRequest{Delete: req.GetDelete(), Extension: req.GetExtension()}
	var err error
	if out.Replace, err = scalars(req.GetReplace()); err != nil {
		return nil, err
	}
	out.Update, err = scalars(req.GetUpdate())
	return out, err
}

func scalars(updates []*gpb.Update) ([]*gpb.Update, error) {
	var out []*gpb.Update
	for _, u := range updates {
		root, at := datatree.New(oc.Model), u.GetPath().GetElem()
		if err := root.DecodeAt(at, u.GetVal().GetJsonIetfVal()); err != nil {
			return nil, err
		}
		n := root.At(at)
		if n == nil { // the path leads to a leaf
			name := at[len(at)-1].GetName()
			parent := root.At(at[:len(at)-1])
			values, ok := parent.Values(name)
			if !ok {
				return nil, fmt.Errorf("%s: the model has no such value", datatree.PathText(u.GetPath()))
			}
			v, err := native(parent.Schema.MustFind(name), values)
			if err != nil {
				return nil, err
			}
			out = append(out, &gpb.Update{Path: u.GetPath(), Val: v})
			continue
		}
		first := len(out)
		var failed error
		n.Walk(u.GetPath(), func(p *gpb.Path, n *datatree.Node) {
			for _, name := range n.LeafNames() {
				values, _ := n.Values(name)
				v, err := native(n.Schema.MustFind(name), values)
				if err != nil {
					failed = err
					continue
				}
				out = append(out, &gpb.Update{Path: datatree.Join(p, &gpb.PathElem{Name: name}), Val: v})
			}
		})
		if failed != nil {
			return nil, failed
		}
		slices.SortFunc(out[first:], func(a, b *gpb.Update) int {
			return slices.Compare(names(a.GetPath()), names(b.GetPath()))
		})
	}
	return out, nil
}

func names(p *gpb.Path) []string {
	out := make([]string, len(p.GetElem()))
	for i, e := range p.GetElem() {
		out[i] = e.String()
	}
	return out
}

// native is the value of a leaf or leaf-list as a scalar or an array of them.
func native(s *schema.Node, values []string) (*gpb.TypedValue, error) {
	all := make([]*gpb.TypedValue, len(values))
	for i, text := range values {
		var err error
		if all[i], err = scalar(s.Type, text); err != nil {
			return nil, fmt.Errorf("%s: %w", s.Name, err)
		}
	}
	if s.Kind == schema.Leaf {
		return all[0], nil
	}
	return &gpb.TypedValue{Value: &gpb.TypedValue_LeaflistVal{LeaflistVal: &gpb.ScalarArray{Element: all}}}, nil
}

func scalar(t *schema.Type, text string) (*gpb.TypedValue, error) {
	switch t.Resolved().Base {
	case schema.Uint64:
		v, err := strconv.ParseUint(text, 10, 64)
		return &gpb.TypedValue{Value: &gpb.TypedValue_UintVal{UintVal: v}}, err
	case schema.Int64:
		v, err := strconv.ParseInt(text, 10, 64)
		return &gpb.TypedValue{Value: &gpb.TypedValue_IntVal{IntVal: v}}, err
	case schema.Decimal64:
		v, err := strconv.ParseFloat(text, 64)
		return &gpb.TypedValue{Value: &gpb.TypedValue_DoubleVal{DoubleVal: v}}, err
	}
	v, err := t.JSON(text)
	if err != nil {
		return nil, err
	}
	switch v := v.(type) {
	case bool:
		return &gpb.TypedValue{Value: &gpb.TypedValue_BoolVal{BoolVal: v}}, nil
	case int64:
		return &gpb.TypedValue{Value: &gpb.TypedValue_IntVal{IntVal: v}}, nil
	case uint64:
		return &gpb.TypedValue{Value: &gpb.TypedValue_UintVal{UintVal: v}}, nil
	case string:
		return &gpb.TypedValue{Value: &gpb.TypedValue_StringVal{StringVal: v}}, nil
	}
	return nil, fmt.Errorf("%s has no native scalar", t.Describe())
}
