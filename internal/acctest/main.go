package acctest

import (
	"flag"
	"os"
	"testing"
)

// Main runs a package's tests, for its TestMain. It lets more of them run
// together than there are processors: they spend their time in the lock's quiet
// times.
func Main(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", "24"); err != nil {
		panic(err) // the flag is the testing package's own
	}
	os.Exit(m.Run())
}
