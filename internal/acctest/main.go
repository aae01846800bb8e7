package acctest

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"testing"
)

// Main runs a package's tests, for its TestMain. Their locks are neither those of
// the user's own runs nor those that other tests left behind. More of them run
// together than there are processors: they spend their time in the lock's quiet
// times.
func Main(m *testing.M) {
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "acctest:", err)
		code = max(code, 1)
	}
	os.Exit(code)
}

func run(m *testing.M) (code int, err error) {
	flag.Parse()
	locks, err := os.MkdirTemp("", "acctest-locks-")
	if err != nil {
		return 0, err
	}
	// A lock may outlast its test by a moment, and then what it leaves is not
	// worth a failure.
	defer func() { _ = os.RemoveAll(locks) }()
	if err := errors.Join(os.Setenv("OPENCONFIG_LOCK_FILE_DIRECTORY", locks), flag.Set("test.parallel", "24")); err != nil {
		return 0, err
	}
	return m.Run(), nil
}
