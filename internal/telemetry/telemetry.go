// Package telemetry turns what happens at the device lock, and what becomes of
// the Sets that it lets through, into records: lines in Terraform's log, lines in
// a file of events, and metrics.
package telemetry
