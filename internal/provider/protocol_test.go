package provider

import (
	"context"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/simulator"
)

func TestAChangeThatComesAfterAnInterruptIsNotBegun(t *testing.T) {
	target, err := simulator.Start(t.Context(), simulator.Options{Plaintext: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = target.Close() })
	server := NewServer("test")
	t.Cleanup(func() { _ = server.Close(context.Background()) })
	p := server.Protocol()
	schemas, err := p.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	wire := func(ty tftypes.Type, v any) *tfprotov6.DynamicValue {
		t.Helper()
		dynamic, err := tfprotov6.NewDynamicValue(ty, value(ty, v))
		if err != nil {
			t.Fatal(err)
		}
		return &dynamic
	}
	configured, err := p.ConfigureProvider(t.Context(), &tfprotov6.ConfigureProviderRequest{
		Config: wire(schemas.Provider.ValueType(), object{"address": target.Addr(), "plaintext": true}),
	})
	if err != nil || len(configured.Diagnostics) > 0 {
		t.Fatalf("configuring: %v, %v", configured, err)
	}
	const kind = "openconfig_interface"
	ty := schemas.ResourceSchemas[kind].ValueType()
	create := func(name string) []*tfprotov6.Diagnostic {
		t.Helper()
		entry := wire(ty, object{"device": "default", "name": name, "description": "x"})
		res, err := p.ApplyResourceChange(t.Context(), &tfprotov6.ApplyResourceChangeRequest{
			TypeName: kind, PriorState: wire(ty, nil), Config: entry, PlannedState: entry,
		})
		if err != nil {
			t.Fatal(err)
		}
		return res.Diagnostics
	}
	if diags := create("Ethernet1/1"); len(diags) > 0 {
		t.Fatalf("before the interrupt: %s", diags[0].Detail)
	}
	if _, err := p.StopProvider(t.Context(), &tfprotov6.StopProviderRequest{}); err != nil {
		t.Fatal(err)
	}
	if diags := create("Ethernet1/2"); len(diags) != 1 || !strings.Contains(diags[0].Detail, "Nothing was written") {
		t.Errorf("after the interrupt: %v", diags)
	}
	if n := target.Stats().Sets; n != 1 {
		t.Errorf("the device got %d Sets", n)
	}
}
