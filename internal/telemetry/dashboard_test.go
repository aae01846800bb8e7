package telemetry

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	dto "github.com/prometheus/client_model/go"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
)

// measured returns what the instruments hold after work, as OpenTelemetry and
// as Prometheus see it.
func measured(t *testing.T) (metricdata.ScopeMetrics, []*dto.MetricFamily) {
	t.Helper()
	environment(t, nil)
	telemetry, err := New(Options{MetricsFile: filepath.Join(t.TempDir(), "openconfig.prom")})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = telemetry.Shutdown(t.Context()) }()
	work(t.Context(), telemetry)
	var data metricdata.ResourceMetrics
	if err := telemetry.file.reader.Collect(t.Context(), &data); err != nil || len(data.ScopeMetrics) != 1 {
		t.Fatalf("%d scopes, %v", len(data.ScopeMetrics), err)
	}
	families, err := families(&data)
	if err != nil {
		t.Fatal(err)
	}
	return data.ScopeMetrics[0], families
}

// about returns an instrument's kind, the suffixes that Prometheus gives its
// name, and its attributes.
func about(m metricdata.Metrics) (kind, suffix string, attributes []string) {
	var sets []attribute.Set
	switch data := m.Data.(type) {
	case metricdata.Histogram[float64]:
		kind, suffix = "histogram", "_seconds"
		for _, point := range data.DataPoints {
			sets = append(sets, point.Attributes)
		}
	case metricdata.Sum[int64]:
		kind, suffix = "counter", "_total"
		if !data.IsMonotonic {
			kind, suffix = "up-down counter", ""
		}
		for _, point := range data.DataPoints {
			sets = append(sets, point.Attributes)
		}
	}
	names := map[string]bool{}
	for _, set := range sets {
		for _, pair := range set.ToSlice() {
			names["`"+string(pair.Key)+"`"] = true
		}
	}
	return kind, suffix, slices.Sorted(maps.Keys(names))
}

func TestTheDocumentationHasEveryInstrument(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "metrics.md"))
	if err != nil {
		t.Fatal(err)
	}
	scope, families := measured(t)
	for _, m := range scope.Metrics {
		kind, suffix, attributes := about(m)
		name := strings.ReplaceAll(m.Name, ".", "_") + suffix
		if find(families, name) == nil {
			t.Errorf("%s is not %s in Prometheus", m.Name, name)
		}
		row := "\n| `" + m.Name + "` | `" + name + "` | " + kind + ", " + m.Unit + " | " + strings.Join(attributes, " ") + " |"
		if !strings.Contains(string(text), row) {
			t.Errorf("docs/metrics.md lacks%s", row)
		}
	}
	if rows := strings.Count(string(text), "\n| `openconfig."); rows != len(scope.Metrics) {
		t.Errorf("docs/metrics.md has %d instruments, there are %d", rows, len(scope.Metrics))
	}
}

// dashboard is the part of Grafana's format that refers to metrics.
type dashboard struct {
	Templating struct {
		List []struct {
			Name  string          `json:"name"`
			Query json.RawMessage `json:"query"`
		} `json:"list"`
	} `json:"templating"`
	Panels []struct {
		ID      int    `json:"id"`
		Title   string `json:"title"`
		GridPos struct{ H, W, X, Y int }
		Targets []struct {
			Expr   string `json:"expr"`
			Legend string `json:"legendFormat"`
		} `json:"targets"`
	} `json:"panels"`
}

var (
	metricName = regexp.MustCompile(`openconfig_\w+`)
	variable   = regexp.MustCompile(`\$(\w+)`)
	grouping   = regexp.MustCompile(`by \(([^)]*)\)`)
	matcher    = regexp.MustCompile(`(\w+)(?:=|!=|=~|!~)"`)
	inLegend   = regexp.MustCompile(`\{\{(\w+)\}\}`)
)

func TestTheDashboardUsesMetricsThatExist(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "examples", "grafana", "openconfig-lock.json"))
	if err != nil {
		t.Fatal(err)
	}
	var d dashboard
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	_, families := measured(t)
	// For each name that a query may use, the labels that it has.
	known := map[string][]string{}
	unused := map[string]bool{}
	for _, family := range families {
		var labels []string
		for _, pair := range family.GetMetric()[0].GetLabel() {
			labels = append(labels, pair.GetName())
		}
		unused[family.GetName()] = true
		if family.GetType() != dto.MetricType_HISTOGRAM {
			known[family.GetName()] = labels
			continue
		}
		known[family.GetName()+"_sum"], known[family.GetName()+"_count"] = labels, labels
		known[family.GetName()+"_bucket"] = append(labels, "le")
	}
	variables := map[string]bool{}
	for _, v := range d.Templating.List {
		variables[v.Name] = true
		for _, name := range metricName.FindAllString(string(v.Query), -1) {
			if known[name] == nil {
				t.Errorf("variable %s uses %s, which does not exist", v.Name, name)
			}
		}
	}
	ids := map[int]bool{}
	for _, panel := range d.Panels {
		if ids[panel.ID] {
			t.Errorf("panel %q has the id of another", panel.Title)
		}
		ids[panel.ID] = true
		for _, target := range panel.Targets {
			names := metricName.FindAllString(target.Expr, -1)
			if len(names) == 0 {
				t.Errorf("panel %q has a query without a metric", panel.Title)
			}
			var used []string
			for _, found := range grouping.FindAllStringSubmatch(target.Expr, -1) {
				used = append(used, strings.Split(found[1], ", ")...)
			}
			for _, found := range slices.Concat(matcher.FindAllStringSubmatch(target.Expr, -1), inLegend.FindAllStringSubmatch(target.Legend, -1)) {
				used = append(used, found[1])
			}
			for _, name := range names {
				labels := known[name]
				if labels == nil {
					t.Errorf("panel %q uses %s, which does not exist", panel.Title, name)
				}
				for _, label := range used {
					if !slices.Contains(labels, label) {
						t.Errorf("panel %q uses the label %s, which %s does not have", panel.Title, label, name)
					}
				}
				for family := range unused {
					if strings.HasPrefix(name, family) {
						delete(unused, family)
					}
				}
			}
			for _, found := range variable.FindAllStringSubmatch(target.Expr, -1) {
				if !variables[found[1]] {
					t.Errorf("panel %q uses the variable %s, which does not exist", panel.Title, found[1])
				}
			}
			if strings.Count(target.Expr, "(") != strings.Count(target.Expr, ")") {
				t.Errorf("panel %q has a query with unbalanced parentheses", panel.Title)
			}
		}
	}
	for family := range unused {
		t.Errorf("no panel shows %s", family)
	}
}
