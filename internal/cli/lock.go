package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock/backend"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/gnmi"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/telemetry"
)

const lockUsage = `Usage: terraform-provider-openconfig lock status [DEVICE ...] [FLAGS]
       terraform-provider-openconfig lock release DEVICE [FLAGS]

Shows who holds the locks of devices and who waits for them, or takes a lock from
its holder. DEVICE is the device's address or its lock_key, as the provider's
errors spell it. Whoever frees a lock holds it for the lock delay, because the
last Set of the old holder may still be under way.

The lock is found by the settings of the provider's lock block, as flags or by
the environment variables that the provider reads: without any, it is the files
of this user.

Flags:
`

// lockFlags are the flags of the command lock.
type lockFlags struct {
	settings backend.Settings
	given    map[string]bool
	asJSON   bool
	force    bool
}

// set defines the flags of an action: its own, and one for each setting of the
// lock that says where it is.
func (f *lockFlags) set(action string, stderr io.Writer) *flag.FlagSet {
	s := flag.NewFlagSet("lock "+action, flag.ContinueOnError)
	f.given = map[string]bool{}
	switch action {
	case "status":
		s.BoolVar(&f.asJSON, "json", false, "print one JSON object a line for each device")
	case "release":
		s.BoolVar(&f.force, "force", false, "do not ask")
	}
	for _, setting := range backend.Table() {
		if !setting.Locates() {
			continue
		}
		usage := strings.ReplaceAll(setting.Help, "`", "") + " Environment: " + setting.Variable()
		take := func(text string) error {
			f.given[setting.Name] = true
			return setting.SetText(&f.settings, text)
		}
		name := strings.NewReplacer(".", "-", "_", "-").Replace(setting.Name)
		if setting.Form == backend.Flag {
			s.BoolFunc(name, usage, take)
		} else {
			s.Func(name, usage, take)
		}
	}
	s.Usage = func() {
		fmt.Fprint(stderr, lockUsage)
		s.PrintDefaults()
	}
	return s
}

// open returns the store that the flags and the environment lead to.
func (f *lockFlags) open() (devicelock.Store, error) {
	if err := backend.FromEnvironment(&f.settings, os.Getenv, func(name string) bool { return f.given[name] }); err != nil {
		return nil, err
	}
	store, err := f.settings.Open()
	if err == nil && store == nil {
		err = fmt.Errorf("with the backend %q no lock reaches beyond its process, so there is none to see", f.settings.Backend)
	}
	return store, err
}

// lock carries out lock status and lock release.
func lock(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) (err error) {
	var f lockFlags
	if len(args) == 0 || !slices.Contains([]string{"status", "release"}, args[0]) {
		flags := f.set("", stderr)
		if len(args) > 0 && slices.Contains([]string{"-h", "-help", "--help", "help"}, args[0]) {
			flags.Usage()
			return flag.ErrHelp
		}
		return usageError{errors.New("say status or release"), flags.Usage}
	}
	flags := f.set(args[0], stderr)
	devices, err := parseMixed(flags, args[1:], stderr)
	if err != nil {
		return err
	}
	if args[0] == "release" && len(devices) != 1 {
		return usageError{errors.New("name one device"), flags.Usage}
	}
	store, err := f.open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	if args[0] == "release" {
		return f.release(ctx, store, devices[0], stdin, stdout)
	}
	return f.status(ctx, store, devices, stdout)
}

// status prints the locks that are held or waited for, or those of the devices.
func (f *lockFlags) status(ctx context.Context, store devicelock.Store, devices []string, stdout io.Writer) error {
	records, err := store.List(ctx)
	if err != nil {
		return err
	}
	if len(devices) > 0 {
		all := records
		records = nil
		for _, device := range devices {
			record, err := find(ctx, store, all, device)
			if err != nil {
				return err
			}
			records = append(records, record)
		}
	}
	if f.asJSON {
		encoder := json.NewEncoder(stdout)
		for i := range records {
			if err := encoder.Encode(shown(&records[i])); err != nil {
				return err
			}
		}
		return nil
	}
	if len(records) == 0 {
		fmt.Fprintf(stdout, "Nobody holds a lock or waits for one (%s).\n", store.Name())
		return nil
	}
	table := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "DEVICE\tHOLDER\tRESOURCE\tSINCE\tEXPIRES\tWAITING")
	for i := range records {
		row(table, &records[i])
	}
	return table.Flush()
}

