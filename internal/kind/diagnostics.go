package kind

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/datatree"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/device"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/gnmi"
)

func attributePath(dotted string) path.Path {
	at := path.Empty()
	for name := range strings.SplitSeq(dotted, ".") {
		at = at.AtName(name)
	}
	return at
}

// report turns an error into a diagnostic that says what happened, to which
// device and entry, and what can be done. verb is what was tried: "create".
func (r *managed) report(diags *diag.Diagnostics, verb string, d *device.Device, p *gpb.Path, err error) {
	summary := fmt.Sprintf("Cannot %s %s", verb, r.typeName)
	where := ""
	if d != nil {
		where = fmt.Sprintf("Device %q (%s)", d.Name, d.Address())
		if p != nil {
			where += ", " + datatree.PathText(p)
		}
		where += ": "
	}
	var (
		unknown   *device.UnknownDeviceError
		connect   *gnmi.ConnectError
		reference *device.ReferenceError
		set       *device.SetError
		commit    *device.CommitError
		rpc       *gnmi.RPCError
		encode    *encodeError
		exists    *existsError
		wait      *devicelock.WaitError
		lost      *devicelock.LostError
		service   *devicelock.StoreError
		election  *device.ArbitrationError
	)
	switch {
	case errors.As(err, &set) && set.Effect != device.EffectNone:
		diags.AddError(summary, where+setText(set))
	case errors.As(err, &lost) && !errors.As(err, &wait):
		diags.AddError("Lost the lock of device "+quoted(d), where+lost.Err.Error()+
			". The device does not show the change now, but may still carry it out; the next plan tells what it holds."+because(err))
	case errors.As(err, &commit):
		diags.AddError(summary, where+commitAdvice(commit))
	case errors.As(err, &reference):
		diags.AddError(summary, where+referenceAdvice(verb, reference))
	case errors.As(err, &set):
		diags.AddError(summary, where+setText(set))
	case errors.As(err, &service):
		diags.AddError("Cannot use the lock service", where+service.Error()+
			". Nothing was written. Check that the service runs and can be reached from here with these credentials; "+
			"lock.on_failure = \"proceed\" goes on without it, with a warning, and other processes then may write at the same time.")
	case errors.As(err, &election):
		diags.AddError(summary, where+arbitrationAdvice(election))
	case errors.As(err, &unknown):
		diags.AddAttributeError(path.Root("device"), "Unknown device", unknownDevice(unknown))
	case errors.Is(err, device.ErrUnknownYet):
		diags.AddAttributeError(path.Root("device"), summary, "The device's address or a secret is still not known. Check what the provider's configuration refers to.")
	case errors.As(err, &connect):
		diags.AddError("Cannot reach device "+quoted(d), where+connectAdvice(connect))
	case errors.As(err, &exists):
		diags.AddError("Already on the device", where+fmt.Sprintf(
			"this entry exists already, with content that the resource does not have. Nothing was written. "+
				"To manage it, import it and then plan the change:\n\n  terraform import %s.NAME '%s'\n\nor take it over with on_existing = \"adopt\": "+
				"the resource's attributes are then set, and the rest stays.", r.typeName, r.kind.id(d.Name, p)))
	case errors.As(err, &encode):
		diags.AddAttributeError(encode.path, summary, where+encode.err.Error())
	case errors.As(err, &rpc):
		advice := ""
		if rpc.Code == codes.Unauthenticated || rpc.Code == codes.PermissionDenied {
			advice = ". Check the provider's username and password, or those of this device. Nothing was written."
		}
		diags.AddError(summary, where+rpc.Error()+advice)
	case errors.As(err, &wait):
		diags.AddError(summary, where+wait.Error()+". Nothing was written."+releaseAdvice(d, wait))
	case errors.Is(err, context.Canceled):
		diags.AddError(summary, where+"the run was interrupted before anything was sent. Nothing was written.")
	case errors.Is(err, context.DeadlineExceeded):
		diags.AddError(summary, where+"the time that the resource's timeouts allow ran out before anything was sent. Nothing was written.")
	default:
		diags.AddError(summary, where+err.Error())
	}
}

