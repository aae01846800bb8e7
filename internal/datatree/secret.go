package datatree

import "github.com/terraform-openconfig/terraform-provider-openconfig/internal/schema"

// Secret tells whether a leaf holds a secret. Devices show one in other forms
// than it was set, or not at all.
func Secret(leaf *schema.Node) bool { return leaf.Type.Resolved().Name == "routing-password" }
