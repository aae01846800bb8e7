package acctest

import (
	"strings"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/simulator"
)

// commitWays are devices with the extensions that not all have.
func commitWays() []way {
	confirmed := map[string]any{"commit_confirmed": map[string]any{"rollback_after": "10s"}}
	return append(
		plain("pending_blocks_others=allow", "arbitration=full", "arbitration=unsupported"),
		way{quirks: []string{"commit=full"}, device: confirmed},
		way{quirks: []string{"commit=no_set_duration"}, device: confirmed},
		way{quirks: []string{"commit=full", "lose_commit_reply=2"}, device: confirmed, block: impatient("100ms")},
		way{quirks: []string{"commit=full", "rollback_late=1s"}, device: confirmed},
		way{quirks: []string{"commit=unsupported"}, device: confirmed, limit: &limit{stage: "create", text: "does not support commit-confirmed"}},
		way{quirks: []string{"commit=ignored"}, device: confirmed, limit: &limit{stage: "create", text: "ignores commit-confirmed"}},
	)
}

// transportWays are devices with something about their RPCs or connections.
func transportWays(c *Case) []way {
	login := func(o *simulator.Options) { o.Username, o.Password = "admin", "right" }
	right := map[string]any{"username": "admin", "password": "right"}
	wrong := map[string]any{"username": "admin", "password": "wrong"}
	const untrusted, unwelcome = "The device's certificate is not trusted", "Check the provider's username and password"
	cert, key, err := simulator.SelfSigned("127.0.0.1")
	if err != nil {
		panic(err) // a certificate for loopback can always be made
	}
	secure := func(o *simulator.Options) { o.TLSCert, o.TLSKey = cert, key }
	trusting := map[string]any{"tls": map[string]any{"ca_cert": string(cert)}}
	// Less than the device's own content, and more than the case's.
	small := "max_message=4096"
	if strings.Contains(c.Entry, "/protocol[") {
		small = "max_message=24576"
	}
	return append(
		plain("rate_limit=100", "max_sessions=2", small, "keepalive_enforce=1m"),
		way{
			quirks: []string{"black_hole=1"}, block: impatient("200ms"), limit: &limit{stage: "create", text: "did not answer"},
			device: map[string]any{"read_timeout": "200ms", "set_timeout": "200ms", "retry_timeout": "100ms"},
		},
		way{quirks: []string{"reboot_in_set=3"}, again: "The device carried out a part of the change", block: impatient("2s")},
		way{quirks: []string{"certificate=expired"}, options: secure, device: trusting, limit: &limit{stage: "create", text: untrusted}},
		way{quirks: []string{"certificate=no_san"}, options: secure, device: trusting, limit: &limit{stage: "create", text: untrusted}},
		way{quirks: []string{"certificate=rotated"}, options: secure, device: trusting, limit: &limit{stage: "create", text: untrusted}},
		way{quirks: []string{"auth_code=unauthenticated"}, options: login, device: right},
		way{quirks: []string{"auth_code=permission_denied"}, options: login, device: right},
		way{quirks: []string{"auth_code=unauthenticated", "auth_code=unauthenticated"}, options: login, device: wrong, limit: &limit{stage: "create", text: unwelcome}},
		way{quirks: []string{"auth_code=permission_denied", "auth_code=permission_denied"}, options: login, device: wrong, limit: &limit{stage: "create", text: unwelcome}},
	)
}

// impatient are settings for devices that do not go on with a Set for longer
// than delay after its sender has given up.
func impatient(delay string) map[string]any {
	return map[string]any{"lock": map[string]any{"lock_delay": delay}}
}
