package simulator

import (
	"encoding/json"
	"strconv"

	"github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/schema"
)

// view says what of the tree a reader sees, and how it is written.
type view struct {
	// config and state tell which of the two kinds of containers are shown.
	// List keys are always.
	config, state bool
	encoding      gnmi.Encoding
}

// newView returns the view of a Get of this type (gNMI specification, section
// 3.3.1). All state is applied configuration, so nothing is OPERATIONAL.
func newView(kind gnmi.GetRequest_DataType, encoding gnmi.Encoding) (view, error) {
	v := view{encoding: encoding}
	switch kind {
	case gnmi.GetRequest_ALL:
		v.config, v.state = true, true
	case gnmi.GetRequest_CONFIG:
		v.config = true
	case gnmi.GetRequest_STATE:
		v.state = true
	case gnmi.GetRequest_OPERATIONAL:
	default:
		return v, status.Errorf(codes.InvalidArgument, "data type %v is not known", kind)
	}
	return v, nil
}

// typed writes a node as the value of an Update.
func (v view) typed(n *node) (*gnmi.TypedValue, error) {
	if v.encoding == gnmi.Encoding_PROTO {
		return native(n)
	}
	text, err := v.json(nil, n, "")
	if err != nil {
		return nil, status.Errorf(codes.Internal, "%s: %v", n.def.path, err)
	}
	if v.encoding == gnmi.Encoding_JSON {
		return &gnmi.TypedValue{Value: &gnmi.TypedValue_JsonVal{JsonVal: text}}, nil
	}
	return &gnmi.TypedValue{Value: &gnmi.TypedValue_JsonIetfVal{JsonIetfVal: text}}, nil
}

// native writes a leaf or leaf-list as scalars.
func native(n *node) (*gnmi.TypedValue, error) {
	values := make([]*gnmi.TypedValue, len(n.values))
	for i, text := range n.values {
		var err error
		if values[i], err = scalar(n.def.Type, text); err != nil {
			return nil, status.Errorf(codes.Internal, "%s: %v", n.def.path, err)
		}
	}
	if n.def.Kind == schema.Leaf {
		return values[0], nil
	}
	return &gnmi.TypedValue{Value: &gnmi.TypedValue_LeaflistVal{LeaflistVal: &gnmi.ScalarArray{Element: values}}}, nil
}

// json appends a node to b as JSON. Module is the namespace around it: names
// from another one get a prefix (RFC 7951, section 4), in JSON_IETF only.
func (v view) json(b []byte, n *node, module string) ([]byte, error) {
	switch {
	case n.def.isLeaf():
		return v.jsonLeaf(b, n)
	case n.isList():
		b = append(b, '[')
		for i, e := range n.sorted() {
			if i > 0 {
				b = append(b, ',')
			}
			var err error
			if b, err = v.json(b, e, module); err != nil {
				return nil, err
			}
		}
		return append(b, ']'), nil
	}
	b = append(b, '{')
	for _, c := range n.children {
		names := []string{c.def.Name}
		if c.def.Name == "config" {
			names = v.sections()
		}
		for _, name := range names {
			if b[len(b)-1] != '{' {
				b = append(b, ',')
			}
			b = append(b, '"')
			if v.encoding == gnmi.Encoding_JSON_IETF && c.def.Module != module {
				b = append(append(b, c.def.Module...), ':')
			}
			b = append(append(b, name...), '"', ':')
			var err error
			if b, err = v.json(b, c, c.def.Module); err != nil {
				return nil, err
			}
		}
	}
	return append(b, '}'), nil
}

// sections names the containers that a config container shows up as.
func (v view) sections() []string {
	switch {
	case v.config && v.state:
		return []string{"config", "state"}
	case v.config:
		return []string{"config"}
	case v.state:
		return []string{"state"}
	}
	return nil
}

func (v view) jsonLeaf(b []byte, n *node) ([]byte, error) {
	if n.def.Kind == schema.Leaf {
		return v.jsonValue(b, n.def.Type, n.values[0])
	}
	b = append(b, '[')
	for i, text := range n.values {
		if i > 0 {
			b = append(b, ',')
		}
		var err error
		if b, err = v.jsonValue(b, n.def.Type, text); err != nil {
			return nil, err
		}
	}
	return append(b, ']'), nil
}

func (v view) jsonValue(b []byte, t *schema.Type, canonical string) ([]byte, error) {
	value, err := t.JSON(canonical)
	if err != nil {
		return nil, err
	}
	if n, ok := value.(uint64); ok {
		return strconv.AppendUint(b, n, 10), nil
	}
	if v.encoding == gnmi.Encoding_JSON {
		switch t.Resolved().Base {
		case schema.Int64, schema.Uint64, schema.Decimal64:
			return append(b, canonical...), nil
		case schema.IdentityRef:
			value = canonical
		}
	}
	text, err := json.Marshal(value)
	return append(b, text...), err
}
