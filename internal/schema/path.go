package schema

import (
	"fmt"
	"strings"
)

// Step is one element of a path.
type Step struct {
	Name string
	// Keys are the keys of a list entry by name, nil when there are none.
	Keys map[string]string
}

// ParsePath reads a path in text, as gNMI's path conventions write it:
// /interfaces/interface[name=Ethernet1/1]/config. A backslash takes the next
// character for what it is; in a key's value that is needed for ] and \ alone.
func ParsePath(text string) ([]Step, error) {
	p := pathParser{rest: strings.TrimPrefix(text, "/")}
	var steps []Step
	for p.rest != "" {
		s, err := p.step()
		if err != nil {
			return nil, fmt.Errorf("path %q: %w", text, err)
		}
		steps = append(steps, s)
	}
	return steps, nil
}

type pathParser struct{ rest string }

// step reads an element and the slash behind it.
func (p *pathParser) step() (Step, error) {
	name, end := p.until("/[]")
	s := Step{Name: name}
	for end == '[' {
		key, is := p.until("=[]")
		if is != '=' || key == "" {
			return s, fmt.Errorf("%s has a bracket without key and value", name)
		}
		value, closed := p.until("]")
		if closed != ']' {
			return s, fmt.Errorf("the bracket of %s is not closed", name)
		}
		if _, twice := s.Keys[key]; twice {
			return s, fmt.Errorf("%s has the key %s twice", name, key)
		}
		if s.Keys == nil {
			s.Keys = map[string]string{}
		}
		s.Keys[key] = value
		var between string
		if between, end = p.until("/[]"); between != "" {
			return s, fmt.Errorf("%s goes on behind its bracket", name)
		}
	}
	switch {
	case end == ']':
		return s, fmt.Errorf("%s has a bracket that nothing opens", name)
	case name == "":
		return s, fmt.Errorf("an element has no name")
	}
	return s, nil
}

// until takes the text up to one of the characters in stops, with escapes
// resolved, and that character; 0 stands for the end.
func (p *pathParser) until(stops string) (text string, stop byte) {
	var b strings.Builder
	for i := 0; i < len(p.rest); i++ {
		switch c := p.rest[i]; {
		case c == '\\' && i+1 < len(p.rest):
			i++
			b.WriteByte(p.rest[i])
		case strings.IndexByte(stops, c) >= 0:
			p.rest = p.rest[i+1:]
			return b.String(), c
		default:
			b.WriteByte(c)
		}
	}
	p.rest = ""
	return b.String(), 0
}
