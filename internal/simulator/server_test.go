package simulator_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/openconfig/gnmi/proto/gnmi"
	"go.uber.org/goleak"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/simulator"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/golang/glog.(*fileSink).flushDaemon"))
}

// until sends a Get, again and again, until what the target tells fulfils the
// condition.
func (d device) until(tb testing.TB, condition func() bool) {
	tb.Helper()
	for !condition() {
		if _, err := d.get(tb.Context(), gnmi.GetRequest_ALL, path(tb, port)); err != nil {
			tb.Fatal(err)
		}
	}
}

// mtu is a change of the n-th port.
func mtu(n int) change {
	return change{update: [][2]string{{fmt.Sprintf("/interfaces/interface[name=Ethernet1/%d]/config/mtu", n), "1500"}}}
}

// together sends n Sets at once and returns their errors.
func (d device) together(tb testing.TB, n int) []error {
	tb.Helper()
	errs := make([]error, n)
	var wg sync.WaitGroup
	for i := range n {
		req := mtu(i + 1).request(tb)
		wg.Go(func() { _, errs[i] = d.client.Set(tb.Context(), req) })
	}
	wg.Wait()
	return errs
}

func TestSetsThatOverlapWaitForEachOtherAndAreCounted(t *testing.T) {
	d := start(t, simulator.Options{SetLatency: 20 * time.Millisecond})
	for _, err := range d.together(t, 8) {
		if err != nil {
			t.Error(err)
		}
	}
	for n := range 8 {
		d.leaf(t, fmt.Sprintf("/interfaces/interface[name=Ethernet1/%d]/config/mtu", n+1), "1500")
	}
	stats, overlaps := d.Stats(), 0
	log := d.Log()
	if took := log[7].End.Sub(log[0].Start); took < 8*20*time.Millisecond {
		t.Errorf("8 commits of 20 ms one after the other took only %v", took)
	}
	for _, r := range log {
		if r.Overlap > 0 {
			overlaps++
		}
		if r.RPC != "Set" || r.Code != "OK" || len(r.Update) != 1 || r.End.Before(r.Start) {
			t.Errorf("the record is %+v", r)
		}
	}
	if stats.Sets != 8 || stats.Overlapping == 0 || stats.Overlapping != overlaps || stats.PeakSets < 2 || stats.Failed+stats.Refused > 0 {
		t.Errorf("the counters are %+v, %d records overlap", stats, overlaps)
	}
	d.ResetLog()
	if len(d.Log()) > 0 || d.Stats() != (simulator.Stats{}) {
		t.Error("ResetLog left something")
	}
}

func TestAnExclusiveTargetRefusesASecondSet(t *testing.T) {
	d := start(t, simulator.Options{Exclusive: true, SetLatency: 50 * time.Millisecond})
	refused := 0
	errs := d.together(t, 8)
	for i, err := range errs {
		applied := d.Exists(fmt.Sprintf("/interfaces/interface[name=Ethernet1/%d]/config/mtu", i+1))
		if status.Code(err) == codes.Aborted {
			refused++
		} else if err != nil {
			t.Error(err)
		}
		if applied != (err == nil) {
			t.Errorf("the Set with the answer %v was applied: %v", err, applied)
		}
	}
	if stats := d.Stats(); refused == 0 || refused == 8 || stats.Refused != refused || stats.Failed != 0 || stats.PeakSets != 1 {
		t.Errorf("%d Sets were refused, the counters are %+v", refused, stats)
	}
	// No two of those that were let in ran at the same time.
	var end time.Time
	for _, r := range d.Log() {
		if r.Code != "OK" {
			continue
		}
		if r.Start.Before(end) || r.Overlap != 0 {
			t.Errorf("a Set was let in while another one ran: %+v", r)
		}
		end = r.End
	}
	// A Set after the reply to another one is no second one.
	d.ResetLog()
	for n := range 20 {
		d.mustSet(t, mtu(n+1))
	}
	if stats := d.Stats(); stats.Overlapping != 0 {
		t.Errorf("Sets one after the other overlapped: %+v", stats)
	}
}

func TestACommitGoesOnWithoutItsClient(t *testing.T) {
	for name, leave := range map[string]func(cancel func(), conn *grpc.ClientConn) error{
		"the call is cancelled":  func(cancel func(), _ *grpc.ClientConn) error { cancel(); return nil },
		"the connection is lost": func(_ func(), conn *grpc.ClientConn) error { return conn.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			d := start(t, simulator.Options{SetLatency: 50 * time.Millisecond})
			conn, err := grpc.NewClient(d.Addr(), grpc.WithTransportCredentials(insecure.NewCredentials()))
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = conn.Close() }()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			done := make(chan error)
			req := mtu(1).request(t)
			go func() {
				_, err := gnmi.NewGNMIClient(conn).Set(ctx, req)
				done <- err
			}()
			d.until(t, func() bool { return d.Stats().Sets == 1 })
			if err := leave(cancel, conn); err != nil {
				t.Fatal(err)
			}
			if err := <-done; status.Code(err) != codes.Canceled {
				t.Fatalf("the client got %v", err)
			}
			d.until(t, func() bool {
				return slices.ContainsFunc(d.Log(), func(r simulator.Record) bool { return r.RPC == "Set" })
			})
			d.leaf(t, port+"/config/mtu", "1500")
		})
	}
}

