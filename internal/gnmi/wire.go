package gnmi

import gpb "github.com/openconfig/gnmi/proto/gnmi"

// Wire is how a device wants requests written and serves reads. The zero value
// is the gNMI specification with JSON_IETF, and finding out what is served.
type Wire struct {
	// Encoding is what values are read in: "json_ietf" (which empty means),
	// "json" or "proto".
	Encoding string
	// NoOrigin leaves the origin out of paths.
	NoOrigin bool
	// Read is the best way of reading that the device serves: "config" (which
	// empty means), "all" or "subscribe".
	Read string
	// Leaves writes each leaf as an update of its own with a native scalar,
	// instead of JSON for each container.
	Leaves bool
	// AbortedRefuses means that Aborted is the device's code of any refusal, and
	// no word of a passing state.
	AbortedRefuses bool
}

// Encodings lists the values of Wire.Encoding.
func Encodings() []string { return []string{"json_ietf", "json", "proto"} }

// Reads lists the values of Wire.Read.
func Reads() []string { return []string{"config", "all", "subscribe"} }

// way is the way of reading to begin with.
func (w Wire) way() way {
	switch w.Read {
	case "all":
		return getAll
	case "subscribe":
		return subscribe
	}
	return getConfig
}

// encoding is how values are read.
func (w Wire) encoding() gpb.Encoding {
	switch w.Encoding {
	case "json":
		return gpb.Encoding_JSON
	case "proto":
		return gpb.Encoding_PROTO
	}
	return gpb.Encoding_JSON_IETF
}
