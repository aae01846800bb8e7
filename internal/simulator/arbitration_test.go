package simulator_test

import (
	"strings"
	"testing"

	"github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/gnmi/proto/gnmi_ext"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/simulator"
)

// arbitrated is a Set of a port's description with master arbitration.
func arbitrated(tb testing.TB, description string, claim *gnmi_ext.MasterArbitration) *gnmi.SetRequest {
	req := &gnmi.SetRequest{}
	if description != "" {
		req = change{update: [][2]string{{port + "/config/description", `"` + description + `"`}}}.request(tb)
	}
	if claim != nil {
		req.Extension = []*gnmi_ext.Extension{{Ext: &gnmi_ext.Extension_MasterArbitration{MasterArbitration: claim}}}
	}
	return req
}

func claim(high, low uint64, role string) *gnmi_ext.MasterArbitration {
	c := &gnmi_ext.MasterArbitration{ElectionId: &gnmi_ext.Uint128{High: high, Low: low}}
	if role != "" {
		c.Role = &gnmi_ext.Role{Id: role}
	}
	return c
}

// The cases are those of section 3.2 of the master arbitration specification,
// in the order in which one target meets them.
func TestArbitrationLetsTheMasterWriteAndNoEarlierOne(t *testing.T) {
	d := start(t, simulator.Options{Arbitration: simulator.ArbitrationFull})
	for i, tt := range []struct {
		claim *gnmi_ext.MasterArbitration
		code  codes.Code
		says  string
	}{
		{claim(0, 7, ""), codes.OK, ""},                // larger than none
		{claim(0, 7, ""), codes.OK, ""},                // the same
		{claim(0, 6, ""), codes.PermissionDenied, "7"}, // smaller; the error names the largest
		{nil, codes.OK, ""},                            // without the extension
		{&gnmi_ext.MasterArbitration{}, codes.InvalidArgument, "election_id"},
		{claim(1, 0, ""), codes.OK, ""}, // 128 bits
		{claim(0, 1<<63, ""), codes.PermissionDenied, "1:0"},
		{claim(0, 3, "spines"), codes.OK, ""}, // another role has its own
		{claim(0, 2, "spines"), codes.PermissionDenied, "3"},
		{claim(1, 1, ""), codes.OK, ""},
	} {
		description := strings.Repeat("x", i+1)
		_, err := d.client.Set(t.Context(), arbitrated(t, description, tt.claim))
		if status.Code(err) != tt.code || tt.says != "" && !strings.Contains(status.Convert(err).Message(), tt.says) {
			t.Errorf("case %d: %v, want %s", i, err, tt.code)
		}
		if got, _ := d.Leaf(port + "/config/description"); (got == description) != (tt.code == codes.OK) {
			t.Errorf("case %d: the device holds %q after %s", i, got, tt.code)
		}
	}
	if _, err := d.client.Set(t.Context(), arbitrated(t, "", claim(2, 0, ""))); err != nil {
		t.Errorf("an empty Set: %v", err)
	}
	if _, err := d.client.Set(t.Context(), arbitrated(t, "late", claim(1, 9, ""))); status.Code(err) != codes.PermissionDenied {
		t.Errorf("the one before the empty Set: %v", err)
	}
	sets := d.Log()
	if last := sets[len(sets)-1]; last.Election != "1:9" || !strings.HasPrefix(last.Peer, "127.0.0.1:") {
		t.Errorf("the record is %+v", last)
	}
}

func TestTargetsWithoutArbitrationIgnoreItOrSaySo(t *testing.T) {
	for arbitration, code := range map[simulator.Arbitration]codes.Code{
		"": codes.OK, simulator.ArbitrationIgnored: codes.OK, simulator.ArbitrationUnsupported: codes.Unimplemented,
	} {
		d := start(t, simulator.Options{Arbitration: arbitration})
		for _, id := range []uint64{9, 8} {
			if _, err := d.client.Set(t.Context(), arbitrated(t, "x", claim(0, id, ""))); status.Code(err) != code {
				t.Errorf("%q: election id %d: %v, want %s", arbitration, id, err, code)
			}
		}
		if _, err := d.client.Set(t.Context(), arbitrated(t, "x", nil)); err != nil {
			t.Errorf("%q: without the extension: %v", arbitration, err)
		}
	}
	if _, err := simulator.New(simulator.Options{Plaintext: true, Arbitration: "some"}); err == nil {
		t.Error("an arbitration that there is none of was accepted")
	}
}