func TestShutdownEndsACommitUnapplied(t *testing.T) {
	target, err := simulator.Start(t.Context(), simulator.Options{Plaintext: true, SetLatency: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	d := device{target, dial(t, target.Addr(), insecure.NewCredentials())}
	result := make(chan error)
	for n := range 2 {
		req := mtu(n + 1).request(t)
		go func() {
			_, err := d.client.Set(t.Context(), req)
			result <- err
		}()
	}
	d.until(t, func() bool { return d.Stats().Sets == 2 })
	if err := target.Close(); err != nil {
		t.Error(err)
	}
	for range 2 {
		if err := <-result; status.Code(err) != codes.Unavailable {
			t.Errorf("a Set that the shutdown interrupted got %v", err)
		}
	}
	if d.Exists(port + "/config/mtu") {
		t.Error("a Set that the shutdown interrupted was applied")
	}
}

func TestChangesFromOutsideSurviveARunningSet(t *testing.T) {
	d := start(t, simulator.Options{SetLatency: 50 * time.Millisecond})
	done := make(chan error)
	req := mtu(1).request(t)
	go func() {
		_, err := d.client.Set(t.Context(), req)
		done <- err
	}()
	d.until(t, func() bool { return d.Stats().Sets == 1 })
	if err := d.Update(port+"/config", `{"description":"outside"}`); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	d.leaf(t, port+"/config/description", "outside")
	d.leaf(t, port+"/config/mtu", "1500")
	if err := d.Delete(port + "/config/description"); err != nil || d.Exists(port+"/config/description") {
		t.Errorf("deleting from outside: %v", err)
	}
	if status.Code(d.Update(port+"/config", `{"mtu":0.5}`)) != codes.InvalidArgument || status.Code(d.Delete(port)) != codes.FailedPrecondition {
		t.Error("a change from outside is not validated")
	}
}

func TestAFaultFailsOneSet(t *testing.T) {
	d := start(t, simulator.Options{})
	d.FailNextSet(status.Error(codes.Internal, "out of memory"))
	d.refuse(t, codes.Internal, mtu(1))
	d.mustSet(t, mtu(1))
	if stats := d.Stats(); stats.Failed != 1 || stats.Sets != 2 {
		t.Errorf("the counters are %+v", stats)
	}
}

func TestAnIdleStreamDoesNotKeepTheServerUp(t *testing.T) {
	d := start(t, simulator.Options{})
	if _, err := d.client.Subscribe(t.Context()); err != nil {
		t.Fatal(err)
	}
	d.until(t, func() bool { return d.Stats().Subscribes == 1 })
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

func TestWhatCannotServeIsRefused(t *testing.T) {
	cert, key, err := simulator.SelfSigned("127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []simulator.Options{
		{},
		{TLSCert: cert},
		{TLSCert: key, TLSKey: cert},
		{TLSCert: cert, TLSKey: key, ClientCA: []byte("x")},
		{Plaintext: true, Config: []byte(`{"openconfig-interfaces:interfaces":{"interface":[{"name":"x"}]}}`)},
		{Plaintext: true, StateFile: filepath.Join(t.TempDir(), "none", "state")},
	} {
		if _, err := simulator.New(o); err == nil {
			t.Errorf("%+v was accepted", o)
		}
	}
}

func TestTheStateFileTakesThePlaceOfAllElse(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state.json")
	options := simulator.Options{
		StateFile: state,
		Config:    []byte(`{"openconfig-interfaces:interfaces":{"interface":[{"name":"lo0","config":{"name":"lo0"}}]}}`),
	}
	d := start(t, options)
	d.mustSet(t, change{delete: []string{"/interfaces/interface[name=lo0]", port + "/config/type"}})
	want := d.Config("/")
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	d = start(t, options)
	if got := d.Config("/"); got != want {
		t.Errorf("after a restart there is\n%s\nwant\n%s", got, want)
	}
	entries, err := os.ReadDir(filepath.Dir(state))
	if err != nil || len(entries) != 1 {
		t.Errorf("files were left behind: %v, %v", entries, err)
	}
}

func TestTheLogHasALineForEveryRPC(t *testing.T) {
	var log bytes.Buffer
	d := start(t, simulator.Options{Log: &log})
	d.mustSet(t, change{delete: []string{port + "/config/mtu"}, replace: [][2]string{{port + "/config/description", `"a]b"`}}, update: [][2]string{{port + "/config/mtu", "1500"}}})
	d.refuse(t, codes.FailedPrecondition, change{delete: []string{port}})
	_, _ = d.get(t.Context(), gnmi.GetRequest_ALL, path(t, port))
	_, _, _ = d.subscribe(t, once(gnmi.Encoding_PROTO, path(t, port)))
	_, _ = d.client.Capabilities(t.Context(), &gnmi.CapabilityRequest{})
	var records []simulator.Record
	for line := range bytes.Lines(log.Bytes()) {
		var r simulator.Record
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		records = append(records, r)
	}
	var got []string
	for _, r := range records {
		got = append(got, r.RPC+" "+r.Code)
	}
	if want := []string{"Set OK", "Set FailedPrecondition", "Get OK", "Subscribe OK", "Capabilities OK"}; !slices.Equal(got, want) {
		t.Errorf("the log has %q, want %q", got, want)
	}
	if r := records[0]; !slices.Equal(r.Delete, []string{port + "/config/mtu"}) || !slices.Equal(r.Update, r.Delete) ||
		!slices.Equal(r.Replace, []string{port + "/config/description"}) || len(records) != len(d.Log()) {
		t.Errorf("the first record is %+v", r)
	}
}

func TestServeReportsABrokenListener(t *testing.T) {
	target, err := simulator.New(simulator.Options{Plaintext: true})
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err := target.Serve(t.Context(), l); err == nil {
		t.Error("a listener that is closed was served")
	}
}
