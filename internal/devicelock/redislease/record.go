package redislease

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock"
)

// state is the reply of a script that ends with record.
type state struct {
	granted  bool
	previous uint64
	record   devicelock.Record
}

// fixed is the number of a reply's fields before the waiters'.
const fixed = 5

// parse reads a reply to what was asked at began; counting the milliseconds that
// are left from there never makes a lease look longer than it is.
func parse(key string, reply any, began time.Time) (state, error) {
	fields, ok := reply.([]any)
	if !ok || len(fields) < fixed {
		return state{}, fmt.Errorf("unexpected reply %v", reply)
	}
	s := state{granted: fields[0] == int64(1), record: devicelock.Record{Key: key}}
	if text(fields[1]) != "" {
		holder, err := owner(fields[1])
		if err != nil {
			return state{}, err
		}
		s.record.Holder = &holder
		if s.record.Fence, err = strconv.ParseUint(text(fields[2]), 10, 64); err != nil {
			return state{}, fmt.Errorf("read the holder's fence: %w", err)
		}
		if s.previous, err = strconv.ParseUint(text(fields[3]), 10, 64); err != nil {
			return state{}, fmt.Errorf("read the fence before the holder's: %w", err)
		}
		if left, ok := fields[4].(int64); ok && left >= 0 {
			s.record.Expires = began.Add(time.Duration(left) * time.Millisecond)
		}
	}
	for _, field := range fields[fixed:] {
		waiter, err := owner(field)
		if err != nil {
			return state{}, err
		}
		s.record.Waiting = append(s.record.Waiting, waiter)
	}
	return s, nil
}

func owner(field any) (devicelock.Owner, error) {
	var o devicelock.Owner
	if err := json.Unmarshal([]byte(text(field)), &o); err != nil {
		return o, fmt.Errorf("read an owner's record: %w", err)
	}
	return o, nil
}

func text(field any) string {
	s, _ := field.(string)
	return s
}
