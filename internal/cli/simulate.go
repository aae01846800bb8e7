package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/simulator"
)

const simulateUsage = `Usage: terraform-provider-openconfig simulate [FLAGS]

Runs a simulated device that speaks gNMI until it gets SIGINT or SIGTERM. It has
the physical ports Ethernet1/1 to Ethernet1/32 and one network instance, DEFAULT
unless a profile names it otherwise.
When it is ready, it prints one line: simulator ready on ADDRESS.

Without -plaintext and -tls-cert it makes a certificate for itself, which a
client accepts only when it does not verify certificates.

Flags:
`

// simulateFlags are the flags of the command simulate.
type simulateFlags struct {
	listen                    string
	plaintext                 bool
	tlsCert, tlsKey, clientCA string
	username, password        string
	setLatency, getLatency    time.Duration
	exclusive                 bool
	log, config, state        string
	// profiles and quirks are applied in this order, whatever that of the flags.
	profiles, quirks []string
}

func (f *simulateFlags) set(stderr io.Writer) *flag.FlagSet {
	s := flag.NewFlagSet("simulate", flag.ContinueOnError)
	s.StringVar(&f.listen, "listen", "127.0.0.1:9339", "`address` to listen on, host:port; port 0 picks a free one")
	s.BoolVar(&f.plaintext, "plaintext", false, "serve without TLS")
	s.StringVar(&f.tlsCert, "tls-cert", "", "PEM `file` with the server's certificate")
	s.StringVar(&f.tlsKey, "tls-key", "", "PEM `file` with the certificate's key")
	s.StringVar(&f.clientCA, "client-ca", "", "PEM `file`; clients must show a certificate that it has signed")
	s.StringVar(&f.username, "username", "", "`name` that clients must give; with no name and no password all may in")
	s.StringVar(&f.password, "password", "", "`password` that clients must give")
	s.DurationVar(&f.setLatency, "set-latency", 0, "how long a Set takes, such as 50ms; it is carried out even if its client goes away meanwhile")
	s.DurationVar(&f.getLatency, "get-latency", 0, "how long a Get takes, such as 5ms")
	s.BoolVar(&f.exclusive, "exclusive", false, "refuse a Set while another one runs")
	s.Func("arbitration", "`way` of gNMI's master arbitration: full (as specified), ignored or unsupported (a Set with the extension is refused) (default ignored)", f.quirk("arbitration="))
	s.Func("commit", "`way` of gNMI's commit-confirmed: full (as specified), no_set_duration (without the change of a rollback duration), ignored or unsupported (a Set with the extension is refused) (default ignored)", f.quirk("commit="))
	s.Func("pending-blocks-others", "`way` of other Sets while a commit waits for its confirmation: reject (as specified) or allow (default reject)", f.quirk("pending_blocks_others="))
	s.StringVar(&f.log, "log", "", "append one JSON object a line to this `file` for every RPC")
	s.StringVar(&f.config, "config", "", "JSON_IETF `file` to load at start, over the factory content")
	s.StringVar(&f.state, "state", "", "keep the running configuration in this `file`; when it exists, start from it")
	s.Func("profile", "`name` of a system whose ways the device has: "+strings.Join(simulator.Profiles(), ", ")+" (default strict). Flags of single ways override it", func(text string) error {
		f.profiles = append(f.profiles, text)
		return new(simulator.Options).Profile(text)
	})
	s.Func("quirk", "a way of the device's own, as `name=value`; may be repeated. The quirks are listed below", f.quirk(""))
	s.Usage = func() {
		fmt.Fprint(stderr, simulateUsage)
		s.PrintDefaults()
		fmt.Fprint(stderr, "\nQuirks:\n"+simulator.QuirksText())
	}
	return s
}

// quirk is a flag whose value is a quirk, without the start of its text.
func (f *simulateFlags) quirk(start string) func(string) error {
	return func(text string) error {
		f.quirks = append(f.quirks, start+text)
		return new(simulator.Options).Quirk(start + text)
	}
}

// check reports flags that contradict each other.
func (f *simulateFlags) check() error {
	switch {
	case f.plaintext && (f.tlsCert != "" || f.tlsKey != "" || f.clientCA != ""):
		return errors.New("-plaintext excludes -tls-cert, -tls-key and -client-ca")
	case (f.tlsCert == "") != (f.tlsKey == ""):
		return errors.New("-tls-cert and -tls-key belong together")
	case f.setLatency < 0 || f.getLatency < 0:
		return errors.New("a latency cannot be negative")
	}
	return nil
}

// simulate runs a simulated device until ctx ends.
func simulate(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	var f simulateFlags
	flags := f.set(stderr)
	if err := parse(flags, args, stderr); err != nil {
		return err
	}
	if err := f.check(); err != nil {
		return usageError{err, flags.Usage}
	}
	options, err := f.options(stderr)
	if err != nil {
		return err
	}
	if f.log != "" {
		log, failed := os.OpenFile(f.log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if failed != nil {
			return fmt.Errorf("opening the log: %w", failed)
		}
		defer func() { err = errors.Join(err, log.Close()) }()
		options.Log = log
	}
	target, err := simulator.New(options)
	if err != nil {
		return err
	}
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", f.listen)
	if err != nil {
		return fmt.Errorf("listening: %w", err)
	}
	// The listener accepts from here on: what dials now waits a moment at most.
	if _, err := fmt.Fprintf(stdout, "simulator ready on %s\n", listener.Addr()); err != nil {
		return errors.Join(fmt.Errorf("announcing the address: %w", err), listener.Close())
	}
	return target.Serve(ctx, listener)
}

// options reads the files that the flags name.
func (f *simulateFlags) options(stderr io.Writer) (simulator.Options, error) {
	o := simulator.Options{
		Plaintext:  f.plaintext,
		Username:   f.username,
		Password:   f.password,
		SetLatency: f.setLatency,
		GetLatency: f.getLatency,
		Exclusive:  f.exclusive,
		StateFile:  f.state,
	}
	for _, profile := range f.profiles {
		if err := o.Profile(profile); err != nil {
			return o, err
		}
	}
	for _, quirk := range f.quirks {
		if err := o.Quirk(quirk); err != nil {
			return o, err
		}
	}
	for _, file := range []struct {
		name string
		into *[]byte
	}{{f.tlsCert, &o.TLSCert}, {f.tlsKey, &o.TLSKey}, {f.clientCA, &o.ClientCA}, {f.config, &o.Config}} {
		if file.name == "" {
			continue
		}
		text, err := os.ReadFile(file.name)
		if err != nil {
			return o, err
		}
		*file.into = text
	}
	if o.Plaintext || len(o.TLSCert) > 0 {
		return o, nil
	}
	host, _, err := net.SplitHostPort(f.listen)
	if err != nil {
		return o, fmt.Errorf("reading the address to listen on: %w", err)
	}
	hosts := []string{"localhost", "127.0.0.1", "::1"}
	if host != "" && !slices.Contains(hosts, host) {
		hosts = append(hosts, host)
	}
	if o.TLSCert, o.TLSKey, err = simulator.SelfSigned(hosts...); err != nil {
		return o, err
	}
	fmt.Fprintln(stderr, "simulate: using a certificate made just now: clients must skip its verification")
	return o, nil
}