// find returns the record of a device by its key, which may be spelled as an
// address.
func find(ctx context.Context, store devicelock.Store, all []devicelock.Record, device string) (devicelock.Record, error) {
	keys := []string{device}
	if address, err := gnmi.CanonicalAddress(device); err == nil {
		keys = append(keys, address)
	}
	for i := range all {
		if slices.Contains(keys, all[i].Key) {
			return all[i], nil
		}
	}
	return store.Inspect(ctx, device)
}

// row prints a device and then who waits for it, the next one first.
func row(w io.Writer, r *devicelock.Record) {
	holder, resource, since, expires := "-", "-", "-", "-"
	if o := r.Holder; o != nil {
		holder, resource, since = who(o), orDash(o.Resource), age(o.Since)
		if expires = "when its process ends"; !r.Expires.IsZero() {
			expires = "in " + time.Until(r.Expires).Round(time.Second).String()
		}
	}
	fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%d\n", r.Key, holder, resource, since, expires, len(r.Waiting))
	for i := range r.Waiting {
		o := &r.Waiting[i]
		fmt.Fprintf(w, "\t  waits: %s\t%s\t%s\t\t\n", who(o), orDash(o.Resource), age(o.Since))
	}
}

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

func age(since time.Time) string {
	if since.IsZero() {
		return "-"
	}
	return time.Since(since).Round(time.Second).String() + " ago"
}

// who describes an owner without what it does.
func who(o *devicelock.Owner) string {
	own := *o
	own.Resource = ""
	text := own.String()
	if o.Priority == devicelock.Urgent {
		text += ", urgent"
	}
	return text
}

// shownRecord is a record as lock status -json prints it.
type shownRecord struct {
	Device  string             `json:"device"`
	Holder  *devicelock.Owner  `json:"holder"`
	Fence   uint64             `json:"fence,omitempty"`
	Expires *time.Time         `json:"expires,omitempty"`
	Waiting []devicelock.Owner `json:"waiting"`
}

func shown(r *devicelock.Record) shownRecord {
	s := shownRecord{Device: r.Key, Holder: r.Holder, Fence: r.Fence, Waiting: r.Waiting}
	if s.Waiting == nil {
		s.Waiting = []devicelock.Owner{}
	}
	if !r.Expires.IsZero() {
		s.Expires = &r.Expires
	}
	return s
}

// release takes the device's lock from its holder.
func (f *lockFlags) release(ctx context.Context, store devicelock.Store, device string, stdin io.Reader, stdout io.Writer) error {
	all, err := store.List(ctx)
	if err != nil {
		return err
	}
	record, err := find(ctx, store, all, device)
	if err != nil {
		return err
	}
	if record.Holder == nil {
		return fmt.Errorf("nobody holds the lock of %s (%s)", record.Key, store.Name())
	}
	fmt.Fprintf(stdout, "The lock of %s is held by %s, since %s.\n", record.Key, record.Holder, age(record.Holder.Since))
	if !f.force {
		fmt.Fprint(stdout, "If that process is at work, its change is cut off in the middle of its run.\nFree the lock? Only \"yes\" is taken for yes: ")
		answer, err := bufio.NewReader(stdin).ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		fmt.Fprintln(stdout)
		if strings.TrimSpace(answer) != "yes" {
			return errors.New("the lock was not freed; -force frees it without asking")
		}
	}
	delay := f.settings.LockDelay
	if delay == 0 {
		delay = devicelock.DefaultLockDelay
	}
	run := telemetry.DetectRun()
	by := devicelock.Owner{
		ID: devicelock.NewID(), User: run.User, Host: run.Host, PID: run.PID, Run: run.Run, Workspace: run.Workspace,
		Resource: "lock release", Since: time.Now(),
	}
	if err := store.Break(ctx, record.Key, record.Holder.ID, by, delay); err != nil {
		if errors.Is(err, devicelock.ErrLeaseLost) {
			return fmt.Errorf("the holder of %s has changed meanwhile: nothing was freed", record.Key)
		}
		return err
	}
	fmt.Fprintf(stdout, "Freed. The next one gets the device in %v at the latest.\n", delay)
	return nil
}
