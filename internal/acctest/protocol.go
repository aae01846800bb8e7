package acctest

import (
	"context"
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/simulator"
)

// Session drives one resource through the plugin protocol, without Terraform:
// as Terraform does, but in a millisecond.
type Session struct {
	t        testing.TB
	server   tfprotov6.ProviderServer
	typeName string
	schema   *tfprotov6.SchemaBlock
	ty       tftypes.Type
	// State is the resource's state; its zero value means that there is none.
	State tftypes.Value
}

// NewSession configures a provider with the device leaf1.
func NewSession(t testing.TB, target *simulator.Target, typeName string) *Session {
	t.Helper()
	server, err := Factories()["openconfig"]()
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	schemas, err := server.GetProviderSchema(ctx, &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	s := &Session{t: t, server: server, typeName: typeName, schema: schemas.ResourceSchemas[typeName].Block}
	s.ty = s.schema.ValueType()
	providerType := schemas.Provider.Block.ValueType()
	config := s.value(providerType, map[string]any{
		"plaintext": true, "devices": map[string]any{"leaf1": map[string]any{"address": target.Addr()}},
	})
	res, err := server.ConfigureProvider(ctx, &tfprotov6.ConfigureProviderRequest{Config: s.dynamic(providerType, config)})
	if err != nil {
		t.Fatal(err)
	}
	s.fine("configure", res.Diagnostics)
	s.State = tftypes.NewValue(s.ty, nil)
	return s
}

func (s *Session) value(ty tftypes.Type, attributes map[string]any) tftypes.Value {
	s.t.Helper()
	text, err := json.Marshal(attributes)
	if err != nil {
		s.t.Fatal(err)
	}
	v, err := tftypes.ValueFromJSON(text, ty) //nolint:staticcheck // of the test's own attributes, not of a state
	if err != nil {
		s.t.Fatalf("%s does not fit the schema: %v", text, err)
	}
	return v
}

func (s *Session) dynamic(ty tftypes.Type, v tftypes.Value) *tfprotov6.DynamicValue {
	s.t.Helper()
	d, err := tfprotov6.NewDynamicValue(ty, v)
	if err != nil {
		s.t.Fatal(err)
	}
	return &d
}

func (s *Session) read(d *tfprotov6.DynamicValue) tftypes.Value {
	s.t.Helper()
	v, err := d.Unmarshal(s.ty)
	if err != nil {
		s.t.Fatal(err)
	}
	return v
}

// Diagnose is the text of diagnostics that are errors.
func Diagnose(diags []*tfprotov6.Diagnostic) string {
	var b strings.Builder
	for _, d := range diags {
		if d.Severity == tfprotov6.DiagnosticSeverityError {
			b.WriteString(d.Summary + ": " + d.Detail + " (" + d.Attribute.String() + ")\n")
		}
	}
	return b.String()
}

func (s *Session) fine(what string, diags []*tfprotov6.Diagnostic) {
	s.t.Helper()
	if text := Diagnose(diags); text != "" {
		s.t.Fatalf("%s %s: %s", what, s.typeName, text)
	}
}

// Try validates, plans and applies a configuration, and returns the errors. It
// tells whether the plan had a change.
func (s *Session) Try(attributes map[string]any) (changed bool, problem string) {
	s.t.Helper()
	ctx := context.Background()
	config := s.value(s.ty, attributes)
	valid, err := s.server.ValidateResourceConfig(ctx, &tfprotov6.ValidateResourceConfigRequest{
		TypeName: s.typeName, Config: s.dynamic(s.ty, config),
		ClientCapabilities: &tfprotov6.ValidateResourceConfigClientCapabilities{WriteOnlyAttributesAllowed: true},
	})
	if err != nil {
		s.t.Fatal(err)
	}
	if text := Diagnose(valid.Diagnostics); text != "" {
		return false, text
	}
	plan, err := s.server.PlanResourceChange(ctx, &tfprotov6.PlanResourceChangeRequest{
		TypeName: s.typeName, PriorState: s.dynamic(s.ty, s.State), Config: s.dynamic(s.ty, config),
		ProposedNewState: s.dynamic(s.ty, s.proposed(config)),
	})
	if err != nil {
		s.t.Fatal(err)
	}
	if text := Diagnose(plan.Diagnostics); text != "" {
		return false, text
	}
	if s.read(plan.PlannedState).Equal(s.State) {
		return false, ""
	}
	if len(plan.RequiresReplace) > 0 && !s.State.IsNull() {
		s.t.Fatalf("the plan replaces the resource for %v", plan.RequiresReplace)
	}
	applied, err := s.server.ApplyResourceChange(ctx, &tfprotov6.ApplyResourceChangeRequest{
		TypeName: s.typeName, PriorState: s.dynamic(s.ty, s.State), Config: s.dynamic(s.ty, config), PlannedState: plan.PlannedState,
	})
	if err != nil {
		s.t.Fatal(err)
	}
	s.State = s.read(applied.NewState)
	return true, Diagnose(applied.Diagnostics)
}

// Apply is Try for what must succeed.
func (s *Session) Apply(attributes map[string]any) (changed bool) {
	s.t.Helper()
	changed, problem := s.Try(attributes)
	if problem != "" {
		s.t.Fatalf("apply: %s", problem)
	}
	return changed
}

// Refresh reads the resource.
func (s *Session) Refresh() {
	s.t.Helper()
	res, err := s.server.ReadResource(context.Background(), &tfprotov6.ReadResourceRequest{TypeName: s.typeName, CurrentState: s.dynamic(s.ty, s.State)})
	if err != nil {
		s.t.Fatal(err)
	}
	s.fine("refresh", res.Diagnostics)
	s.State = s.read(res.NewState)
}

// Destroy deletes the resource.
func (s *Session) Destroy() {
	s.t.Helper()
	null := s.dynamic(s.ty, tftypes.NewValue(s.ty, nil))
	res, err := s.server.ApplyResourceChange(context.Background(), &tfprotov6.ApplyResourceChangeRequest{
		TypeName: s.typeName, PriorState: s.dynamic(s.ty, s.State), Config: null, PlannedState: null,
	})
	if err != nil {
		s.t.Fatal(err)
	}
	s.fine("destroy", res.Diagnostics)
	s.State = s.read(res.NewState)
}

// proposed is what Terraform proposes: write-only attributes are null, and what
// the provider fills in stays as it is.
func (s *Session) proposed(config tftypes.Value) tftypes.Value {
	members := map[string]tftypes.Value{}
	if err := config.As(&members); err != nil {
		s.t.Fatal(err)
	}
	members = maps.Clone(members) // As hands out the value's own map
	prior := map[string]tftypes.Value{}
	if err := s.State.As(&prior); err != nil {
		s.t.Fatal(err)
	}
	for _, a := range s.schema.Attributes {
		if a.WriteOnly {
			members[a.Name] = tftypes.NewValue(a.Type, nil)
		}
		if before, ok := prior[a.Name]; ok && a.Computed && members[a.Name].IsNull() {
			members[a.Name] = before
		}
	}
	return tftypes.NewValue(s.ty, members)
}

// Attributes are the paths of all attributes that have no attributes
// themselves. Elements of maps and sets are *.
func (s *Session) Attributes() []string {
	var out []string
	var walk func(string, []*tfprotov6.SchemaAttribute)
	walk = func(at string, attributes []*tfprotov6.SchemaAttribute) {
		for _, a := range attributes {
			switch {
			case a.NestedType == nil:
				out = append(out, at+a.Name)
			case a.NestedType.Nesting == tfprotov6.SchemaObjectNestingModeSingle:
				walk(at+a.Name+"/", a.NestedType.Attributes)
			default:
				walk(at+a.Name+"/*/", a.NestedType.Attributes)
			}
		}
	}
	walk("", s.schema.Attributes)
	return out
}
