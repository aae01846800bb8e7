package telemetry

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflogtest"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
)

// newEvents returns an open file of events and its path.
func newEvents(t *testing.T) (events *Events, path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "events.jsonl")
	events, err := NewEvents(path, aRun)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = events.Close() })
	return events, path
}

// written returns the lines of a file of events.
func written(t *testing.T, path string) []string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}

func TestAnEventIsOneLineOfJSON(t *testing.T) {
	process := `"run":"run-1","workspace":"fabric","user":"ops","host":"runner-1","pid":4711}`
	vlan := `"resource":"openconfig_vlan 10","operation":"create","rank":"vlan",`
	for _, test := range []struct {
		event devicelock.Event
		want  string
	}{
		{
			devicelock.Event{Kind: devicelock.Requested, Step: aVLAN},
			`"event":"requested","device":"leaf1:9339",` + vlan + `"priority":"normal","waited_ms":0,"position":0,"ahead":0,`,
		},
		{
			devicelock.Event{
				Kind: devicelock.Waiting, Step: aVLAN, Waited: 10*time.Second + 1500*time.Microsecond, Position: 3, Ahead: 1, Priority: devicelock.Urgent,
				Holder: aNeighbor, HolderFor: time.Second, Elsewhere: &somebody, ElsewhereFor: 2 * time.Second,
			},
			`"event":"waiting","device":"leaf1:9339",` + vlan + `"priority":"urgent","waited_ms":10001.5,"position":3,"ahead":1,` +
				`"holder":{"resource":"openconfig_bgp_neighbor 192.0.2.1","operation":"delete","rank":"bgp_neighbor","held_ms":1000},` +
				`"elsewhere":{"user":"night","host":"runner-2","pid":12,"run":"run-2","workspace":"core","resource":"create of openconfig_vlan 20",` +
				`"priority":"urgent","since":"2026-03-01T11:59:00Z","held_ms":2000},`,
		},
		{
			devicelock.Event{Kind: devicelock.Released, Step: aVLAN, Waited: time.Millisecond, Held: 25 * time.Millisecond, Fence: 9},
			`"event":"released","device":"leaf1:9339",` + vlan + `"priority":"normal","waited_ms":1,"held_ms":25,"fence":9,`,
		},
		{
			devicelock.Event{Kind: devicelock.TimedOut, Step: aVLAN, Waited: 30 * time.Second},
			`"event":"timed_out","device":"leaf1:9339",` + vlan + `"priority":"normal","waited_ms":30000,`,
		},
		{
			devicelock.Event{Kind: devicelock.LeaseAcquired, Waited: 5 * time.Millisecond, Fence: 9},
			`"event":"lease_acquired","device":"leaf1:9339","priority":"normal","waited_ms":5,"fence":9,`,
		},
		{
			devicelock.Event{Kind: devicelock.LeaseLost, Held: time.Minute, Fence: 9, Err: errors.New("the lease has ended")},
			`"event":"lease_lost","device":"leaf1:9339","priority":"normal","held_ms":60000,"fence":9,"error":"the lease has ended",`,
		},
	} {
		events, path := newEvents(t)
		test.event.Key, test.event.At = "leaf1:9339", noon.Add(123*time.Nanosecond)
		events.Observe(t.Context(), test.event)
		want := `{"v":1,"time":"2026-03-01T12:00:00.000000123Z",` + test.want + process
		if lines := written(t, path); len(lines) != 1 || lines[0] != want {
			t.Errorf("%s is written as\n%s\nwant\n%s", test.event.Kind, lines, want)
		}
	}
}

func TestASetIsOneLineOfJSON(t *testing.T) {
	events, path := newEvents(t)
	events.Set(t.Context(), SetEvent{
		Device: "leaf1:9339", Name: "leaf1", Step: aVLAN, Fence: 9, Start: noon, Took: 12345 * time.Microsecond,
		Outcome: Done, Code: "OK", Operations: 2,
	})
	want := `{"v":1,"time":"2026-03-01T12:00:00Z","event":"set","device":"leaf1:9339","name":"leaf1","resource":"openconfig_vlan 10",` +
		`"operation":"create","rank":"vlan","fence":9,"outcome":"done","code":"OK","took_ms":12.345,"operations":2,` +
		`"run":"run-1","workspace":"fabric","user":"ops","host":"runner-1","pid":4711}`
	if lines := written(t, path); len(lines) != 1 || lines[0] != want {
		t.Errorf("written as\n%s\nwant\n%s", lines, want)
	}
}

