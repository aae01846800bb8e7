// Command terraform-provider-openconfig serves Terraform when Terraform starts
// it, and otherwise carries out a subcommand, such as simulate.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/cli"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/provider"
)

// version is set when a release is built.
var version = "dev"

func main() {
	if len(os.Args) > 1 && os.Args[1] != "" && os.Args[1][0] != '-' {
		os.Exit(command())
	}
	forDebugger := flag.Bool("debug", false, "serve for a debugger: print how Terraform reaches the provider")
	flag.Parse()
	if os.Getenv("GOGC") == "" {
		// A provider lives for one walk of Terraform, with a small heap: memory
		// buys time, most of it at the start.
		debug.SetGCPercent(400)
	}
	os.Exit(serve(*forDebugger))
}

func serve(forDebugger bool) int {
	server := provider.NewServer(version)
	protocol := server.Protocol()
	var options []tf6server.ServeOpt
	if forDebugger {
		options = append(options, tf6server.WithManagedDebug())
	}
	err := tf6server.Serve(provider.Address, func() tfprotov6.ProviderServer { return protocol }, options...)
	// Terraform gives a provider two seconds to end.
	ctx, cancel := context.WithTimeout(context.Background(), 1500*time.Millisecond)
	defer cancel()
	if err := errors.Join(err, server.Close(ctx)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func command() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return cli.Run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
}
