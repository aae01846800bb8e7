// Package lock lets configurations see a device's lock, and hold it for a whole
// run: the data source and the ephemeral resource openconfig_device_lock.
package lock

import (
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/device"
	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
)

const typeName = "_device_lock"

// fleetOf returns the provider's devices from what the provider handed over, nil
// as long as it has not been configured.
func fleetOf(data any, diags *diag.Diagnostics) *device.Fleet {
	if data == nil {
		return nil
	}
	fleet, ok := data.(*device.Fleet)
	if !ok {
		diags.AddError("Unexpected provider data", fmt.Sprintf("The provider handed over %T. This is a fault of the provider; please report it.", data))
	}
	return fleet
}

// report turns an error about the named device into a diagnostic.
func report(diags *diag.Diagnostics, at path.Path, name string, d *device.Device, err error) {
	where := ""
	if d != nil {
		where = fmt.Sprintf("Device %q (%s): ", d.Name, d.Address())
	}
	var unknown *device.UnknownDeviceError
	var wait *devicelock.WaitError
	var service *devicelock.StoreError
	switch {
	case errors.As(err, &unknown) && name == "":
		diags.AddAttributeError(at, "Unknown device", fmt.Sprintf("Name a device of the provider's configuration: it has %q.", unknown.Known))
	case errors.As(err, &unknown):
		diags.AddAttributeError(at, "Unknown device", fmt.Sprintf("The provider has no device %q. It has %q.", name, unknown.Known))
	case errors.As(err, &service):
		diags.AddError("Cannot use the lock service", where+service.Error()+". Check that the service runs and can be reached from here with these credentials.")
	case errors.As(err, &wait):
		diags.AddError("Cannot lock the device for this run", wait.Error()+
			fmt.Sprintf(". If that process is gone and its lock does not lapse soon enough, free it:\n\n  terraform-provider-openconfig lock release '%s'\n", wait.Key))
	default:
		diags.AddError("Cannot lock the device for this run", where+err.Error())
	}
}
