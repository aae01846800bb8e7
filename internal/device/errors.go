package device

import (
	"context"
	"errors"
	"fmt"
	"strings"

	gpb "github.com/openconfig/gnmi/proto/gnmi"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/datatree"
)

// ReferenceError is a change that cannot be made yet: what it refers to is not
// on the device, or what it removes is still referred to.
type ReferenceError struct {
	// Path is the entry to be changed.
	Path *gpb.Path
	// Missing are references from the entry to what the device does not have.
	Missing []datatree.Reference
	// Referrers are references from elsewhere to what is to be removed.
	Referrers []datatree.Reference
	// Err is the device's refusal, nil when nothing was sent.
	Err error
}

func (e *ReferenceError) Error() string {
	var parts []string
	for _, r := range e.Missing {
		parts = append(parts, fmt.Sprintf("%s does not exist", datatree.PathText(r.Target)))
	}
	for _, r := range e.Referrers {
		parts = append(parts, fmt.Sprintf("%s still refers to it", datatree.PathText(r.Leaf)))
	}
	return strings.Join(parts, "; ")
}

func (e *ReferenceError) Unwrap() error { return e.Err }

// SetError is a Set that failed, with what was sent.
type SetError struct {
	Request *gpb.SetRequest
	// Effect is what the device holds of it now; it is not EffectAll.
	Effect Effect
	// Entry is the step's entry as the device holds it, if Effect is EffectPart;
	// nil when it is absent.
	Entry *datatree.Node
	Err   error

	// images are nil where the device was not looked at.
	images *images
}

func (e *SetError) Error() string { return e.Err.Error() }

func (e *SetError) Unwrap() error { return e.Err }

// Paths returns what the request was to change, for people. Values are left
// out: they may be secret.
func (e *SetError) Paths() []string {
	var paths []string
	for _, p := range e.Request.GetDelete() {
		paths = append(paths, "delete "+datatree.PathText(p))
	}
	for _, u := range e.Request.GetReplace() {
		paths = append(paths, "replace "+datatree.PathText(u.GetPath()))
	}
	for _, u := range e.Request.GetUpdate() {
		paths = append(paths, "update "+datatree.PathText(u.GetPath()))
	}
	return paths
}

func cancelled(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
