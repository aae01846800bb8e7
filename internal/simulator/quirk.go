package simulator

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Quirks are ways in which a target departs from the specification, or from
// how the strict target takes what the specification leaves open. The zero
// value has none. [Options.Quirk] sets them by name and checks their values.
type Quirks struct {
	readQuirks
	pathQuirks
	setQuirks
	semanticQuirks
	transportQuirks
}

// quirk is one quirk by name.
type quirk struct {
	name string
	// values says what the value is: "ok, not_found or error", "a duration".
	values string
	text   string
	set    func(o *Options, value string) error
	// choices are the values, if they are a few.
	choices []string
}

// quirks lists all there are, in the order of the documentation.
func quirks() []quirk {
	return slices.Concat(readQuirkTable(), pathQuirkTable(), setQuirkTable(), semanticQuirkTable(), commitQuirkTable(), transportQuirkTable())
}

// Quirk sets a quirk from text of the form name=value. It reports names and
// values that there are not.
func (o *Options) Quirk(assignment string) error {
	name, value, ok := strings.Cut(assignment, "=")
	if !ok {
		return fmt.Errorf("quirk %q must be of the form name=value", assignment)
	}
	known := quirks()
	i := slices.IndexFunc(known, func(q quirk) bool { return q.name == name })
	if i < 0 {
		return fmt.Errorf("there is no quirk %q", name)
	}
	if err := known[i].set(o, value); err != nil {
		return fmt.Errorf("quirk %s: %w", name, err)
	}
	return nil
}

// QuirkChoices returns the names of all quirks, each with the values that it can
// have, or with none if its value is a number, a duration, a text or a path.
func QuirkChoices() map[string][]string {
	out := map[string][]string{}
	for _, q := range quirks() {
		out[q.name] = slices.Clone(q.choices)
	}
	return out
}

// QuirksText lists the quirks for users, one a line.
func QuirksText() string {
	var b strings.Builder
	for _, q := range quirks() {
		fmt.Fprintf(&b, "  %s: %s (%s)\n", q.name, q.text, q.values)
	}
	return b.String()
}

// choice is a quirk with a few values.
func choice[T ~string](name, text string, field func(*Options) *T, values ...T) quirk {
	names := make([]string, len(values))
	for i, v := range values {
		names[i] = string(v)
	}
	all := strings.Join(names, ", ")
	return quirk{name, all, text, func(o *Options, value string) error {
		if !slices.Contains(values, T(value)) {
			return fmt.Errorf("%q is none of %s", value, all)
		}
		*field(o) = T(value)
		return nil
	}, names}
}

// toggle is a quirk that a target has or has not.
func toggle(name, text string, field func(*Options) *bool) quirk {
	return quirk{name, "true, false", text, func(o *Options, value string) error {
		b, err := strconv.ParseBool(value)
		if err != nil {
			return fmt.Errorf("%q is neither true nor false", value)
		}
		*field(o) = b
		return nil
	}, []string{"true", "false"}}
}

// count is a quirk with a number; 0 is a target without it.
func count(name, text string, field func(*Options) *int) quirk {
	return quirk{name, "a number", text, func(o *Options, value string) error {
		n, err := strconv.Atoi(value)
		if err != nil || n < 0 {
			return fmt.Errorf("%q is not a number of 0 or more", value)
		}
		*field(o) = n
		return nil
	}, nil}
}

// period is a quirk with a duration; 0 is a target without it.
func period(name, text string, field func(*Options) *time.Duration) quirk {
	return quirk{name, "a duration", text, func(o *Options, value string) error {
		d, err := time.ParseDuration(value)
		if err != nil || d < 0 {
			return fmt.Errorf("%q is not a duration such as 500ms", value)
		}
		*field(o) = d
		return nil
	}, nil}
}

// word is a quirk with a text of the user's; an empty one is a target without it.
func word(name, text string, field func(*Options) *string) quirk {
	return quirk{name, "a text", text, func(o *Options, value string) error {
		*field(o) = value
		return nil
	}, nil}
}

// place is a quirk of a part of the model: a path without keys, such as
// /interfaces/interface/config/mtu. Given again, it holds for each.
func place(name, text string, field func(*Options) *[]string) quirk {
	return quirk{name, "a path without keys", text, func(o *Options, value string) error {
		if !strings.HasPrefix(value, "/") || strings.ContainsRune(value, '[') {
			return errors.New("the path must begin with / and have no keys")
		}
		*field(o) = append(*field(o), value)
		return nil
	}, nil}
}