// reportChange is report for a change from prior to plan. What a device has
// against one attribute, or against its removal, is told of that attribute.
func (r *managed) reportChange(diags *diag.Diagnostics, verb string, d *device.Device, p *gpb.Path, prior, plan tftypes.Value, err error) {
	var set *device.SetError
	var reference *device.ReferenceError
	if words := against(err); words != "" && errors.As(err, &set) && !errors.As(err, &reference) {
		// The names in the entry's own path are around all of its attributes.
		if at, ok := r.kind.culprit(strings.ReplaceAll(words, datatree.PathText(p), ""), plan, prior); ok {
			diags.AddAttributeError(at, fmt.Sprintf("Cannot %s %s", verb, r.typeName),
				fmt.Sprintf("Device %q (%s), %s: %s", d.Name, d.Address(), datatree.PathText(p), setText(set)))
			return
		}
	}
	r.report(diags, verb, d, p, err)
}

// against is what a device has against a change: its own words, or the paths of
// what it does not show. It is empty where the device did not decide.
func against(err error) string {
	var rpc *gnmi.RPCError
	var unshown *device.NotShownError
	switch {
	case errors.As(err, &unshown):
		return strings.Join(unshown.Leaves, "\n")
	case errors.As(err, &rpc) && rpc.Outcome == gnmi.Refused:
		return rpc.Message
	}
	return ""
}

// setText says what a device has against a Set, what the Set was to do, and
// what came of it.
func setText(e *device.SetError) string {
	text := e.Err.Error()
	if paths := e.Paths(); len(paths) > 0 {
		text += "\n\nThe Set was to\n  " + strings.Join(paths, "\n  ")
	}
	var unshown *device.NotShownError
	if errors.As(e, &unshown) && len(unshown.Leaves) > 0 {
		text += "\n\nIf the device only takes longer to show a change, raise verify_timeout. If it does not use such values, leave them out."
	}
	return text + "\n\n" + effectText(e)
}

func quoted(d *device.Device) string {
	if d == nil {
		return ""
	}
	return fmt.Sprintf("%q", d.Name)
}

func unknownDevice(e *device.UnknownDeviceError) string {
	known := make([]string, len(e.Known))
	for i, name := range e.Known {
		known[i] = fmt.Sprintf("%q", name)
	}
	list := strings.Join(known, ", ")
	switch {
	case len(known) == 0:
		return "The provider has no device. Set its address, or its devices."
	case e.Name == "":
		return "The provider has several devices, so the resource has to name one of them: " + list + "."
	}
	return fmt.Sprintf("The provider has no device %q. It has %s.", e.Name, list)
}

func connectAdvice(e *gnmi.ConnectError) string {
	text := e.Error() + ". "
	var closed *gnmi.ClosedError
	switch {
	case gnmi.ClientCertificateRefused(e.Err):
		return text + "The device wants a certificate of the provider that it trusts. Set tls.client_cert and tls.client_key, or check who signed them. Nothing was written."
	case gnmi.Untrusted(e.Err):
		return text + "The device's certificate is not trusted. tls.ca_cert decides which authorities are, tls.server_name for which name the certificate must be; " +
			"tls.skip_verify = true accepts any certificate. Nothing was written."
	case !e.Plaintext && strings.Contains(e.Err.Error(), "first record does not look like a TLS handshake"):
		return text + "The device speaks no TLS on this port. If that is meant, set plaintext = true. Nothing was written."
	case e.Plaintext && (errors.As(e.Err, &closed) || errors.Is(e.Err, context.DeadlineExceeded)):
		return text + "The device did not answer in plaintext. If it speaks TLS on this port, leave plaintext out; otherwise check the address, " +
			"and that the device's gNMI service runs and can be reached from here. Nothing was written."
	}
	return text + "Check the address, and that the device's gNMI service runs and can be reached from here. Nothing was written."
}

