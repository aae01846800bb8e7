// Package campaign holds the provider against a device on which things go
// wrong: random configurations, and a random fault at a random RPC. It has
// tests only.
package campaign
