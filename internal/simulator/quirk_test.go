package simulator_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/openconfig/gnmi/proto/gnmi"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/simulator"
)

// quirky runs a target with quirks, each in the form name=value.
func quirky(tb testing.TB, quirks ...string) device {
	tb.Helper()
	var options simulator.Options
	for _, q := range quirks {
		if err := options.Quirk(q); err != nil {
			tb.Fatal(err)
		}
	}
	return start(tb, options)
}

// config is get of the type CONFIG, which must not fail.
func (d device) config(tb testing.TB, p string) string {
	tb.Helper()
	text, err := d.get(tb.Context(), gnmi.GetRequest_CONFIG, path(tb, p))
	if err != nil {
		tb.Fatalf("%s: %v", p, err)
	}
	return text
}

// updates reads one path and returns the updates of the answer.
func (d device) updates(tb testing.TB, p string) []*gnmi.Update {
	tb.Helper()
	resp, err := d.client.Get(tb.Context(), &gnmi.GetRequest{
		Path: []*gnmi.Path{path(tb, p)}, Type: gnmi.GetRequest_CONFIG, Encoding: gnmi.Encoding_JSON_IETF,
	})
	if err != nil {
		tb.Fatalf("%s: %v", p, err)
	}
	return resp.GetNotification()[0].GetUpdate()
}

// once subscribes to one path in mode ONCE and returns the updates.
func (d device) once(tb testing.TB, encoding gnmi.Encoding, p string) []*gnmi.Update {
	tb.Helper()
	stream, err := d.client.Subscribe(tb.Context())
	if err != nil {
		tb.Fatal(err)
	}
	list := &gnmi.SubscriptionList{
		Mode: gnmi.SubscriptionList_ONCE, Encoding: encoding,
		Subscription: []*gnmi.Subscription{{Path: path(tb, p)}},
	}
	if err := stream.Send(&gnmi.SubscribeRequest{Request: &gnmi.SubscribeRequest_Subscribe{Subscribe: list}}); err != nil {
		tb.Fatal(err)
	}
	if err := stream.CloseSend(); err != nil {
		tb.Fatal(err)
	}
	var updates []*gnmi.Update
	for {
		resp, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return updates
		}
		if err != nil {
			tb.Fatal(err)
		}
		updates = append(updates, resp.GetUpdate().GetUpdate()...)
	}
}

func TestEveryQuirkHasAName(t *testing.T) {
	for _, quirk := range strings.Fields(`
		absent=null multi_get_any_missing_fails=true report_defaults=omit get_types=ignored uint64_as_number=true
		uint32_as_string=true identity_prefix=never leaf_replies=scalar ipv6_form=upper as_form=dot vlan_ranges=split
		shuffle_lists=true extra_fields=true secret_form=masked eventual=1s false_empty_every=2
		origin=required ifname_case=fold default_ni_name=x bgp_instance_name=x static_instance_name=x ifref_format=name set_only_at_root=true
		exclusive=true lock_sticks_after_error=1s locked_forever_by=x apply_then_error=2 partial_apply_then_error=2
		dirty_candidate_on_reject=true merge=shallow undeletable=/system readonly=/system unsupported=/system mandatory=/system
		delete_absent=error reject_code=aborted autoprune_empty_parent=true commit_latency=1s busy_for=1s optimistic=true shadow_accept=/system
		max_operations=20 feature_gate=/system
		strict_leafref=false aggregate_atomic_update=true vrf_move_clears_addresses=true
		peer_group_removal_deletes_neighbor=true explicit_interface_in_default_ni=true require_subinterface_0=true
		delete_physical=reset vlan_exclusive_parent_child=true
		commit=full lose_commit_reply=2 rollback_late=1s pending_blocks_others=allow arbitration=full
		rate_limit=9 max_sessions=9 max_message=9 keepalive_enforce=1s black_hole=9 reboot_in_set=9 certificate=expired
		auth_code=permission_denied`) {
		if err := new(simulator.Options).Quirk(quirk); err != nil {
			t.Error(err)
		}
		name, _, _ := strings.Cut(quirk, "=")
		if !strings.Contains(simulator.QuirksText(), "  "+name+": ") {
			t.Errorf("the list of quirks for users lacks %s", name)
		}
	}
}

func TestAQuirkThatIsNotThereIsRefused(t *testing.T) {
	for _, quirk := range []string{
		"", "absent", "none=1", "absent=some", "shuffle_lists=perhaps", "false_empty_every=-1", "eventual=-1s", "eventual=soon",
		"readonly=system", "readonly=/interfaces/interface[name=Ethernet1/1]",
	} {
		if err := new(simulator.Options).Quirk(quirk); err == nil {
			t.Errorf("%q is accepted", quirk)
		}
	}
}