func referenceAdvice(verb string, e *device.ReferenceError) string {
	var b strings.Builder
	if len(e.Missing) > 0 {
		b.WriteString("it refers to what the device does not have:\n")
		for _, r := range e.Missing {
			fmt.Fprintf(&b, "\n  %s does not exist", datatree.PathText(r.Target))
			if r.Value != "" {
				fmt.Fprintf(&b, " (named by %s)", datatree.PathText(r.Leaf))
			}
		}
		b.WriteString("\n\nCreate it first: let this resource refer to the one that manages it, so that Terraform keeps the order, or run with a larger -parallelism, so that the device lock can.")
	}
	if len(e.Referrers) > 0 {
		b.WriteString("it is still referred to:\n")
		for _, r := range e.Referrers {
			fmt.Fprintf(&b, "\n  %s", datatree.PathText(r.Leaf))
		}
		fmt.Fprintf(&b, "\n\nRemove these first, then %s this.", verb)
	}
	if e.Err != nil {
		fmt.Fprintf(&b, "\n\nThe device said: %v", e.Err)
	}
	b.WriteString("\n\nNothing was written.")
	return b.String()
}

// because adds what the device or the wire said at the same time.
func because(err error) string {
	var rpc *gnmi.RPCError
	if !errors.As(err, &rpc) {
		return ""
	}
	return fmt.Sprintf("\n\nThe Set ended with: %v", rpc)
}

// releaseAdvice says how to free a lock that another process does not give back.
func releaseAdvice(d *device.Device, e *devicelock.WaitError) string {
	if e.Elsewhere == nil || d == nil {
		return ""
	}
	return fmt.Sprintf("\n\nIf that process is at work, wait for it, or let lock.timeout be longer. If it is gone and its lock does not lapse soon enough, free it:\n\n"+
		"  terraform-provider-openconfig lock release '%s' -backend %s\n", d.LockKey(), d.LockBackend())
}

func arbitrationAdvice(e *device.ArbitrationError) string {
	if e.Stale {
		return e.Error() + ". Another process has taken over the device's lock. The next plan tells what the device holds."
	}
	const without = "Set arbitration = false for this device: the lock still keeps others out, only the device itself does not check it."
	if e.Ahead {
		return e.Error() + ". Nothing was written. Check the user's rights, and reset the election id that the device remembers. " + without
	}
	return e.Error() + ". Nothing was written. " + without
}

// warn says, once in a run each, that the order of work was not in the lock's
// hands, and that the lock itself was not to be had.
func warn(d *device.Device, diags *diag.Diagnostics) {
	if err := d.Unprotected(); err != nil {
		diags.AddWarning("Went on without the lock service",
			err.Error()+". As lock.on_failure = \"proceed\" says, devices were written to all the same: steps of this process kept their order, but another process may have written at the same time.")
	}
	if !d.OrderLimited() {
		return
	}
	diags.AddWarning("Order was limited by -parallelism",
		"Terraform admitted a foundation (an interface, VLAN or network instance) only after a resource that usually depends on one had been written, "+
			"or the reverse on destroy: the device lock can order only what Terraform has started. "+
			"Where the order matters, let the dependent resource refer to the foundation, or run with a -parallelism of at least the number of resources.")
}

// warnUnreachable says that resources keep their state without having been
// read.
func warnUnreachable(d *device.Device, err error, diags *diag.Diagnostics) {
	diags.AddWarning("Device "+quoted(d)+" cannot be reached",
		fmt.Sprintf("Device %q (%s): %v. As on_unreachable = \"keep\" says, its resources keep the state that they have. Whether the device still holds that is not known, and changes to it fail.",
			d.Name, d.Address(), err))
}
