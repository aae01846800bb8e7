package simulator_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/simulator"
)

// unset is a leaf that nobody has set.
const unset = port + "/config/description"

func TestWhatIsAbsentHasTheFaceOfTheDevice(t *testing.T) {
	for face, want := range map[string]*gnmi.Update{
		"empty_notification": nil,
		"no_value":           {Path: path(t, unset)},
		"empty_object":       {Path: path(t, unset), Val: ietf(`{}`)},
		"empty_text":         {Path: path(t, unset), Val: ietf(``)},
		"null":               {Path: path(t, unset), Val: ietf(`null`)},
	} {
		updates := quirky(t, "absent="+face).updates(t, unset)
		if want == nil && len(updates) == 0 {
			continue
		}
		if len(updates) != 1 || updates[0].String() != want.String() {
			t.Errorf("%s: %v, want %v", face, updates, want)
		}
	}
	d := quirky(t, "absent=not_found")
	if _, err := d.get(t.Context(), gnmi.GetRequest_CONFIG, path(t, unset)); status.Code(err) != codes.NotFound {
		t.Errorf("not_found: %v", err)
	}
}

func TestOneAbsentPathFailsAGetOfSeveralWhereTheDeviceIsLikeThat(t *testing.T) {
	for quirk, want := range map[string]codes.Code{"false": codes.OK, "true": codes.NotFound} {
		d := quirky(t, "absent=null", "multi_get_any_missing_fails="+quirk)
		for n, want := range map[int]codes.Code{1: codes.OK, 2: want} {
			paths := []*gnmi.Path{path(t, unset), path(t, port)}[:n]
			_, err := d.client.Get(t.Context(), &gnmi.GetRequest{Path: paths, Encoding: gnmi.Encoding_JSON_IETF})
			if status.Code(err) != want {
				t.Errorf("%s, %d paths: %v, want %v", quirk, n, err, want)
			}
		}
	}
}

func TestTheTypesOfDataThatADeviceServes(t *testing.T) {
	kinds := []gnmi.GetRequest_DataType{gnmi.GetRequest_ALL, gnmi.GetRequest_CONFIG, gnmi.GetRequest_STATE, gnmi.GetRequest_OPERATIONAL}
	ok, no := codes.OK, codes.Unimplemented
	for types, want := range map[string][]codes.Code{
		"all": {ok, ok, ok, ok}, "all_only": {ok, no, no, no}, "ignored": {ok, ok, ok, ok}, "none": {no, no, no, no},
	} {
		d := quirky(t, "get_types="+types)
		for i, kind := range kinds {
			text, err := d.get(t.Context(), kind, path(t, port))
			if status.Code(err) != want[i] {
				t.Errorf("%s, %v: %v, want %v", types, kind, err, want[i])
			}
			both := strings.Contains(text, `:config"`) && strings.Contains(text, `:state"`)
			if err == nil && both != (types == "ignored" || kind == gnmi.GetRequest_ALL) {
				t.Errorf("%s, %v: got %s", types, kind, text)
			}
		}
		if n := len(d.once(t, gnmi.Encoding_JSON_IETF, port+"/config")); n != 2 {
			t.Errorf("%s: Subscribe tells %d leaves, want 2", types, n)
		}
	}
}

