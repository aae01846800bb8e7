package acctest

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/provider"
)

// Plugin is a configured provider that is driven through the plugin protocol,
// without Terraform. It is safe for concurrent use.
type Plugin struct {
	process *provider.Server
	server  tfprotov6.ProviderServer
	schemas *tfprotov6.GetProviderSchemaResponse
}

// OpenPlugin starts a provider with the settings of a provider block.
func OpenPlugin(ctx context.Context, settings map[string]any) (*Plugin, error) {
	return openPlugin(ctx, settings, nil)
}

// openPlugin is OpenPlugin with the schemas that another one has told, which is
// the larger part of its work, or nil.
func openPlugin(ctx context.Context, settings map[string]any, schemas *tfprotov6.GetProviderSchemaResponse) (*Plugin, error) {
	p := &Plugin{process: provider.NewServer("test"), schemas: schemas}
	p.server = providerserver.NewProtocol6(p.process.Provider())()
	var err error
	if p.schemas == nil {
		if p.schemas, err = p.server.GetProviderSchema(ctx, &tfprotov6.GetProviderSchemaRequest{}); err != nil {
			return nil, err
		}
	}
	ty := p.schemas.Provider.Block.ValueType()
	config, err := valueOf(ty, settings)
	if err != nil {
		return nil, err
	}
	res, err := p.server.ConfigureProvider(ctx, &tfprotov6.ConfigureProviderRequest{Config: config})
	if err != nil {
		return nil, err
	}
	return p, failed("configure the provider", res.Diagnostics)
}

// Close gives back what the provider holds, as the end of its process does.
func (p *Plugin) Close(ctx context.Context) error { return p.process.Close(ctx) }

// Resource returns a resource of a type that does not exist yet. It is for one
// goroutine at a time.
func (p *Plugin) Resource(typeName string) *Instance {
	r := &Instance{plugin: p, typeName: typeName, schema: p.schemas.ResourceSchemas[typeName].Block}
	r.ty = r.schema.ValueType()
	r.State = tftypes.NewValue(r.ty, nil)
	return r
}

// Import returns what a device has under an import id as a resource of a type,
// read as Terraform reads what it imports.
func (p *Plugin) Import(ctx context.Context, typeName, id string) (*Instance, error) {
	r := p.Resource(typeName)
	res, err := p.server.ImportResourceState(ctx, &tfprotov6.ImportResourceStateRequest{TypeName: typeName, ID: id})
	if err != nil {
		return nil, err
	}
	if err := failed("import "+typeName, res.Diagnostics); err != nil {
		return nil, err
	}
	if r.State, err = res.ImportedResources[0].State.Unmarshal(r.ty); err != nil {
		return nil, err
	}
	err = r.Refresh(ctx)
	return r, err
}

// DiagnosticsError is what the provider itself has against a request.
type DiagnosticsError struct{ Text string }

func (e *DiagnosticsError) Error() string { return e.Text }

// failed returns a *DiagnosticsError if diagnostics have errors.
func failed(what string, diags []*tfprotov6.Diagnostic) error {
	if problems := texts(diags, tfprotov6.DiagnosticSeverityError); len(problems) > 0 {
		return &DiagnosticsError{what + ": " + strings.Join(problems, "\n")}
	}
	return nil
}

// texts are diagnostics of a severity, for people.
func texts(diags []*tfprotov6.Diagnostic, severity tfprotov6.DiagnosticSeverity) []string {
	var out []string
	for _, d := range diags {
		if d.Severity == severity {
			out = append(out, d.Summary+": "+d.Detail+" ("+d.Attribute.String()+")")
		}
	}
	return out
}

// Instance is one resource with its state, handled as Terraform does.
type Instance struct {
	plugin   *Plugin
	typeName string
	schema   *tfprotov6.SchemaBlock
	ty       tftypes.Type
	// State is the resource's state; its zero value means that there is none.
	State tftypes.Value
	// Tainted tells that a creation failed and left a state: the next step
	// destroys the resource and creates it again.
	Tainted bool
	// Warnings are those of the last refresh or change, with their details.
	Warnings []string
}

func valueOf(ty tftypes.Type, attributes map[string]any) (*tfprotov6.DynamicValue, error) {
	text, err := json.Marshal(attributes)
	if err != nil {
		return nil, err
	}
	v, err := tftypes.ValueFromJSON(text, ty) //nolint:staticcheck // of the test's own attributes, not of a state
	if err != nil {
		return nil, fmt.Errorf("%s does not fit the schema: %w", text, err)
	}
	return dynamic(ty, v), nil
}

// dynamic is v on the wire. A value of its own type can always be sent.
func dynamic(ty tftypes.Type, v tftypes.Value) *tfprotov6.DynamicValue {
	d, err := tfprotov6.NewDynamicValue(ty, v)
	if err != nil {
		panic(err)
	}
	return &d
}

