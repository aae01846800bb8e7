package filelease_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock/filelease"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock/leasetest"
)

// holderEnv makes this binary a process that holds a device's lease in the
// directory that it names.
const holderEnv = "FILELEASE_TEST_HOLDER"

func TestMain(m *testing.M) {
	if directory := os.Getenv(holderEnv); directory != "" {
		hold(directory)
		return
	}
	goleak.VerifyTestMain(m)
}

// hold holds the lease until it is killed, or its parent goes away.
func hold(directory string) {
	lease, _, err := filelease.New(filelease.Options{Directory: directory}).Acquire(context.Background(), "device", request("child"))
	if err != nil || lease == nil {
		fmt.Println("failed", err)
		return
	}
	fmt.Println("holding")
	_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
}

func request(name string) devicelock.Request {
	return devicelock.Request{TTL: time.Minute, Owner: devicelock.Owner{ID: name, User: name, PID: os.Getpid(), Host: "here"}}
}

func TestFilesKeepTheContract(t *testing.T) {
	leasetest.Run(t, func(t *testing.T) leasetest.Engine {
		directory := t.TempDir()
		return leasetest.Engine{Open: func(*testing.T) devicelock.Store {
			return filelease.New(filelease.Options{Directory: directory})
		}}
	})
}

// child starts a process that holds the lease.
func child(t *testing.T, directory string) *exec.Cmd {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	command := exec.CommandContext(ctx, os.Args[0])
	command.Env = append(os.Environ(), holderEnv+"="+directory)
	in, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		_ = in.Close()
		_ = command.Wait()
	})
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "holding\n" {
		t.Fatalf("the child says %q, %v", line, err)
	}
	return command
}

func TestAKilledProcessFreesItsLeaseAtOnce(t *testing.T) {
	directory := t.TempDir()
	process := child(t, directory)
	store := filelease.New(filelease.Options{Directory: directory})
	defer func() { _ = store.Close() }()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if lease, record, err := store.Acquire(ctx, "device", request("next")); lease != nil || err != nil || record.Holder.User != "child" {
		t.Fatalf("lease %v, record %+v, %v", lease, record, err)
	}
	signals := store.Watch(ctx, "device")
	if err := process.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	killed := time.Now()
	for {
		select {
		case <-signals:
		case <-ctx.Done():
			t.Fatal("no word of the death")
		}
		lease, _, err := store.Acquire(ctx, "device", request("next"))
		if err != nil {
			t.Fatal(err)
		}
		if lease == nil {
			continue
		}
		if !lease.Orphaned() {
			t.Error("the lease does not tell that its last owner died")
		}
		t.Logf("taken over %s after the death", time.Since(killed).Round(time.Millisecond))
		if err := lease.Release(ctx); err != nil {
			t.Error(err)
		}
		return
	}
}

func TestALeaseThatWasReleasedIsNoOrphan(t *testing.T) {
	store := filelease.New(filelease.Options{Directory: t.TempDir()})
	defer func() { _ = store.Close() }()
	for range 2 {
		lease, _, err := store.Acquire(t.Context(), "device", request("a"))
		if err != nil || lease.Orphaned() {
			t.Fatalf("orphaned, or %v", err)
		}
		if err := lease.Release(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

func TestALeaseStaysAnOrphanUntilSomebodyHasSatItOut(t *testing.T) {
	store := filelease.New(filelease.Options{Directory: t.TempDir()})
	defer func() { _ = store.Close() }()
	take := func(id string) devicelock.Lease {
		lease, _, err := store.Acquire(t.Context(), "device", request(id))
		if err != nil || lease == nil {
			t.Fatalf("%s: no lease: %v", id, err)
		}
		return lease
	}
	take("dead")
	if err := store.Break(t.Context(), "device", "dead", devicelock.Owner{}, 0); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"gives up", "gives up too"} {
		if lease := take(id); !lease.Orphaned() || store.Withdraw(t.Context(), "device", id) != nil {
			t.Errorf("%s: not an orphan", id)
		}
	}
	lease := take("stays")
	if !lease.Orphaned() || lease.Renew(t.Context(), request("stays").Owner) != nil || lease.Release(t.Context()) != nil {
		t.Error("stays: not an orphan")
	}
	if take("next").Orphaned() {
		t.Error("next: an orphan, though one has sat it out")
	}
}

func TestALeaseFreedByForceIsAnOrphan(t *testing.T) {
	store := filelease.New(filelease.Options{Directory: t.TempDir()})
	defer func() { _ = store.Close() }()
	if _, _, err := store.Acquire(t.Context(), "device", request("a")); err != nil {
		t.Fatal(err)
	}
	if err := store.Break(t.Context(), "device", "a", devicelock.Owner{}, 0); err != nil {
		t.Fatal(err)
	}
	lease, _, err := store.Acquire(t.Context(), "device", request("b"))
	if err != nil || !lease.Orphaned() {
		t.Errorf("its last owner may be in the middle of a Set: %v", err)
	}
}

func TestADirectoryThatCannotBeUsedIsNamed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	store := filelease.New(filelease.Options{Directory: file})
	defer func() { _ = store.Close() }()
	_, _, err := store.Acquire(t.Context(), "device", request("a"))
	var failure *devicelock.StoreError
	if !errors.As(err, &failure) || !failure.Permanent {
		t.Fatalf("error %v", err)
	}
	for _, part := range []string{file, "not a directory", "lock.file.directory"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the error does not say %q: %v", part, err)
		}
	}
}

func TestOthersCannotReadTheFiles(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes of files are not what counts here")
	}
	directory := filepath.Join(t.TempDir(), "locks")
	store := filelease.New(filelease.Options{Directory: directory})
	defer func() { _ = store.Close() }()
	if _, _, err := store.Acquire(t.Context(), "device", request("a")); err != nil {
		t.Fatal(err)
	}
	err := filepath.WalkDir(directory, func(path string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %s", path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestNoFileStaysOpen(t *testing.T) {
	open := func() int {
		entries, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Skip("this system does not tell which files are open")
		}
		return len(entries)
	}
	before := open()
	store := filelease.New(filelease.Options{Directory: t.TempDir()})
	for i := range 20 {
		a, b := request(fmt.Sprint("a", i)), request(fmt.Sprint("b", i))
		lease, _, err := store.Acquire(t.Context(), "device", a)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := store.Acquire(t.Context(), "device", b); err != nil {
			t.Fatal(err)
		}
		if err := store.Withdraw(t.Context(), "device", b.Owner.ID); err != nil {
			t.Fatal(err)
		}
		if err := lease.Release(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := store.Acquire(t.Context(), "device", request("left")); err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	if after := open(); after > before {
		t.Errorf("%d files are open, before it were %d", after, before)
	}
}