func TestValuesAreWrittenInTheFormOfTheDevice(t *testing.T) {
	const (
		as       = protocol + "/bgp/global/config/as"
		v6       = port + "/subinterfaces/subinterface[index=0]/ipv6/addresses/address[ip=2001:db8::a]"
		password = neighbor + "/config/auth-password"
		trunk    = port + "/ethernet/switched-vlan/config/trunk-vlans"
		big      = "/lldp/config/hello-timer"
	)
	before := change{update: append(slices.Clone(bgp), [][2]string{
		{as, `65546`}, // 1.10 of RFC 5396
		{v6, `{"config":{"ip":"2001:db8::a","prefix-length":64}}`},
		{port + "/subinterfaces/subinterface[index=0]/config/index", `0`},
		{neighbor, `{"config":{"neighbor-address":"192.0.2.0","auth-password":"sesame"}}`},
		{trunk, `[1,"10..12",13,20]`},
		{big, `"5000000000"`},
	}...)}
	for _, tt := range []struct{ quirk, path, strict, want string }{
		{"uint64_as_number=true", big, `"5000000000"`, `5000000000`},
		{"uint32_as_string=true", as, `65546`, `"65546"`},
		{"as_form=plain", as, `65546`, `65546`},
		{"as_form=dot", as, `65546`, `"1.10"`},
		{"identity_prefix=always", port + "/config/type", `"iana-if-type:ethernetCsmacd"`, `"iana-if-type:ethernetCsmacd"`},
		{"identity_prefix=never", port + "/config/type", `"iana-if-type:ethernetCsmacd"`, `"ethernetCsmacd"`},
		{"ipv6_form=compressed", v6 + "/config/ip", `"2001:db8::a"`, `"2001:db8::a"`},
		{"ipv6_form=expanded", v6 + "/config/ip", `"2001:db8::a"`, `"2001:0db8:0000:0000:0000:0000:0000:000a"`},
		{"ipv6_form=upper", v6 + "/config/ip", `"2001:db8::a"`, `"2001:DB8::A"`},
		{"vlan_ranges=split", trunk, `[1,"10..12",13,20]`, `[1,10,11,12,13,20]`},
		{"vlan_ranges=merged", trunk, `[1,"10..12",13,20]`, `[1,"10..13",20]`},
		{"secret_form=masked", password, `"sesame"`, `"********"`},
	} {
		for quirk, want := range map[string]string{"get_types=all": tt.strict, tt.quirk: tt.want} {
			d := quirky(t, quirk)
			d.mustSet(t, before)
			if got := d.config(t, tt.path); got != want {
				t.Errorf("%s: %s is %s, want %s", quirk, tt.path, got, want)
			}
			if got := string(d.once(t, gnmi.Encoding_JSON_IETF, tt.path)[0].GetVal().GetJsonIetfVal()); got != want {
				t.Errorf("%s: Subscribe tells %s of %s, want %s", quirk, got, tt.path, want)
			}
		}
	}
	d := quirky(t, "ipv6_form=upper")
	d.mustSet(t, before)
	u := d.updates(t, v6)[0]
	if key := u.GetPath().GetElem()[6].GetKey()["ip"]; key != "2001:DB8::A" {
		t.Errorf("the path of the answer has the key %q", key)
	}
}

func TestSecretsAreShownInTheFormOfTheDevice(t *testing.T) {
	const password = neighbor + "/config/auth-password"
	show := func(quirk string) (first, second string) {
		t.Helper()
		d := quirky(t, quirk, "absent=null")
		d.mustSet(t, change{update: append(slices.Clone(bgp), [2]string{neighbor, `{"config":{"neighbor-address":"192.0.2.0","auth-password":"sesame"}}`})})
		first, second = d.config(t, password), d.config(t, password)
		for _, text := range []string{first, second, d.config(t, "/")} {
			if strings.Contains(text, "sesame") {
				t.Errorf("%s: the secret is shown: %s", quirk, text)
			}
		}
		return first, second
	}
	if a, b := show("secret_form=hashed"); a != b || a == "null" {
		t.Errorf("hashed: %s and %s", a, b)
	}
	if a, b := show("secret_form=new_salt"); a == b || a == "null" {
		t.Errorf("new_salt: twice %s", a)
	}
	if a, _ := show("secret_form=omitted"); a != "null" {
		t.Errorf("omitted: %s", a)
	}
}