// Step validates, plans and applies a configuration. It tells whether the plan
// had a change. What the provider has against it is a *DiagnosticsError.
func (r *Instance) Step(ctx context.Context, attributes map[string]any) (changed bool, err error) {
	if r.Tainted {
		if err := r.Destroy(ctx); err != nil {
			return true, err
		}
	}
	config, err := valueOf(r.ty, attributes)
	if err != nil {
		return false, err
	}
	valid, err := r.plugin.server.ValidateResourceConfig(ctx, &tfprotov6.ValidateResourceConfigRequest{
		TypeName: r.typeName, Config: config,
		ClientCapabilities: &tfprotov6.ValidateResourceConfigClientCapabilities{WriteOnlyAttributesAllowed: true},
	})
	if err != nil {
		return false, err
	}
	if err := failed("validate "+r.typeName, valid.Diagnostics); err != nil {
		return false, err
	}
	proposed, err := r.proposed(config)
	if err != nil {
		return false, err
	}
	plan, err := r.plugin.server.PlanResourceChange(ctx, &tfprotov6.PlanResourceChangeRequest{
		TypeName: r.typeName, PriorState: dynamic(r.ty, r.State), Config: config, ProposedNewState: proposed,
	})
	if err != nil {
		return false, err
	}
	if err := failed("plan "+r.typeName, plan.Diagnostics); err != nil {
		return false, err
	}
	planned, err := plan.PlannedState.Unmarshal(r.ty)
	switch {
	case err != nil:
		return false, err
	case planned.Equal(r.State):
		return false, nil
	case len(plan.RequiresReplace) > 0 && !r.State.IsNull():
		return false, fmt.Errorf("the plan replaces the resource for %v", plan.RequiresReplace)
	}
	creates := r.State.IsNull()
	err = r.apply(ctx, config, plan.PlannedState)
	r.Tainted = creates && err != nil && !r.State.IsNull()
	return true, err
}

func (r *Instance) apply(ctx context.Context, config, planned *tfprotov6.DynamicValue) error {
	res, err := r.plugin.server.ApplyResourceChange(ctx, &tfprotov6.ApplyResourceChangeRequest{
		TypeName: r.typeName, PriorState: dynamic(r.ty, r.State), Config: config, PlannedState: planned,
	})
	if err != nil {
		return err
	}
	r.Warnings = texts(res.Diagnostics, tfprotov6.DiagnosticSeverityWarning)
	if r.State, err = res.NewState.Unmarshal(r.ty); err != nil {
		return err
	}
	return failed("apply "+r.typeName, res.Diagnostics)
}

// Destroy deletes the resource, if there is one.
func (r *Instance) Destroy(ctx context.Context) error {
	if r.State.IsNull() {
		return nil
	}
	null := dynamic(r.ty, tftypes.NewValue(r.ty, nil))
	err := r.apply(ctx, null, null)
	r.Tainted = r.Tainted && err != nil
	return err
}

// Refresh reads the resource, if there is one.
func (r *Instance) Refresh(ctx context.Context) error {
	if r.State.IsNull() {
		return nil
	}
	res, err := r.plugin.server.ReadResource(ctx, &tfprotov6.ReadResourceRequest{TypeName: r.typeName, CurrentState: dynamic(r.ty, r.State)})
	if err != nil {
		return err
	}
	r.Warnings = texts(res.Diagnostics, tfprotov6.DiagnosticSeverityWarning)
	if err := failed("refresh "+r.typeName, res.Diagnostics); err != nil {
		return err
	}
	r.State, err = res.NewState.Unmarshal(r.ty)
	r.Tainted = r.Tainted && !r.State.IsNull()
	return err
}

// proposed is what Terraform proposes: write-only attributes are null, and what
// the provider fills in stays as it is.
func (r *Instance) proposed(config *tfprotov6.DynamicValue) (*tfprotov6.DynamicValue, error) {
	v, err := config.Unmarshal(r.ty)
	if err != nil {
		return nil, err
	}
	members, prior := map[string]tftypes.Value{}, map[string]tftypes.Value{}
	if err := v.As(&members); err != nil {
		return nil, err
	}
	members = maps.Clone(members) // As hands out the value's own map
	if err := r.State.As(&prior); err != nil {
		return nil, err
	}
	for _, a := range r.schema.Attributes {
		if a.WriteOnly {
			members[a.Name] = tftypes.NewValue(a.Type, nil)
		}
		if before, ok := prior[a.Name]; ok && a.Computed && members[a.Name].IsNull() {
			members[a.Name] = before
		}
	}
	return dynamic(r.ty, tftypes.NewValue(r.ty, members)), nil
}
