package bench

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock/backend"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock/etcdlease/etcdtest"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock/kubelease/kubetest"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock/redislease/redistest"
)

// The variables that make the test's binary a peer of the benchmark of
// hand-overs: how many times it takes the device, and for the floor the file
// that it polls.
const (
	turnsVariable = "BENCH_TURNS"
	pollVariable  = "BENCH_POLL"
)

func TestMain(m *testing.M) {
	if os.Getenv(turnsVariable) == "" {
		os.Exit(m.Run())
	}
	if err := peer(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// holdTime is how long a peer keeps the device.
const holdTime = 5 * time.Millisecond

// peer takes the device in turn with another process, and prints when it got it
// and when it gave it back.
func peer() error {
	turns, err := strconv.Atoi(os.Getenv(turnsVariable))
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	take, end, err := taker(ctx)
	if err != nil {
		return err
	}
	for range turns {
		release, err := take()
		if err != nil {
			return err
		}
		granted := time.Now()
		time.Sleep(holdTime)
		fmt.Println(granted.UnixNano(), time.Now().UnixNano())
		release()
	}
	return end()
}

// taker returns what takes the device: the lock, or for the floor a file lock
// that is polled every second.
func taker(ctx context.Context) (take func() (func(), error), end func() error, err error) {
	if file := os.Getenv(pollVariable); file != "" {
		lock := flock.New(file)
		time.Sleep(time.Duration(os.Getpid()%2) * time.Second / 2) // peers do not look in step
		looks := time.NewTicker(time.Second)
		return func() (func(), error) {
			for {
				select {
				case <-looks.C:
				case <-ctx.Done():
					return nil, ctx.Err()
				}
				if locked, err := lock.TryLock(); locked || err != nil {
					return func() { _ = lock.Unlock() }, err
				}
			}
		}, lock.Close, nil
	}
	var settings backend.Settings
	if err := backend.FromEnvironment(&settings, os.Getenv, func(string) bool { return false }); err != nil {
		return nil, nil, err
	}
	store, err := settings.Open()
	if err != nil {
		return nil, nil, err
	}
	leases := settings.Leases(store, devicelock.Owner{})
	leases.Cohort = time.Nanosecond // it is always the other one's turn
	registry := devicelock.New(devicelock.Options{Leases: leases})
	gate := registry.Gate("device")
	return func() (func(), error) {
		grant, err := gate.Acquire(ctx, devicelock.Step{Rank: devicelock.RankInterface, Owner: "x"})
		if err != nil {
			return nil, err
		}
		return grant.Release, nil
	}, func() error { return registry.Close(ctx) }, nil
}

// turn is one hold of the device.
type turn struct {
	peer              int
	granted, released int64
}

// handOvers runs two peers and returns how long the device was nobody's
// whenever it went from one to the other.
func handOvers(b *testing.B, turns int, env ...string) []time.Duration {
	b.Helper()
	const peers = 2
	var commands [peers]*exec.Cmd
	var outputs, problems [peers]bytes.Buffer
	for i := range commands {
		commands[i] = exec.Command(os.Args[0])
		commands[i].Env = append(append(os.Environ(), turnsVariable+"="+strconv.Itoa(turns)), env...)
		commands[i].Stdout, commands[i].Stderr = &outputs[i], &problems[i]
		if err := commands[i].Start(); err != nil {
			b.Fatal(err)
		}
	}
	var all []turn
	for i, c := range commands {
		if err := c.Wait(); err != nil {
			b.Fatalf("%v: %s", err, &problems[i])
		}
		for lines := bufio.NewScanner(&outputs[i]); lines.Scan(); {
			t := turn{peer: i}
			if _, err := fmt.Sscan(lines.Text(), &t.granted, &t.released); err != nil {
				b.Fatal(err)
			}
			all = append(all, t)
		}
	}
	slices.SortFunc(all, func(x, y turn) int { return int(x.granted - y.granted) })
	var took []time.Duration
	for i, t := range all[1:] {
		before := all[i]
		if t.granted < before.released {
			b.Fatalf("two peers had the device at once: %+v and %+v", before, t)
		}
		if t.peer != before.peer {
			took = append(took, time.Duration(t.granted-before.released))
		}
	}
	return took
}

// BenchmarkHandOver measures how long a device is nobody's when it goes from one
// process to another that waits for it, against a lock that is polled every
// second.
func BenchmarkHandOver(b *testing.B) {
	dir := b.TempDir()
	floor := handOvers(b, 5, pollVariable+"="+filepath.Join(dir, "polled"))
	for _, engine := range []struct {
		name string
		env  func(b *testing.B) []string
	}{
		{"file", func(b *testing.B) []string {
			return []string{"OPENCONFIG_LOCK_FILE_DIRECTORY=" + filepath.Join(dir, "locks")}
		}},
		{"etcd", func(b *testing.B) []string {
			return []string{"OPENCONFIG_LOCK_ETCD_ENDPOINTS=" + etcdtest.Start(b).Endpoint}
		}},
		{"redis", func(b *testing.B) []string {
			return []string{"OPENCONFIG_LOCK_REDIS_URL=" + redistest.Run(b, redistest.Options{}).URL()}
		}},
		{"kubernetes", func(b *testing.B) []string {
			cluster := kubetest.Start(b)
			return []string{"OPENCONFIG_LOCK_KUBERNETES_KUBECONFIG=" + cluster.Kubeconfig, "OPENCONFIG_LOCK_KUBERNETES_NAMESPACE=" + cluster.Namespace}
		}},
	} {
		b.Run(engine.name, func(b *testing.B) {
			env := append(engine.env(b), "OPENCONFIG_LOCK_BACKEND="+engine.name)
			var took []time.Duration
			for b.Loop() {
				took = append(took, handOvers(b, 50, env...)...)
			}
			slices.Sort(took)
			b.ReportMetric(median(took)*1000, "median_ms")
			b.ReportMetric(float64(took[len(took)*95/100])/float64(time.Millisecond), "p95_ms")
			b.ReportMetric(median(took)/median(floor), "ratio_to_polling")
			b.ReportMetric(0, "ns/op")
			b.Log(strings.TrimSpace(fmt.Sprintf("%d hand-overs; polled: %d, median %.0f ms", len(took), len(floor), median(floor)*1000)))
		})
	}
}
