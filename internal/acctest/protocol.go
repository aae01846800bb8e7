package acctest

import (
	"context"
	"errors"
	"maps"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/simulator"
)

// Session drives one resource through the plugin protocol, without Terraform:
// as Terraform does, but in a millisecond. What goes wrong ends the test.
type Session struct {
	*Instance
	t testing.TB
}

// NewSession configures a provider with the device leaf1.
func NewSession(t testing.TB, target *simulator.Target, typeName string) *Session {
	t.Helper()
	return NewSessionAt(t, target.Addr(), typeName, nil)
}

// NewSessionAt configures a provider with the device leaf1 at an address, and
// with more settings of the device.
func NewSessionAt(t testing.TB, address, typeName string, settings map[string]any) *Session {
	t.Helper()
	leaf := map[string]any{"address": address}
	maps.Copy(leaf, settings)
	p, err := OpenPlugin(context.Background(), map[string]any{"plaintext": true, "devices": map[string]any{"leaf1": leaf}})
	if err != nil {
		t.Fatal(err)
	}
	return &Session{p.Resource(typeName), t}
}

// Try validates, plans and applies a configuration, and returns the errors. It
// tells whether the plan had a change.
func (s *Session) Try(attributes map[string]any) (changed bool, problem string) {
	s.t.Helper()
	changed, err := s.Step(context.Background(), attributes)
	return changed, s.problem(err)
}

// problem is the text of what the provider has against a request.
func (s *Session) problem(err error) string {
	s.t.Helper()
	var diags *DiagnosticsError
	switch {
	case err == nil:
		return ""
	case !errors.As(err, &diags):
		s.t.Fatal(err)
	}
	return diags.Text
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
	if err := s.Instance.Refresh(context.Background()); err != nil {
		s.t.Fatal(err)
	}
}

// TryRefresh reads the resource, and returns the warnings and the errors.
func (s *Session) TryRefresh() (warnings []string, problem string) {
	s.t.Helper()
	problem = s.problem(s.Instance.Refresh(context.Background()))
	return s.Warnings, problem
}

// Destroy deletes the resource.
func (s *Session) Destroy() {
	s.t.Helper()
	if err := s.Instance.Destroy(context.Background()); err != nil {
		s.t.Fatal(err)
	}
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
