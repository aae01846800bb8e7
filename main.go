package main

import (
	_ "github.com/hashicorp/terraform-plugin-framework/providerserver"
	_ "github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	_ "github.com/hashicorp/terraform-plugin-testing/helper/resource"
	_ "github.com/hashicorp/terraform-plugin-log/tflog"
	_ "github.com/openconfig/gnmi/proto/gnmi"
	_ "github.com/openconfig/gnmi/proto/gnmi_ext"
	_ "github.com/openconfig/ygot/ytypes"
	_ "github.com/terraform-openconfig/terraform-provider-openconfig/internal/oc"
	_ "golang.org/x/sync/semaphore"
	_ "pgregory.net/rapid"
	_ "go.uber.org/goleak"
	_ "google.golang.org/grpc"
)

func main() {}
