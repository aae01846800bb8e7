package redislease

import (
	"net/url"
	"strings"
)

// names are what a device's keys and its channel are called in Redis.
type names struct {
	keys    []string
	channel string
}

// emptyKey stands for the empty key, because an empty hash tag is none. It is no
// valid percent-encoding, so that no other key is written like this.
const emptyKey = "%"

func (s *Store) names(key string) names {
	tag := url.PathEscape(key)
	if key == "" {
		tag = emptyKey
	}
	base := s.prefix + "{" + tag + "}:"
	return names{
		keys:    []string{base + "lease", base + "counts", base + "queue", base + "waiters"},
		channel: base + "events",
	}
}

// pattern matches the leases and queues of all devices, for SCAN.
func (s *Store) pattern() string {
	escape := strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`, `]`, `\]`)
	return escape.Replace(s.prefix) + "{*}:[lq]*"
}

// device is the way back from the name of a lease or queue to the device's key.
func (s *Store) device(name string) (key string, ok bool) {
	tag, ok := strings.CutPrefix(name, s.prefix+"{")
	if !ok {
		return "", false
	}
	end := strings.LastIndex(tag, "}:")
	if end < 0 {
		return "", false
	}
	if tag = tag[:end]; tag == emptyKey {
		return "", true
	}
	key, err := url.PathUnescape(tag)
	return key, err == nil
}
