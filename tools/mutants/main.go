// Command mutants breaks the device lock and the transaction in one known way
// after another and checks that a test notices each time: the tests are worth what they catch.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// limit bounds the tests of one mutant.
const limit = 3 * time.Minute

func main() {
	root := flag.String("root", ".", "the repository's `directory`")
	only := flag.String("run", "", "only mutants whose name matches this regular `expression`")
	flag.Parse()
	survived, err := run(*root, *only)
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
	if survived > 0 {
		fmt.Fprintf(os.Stderr, "mutants: %d were not noticed\n", survived)
		os.Exit(1)
	}
}

func run(root, only string) (survived int, err error) {
	pattern, err := regexp.Compile(only)
	if err != nil {
		return 0, err
	}
	root, err = filepath.Abs(root)
	if err != nil {
		return 0, err
	}
	directory, err := os.MkdirTemp("", "mutants-")
	if err != nil {
		return 0, err
	}
	defer func() { _ = os.RemoveAll(directory) }()
	for _, m := range all() {
		if !pattern.MatchString(m.name) {
			continue
		}
		began := time.Now()
		test, err := m.try(root, directory)
		if err != nil {
			return survived, fmt.Errorf("%s: %w", m.name, err)
		}
		if test == "" {
			survived++
			test = "NOT NOTICED"
		}
		fmt.Printf("%-60s %5.1fs  %s\n", m.name, time.Since(began).Seconds(), test)
	}
	return survived, nil
}

// all returns the mutants of the lock and those of the transaction.
func all() []mutant { return slices.Concat(mutants, transactionMutants) }

var failed = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)`)

// change returns the name of the file that the mutant changes, and its text
// then. It fails unless the code has exactly the one place.
func (m *mutant) change(root string) (file, text string, err error) {
	file = filepath.Join(root, filepath.FromSlash(m.file))
	original, err := os.ReadFile(file)
	if err != nil {
		return "", "", err
	}
	if n := strings.Count(string(original), m.old); n != 1 {
		return "", "", fmt.Errorf("%s: %s has %d places to change, not one: %q", m.name, m.file, n, m.old)
	}
	return file, strings.Replace(string(original), m.old, m.new, 1), nil
}

// try runs the package's tests with the mutant in the place of the code, and
// returns the first test that failed; empty if none did.
func (m *mutant) try(root, directory string) (test string, err error) {
	original, text, err := m.change(root)
	if err != nil {
		return "", err
	}
	changed := filepath.Join(directory, filepath.Base(m.file))
	if err := os.WriteFile(changed, []byte(text), 0o600); err != nil {
		return "", err
	}
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {original: changed}})
	if err != nil {
		return "", err
	}
	overlayFile := filepath.Join(directory, "overlay.json")
	if err := os.WriteFile(overlayFile, overlay, 0o600); err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", "test", "-vet=off", "-overlay", overlayFile, "-count=1", "-failfast", "-timeout=90s", "./"+filepath.Dir(m.file))
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	switch {
	case err == nil:
		return "", nil
	case strings.Contains(string(out), "[build failed]"), strings.Contains(string(out), "[setup failed]"):
		return "", fmt.Errorf("it does not compile:\n%s", out)
	}
	if found := failed.FindSubmatch(out); found != nil {
		return string(found[1]), nil
	}
	if strings.Contains(string(out), "panic: test timed out") || strings.Contains(string(out), "deadlock") {
		return "(a test hung)", nil
	}
	return "", fmt.Errorf("the tests ended without a test that failed: %w\n%s", err, out)
}
