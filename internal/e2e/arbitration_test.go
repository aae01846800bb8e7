package e2e

import (
	"slices"
	"testing"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/simulator"
)

func TestArbitrationIsUsedWhereTheDeviceHasItAndRefusedWhereItOnlySaysYes(t *testing.T) {
	t.Parallel()
	eachCommand(t, func(t *testing.T, command string) {
		for way, says := range map[simulator.Arbitration][]string{
			simulator.ArbitrationFull:        nil,
			simulator.ArbitrationIgnored:     {"ignores master arbitration", `Device "leaf1"`, "Nothing was written", "arbitration = false"},
			simulator.ArbitrationUnsupported: {"does not support master arbitration", `Device "leaf1"`, "Nothing was written", "arbitration = false"},
		} {
			t.Run(string(way), func(t *testing.T) {
				t.Parallel()
				d := startDevice(t, simulator.Options{Arbitration: way})
				w := newWorkspace(t, command, connection(map[string]string{"leaf1": plaintext(d.Addr())}, "arbitration = true")+vlans("leaf1", 5, "x")).on(backends["file"](t))
				if says != nil {
					w.apply().failed(says...)
					return
				}
				w.apply().succeeded()
				first := tokens(d)
				w.destroy().succeeded()
				second := tokens(d)
				// All Sets of a lease carry its token, and the next lease's is
				// another one; the probe's, which is refused, is left out.
				if len(first) != 1 || len(second) != 2 || second[0] != first[0] {
					t.Errorf("the Sets of two runs carried the tokens %v and then %v", first, second)
				}
			})
		}
	})
}

// tokens returns the election ids of the Sets that were carried out, each once
// and in their order. A Set without one counts as "".
func tokens(d *simulated) (ids []string) {
	for _, r := range d.sets() {
		if r.Code == "OK" && !slices.Contains(ids, r.Election) {
			ids = append(ids, r.Election)
		}
	}
	return ids
}
