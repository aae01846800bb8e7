package device

// Policies are what a device's resources do where users want different things.
// An empty text is the first of the choices.
type Policies struct {
	// OnDestroy is what becomes of an entry whose resource is destroyed:
	// "delete" takes it off the device, "reset" takes back the leaves that the
	// resource set, "keep" leaves it as it is. OnExisting is what creating does
	// about an entry that is there with other content: an "error", or "adopt".
	// OnUnreachable is what reading does on a device that cannot be reached: an
	// "error", or to "keep" the state.
	OnDestroy, OnExisting, OnUnreachable string
}

// DestroyPolicies lists the values of Policies.OnDestroy.
func DestroyPolicies() []string { return []string{"delete", "reset", "keep"} }

// ExistingPolicies lists the values of Policies.OnExisting.
func ExistingPolicies() []string { return []string{"error", "adopt"} }

// UnreachablePolicies lists the values of Policies.OnUnreachable.
func UnreachablePolicies() []string { return []string{"error", "keep"} }

// Policies are what the configuration says for the device.
func (d *Device) Policies() Policies { return d.policies }
