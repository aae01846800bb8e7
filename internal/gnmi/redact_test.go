package gnmi_test

import (
	"testing"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/gnmi"
)

func TestSecretsAreTakenOutOfADevicesWordsInWhateverFormTheyCame(t *testing.T) {
	const secret = `a"b<c>\d&e`
	for text, want := range map[string]string{
		`bad password a"b<c>\d&e`:                                 `bad password (secret)`,
		`{"auth-password":"a\"b<c>\\d&e"}`:                        `{"auth-password":"(secret)"}`,
		`{"auth-password":"a\"b\u003cc\u003e\\d\u0026e"}`:         `{"auth-password":"(secret)"}`,
		`"{\"auth-password\":\"a\\\"b<c>\\\\d&e\"}"`:              `"{\"auth-password\":\"(secret)\"}"`,
		`"{\"p\":\"a\\\"b\\u003cc\\u003e\\\\d\\u0026e\"}" is bad`: `"{\"p\":\"(secret)\"}" is bad`,
		`other: short, shorter`:                                   `other: (secret), (secret)`,
		`nothing of the kind`:                                     `nothing of the kind`,
	} {
		if got := gnmi.Redact(text, "short", "", secret, "shorter"); got != want {
			t.Errorf("%s\nbecomes %s\n   want %s", text, got, want)
		}
	}
	if got := gnmi.Redact("text"); got != "text" {
		t.Errorf("without secrets: %q", got)
	}
}
