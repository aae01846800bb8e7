package provider

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/device"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock/backend"
)

// object is what a configuration sets; the rest is null.
type object map[string]any

// unknown is a value that Terraform does not know yet.
var unknown = new(int)

// value returns v as a value of a type.
func value(ty tftypes.Type, v any) tftypes.Value {
	if v == unknown {
		return tftypes.NewValue(ty, tftypes.UnknownValue)
	}
	if list, ok := v.([]any); ok {
		var elements []tftypes.Value
		for _, e := range list {
			elements = append(elements, value(ty.(tftypes.List).ElementType, e))
		}
		return tftypes.NewValue(ty, elements)
	}
	set, isObject := v.(object)
	if !isObject {
		return tftypes.NewValue(ty, v)
	}
	out := map[string]tftypes.Value{}
	if m, ok := ty.(tftypes.Map); ok {
		for name, v := range set {
			out[name] = value(m.ElementType, v)
		}
		return tftypes.NewValue(ty, out)
	}
	for name, member := range ty.(tftypes.Object).AttributeTypes {
		out[name] = value(member, set[name])
	}
	return tftypes.NewValue(ty, out)
}

// reading returns the devices that the provider makes of a configuration, in an
// environment that has only the given settings.
func reading(t *testing.T, config object, environment map[string]string) ([]device.Config, diag.Diagnostics) {
	t.Helper()
	c, diags := readingAll(t, config, environment)
	return c.devices, diags
}

// readingAll is reading with all that is not about devices.
func readingAll(t *testing.T, config object, environment map[string]string) (configuration, diag.Diagnostics) {
	t.Helper()
	for _, s := range backend.Table() {
		t.Setenv(s.Variable(), environment[s.Variable()])
	}
	for _, name := range []string{
		"ADDRESS", "USERNAME", "PASSWORD", "PLAINTEXT", "TLS_CA_CERT", "TLS_CLIENT_CERT", "TLS_CLIENT_KEY",
		"TLS_SERVER_NAME", "TLS_SKIP_VERIFY", "CONNECT_TIMEOUT", "READ_TIMEOUT", "SET_TIMEOUT",
		"ARBITRATION", "RETRY_TIMEOUT", "VERIFY_TIMEOUT", "BATCH", "PROFILE", "ON_DESTROY", "ON_EXISTING", "ON_UNREACHABLE", "COMMIT_CONFIRMED_ROLLBACK_AFTER", "EVENTS_FILE", "METRICS_FILE",
	} {
		t.Setenv("OPENCONFIG_"+name, environment["OPENCONFIG_"+name])
	}
	schema := providerSchema()
	return read(t.Context(), tfsdk.Config{Schema: schema, Raw: value(schema.Type().TerraformType(t.Context()), config)})
}

// good is reading of a configuration without a fault.
func good(t *testing.T, config object, environment map[string]string) []device.Config {
	t.Helper()
	configs, diags := reading(t, config, environment)
	for _, d := range diags {
		t.Errorf("%s: %s", d.Summary(), d.Detail())
	}
	return configs
}
