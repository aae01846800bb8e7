package bgp_test

import (
	"flag"
	"os"
	"testing"
)

// TestMain lets more tests run together than there are processors: they spend
// their time in the lock's quiet times.
func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", "24"); err != nil {
		panic(err) // the flag is the testing package's own
	}
	os.Exit(m.Run())
}
