// Command ocgen writes package oc: Go structs, made by ygot from the OpenConfig
// YANG models, for the configuration this provider manages and nothing else.
//
// The keep file names that configuration, one entry a line: "/a/b" keeps the
// subtree, "-c/d" drops every kept node whose path ends in c/d, "#" starts a
// comment. State always goes. Everything not kept is removed by "deviate
// not-supported" statements before ygot sees the models.
package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"go/format"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/openconfig/goyang/pkg/yang"
	"github.com/openconfig/ygot/genutil"
	"github.com/openconfig/ygot/gogen"
	"github.com/openconfig/ygot/ygen"
)

func main() {
	log.SetFlags(0)
	dir := flag.String("yang", "yang", "directory of the YANG models")
	keep := flag.String("keep", "tools/ocgen/keep.txt", "keep file")
	out := flag.String("out", ".", "directory to write to")
	flag.Parse()
	if err := run(*dir, *keep, *out, flag.Args()); err != nil {
		log.Fatal(err)
	}
}

func run(dir, keep, out string, modules []string) error {
	lean, err := prune(dir, keep, modules)
	if err != nil {
		return err
	}
	tmp, err := os.MkdirTemp("", "oc")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(tmp) }()
	dev := filepath.Join(tmp, "lean.yang")
	if err := os.WriteFile(dev, lean, 0o600); err != nil {
		return err
	}
	code, errs := gogen.New("oc/gen",
		ygen.IROptions{TransformationOptions: ygen.TransformationOpts{
			CompressBehaviour:                    genutil.ExcludeDerivedState,
			GenerateFakeRoot:                     true,
			ShortenEnumLeafNames:                 true,
			EnumOrgPrefixesToTrim:                []string{"openconfig"},
			UseDefiningModuleForTypedefEnumNames: true,
			EnumerationsUseUnderscores:           true,
		}},
		gogen.GoOpts{
			PackageName:                         structs,
			GenerateJSONSchema:                  true,
			GenerateSimpleUnions:                true,
			AppendEnumSuffixForSimpleUnionEnums: true,
			GenerateGetters:                     true,
			ValidateFunctionName:                "Validate",
			YgotImportPath:                      genutil.GoDefaultYgotImportPath,
			YtypesImportPath:                    genutil.GoDefaultYtypesImportPath,
			GoyangImportPath:                    genutil.GoDefaultGoyangImportPath,
		},
	).Generate(append(slices.Clone(modules), dev), []string{filepath.Join(dir, "...")})
	if errs != nil {
		return fmt.Errorf("%.500s", errs.Error()) // the rest is a dump of the tree
	}
	if err := write(filepath.Join(out, structs), code); err != nil {
		return err
	}
	return writeModel(dir, dev, out, modules)
}

// structs is the package of ygot's structs, below the output. It stands alone so
// that the provider need not carry ygot with it: it starts many times in one run.
const structs = "ocstruct"

// ygot's package reads its schema when the program starts. These replacements
// make it do so on first use: the provider starts many times in one run.
var lazy = strings.NewReplacer(
	"var (\n\tSchemaTree map[string]*yang.Entry\n\tΛEnumTypes map[string][]reflect.Type\n)\n", "var ΛEnumTypes map[string][]reflect.Type\n",
	"func init() {\n\tvar err error\n\tinitΛEnumTypes()\n\tif SchemaTree, err = UnzipSchema(); err != nil {\n\t\tpanic(\"schema error: \" + err.Error())\n\t}\n}\n",
	"var load = sync.OnceValue(func() map[string]*yang.Entry {\n\tinitΛEnumTypes()\n\ttree, err := UnzipSchema()\n\tif err != nil {\n\t\tpanic(\"schema error: \" + err.Error())\n\t}\n\treturn tree\n})\n",
	"uzp, err := UnzipSchema()\n\tif err != nil {\n\t\treturn nil, fmt.Errorf(\"cannot unzip schema, %v\", err)\n\t}\n", "uzp := load()\n",
	"ytypes.Validate(SchemaTree[", "ytypes.Validate(load()[",
	"schema, ok := SchemaTree[", "schema, ok := load()[",
	"{ return ΛEnumTypes }", "{ load(); return ΛEnumTypes }",
	"{\n\treturn ΛEnumTypes\n}", "{\n\tload()\n\treturn ΛEnumTypes\n}",
)

// write puts each top-level container in a file of its own.
func write(out string, code *gogen.GeneratedCode) error {
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	schema, err := compact(code.RawJSONSchema)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(out, "schema.json.gz"), schema, 0o644); err != nil {
		return err
	}
	files := map[string]*bytes.Buffer{}
	add := func(name, text string) {
		if files[name] == nil {
			files[name] = &bytes.Buffer{}
		}
		files[name].WriteString(text + "\n")
	}
	add("device", code.OneOffHeader)
	add("device", "//go:embed schema.json.gz\nvar ySchema []byte\n")
	for _, s := range code.Structs {
		name, _, _ := strings.Cut(s.StructName, "_")
		add(strings.ToLower(name), s.String())
	}
	add("enums", strings.Join(code.Enums, "\n"))
	add("enums", code.EnumMap)
	add("enums", code.EnumTypeMap)
	for name, body := range files {
		plain, err := format.Source(body.Bytes())
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		text := lazy.Replace(string(plain))
		src, err := format.Source([]byte(header(text) + text))
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := os.WriteFile(filepath.Join(out, name+".go"), src, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func header(body string) string {
	var b strings.Builder
	b.WriteString("// Code generated by oc/gen from the OpenConfig YANG models. DO NOT EDIT.\n\npackage " + structs + "\n\nimport (\n")
	if strings.Contains(body, "//go:embed") {
		b.WriteString("_ \"embed\"\n")
	}
	for _, i := range []struct{ use, path string }{
		{"json.Un", "encoding/json"},
		{"fmt.", "fmt"},
		{"reflect.", "reflect"},
		{"*yang.", "github.com/openconfig/goyang/pkg/yang"},
		{"sync.", "sync"},
		{"ygot.", "github.com/openconfig/ygot/ygot"},
		{"ytypes.", "github.com/openconfig/ygot/ytypes"},
	} {
		if strings.Contains(body, i.use) {
			fmt.Fprintf(&b, "%q\n", i.path)
		}
	}
	b.WriteString(")\n\n")
	return b.String()
}

// compact reduces a schema to what ygot reads at run time. It also makes the
// output reproducible: the order of what augments a node is not.
func compact(raw []byte) ([]byte, error) {
	root := &yang.Entry{}
	if err := json.Unmarshal(raw, root); err != nil {
		return nil, err
	}
	var walk func(*yang.Entry)
	walk = func(e *yang.Entry) {
		e.Description, e.Prefix, e.Exts, e.Extra = "", nil, nil, nil
		e.Augments, e.Augmented, e.Uses, e.Identities = nil, nil, nil, nil
		for _, c := range e.Dir {
			walk(c)
		}
	}
	walk(root)
	j, err := json.Marshal(root)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := z.Write(j); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
