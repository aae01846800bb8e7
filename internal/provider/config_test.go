package provider

import (
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/device"
)

// settingsByName are all settings that a device, the provider and the
// environment can have, with where they end up.
var settingsByName = map[string]struct {
	attribute string // with a dot inside an object
	got       func(device.Config) any
	values    [3]any // for a device, the provider, the environment
	want      [3]any // when it is not the value
}{
	"USERNAME":                        {"username", func(c device.Config) any { return c.GNMI.Username }, [3]any{"own", "common", "outer"}, [3]any{}},
	"PASSWORD":                        {"password", func(c device.Config) any { return c.GNMI.Password }, [3]any{"own", "common", "outer"}, [3]any{}},
	"TLS_CA_CERT":                     {"tls.ca_cert", func(c device.Config) any { return c.GNMI.TLS.CACert }, [3]any{"own", "common", "outer"}, [3]any{}},
	"TLS_CLIENT_CERT":                 {"tls.client_cert", func(c device.Config) any { return c.GNMI.TLS.ClientCert }, [3]any{"own", "common", "outer"}, [3]any{}},
	"TLS_CLIENT_KEY":                  {"tls.client_key", func(c device.Config) any { return c.GNMI.TLS.ClientKey }, [3]any{"own", "common", "outer"}, [3]any{}},
	"TLS_SERVER_NAME":                 {"tls.server_name", func(c device.Config) any { return c.GNMI.TLS.ServerName }, [3]any{"own", "common", "outer"}, [3]any{}},
	"TLS_SKIP_VERIFY":                 {"tls.skip_verify", func(c device.Config) any { return c.GNMI.TLS.SkipVerify }, [3]any{false, true, "true"}, [3]any{2: true}},
	"PLAINTEXT":                       {"plaintext", func(c device.Config) any { return c.GNMI.Plaintext }, [3]any{false, true, "1"}, [3]any{2: true}},
	"BATCH":                           {"batch", func(c device.Config) any { return c.Batch }, [3]any{false, true, "true"}, [3]any{2: true}},
	"CONNECT_TIMEOUT":                 {"connect_timeout", func(c device.Config) any { return c.GNMI.ConnectTimeout }, [3]any{"1s", "2s", "3s"}, [3]any{time.Second, 2 * time.Second, 3 * time.Second}},
	"READ_TIMEOUT":                    {"read_timeout", func(c device.Config) any { return c.GNMI.ReadTimeout }, [3]any{"1s", "2s", "3s"}, [3]any{time.Second, 2 * time.Second, 3 * time.Second}},
	"PROFILE":                         {"profile", func(c device.Config) any { return c.Profile.NetworkInstance + " " + c.Profile.BGP }, [3]any{"eos", "iosxr", "srlinux"}, [3]any{"default BGP", "DEFAULT default", "DEFAULT BGP"}},
	"ON_DESTROY":                      {"on_destroy", func(c device.Config) any { return c.Policies.OnDestroy }, [3]any{"delete", "reset", "keep"}, [3]any{}},
	"ON_EXISTING":                     {"on_existing", func(c device.Config) any { return c.Policies.OnExisting }, [3]any{"error", "adopt", "error"}, [3]any{}},
	"ON_UNREACHABLE":                  {"on_unreachable", func(c device.Config) any { return c.Policies.OnUnreachable }, [3]any{"error", "keep", "error"}, [3]any{}},
	"COMMIT_CONFIRMED_ROLLBACK_AFTER": {"commit_confirmed.rollback_after", func(c device.Config) any { return c.CommitConfirmed }, [3]any{"0s", "10s", "2m"}, [3]any{time.Duration(0), 10 * time.Second, 2 * time.Minute}},
	"RETRY_TIMEOUT":                   {"retry_timeout", func(c device.Config) any { return c.GNMI.RetryBudget }, [3]any{"1s", "2s", "3s"}, [3]any{time.Second, 2 * time.Second, 3 * time.Second}},
	"VERIFY_TIMEOUT":                  {"verify_timeout", func(c device.Config) any { return c.VerifyTimeout }, [3]any{"0s", "5s", "1m"}, [3]any{time.Duration(0), 5 * time.Second, time.Minute}},
	"SET_TIMEOUT":                     {"set_timeout", func(c device.Config) any { return c.GNMI.SetTimeout }, [3]any{"1s", "2s", "3s"}, [3]any{time.Second, 2 * time.Second, 3 * time.Second}},
}

// with returns an object with one setting, whose name may be in another.
func with(o object, attribute string, v any) object {
	if outer, name, inside := strings.Cut(attribute, "."); inside {
		o[outer] = object{name: v}
	} else {
		o[attribute] = v
	}
	return o
}

