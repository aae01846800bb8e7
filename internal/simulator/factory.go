package simulator

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/openconfig/gnmi/proto/gnmi"
)

// FactoryPorts is the number of the physical ports, Ethernet1/1 and on.
const FactoryPorts = 32

// FactoryNetworkInstance is the name of the network instance that a target has
// from the start, unless Options.DefaultNIName is another.
const FactoryNetworkInstance = "DEFAULT"

// factoryConfig is the configuration of a device that nobody has configured,
// whose network instance has this name, and the paths of the list entries in it,
// which cannot be removed.
func factoryConfig(instance string) (config []byte, entries map[string]bool) {
	entries = map[string]bool{
		"/network-instances/network-instance[name=" + escapeKey.Replace(instance) + "]": true,
	}
	ports := make([]string, FactoryPorts)
	for i := range ports {
		name := fmt.Sprintf("Ethernet1/%d", i+1)
		entries["/interfaces/interface[name="+name+"]"] = true
		ports[i] = fmt.Sprintf(`{"name":%q,"config":{"name":%q,"type":"iana-if-type:ethernetCsmacd"}}`, name, name)
	}
	return fmt.Appendf(nil, `{
		"openconfig-interfaces:interfaces":{"interface":[%s]},
		"openconfig-network-instance:network-instances":{"network-instance":[
			{"name":%q,"config":{"name":%q,"type":"openconfig-network-instance-types:DEFAULT_INSTANCE"}}]}
	}`, strings.Join(ports, ","), instance, instance), entries
}

// boot loads the first tree: from the state file, or from the factory content
// with the options' configuration on top.
func (t *Target) boot() error {
	config, entries := factoryConfig(t.defaultInstance())
	images := []image{{"factory content", config}, {"configuration", t.options.Config}}
	if t.options.StateFile != "" {
		switch state, err := os.ReadFile(t.options.StateFile); {
		case err == nil:
			images = []image{{"state file " + t.options.StateFile, state}}
		case !errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("reading the state file: %w", err)
		}
	}
	if t.options.IfnameCase == "fold" {
		t.model.foldNames()
	}
	root := &node{def: t.model}
	for _, i := range images {
		if len(i.json) == 0 {
			continue
		}
		var err error
		if root, err = t.apply(root, &gnmi.SetRequest{Update: []*gnmi.Update{update(nil, i.json)}}); err != nil {
			return fmt.Errorf("loading the %s: %w", i.name, err)
		}
	}
	t.factory = entries
	t.root.memory = t.options.Eventual
	t.root.Store(root)
	return t.save(root)
}

type image struct {
	name string
	json []byte
}

func update(path *gnmi.Path, json []byte) *gnmi.Update {
	return &gnmi.Update{Path: path, Val: &gnmi.TypedValue{Value: &gnmi.TypedValue_JsonIetfVal{JsonIetfVal: json}}}
}

// save writes a tree to the state file, if there is one, so that the file is
// at any moment either the old or the new one.
func (t *Target) save(root *node) error {
	name := t.options.StateFile
	if name == "" {
		return nil
	}
	text, err := configView().json(nil, root, "")
	if err != nil {
		return fmt.Errorf("writing the state file: %w", err)
	}
	file, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*")
	if err != nil {
		return fmt.Errorf("writing the state file: %w", err)
	}
	_, err = file.Write(append(text, '\n'))
	err = errors.Join(err, file.Close())
	if err == nil {
		err = os.Rename(file.Name(), name)
	}
	if err != nil {
		_ = os.Remove(file.Name())
		return fmt.Errorf("writing the state file: %w", err)
	}
	return nil
}
