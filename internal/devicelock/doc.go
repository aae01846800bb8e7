// Package devicelock orders the configuration steps of one process on each
// device: at most one step holds a device's gate, and what others refer to goes
// before what refers to it.
//
// A [Registry] is one process's view; it hands out one [Gate] for each device.
// A step announces itself when it is planned ([Gate.Announce]), waits its turn
// ([Gate.Acquire]), works under its [Grant] and releases it. Order comes from the
// step's class (see [Step]), which ages linearly, so nobody waits for ever. A
// step that others might still have to precede waits for a short quiet time (see
// gather.go), because a graph walk delivers its steps in random order.
//
// The package knows devices by a key and steps by their rank; it knows nothing
// of Terraform, gNMI or logging.
package devicelock
