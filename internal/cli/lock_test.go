package cli_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/cli"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock/filelease"
)

// locks is a directory of locks.
type locks struct {
	t         *testing.T
	directory string
	store     *filelease.Store
}

func newLocks(t *testing.T) *locks {
	t.Helper()
	t.Setenv("OPENCONFIG_LOCK_BACKEND", "")
	l := &locks{t: t, directory: t.TempDir()}
	l.store = filelease.New(filelease.Options{Directory: l.directory})
	t.Cleanup(func() { _ = l.store.Close() })
	return l
}

// ask asks for a device's lock as the user ana.
func (l *locks) ask(key, run string, priority devicelock.Priority) devicelock.Lease {
	l.t.Helper()
	lease, _, err := l.store.Acquire(l.t.Context(), key, devicelock.Request{TTL: time.Minute, Owner: devicelock.Owner{
		ID: devicelock.NewID(), User: "ana", Host: "ci7", PID: 42, Run: run, Workspace: "core", Priority: priority,
		Resource: "create of openconfig_vlan " + run, Since: time.Now().Add(-90 * time.Second),
	}})
	if err != nil {
		l.t.Fatal(err)
	}
	return lease
}

func (l *locks) run(stdin string, args ...string) (code int, stdout, stderr string) {
	l.t.Helper()
	var out, problems bytes.Buffer
	code = cli.Run(l.t.Context(), append([]string{"lock"}, append(args, "-file-directory", l.directory)...), strings.NewReader(stdin), &out, &problems)
	return code, out.String(), problems.String()
}

func TestLockStatusListsHoldersAndThoseWhoWait(t *testing.T) {
	l := newLocks(t)
	if code, out, _ := l.run("", "status"); code != 0 || !strings.Contains(out, "Nobody holds a lock") {
		t.Errorf("without locks: code %d, %q", code, out)
	}
	l.ask("192.0.2.1:9339", "run-1", devicelock.Normal)
	l.ask("192.0.2.1:9339", "run-2", devicelock.Urgent)
	l.ask("chassis", "run-3", devicelock.Normal)
	code, out, _ := l.run("", "status")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if code != 0 || len(lines) != 4 {
		t.Fatalf("code %d:\n%s", code, out)
	}
	for i, want := range []string{
		`^DEVICE +HOLDER +RESOURCE +SINCE +EXPIRES +WAITING$`,
		`^192\.0\.2\.1:9339 +ana@ci7 \(process 42, run run-1, workspace core\) +create of openconfig_vlan run-1 +1m3[0-9]s ago +when its process ends +1$`,
		`^ +waits: ana@ci7 \(.*run run-2.*\), urgent +create of openconfig_vlan run-2 `,
		`^chassis +ana@ci7 .* 0$`,
	} {
		if !regexp.MustCompile(want).MatchString(lines[i]) {
			t.Errorf("line %d is %q, want %s", i, lines[i], want)
		}
	}
	if _, out, _ = l.run("", "status", "chassis"); strings.Contains(out, "192.0.2.1") || !strings.Contains(out, "run-3") {
		t.Errorf("of one device:\n%s", out)
	}
}

func TestLockStatusInJSONHasOneObjectForEachDevice(t *testing.T) {
	l := newLocks(t)
	l.ask("a", "run-1", devicelock.Normal)
	l.ask("b", "run-2", devicelock.Normal)
	l.ask("b", "run-3", devicelock.Normal)
	_, out, _ := l.run("", "status", "-json")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if len(lines) != 2 {
		t.Fatalf("%d lines:\n%s", len(lines), out)
	}
	var got struct {
		Device  string
		Holder  struct{ Run, User string }
		Waiting []struct{ Run string }
	}
	if err := json.Unmarshal([]byte(lines[1]), &got); err != nil {
		t.Fatal(err)
	}
	if got.Device != "b" || got.Holder.Run != "run-2" || got.Holder.User != "ana" || len(got.Waiting) != 1 || got.Waiting[0].Run != "run-3" {
		t.Errorf("got %+v", got)
	}
}

func TestLockReleaseSaysWhoseItWasAndFreesItOnlyAfterAYes(t *testing.T) {
	for _, tt := range []struct {
		name, stdin string
		args        []string
		freed       bool
	}{
		{"yes", "yes\n", nil, true},
		{"no", "no\n", nil, false},
		{"nothing", "", nil, false},
		{"force", "", []string{"-force"}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := newLocks(t)
			lease := l.ask("192.0.2.1:9339", "run-1", devicelock.Normal)
			code, out, problems := l.run(tt.stdin, append(append([]string{"release"}, tt.args...), "192.0.2.1")...)
			if !strings.Contains(out, "192.0.2.1:9339 is held by ana@ci7 (process 42, run run-1, workspace core)") {
				t.Errorf("it does not say whose it is: %q", out)
			}
			err := lease.Renew(t.Context(), devicelock.Owner{})
			if lost := errors.Is(err, devicelock.ErrLeaseLost); lost != tt.freed {
				t.Errorf("the lease is lost: %v, want %v (%v)", lost, tt.freed, err)
			}
			if tt.freed != (code == 0) || !tt.freed && !strings.Contains(problems, "-force") {
				t.Errorf("code %d, %q", code, problems)
			}
		})
	}
}

func TestLockMistakesAreNamed(t *testing.T) {
	l := newLocks(t)
	for _, tt := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"free"}, 2, "status or release"},
		{[]string{"release"}, 2, "name one device"},
		{[]string{"release", "a", "b"}, 2, "name one device"},
		{[]string{"status", "-backend", "consul"}, 2, "file, etcd, redis, kubernetes, memory, off"},
		{[]string{"status", "-backend", "memory"}, 1, "reaches beyond its process"},
		{[]string{"status", "-backend", "etcd"}, 1, "OPENCONFIG_LOCK_ETCD_ENDPOINTS"},
		{[]string{"release", "leaf9"}, 1, "nobody holds the lock of leaf9"},
	} {
		code, out, problems := l.run("", tt.args...)
		if code != tt.code || !strings.Contains(problems, tt.want) {
			t.Errorf("%v: code %d, %q, %q; want %d and %q", tt.args, code, out, problems, tt.code, tt.want)
		}
	}
}
