package simulator

import (
	"encoding/json"

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
	// quirks are the target's ways of writing. They are never nil.
	quirks *readQuirks
}

// configView shows the configuration as it is, in JSON_IETF.
func configView() view {
	return view{config: true, encoding: gnmi.Encoding_JSON_IETF, quirks: &readQuirks{}}
}

// newView returns the view of a Get of this type (gNMI specification, section
// 3.3.1). All state is applied configuration, so nothing is OPERATIONAL.
func newView(quirks *readQuirks, kind gnmi.GetRequest_DataType, encoding gnmi.Encoding) (view, error) {
	v := view{encoding: encoding, quirks: quirks}
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
	if v.scalars() && (n.def.isLeaf() || v.encoding == gnmi.Encoding_PROTO) {
		return v.native(n)
	}
	text, err := v.json(nil, n, "")
	if err != nil {
		return nil, status.Errorf(codes.Internal, "%s: %v", n.def.path, err)
	}
	return v.wrap(text), nil
}

// scalars tells whether leaves are written natively.
func (v view) scalars() bool {
	return v.encoding == gnmi.Encoding_PROTO || v.quirks.LeafReplies == "scalar"
}

// wrap makes JSON the value of an Update.
func (v view) wrap(json []byte) *gnmi.TypedValue {
	if v.encoding == gnmi.Encoding_JSON {
		return &gnmi.TypedValue{Value: &gnmi.TypedValue_JsonVal{JsonVal: json}}
	}
	return &gnmi.TypedValue{Value: &gnmi.TypedValue_JsonIetfVal{JsonIetfVal: json}}
}

// native writes a leaf or leaf-list as scalars.
func (v view) native(n *node) (*gnmi.TypedValue, error) {
	texts := v.quirks.values(n)
	values := make([]*gnmi.TypedValue, len(texts))
	for i, text := range texts {
		var err error
		if values[i], err = v.scalar(n.def, text); err != nil {
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
		for i, e := range v.quirks.entries(n) {
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
	if v.quirks.ExtraFields {
		b = v.foreign(b, n.def, module)
	}
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
		return v.jsonValue(b, n.def, n.values[0])
	}
	b = append(b, '[')
	for i, text := range v.quirks.values(n) {
		if i > 0 {
			b = append(b, ',')
		}
		var err error
		if b, err = v.jsonValue(b, n.def, text); err != nil {
			return nil, err
		}
	}
	return append(b, ']'), nil
}

func (v view) jsonValue(b []byte, d *def, canonical string) ([]byte, error) {
	t := memberType(d.Type, canonical)
	if text, other := v.quirks.text(d, t, canonical); other {
		return appendText(b, text)
	}
	bare := false // written without quotes
	switch t.Base {
	case schema.Int64, schema.Uint64:
		bare = v.encoding == gnmi.Encoding_JSON || v.quirks.Uint64AsNumber
	case schema.Decimal64:
		bare = v.encoding == gnmi.Encoding_JSON
	case schema.Int8, schema.Int16, schema.Uint8, schema.Uint16:
		bare = true
	case schema.Int32, schema.Uint32:
		bare = !v.quirks.Uint32AsString
	case schema.IdentityRef:
		return appendText(b, v.identity(t, canonical))
	case schema.Boolean, schema.Empty:
		value, err := t.JSON(canonical)
		if err != nil {
			return nil, err
		}
		text, err := json.Marshal(value)
		return append(b, text...), err
	}
	if bare {
		return append(b, canonical...), nil
	}
	return appendText(b, canonical)
}

func appendText(b []byte, text string) ([]byte, error) {
	quoted, err := json.Marshal(text)
	return append(b, quoted...), err
}
