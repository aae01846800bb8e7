package simulator

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/protobuf/proto"
)

// firstHalf returns a Set of the first half of req's operations, in the order in
// which they are carried out. Of a single one it is the operation with the first
// half of its value; one that cannot be halved is left out.
func firstHalf(req *gnmi.SetRequest) *gnmi.SetRequest {
	half, ok := proto.Clone(req).(*gnmi.SetRequest)
	if !ok {
		return req
	}
	deletes, replaces, updates := len(req.GetDelete()), len(req.GetReplace()), len(req.GetUpdate())
	keep := (deletes + replaces + updates) / 2
	if deletes == 0 && replaces+updates == 1 {
		only := slices.Concat(half.GetReplace(), half.GetUpdate())[0]
		if value, ok := halfOf(only.GetVal().GetJsonIetfVal(), keysOf(only.GetPath())); ok {
			only.Val = &gnmi.TypedValue{Value: &gnmi.TypedValue_JsonIetfVal{JsonIetfVal: value}}
			return half
		}
	}
	half.Delete = half.GetDelete()[:min(keep, deletes)]
	keep -= len(half.GetDelete())
	half.Replace = half.GetReplace()[:min(keep, replaces)]
	half.Update = half.GetUpdate()[:keep-len(half.GetReplace())]
	return half
}

// keysOf returns the keys of the list entry that a path leads to.
func keysOf(path *gnmi.Path) map[string]string {
	if n := len(path.GetElem()); n > 0 {
		return path.GetElem()[n-1].GetKey()
	}
	return nil
}

// halfOf returns the first half of a JSON object's members by name, or of what is
// in its only one. The leaves of keys stay.
func halfOf(text []byte, keys map[string]string) ([]byte, bool) {
	var object map[string]json.RawMessage
	if json.Unmarshal(text, &object) != nil {
		return nil, false
	}
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(object)), func(name string) bool {
		_, key := keys[name]
		return key
	})
	switch len(names) {
	case 0:
		return nil, false
	case 1:
		inside, ok := halfOf(object[names[0]], keys)
		if !ok {
			return nil, false
		}
		object[names[0]] = inside
	}
	for _, name := range names[(len(names)+1)/2:] {
		delete(object, name)
	}
	half, err := json.Marshal(object)
	return half, err == nil
}