func TestDefaultsAreReportedAsTheDeviceLikes(t *testing.T) {
	set := change{update: [][2]string{{port, `{"config":{"enabled":true,"mtu":1500},"openconfig-if-ethernet:ethernet":{"config":{"auto-negotiate":true}}}`}}}
	for quirk, want := range map[string]string{
		"get_types=all": `{"openconfig-interfaces:config":{"enabled":true,"mtu":1500,"name":"Ethernet1/1","type":"iana-if-type:ethernetCsmacd"},` +
			`"openconfig-if-ethernet:ethernet":{"config":{"auto-negotiate":true}},"openconfig-interfaces:name":"Ethernet1/1"}`,
		"report_defaults=omit": `{"openconfig-interfaces:config":{"mtu":1500,"name":"Ethernet1/1","type":"iana-if-type:ethernetCsmacd"},` +
			`"openconfig-interfaces:name":"Ethernet1/1"}`,
		"report_defaults=explicit": `{"openconfig-interfaces:config":{"enabled":true,"loopback-mode":"NONE","mtu":1500,"name":"Ethernet1/1","openconfig-vlan:tpid":"openconfig-vlan-types:TPID_0X8100","type":"iana-if-type:ethernetCsmacd"},` +
			`"openconfig-if-ethernet:ethernet":{"config":{"auto-negotiate":true,"enable-flow-control":false,"standalone-link-training":false}},` +
			`"openconfig-interfaces:hold-time":{"config":{"down":0,"up":0}},"openconfig-interfaces:name":"Ethernet1/1"}`,
	} {
		d := quirky(t, quirk)
		d.mustSet(t, set)
		if got := d.config(t, port); got != want {
			t.Errorf("%s:\n got %s\nwant %s", quirk, got, want)
		}
		d.leaf(t, port+"/config/enabled", "true") // stored as it was set
	}
	// What names an entry is no default, although the model gives it one.
	d := quirky(t, "report_defaults=omit")
	d.mustSet(t, change{update: [][2]string{addressed}})
	if got := d.config(t, sub0+"/config/index"); got != `0` {
		t.Errorf("the index of subinterface 0 is %s", got)
	}
}

func TestAContainerIsAnsweredLeafByLeaf(t *testing.T) {
	d := quirky(t, "leaf_replies=scalar")
	d.mustSet(t, change{update: [][2]string{{port + "/config", `{"mtu":1500,"enabled":false}`}}})
	got := map[string]string{}
	for _, u := range d.updates(t, port) {
		elems := u.GetPath().GetElem()
		got[elems[len(elems)-2].GetName()+"/"+elems[len(elems)-1].GetName()] = strings.ReplaceAll(u.GetVal().String(), " ", "")
	}
	want := map[string]string{
		"config/enabled": `bool_val:false`, "config/mtu": `uint_val:1500`, "config/name": `string_val:"Ethernet1/1"`,
		"config/type": `string_val:"ethernetCsmacd"`, "interface/name": `string_val:"Ethernet1/1"`,
	}
	if len(got) != len(want) {
		t.Errorf("got %v, want %v", got, want)
	}
	for leaf, value := range want {
		if got[leaf] != value {
			t.Errorf("%s is %s, want %s", leaf, got[leaf], value)
		}
	}
}

func TestWhatHasNoOrderComesInAnotherOne(t *testing.T) {
	names := func(d device) string {
		var b strings.Builder
		for _, u := range d.updates(t, "/interfaces/interface[name=*]/config/name") {
			b.Write(u.GetVal().GetJsonIetfVal())
		}
		return b.String()
	}
	d := quirky(t, "shuffle_lists=true")
	const list = "/interfaces"
	// 32 interfaces come in the same order once in 32! times.
	if a, b := d.config(t, list), d.config(t, list); a == b || len(a) != len(b) {
		t.Errorf("twice the same order: %s", a)
	}
	if a, b := names(d), names(d); a == b || len(a) != len(b) {
		t.Errorf("twice the same order of matches: %s", a)
	}
	strict := start(t, simulator.Options{})
	if a, b := strict.config(t, list), strict.config(t, list); a != b {
		t.Errorf("a strict target shuffles: %s\n%s", a, b)
	}
	// Statements of a policy have an order.
	var statements []string
	for _, name := range strings.Split("zyxwvutsrqponmlkjihgfedcba", "") {
		statements = append(statements, `{"name":"`+name+`","config":{"name":"`+name+`"}}`)
	}
	const policy = "/routing-policy/policy-definitions/policy-definition[name=p]"
	d.mustSet(t, change{update: [][2]string{{policy, `{"config":{"name":"p"},"statements":{"statement":[` + strings.Join(statements, ",") + `]}}`}}})
	if got := d.config(t, policy+"/statements"); !strings.Contains(got, `"z"},"name":"z"},{"config":{"name":"y"}`) {
		t.Errorf("the statements lost their order: %s", got)
	}
}

