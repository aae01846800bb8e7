package gnmi

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
}