func TestADevicesOwnSettingComesBeforeTheProvidersAndThatBeforeTheEnvironments(t *testing.T) {
	for name, s := range settingsByName {
		for layer, where := range []string{"device", "provider", "environment"} {
			t.Run(s.attribute+" of the "+where, func(t *testing.T) {
				own, common, environment := object{"address": "127.0.0.1"}, object{}, map[string]string{}
				environment["OPENCONFIG_"+name] = s.values[2].(string)
				if layer <= 1 {
					with(common, s.attribute, s.values[1])
				}
				if layer == 0 {
					with(own, s.attribute, s.values[0])
				}
				common["devices"] = object{"r1": own}
				configs := good(t, common, environment)
				want := s.want[layer]
				if want == nil {
					want = s.values[layer]
				}
				if len(configs) != 1 || s.got(configs[0]) != want {
					t.Errorf("got %+v, want %v", configs, want)
				}
			})
		}
	}
}

func TestTheShortFormIsOneDeviceWithTheProvidersSettings(t *testing.T) {
	for name, c := range map[string]struct {
		config      object
		environment map[string]string
	}{
		"by attribute":   {object{"address": "192.0.2.1", "username": "admin", "lock_key": "chassis"}, nil},
		"by environment": {object{"username": "admin", "lock_key": "chassis"}, map[string]string{"OPENCONFIG_ADDRESS": "192.0.2.1"}},
		"by attribute, before the environment": {
			object{"address": "192.0.2.1", "username": "admin", "lock_key": "chassis"}, map[string]string{"OPENCONFIG_ADDRESS": "192.0.2.9"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			configs := good(t, c.config, c.environment)
			if len(configs) != 1 || configs[0].GNMI.Address != "192.0.2.1" || configs[0].GNMI.Username != "admin" || configs[0].LockKey != "chassis" {
				t.Errorf("got %+v", configs)
			}
		})
	}
}

func TestDevicesComeByNameWhateverTheEnvironmentsAddress(t *testing.T) {
	configs := good(t, object{"devices": object{
		"b": object{"address": "192.0.2.2", "lock_key": "chassis"},
		"a": object{"address": "192.0.2.1", "managed": false},
	}}, map[string]string{"OPENCONFIG_ADDRESS": "192.0.2.9"})
	if len(configs) != 2 || configs[0].Name != "a" || configs[1].Name != "b" {
		t.Fatalf("got %+v", configs)
	}
	if a, b := configs[0], configs[1]; !a.Unmanaged || b.Unmanaged || a.LockKey != "" || b.LockKey != "chassis" {
		t.Errorf("got %+v", configs)
	}
}

func TestADeviceWithASettingThatIsNotKnownYetIsUnknownAndTheOthersAreNot(t *testing.T) {
	attributes := []string{"address"}
	for _, s := range settingsByName {
		attributes = append(attributes, s.attribute)
	}
	for _, attribute := range append(attributes, "tls", "overrides", "commit_confirmed", "lock_key", "managed") {
		t.Run(attribute, func(t *testing.T) {
			configs := good(t, object{"devices": object{
				"known":   object{"address": "127.0.0.1"},
				"pending": with(object{"address": "127.0.0.1"}, attribute, unknown),
			}}, nil)
			if len(configs) != 2 || configs[0].Unknown || !configs[1].Unknown {
				t.Errorf("got %+v", configs)
			}
		})
	}
}

func TestAProvidersSettingThatIsNotKnownYetConcernsDevicesWithoutTheirOwn(t *testing.T) {
	for _, attribute := range []string{"username", "password", "plaintext", "tls.ca_cert", "tls", "set_timeout"} {
		t.Run(attribute, func(t *testing.T) {
			configs := good(t, with(object{"devices": object{"r1": object{"address": "127.0.0.1"}}}, attribute, unknown), nil)
			if len(configs) != 1 || !configs[0].Unknown {
				t.Errorf("got %+v", configs)
			}
		})
	}
	configs := good(t, object{"password": unknown, "devices": object{"r1": object{"address": "127.0.0.1", "password": "own"}}}, nil)
	if configs[0].Unknown || configs[0].GNMI.Password != "own" {
		t.Errorf("got %+v", configs)
	}
	if configs := good(t, object{"address": unknown}, nil); len(configs) != 1 || !configs[0].Unknown {
		t.Errorf("the short form: got %+v", configs)
	}
}

