package e2e

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// disguises returns the forms in which a text is still itself.
func disguises(tb testing.TB, text string) map[string]string {
	tb.Helper()
	quoted, err := json.Marshal(text)
	if err != nil {
		tb.Fatal(err)
	}
	forms := map[string]string{
		"as it is": text, "in JSON": string(quoted[1 : len(quoted)-1]), "in hex": hex.EncodeToString([]byte(text)), "in a URL": url.QueryEscape(text),
	}
	// In base64, what a text becomes depends on how many bytes are before it. The
	// characters at its ends hold bits of its neighbours.
	for before, name := range []string{"in base64", "in base64 after 1 byte", "in base64 after 2 bytes"} {
		coded := base64.RawStdEncoding.EncodeToString([]byte(strings.Repeat("-", before) + text))
		forms[name] = coded[(before*8+5)/6 : (before+len(text))*8/6]
	}
	return forms
}

// reach is everything that a run leaves, by what it is called.
type reach map[string][]byte

// files adds all files below a directory, and those in archives.
func (r reach) files(tb testing.TB, dir string) {
	tb.Helper()
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		r[name] = text
		if archive, err := zip.NewReader(bytes.NewReader(text), int64(len(text))); err == nil {
			return r.archive(name, archive)
		}
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
}

func (r reach) archive(name string, archive *zip.Reader) error {
	for _, f := range archive.File {
		open, err := f.Open()
		if err != nil {
			return err
		}
		text, err := io.ReadAll(open)
		_ = open.Close()
		if err != nil {
			return err
		}
		r[name+"/"+f.Name] = text
	}
	return nil
}

// shows tells where a text is, in which form.
func (r reach) shows(tb testing.TB, text string) (places []string) {
	tb.Helper()
	for form, disguised := range disguises(tb, text) {
		for name, content := range r {
			if at := bytes.Index(content, []byte(disguised)); at >= 0 {
				around := content[max(0, at-200):min(len(content), at+len(disguised)+200)]
				places = append(places, name+", "+form+": "+string(around))
			}
		}
	}
	return places
}

func TestASecretIsFoundInEveryDisguise(t *testing.T) {
	t.Parallel()
	const secret = `it"s<me>`
	for _, content := range []string{
		"x" + secret, `{"x":"it\"s\u003cme\u003e"}`, "697422733c6d653e", "it%22s%3Cme%3E",
		base64.StdEncoding.EncodeToString([]byte("a" + secret + "b")),
		base64.StdEncoding.EncodeToString([]byte("ab" + secret + "c")),
		base64.StdEncoding.EncodeToString([]byte("abc" + secret + "d")),
	} {
		if places := (reach{"file": []byte(content)}).shows(t, secret); len(places) != 1 {
			t.Errorf("%s: found %q", content, places)
		}
	}
	if places := (reach{"file": []byte(`it"s<us>`)}).shows(t, secret); places != nil {
		t.Errorf("found %q", places)
	}
}
