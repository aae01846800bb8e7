package kubelease

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/util/validation"
)

// Lengths of names. A waiter's name is the Lease's and a suffix, and must still
// be a name; the value of a label is shorter than a name may be.
const (
	maxLeaseName = 200
	maxLabel     = validation.LabelValueMaxLength
	hashLength   = 12
)

// naming finds the name of a key's Lease.
type naming struct {
	render  func(device string) (string, error)
	devices map[string]string

	mu sync.Mutex
	// seen are Leases that were found by key, of devices that are not in
	// devices: who made them knew the device's name.
	seen map[string]string
}

func newNaming(text string, devices map[string]string) (*naming, error) {
	render, err := parseTemplate(text)
	if err != nil {
		return nil, err
	}
	a, err := render("a")
	if err != nil {
		return nil, err
	}
	if b, err := render("b"); err != nil || a == b {
		return nil, fmt.Errorf("lease_name %q has no {{.Device}}: each device needs a Lease of its own", text)
	}
	return &naming{render: render, devices: devices, seen: map[string]string{}}, nil
}

// lease returns the name of the key's Lease.
func (n *naming) lease(key string) (string, error) {
	device, ok := n.devices[key]
	if !ok {
		n.mu.Lock()
		name := n.seen[key]
		n.mu.Unlock()
		if name != "" {
			return name, nil
		}
		device = key
	}
	name, err := n.render(device)
	if err != nil {
		return "", err
	}
	return objectName(name), nil
}

// learn notes the name of a Lease that was found.
func (n *naming) learn(key, name string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.seen[key] = name
}

// objectName returns text if it is the name of an object, and else one that
// resembles it and is of this text only.
func objectName(text string) string {
	if len(text) <= maxLeaseName && len(validation.IsDNS1123Subdomain(text)) == 0 {
		return text
	}
	var name strings.Builder
	for _, r := range strings.ToLower(text) {
		if (r < 'a' || r > 'z') && (r < '0' || r > '9') {
			r = '-'
		}
		if r != '-' || !strings.HasSuffix(name.String(), "-") {
			name.WriteRune(r)
		}
	}
	resembling := strings.Trim(name.String(), "-")
	if resembling == "" {
		resembling = "device"
	}
	return shorten(resembling, maxLeaseName-hashLength-1) + "-" + hash(text)
}

// waiterName returns the name of the Lease by which the owner with this id waits
// for the Lease with this name.
func waiterName(lease, id string) string { return lease + "-wait-" + hash(id) }

// lockValue returns the value of the label that the Leases of one lock share.
func lockValue(lease string) string {
	if len(lease) <= maxLabel {
		return lease
	}
	return shorten(lease, maxLabel-hashLength-1) + "-" + hash(lease)
}

func shorten(name string, length int) string {
	if len(name) > length {
		name = strings.TrimRight(name[:length], "-.")
	}
	return name
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])[:hashLength]
}
