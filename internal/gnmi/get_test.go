package gnmi_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/gnmi"
)

// answer is a device's answer with these values of /system/config.
func answer(values ...*gpb.TypedValue) *gpb.GetResponse {
	n := &gpb.Notification{Prefix: path("system")}
	for _, v := range values {
		n.Update = append(n.Update, &gpb.Update{Path: path("config"), Val: v})
	}
	return &gpb.GetResponse{Notification: []*gpb.Notification{n}}
}

func ietf(json string) *gpb.TypedValue {
	return &gpb.TypedValue{Value: &gpb.TypedValue_JsonIetfVal{JsonIetfVal: []byte(json)}}
}

// getting returns what a client makes of a device's answer.
func getting(t *testing.T, res *gpb.GetResponse, err error) ([]gnmi.Value, error) {
	t.Helper()
	d := serve(t, &device{get: func(context.Context, *gpb.GetRequest) (*gpb.GetResponse, error) { return res, err }})
	return dial(t, d.Addr(), plaintext).Get(t.Context(), path("system"))
}

func TestAnAnswerLargerThanFourMebibytesArrives(t *testing.T) {
	text := `"` + strings.Repeat("x", 9<<20) + `"`
	values, err := getting(t, answer(ietf(text)), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(values) != 1 || !bytes.Equal(values[0].JSON, []byte(text)) {
		t.Error("the answer is not the one that was sent")
	}
}

func TestTheWaysToSayThatNothingIsThere(t *testing.T) {
	for name, c := range map[string]struct {
		res *gpb.GetResponse
		err error
	}{
		"NotFound":               {nil, status.Error(codes.NotFound, "no such path")},
		"no notification":        {&gpb.GetResponse{}, nil},
		"an empty notification":  {answer(), nil},
		"an update without text": {answer(ietf("")), nil},
		"an update of nothing":   {answer(nil), nil},
	} {
		t.Run(name, func(t *testing.T) {
			values, err := getting(t, c.res, c.err)
			if err != nil || len(values) != 0 {
				t.Errorf("got %v, %v", values, err)
			}
		})
	}
}

func TestValuesComeWithTheirWholePathAndAsJSON(t *testing.T) {
	for want, v := range map[string]*gpb.TypedValue{
		`{"a":1}`:   ietf(`{"a":1}`),
		`{}`:        ietf(`{}`),
		`{"b":2}`:   {Value: &gpb.TypedValue_JsonVal{JsonVal: []byte(`{"b":2}`)}},
		`"text"`:    {Value: &gpb.TypedValue_StringVal{StringVal: "text"}},
		`"ascii"`:   {Value: &gpb.TypedValue_AsciiVal{AsciiVal: "ascii"}},
		`-3`:        {Value: &gpb.TypedValue_IntVal{IntVal: -3}},
		`9000`:      {Value: &gpb.TypedValue_UintVal{UintVal: 9000}},
		`true`:      {Value: &gpb.TypedValue_BoolVal{BoolVal: true}},
		`0.5`:       {Value: &gpb.TypedValue_DoubleVal{DoubleVal: 0.5}},
		`1.5`:       {Value: &gpb.TypedValue_FloatVal{FloatVal: 1.5}},                                          //nolint:staticcheck // deprecated, and sent by older devices
		`"-0.05"`:   {Value: &gpb.TypedValue_DecimalVal{DecimalVal: &gpb.Decimal64{Digits: -5, Precision: 2}}}, //nolint:staticcheck // deprecated, and sent by older devices
		`"AQI="`:    {Value: &gpb.TypedValue_BytesVal{BytesVal: []byte{1, 2}}},
		`["a","b"]`: {Value: &gpb.TypedValue_LeaflistVal{LeaflistVal: &gpb.ScalarArray{Element: []*gpb.TypedValue{{Value: &gpb.TypedValue_StringVal{StringVal: "a"}}, {Value: &gpb.TypedValue_StringVal{StringVal: "b"}}}}}},
	} {
		t.Run(want, func(t *testing.T) {
			values, err := getting(t, answer(v), nil)
			if err != nil || len(values) != 1 {
				t.Fatalf("got %v, %v", values, err)
			}
			if string(values[0].JSON) != want {
				t.Errorf("got %s", values[0].JSON)
			}
			if e := values[0].Path.GetElem(); len(e) != 2 || e[0].GetName() != "system" || e[1].GetName() != "config" {
				t.Errorf("the path is %v", values[0].Path)
			}
		})
	}
}

func TestAValueOfAnUnknownFormIsAnErrorAndNotAbsence(t *testing.T) {
	_, err := getting(t, answer(&gpb.TypedValue{Value: &gpb.TypedValue_ProtoBytes{ProtoBytes: []byte{1}}}), nil)
	if err == nil {
		t.Error("the value was passed over")
	}
}

func TestAValueOfAnUnknownFormCostsOnlyItself(t *testing.T) {
	values, err := getting(t, answer(ietf(`{"hostname":"r1"}`), &gpb.TypedValue{Value: &gpb.TypedValue_ProtoBytes{ProtoBytes: []byte{1}}}), nil)
	if err != nil || len(values) != 1 {
		t.Errorf("got %v, %v", values, err)
	}
}

func TestAGetThatFailsIsNeverTakenForAbsence(t *testing.T) {
	for _, code := range []codes.Code{codes.Unavailable, codes.Unimplemented, codes.InvalidArgument, codes.PermissionDenied, codes.Internal, codes.Unknown} {
		t.Run(code.String(), func(t *testing.T) {
			_, err := getting(t, nil, status.Error(code, "no"))
			if failed := rpcError(t, err); failed.Code != code || failed.RPC != "Get" {
				t.Errorf("got %s of a %s", failed.Code, failed.RPC)
			}
		})
	}
}
