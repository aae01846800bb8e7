package schema_test

import (
	"reflect"
	"testing"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/schema"
)

var paths = map[string][]schema.Step{
	"":                   nil,
	"/":                  nil,
	"/interfaces":        {{Name: "interfaces"}},
	"interfaces/config/": {{Name: "interfaces"}, {Name: "config"}},
	"/interfaces/interface[name=Ethernet1/1]/config": {{Name: "interfaces"}, {Name: "interface", Keys: map[string]string{"name": "Ethernet1/1"}}, {Name: "config"}},
	"/a[x=1][y=]":              {{Name: "a", Keys: map[string]string{"x": "1", "y": ""}}},
	`/a[x=1\]2\\3\=4]`:         {{Name: "a", Keys: map[string]string{"x": `1]2\3=4`}}},
	"/a[x=k=v]/b":              {{Name: "a", Keys: map[string]string{"x": "k=v"}}, {Name: "b"}},
	"/a[x=../..]":              {{Name: "a", Keys: map[string]string{"x": "../.."}}},
	"/a[x=[1]":                 {{Name: "a", Keys: map[string]string{"x": "[1"}}},
	"/a[x=Größe]/openconfig:b": {{Name: "a", Keys: map[string]string{"x": "Größe"}}, {Name: "openconfig:b"}},
}

func TestAPathsTextIsReadAsItsConventionsSay(t *testing.T) {
	for text, want := range paths {
		got, err := schema.ParsePath(text)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: got %v, %v; want %v", text, got, err, want)
		}
	}
}

func TestAMalformedPathIsRefused(t *testing.T) {
	for _, text := range []string{"/a[", "/a[x", "/a[x=", "/a[x=1", "/a[]", "/a[=1]", "/a[x]", "/a]", "/a[x=1]b", "/a[x=1]]", "//a", "/a//b", "/[x=1]", "/a[x=1][x=2]"} {
		if got, err := schema.ParsePath(text); err == nil {
			t.Errorf("%q is read as %v", text, got)
		}
	}
}
