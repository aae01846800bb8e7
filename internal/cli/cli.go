// Package cli has the subcommands of the provider's binary: what a person calls
// it for, as opposed to Terraform.
package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
)

const usage = `Usage: terraform-provider-openconfig COMMAND [FLAGS]

Commands:
  simulate   run a simulated device that speaks gNMI
  lock       show who holds the locks of devices, or free one

COMMAND -h shows a command's flags. Without a command, Terraform starts the
provider.
`

// The exit codes of Run.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
)

// Run executes the subcommand in args, which do not have the program's name,
// which may ask on stdin, and returns the exit code: 0 for success, which includes that ctx ended what
// runs until then, 1 for a failure, 2 for a mistake in args.
func Run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	if len(args) == 0 {
		fmt.Fprint(stderr, usage)
		return exitUsage
	}
	var err error
	switch args[0] {
	case "simulate":
		err = simulate(ctx, args[1:], stdout, stderr)
	case "lock":
		err = lock(ctx, args[1:], stdin, stdout, stderr)
	case "help", "-h", "-help", "--help":
		fmt.Fprint(stdout, usage)
	default:
		fmt.Fprintf(stderr, "there is no command %q\n\n%s", args[0], usage)
		return exitUsage
	}
	var mistake usageError
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return exitOK
	case errors.As(err, &mistake):
		fmt.Fprintf(stderr, "%s: %v\n\n", args[0], err)
		mistake.usage()
		return exitUsage
	}
	fmt.Fprintf(stderr, "%s: %v\n", args[0], err)
	return exitFailed
}

// usageError is a mistake in a command's arguments. Usage prints what the
// command takes.
type usageError struct {
	error
	usage func()
}

// parse reads a command's flags, and takes nothing but flags.
func parse(flags *flag.FlagSet, args []string, stderr io.Writer) error {
	rest, err := parseMixed(flags, args, stderr)
	if err == nil && len(rest) > 0 {
		return usageError{fmt.Errorf("there is an argument %q that belongs to no flag", rest[0]), flags.Usage}
	}
	return err
}

// parseMixed reads flags and arguments in any order, and returns the arguments.
func parseMixed(flags *flag.FlagSet, args []string, stderr io.Writer) (rest []string, err error) {
	for {
		// The flag package would print each mistake itself, before the usage.
		flags.SetOutput(io.Discard)
		err := flags.Parse(args)
		flags.SetOutput(stderr)
		switch {
		case errors.Is(err, flag.ErrHelp):
			flags.Usage()
			return nil, err
		case err != nil:
			return nil, usageError{err, flags.Usage}
		case flags.NArg() == 0:
			return rest, nil
		}
		rest, args = append(rest, flags.Arg(0)), flags.Args()[1:]
	}
}
