package kind

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	gpb "github.com/openconfig/gnmi/proto/gnmi"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/datatree"
)

// ImportState is part of resource.ResourceWithImportState. It reads all that
// the device has, so that the resource owns what the configuration may name.
func (r *managed) ImportState(ctx context.Context, req resource.ImportStateRequest, res *resource.ImportStateResponse) {
	name, texts, err := r.kind.parseID(req.ID)
	if err != nil {
		res.Diagnostics.AddError("Invalid import id", err.Error())
		return
	}
	d, err := r.fleet.Device(name)
	if err != nil {
		r.report(&res.Diagnostics, "import", nil, nil, err)
		return
	}
	p := r.kind.path(texts)
	entry, err := d.Find(ctx, p)
	if err != nil {
		r.report(&res.Diagnostics, "import", d, p, err)
		return
	}
	if entry == nil {
		res.Diagnostics.AddError("Cannot import what does not exist",
			fmt.Sprintf("Device %q has no %s. Check the id %q, which is %s.", d.Name, datatree.PathText(p), req.ID, r.kind.idForm()))
		return
	}
	state := copied(res.State.Raw)
	for attr, ty := range res.State.Schema.Type().TerraformType(ctx).(tftypes.Object).AttributeTypes { //nolint:forcetypeassert // a schema is an object
		state[attr] = tftypes.NewValue(ty, nil)
	}
	if name != "" {
		state["device"] = tftypes.NewValue(tftypes.String, name)
	}
	for _, k := range r.kind.keys {
		state[k.name] = toTerraform(k.node.Type, texts[k.name])
	}
	empty := tftypes.NewValue(res.State.Schema.Type().TerraformType(ctx), state)
	res.State.Raw = r.kind.decode(empty, entry, true)
}

// parseID reads an import id: the device's name, which may be left out when
// there is one device, and the keys, separated by commas.
func (c *compiled) parseID(id string) (deviceName string, keys map[string]string, err error) {
	parts := strings.Split(id, ",")
	if len(parts) == len(c.keys) {
		parts = append([]string{""}, parts...)
	}
	if len(parts) != len(c.keys)+1 {
		return "", nil, fmt.Errorf("the id %q is not of the form %s", id, c.idForm())
	}
	keys = map[string]string{}
	for i, k := range c.keys {
		text := strings.TrimSpace(parts[i+1])
		canonical, err := k.node.Type.Canonical(text)
		if err != nil {
			return "", nil, fmt.Errorf("the id %q is not of the form %s: %s %w", id, c.idForm(), k.name, err)
		}
		keys[k.name] = canonical
	}
	return strings.TrimSpace(parts[0]), keys, nil
}

func (c *compiled) idForm() string {
	names := []string{"device"}
	for _, k := range c.keys {
		names = append(names, k.name)
	}
	return "`" + strings.Join(names, ",") + "`"
}

// id returns the import id of the entry at p.
func (c *compiled) id(deviceName string, p *gpb.Path) string {
	parts := []string{deviceName}
	for _, k := range c.keys {
		parts = append(parts, p.GetElem()[k.elem].GetKey()[k.leaf])
	}
	return strings.Join(parts, ",")
}