func TestProcessesShareAFileOfWholeLines(t *testing.T) {
	const writers, steps, lines = 2, 8, 200
	path := filepath.Join(t.TempDir(), "events.jsonl")
	var all sync.WaitGroup
	for i := range writers {
		events, err := NewEvents(path, RunInfo{PID: i + 1})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = events.Close() })
		for range steps {
			all.Go(func() {
				for range lines {
					events.Observe(t.Context(), devicelock.Event{Kind: devicelock.Acquired, Key: strings.Repeat("k", 700), Step: aVLAN})
				}
			})
		}
	}
	all.Wait()
	count := map[int]int{}
	for _, text := range written(t, path) {
		var l line
		if err := json.Unmarshal([]byte(text), &l); err != nil {
			t.Fatalf("%v in %q", err, text)
		}
		count[l.PID]++
	}
	if want := map[int]int{1: steps * lines, 2: steps * lines}; !reflect.DeepEqual(count, want) {
		t.Errorf("lines by process: %v, want %v", count, want)
	}
}

func TestAFileThatCannotBeOpenedIsAnError(t *testing.T) {
	if _, err := NewEvents(filepath.Join(t.TempDir(), "missing", "events.jsonl"), aRun); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the error is %v", err)
	}
}

func TestAFileThatFailsLaterIsWarnedOfOnce(t *testing.T) {
	// A file that is open for reading only refuses every write.
	file, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	events := &Events{file: file}
	var out bytes.Buffer
	ctx := tflogtest.RootLogger(t.Context(), &out)
	for range 3 {
		events.Observe(ctx, devicelock.Event{Kind: devicelock.Acquired, Key: "leaf1", Step: aVLAN})
	}
	if err := events.Close(); err != nil {
		t.Fatal(err)
	}
	events.Observe(ctx, devicelock.Event{Kind: devicelock.Released, Key: "leaf1", Step: aVLAN})
	entries, err := tflogtest.MultilineJSONDecode(&out)
	if err != nil || len(entries) != 1 || entries[0]["@level"] != "warn" || entries[0]["file"] != os.DevNull {
		t.Errorf("logged %v, %v", entries, err)
	}
}

// fields returns the names of the fields of a line, with those of objects in it
// as "holder.held_ms".
func fields(of reflect.Type, prefix string) []string {
	var names []string
	for i := range of.NumField() {
		field := of.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		names = append(names, prefix+name)
		inner := field.Type
		if inner.Kind() == reflect.Pointer && inner.Elem().Kind() == reflect.Struct {
			names = append(names, fields(inner.Elem(), prefix+name+".")...)
		}
	}
	return names
}

// documented returns the first column of the tables below a heading.
func documented(t *testing.T, file, heading string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", file))
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(text), "\n## "+heading+"\n")
	if !found {
		t.Fatalf("%s has no section %q", file, heading)
	}
	section, _, _ = strings.Cut(section, "\n## ")
	var names []string
	for row := range strings.Lines(section) {
		if cell, isName := strings.CutPrefix(row, "| `"); isName {
			name, _, _ := strings.Cut(cell, "`")
			names = append(names, name)
		}
	}
	return names
}

func TestTheDocumentationHasEveryFieldAndEvent(t *testing.T) {
	if got, want := documented(t, "events.md", "Fields"), fields(reflect.TypeFor[line](), ""); !slices.Equal(got, want) {
		t.Errorf("docs/events.md has the fields\n%q\nthe lines have\n%q", got, want)
	}
	want := []string{"set"}
	for _, kind := range slices.Concat(stepKinds, leaseKinds) {
		want = append(want, word(kind))
	}
	got := documented(t, "events.md", "Events")
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("docs/events.md has the events\n%q\nthere are\n%q", got, want)
	}
	if next := word(devicelock.Unprotected + 1); !strings.HasPrefix(next, "event_") {
		t.Errorf("these tests do not know the event %q", next)
	}
}

func TestTheExamplesInTheDocumentationAreLinesOfTheSchema(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "events.md"))
	if err != nil {
		t.Fatal(err)
	}
	examples := 0
	for row := range strings.Lines(string(text)) {
		if !strings.HasPrefix(row, `{"v":`) {
			continue
		}
		examples++
		decoder := json.NewDecoder(strings.NewReader(row))
		decoder.DisallowUnknownFields()
		var l line
		if err := decoder.Decode(&l); err != nil {
			t.Errorf("%v in %s", err, row)
			continue
		}
		if again, err := json.Marshal(l); err != nil || string(again) != strings.TrimSpace(row) {
			t.Errorf("the example\n%swould be written as\n%s (%v)", row, again, err)
		}
	}
	if examples == 0 {
		t.Error(fmt.Errorf("docs/events.md has no example"))
	}
}