func TestObjectsHaveMembersThatTheModelDoesNotHave(t *testing.T) {
	d := quirky(t, "extra_fields=true")
	var body map[string]json.RawMessage
	if err := json.Unmarshal([]byte(d.config(t, port+"/config")), &body); err != nil {
		t.Fatal(err)
	}
	for member, want := range map[string]string{
		"vendor-extensions:color": `"blue"`, "vendor-extensions:kind": `"vendor-extensions:SPECIAL"`,
		"vendor-extensions:items":                   `{"item":[{"id":1},{"id":2}]}`,
		"openconfig-interfaces:of-a-later-revision": `true`, "openconfig-interfaces:name": `"Ethernet1/1"`,
	} {
		if string(body[member]) != want {
			t.Errorf("%s is %s, want %s", member, body[member], want)
		}
	}
	if text := d.config(t, port); !strings.Contains(text, `"of-a-later-revision":true,"name":"Ethernet1/1"`) || !json.Valid([]byte(text)) {
		t.Errorf("the containers inside have no such member: %s", text)
	}
	if text := d.config(t, "/"); !json.Valid([]byte(text)) {
		t.Errorf("the root is no JSON: %s", text)
	}
	foreign := func(updates []*gnmi.Update) bool {
		return slices.ContainsFunc(updates, func(u *gnmi.Update) bool {
			elems := u.GetPath().GetElem()
			return elems[len(elems)-1].GetName() == "vendor-extensions:color"
		})
	}
	scalar := quirky(t, "extra_fields=true", "leaf_replies=scalar")
	if !foreign(scalar.updates(t, port)) || foreign(scalar.updates(t, port+"/config/name")) {
		t.Error("an answer leaf by leaf has a foreign leaf not below a container, but of a leaf")
	}
	if !foreign(d.once(t, gnmi.Encoding_JSON_IETF, port)) || foreign(start(t, simulator.Options{}).once(t, gnmi.Encoding_JSON_IETF, port)) {
		t.Error("Subscribe does not tell a foreign leaf, or a strict target does")
	}
}

func TestAGetShowsForAWhileWhatWasBeforeASet(t *testing.T) {
	d := quirky(t, "eventual=1h")
	d.mustSet(t, change{update: [][2]string{{port + "/config/mtu", `1500`}}})
	d.mustSet(t, change{update: [][2]string{{port + "/config/mtu", `9000`}}})
	if _, err := d.get(t.Context(), gnmi.GetRequest_CONFIG, path(t, port+"/config/mtu")); status.Code(err) != codes.NotFound {
		t.Errorf("within the hour: %v, want NotFound", err)
	}
	d.leaf(t, port+"/config/mtu", "9000")

	d = quirky(t, "eventual=1ms", "absent=null")
	d.mustSet(t, change{update: [][2]string{{port + "/config/mtu", `1500`}}})
	for end := time.Now().Add(10 * time.Second); d.config(t, port+"/config/mtu") != "1500"; {
		if time.Now().After(end) {
			t.Fatal("what was set is never shown")
		}
	}
}

func TestEverySoManyReadsFindNothing(t *testing.T) {
	d := quirky(t, "false_empty_every=3", "absent=null")
	var got []string
	for range 5 {
		got = append(got, d.config(t, port+"/config/name"))
	}
	name := `"Ethernet1/1"`
	if want := []string{name, name, "null", name, name}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if updates := d.once(t, gnmi.Encoding_JSON_IETF, port); len(updates) != 0 {
		t.Errorf("the sixth read finds %v", updates)
	}
}
