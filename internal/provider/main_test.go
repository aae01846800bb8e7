package provider_test

import (
	"testing"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/acctest"
)

func TestMain(m *testing.M) { acctest.Main(m) }
