package gnmi

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"
)

// Redact replaces the secrets in a device's words: as they are, and as they are
// inside of JSON, itself quoted or not, since devices repeat what they were sent
// in the form in which it came. Empty secrets are in no text.
func Redact(text string, secrets ...string) string {
	var forms []string
	for _, s := range secrets {
		if s == "" {
			continue
		}
		once := inJSON(s)
		forms = append(forms, s)
		forms = append(forms, once...)
		for _, form := range once {
			forms = append(forms, inJSON(form)...)
		}
	}
	// Where one form begins with another, the longer one is what is there.
	slices.SortStableFunc(forms, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	var pairs []string
	for _, form := range forms {
		pairs = append(pairs, form, "(secret)")
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// inJSON returns the ways in which JSON has a text between quotes: with the
// characters that mean something in HTML escaped, as many encoders do, and not.
func inJSON(text string) []string {
	forms := make([]string, 0, 2)
	for _, html := range []bool{true, false} {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(html)
		_ = e.Encode(text) // a string has a form in JSON, and a buffer takes it
		forms = append(forms, strings.TrimSuffix(strings.TrimPrefix(b.String(), `"`), "\"\n"))
	}
	return forms
}
