package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

const (
	username = "admin"
	password = "admin"
)

// simulated is a simulated device in a process of its own.
type simulated struct {
	name    string
	address string
	log     string
	seen    int // Sets in the log that were reported
	cmd     *exec.Cmd
}

// simulate starts a device and waits until it is ready.
func simulate(ctx context.Context, binary, dir, name string) (*simulated, error) {
	d := &simulated{name: name, log: filepath.Join(dir, name+".log")}
	// The device is ended by stop, also when ctx has ended.
	d.cmd = exec.CommandContext(context.WithoutCancel(ctx), binary, "simulate", "--listen", "127.0.0.1:0",
		"--username", username, "--password", password,
		"--set-latency", setLatency.String(), "--exclusive", "--log", d.log)
	var stderr bytes.Buffer
	d.cmd.Stderr = &stderr
	// Ctrl-C reaches the processes of the terminal; a device has to outlive
	// Terraform, which ends what it has begun.
	d.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	stdout, err := d.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := d.cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting device %s: %w", name, err)
	}
	ready := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(stdout).ReadString('\n')
		ready <- line
	}()
	select {
	case line := <-ready:
		if address, ok := strings.CutPrefix(strings.TrimSpace(line), "simulator ready on "); ok {
			d.address = address
			return d, nil
		}
		return nil, errors.Join(fmt.Errorf("device %s did not become ready: %s", name, stderr.String()), d.stop())
	case <-time.After(20 * time.Second):
		return nil, errors.Join(fmt.Errorf("device %s did not become ready in time", name), d.stop())
	case <-ctx.Done():
		return nil, errors.Join(ctx.Err(), d.stop())
	}
}

// stop ends the device's process, if need be by force.
func (d *simulated) stop() error {
	_ = d.cmd.Process.Signal(syscall.SIGTERM) // fails when it has ended already
	end := time.AfterFunc(5*time.Second, func() { _ = d.cmd.Process.Kill() })
	defer end.Stop()
	if err := d.cmd.Wait(); err != nil {
		return fmt.Errorf("device %s: %w", d.name, err)
	}
	return nil
}

// record is what is read of a line of the device's log.
type record struct {
	Start                   time.Time
	RPC                     string
	Delete, Replace, Update []string
	Code                    string
	Overlap                 int
}

// sets returns the Sets since the last call, by the time they arrived.
func (d *simulated) sets() ([]record, error) {
	text, err := os.ReadFile(d.log)
	if err != nil {
		return nil, fmt.Errorf("log of device %s: %w", d.name, err)
	}
	var sets []record
	for line := range bytes.Lines(text) {
		var r record
		if err := json.Unmarshal(line, &r); err != nil {
			return nil, fmt.Errorf("log of device %s: %w", d.name, err)
		}
		if r.RPC == "Set" {
			sets = append(sets, r)
		}
	}
	fresh := sets[d.seen:]
	d.seen = len(sets)
	slices.SortStableFunc(fresh, func(a, b record) int { return a.Start.Compare(b.Start) })
	return fresh, nil
}

// The kinds, foundational first, and what tells their paths: the last that
// matches.
var kinds = []struct{ name, entry string }{
	{"interface", "/interfaces/interface["},
	{"VLAN", "/vlans/vlan["},
	{"subinterface", "/subinterfaces/subinterface["},
	{"BGP", "/protocols/protocol["},
	{"peer group", "/peer-groups/peer-group["},
	{"neighbor", "/neighbors/neighbor["},
}

// firstDependent is the first of the kinds that are built on others.
const firstDependent = 3

// kind returns the index in kinds of what a Set is about, or -1.
func (r record) kind() int {
	found := -1
	for _, p := range slices.Concat(r.Delete, r.Replace, r.Update) {
		for i, k := range kinds {
			if strings.Contains(p, k.entry) {
				found = max(found, i)
			}
		}
	}
	return found
}
