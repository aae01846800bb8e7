package pemtext_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/pemtext"
)

func TestPEMIsReadFromTextAndFromFiles(t *testing.T) {
	const text = "\n  -----BEGIN PRIVATE KEY-----\nMIG=\n-----END PRIVATE KEY-----\n"
	file := filepath.Join(t.TempDir(), "key.pem")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, value := range []string{text, file} {
		if got, err := pemtext.Read(value); err != nil || string(got) != text {
			t.Errorf("%q: got %q, %v", value, got, err)
		}
	}
}

func TestAnErrorDoesNotShowWhatMayBeAKey(t *testing.T) {
	const key = "MIGHAgEAMBMGByqGSM49AgEG/CCqGSM49"
	_, err := pemtext.Read(key)
	if !errors.Is(err, fs.ErrNotExist) || strings.Contains(err.Error(), "MIGH") {
		t.Errorf("got %v", err)
	}
	if _, err = pemtext.Read(strings.Repeat(key, 200)); err == nil || strings.Contains(err.Error(), "MIGH") {
		t.Errorf("longer than a name can be: got %v", err)
	}
}