func TestAFaultIsToldWithItsAttributeAndDevice(t *testing.T) {
	one := func(o object) object { return object{"devices": object{"r1": o}} }
	for name, c := range map[string]struct {
		config      object
		environment map[string]string
		at, says    string
	}{
		"no address":                    {one(object{}), nil, `devices["r1"].address`, `"r1"`},
		"address and devices":           {object{"address": "192.0.2.1", "devices": object{"r1": object{"address": "192.0.2.1"}}}, nil, "address", "devices"},
		"names not known":               {object{"devices": unknown}, nil, "devices", "names"},
		"a timeout without unit":        {one(object{"address": "192.0.2.1", "set_timeout": "90"}), nil, `devices["r1"].set_timeout`, `"r1"`},
		"a timeout of nothing":          {one(object{"address": "192.0.2.1", "read_timeout": "0s"}), nil, `devices["r1"].read_timeout`, `"0s"`},
		"the provider's timeout":        {object{"connect_timeout": "soon", "devices": object{"r1": object{"address": "192.0.2.1"}, "r2": object{"address": "192.0.2.2"}}}, nil, "connect_timeout", `"soon"`},
		"the environment's timeout":     {one(object{"address": "192.0.2.1"}), map[string]string{"OPENCONFIG_SET_TIMEOUT": "soon"}, "", "OPENCONFIG_SET_TIMEOUT"},
		"the environment's truth":       {one(object{"address": "192.0.2.1"}), map[string]string{"OPENCONFIG_PLAINTEXT": "maybe"}, "", "OPENCONFIG_PLAINTEXT"},
		"a rollback too soon":           {one(object{"address": "192.0.2.1", "commit_confirmed": object{"rollback_after": "9s"}}), nil, `devices["r1"].commit_confirmed.rollback_after`, "10s"},
		"a policy of its own":           {one(object{"address": "192.0.2.1", "on_destroy": "forget"}), nil, `devices["r1"].on_destroy`, `"reset"`},
		"no such profile":               {one(object{"address": "192.0.2.1", "profile": "ios"}), nil, `devices["r1"].profile`, `"iosxr"`},
		"the provider's profile":        {object{"profile": "ios", "devices": object{"r1": object{"address": "192.0.2.1"}, "r2": object{"address": "192.0.2.2"}}}, nil, "profile", `"ios"`},
		"the environment's profile":     {one(object{"address": "192.0.2.1"}), map[string]string{"OPENCONFIG_PROFILE": "ios"}, "", "OPENCONFIG_PROFILE"},
		"a malformed address":           {one(object{"address": "http://192.0.2.1"}), nil, `devices["r1"].address`, `"http://192.0.2.1"`},
		"a malformed address, short":    {object{"address": "192.0.2.1:gnmi!"}, nil, "address", `"192.0.2.1:gnmi!"`},
		"a malformed address, environs": {object{}, map[string]string{"OPENCONFIG_ADDRESS": "a b"}, "", `"a b"`},
	} {
		t.Run(name, func(t *testing.T) {
			_, diags := reading(t, c.config, c.environment)
			if n := diags.ErrorsCount(); n != 1 {
				t.Fatalf("there are %d errors: %v", n, diags)
			}
			fault := diags.Errors()[0]
			if at := place(fault); at != c.at {
				t.Errorf("it is told at %q, want %q", at, c.at)
			}
			if !strings.Contains(fault.Detail(), c.says) {
				t.Errorf("%q does not say %s", fault.Detail(), c.says)
			}
		})
	}
}

// place is the attribute that a diagnostic is about.
func place(d diag.Diagnostic) string {
	if at, ok := d.(diag.DiagnosticWithPath); ok {
		return at.Path().String()
	}
	return ""
}

func TestPlaintextBeyondThisHostIsWarnedOfOnceForEachDevice(t *testing.T) {
	_, diags := reading(t, object{"plaintext": true, "devices": object{
		"far":    object{"address": "192.0.2.1"},
		"named":  object{"address": "leaf1.example"},
		"near":   object{"address": "127.0.0.1"},
		"near6":  object{"address": "::1"},
		"local":  object{"address": "localhost"},
		"secure": object{"address": "192.0.2.2", "plaintext": false},
	}}, nil)
	if diags.HasError() || diags.WarningsCount() != 2 {
		t.Fatalf("got %v", diags)
	}
	for i, name := range []string{"far", "named"} {
		d := diags.Warnings()[i]
		if place(d) != `devices["`+name+`"].plaintext` || !strings.Contains(d.Detail(), `"`+name+`"`) {
			t.Errorf("got %q at %s", d.Detail(), place(d))
		}
	}
}
