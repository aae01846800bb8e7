package kind

import (
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// culprit returns the attribute that a device's own words are about, of those
// that any of values has: the one leaf whose name they contain, together with
// more names of what is around it than of any other. It returns false where the
// words fit several, or none.
func (c *compiled) culprit(words string, values ...tftypes.Value) (path.Path, bool) {
	s := search{words: wordsOf(words)}
	for _, v := range values {
		s.object(c.root, path.Empty(), v, 0)
	}
	return s.best, s.score > 0 && !s.tied
}

type search struct {
	words map[string]bool
	best  path.Path
	score int
	tied  bool
}

// wordsOf returns the names in a text: what stands between characters that the
// names and keys of a model do not have.
func wordsOf(text string) map[string]bool {
	words := map[string]bool{}
	for _, w := range strings.FieldsFunc(text, func(r rune) bool {
		return strings.ContainsRune(" \t\n/[]=:;,.\"'`(){}<>", r)
	}) {
		words[w] = true
		words[strings.ReplaceAll(w, "_", "-")] = true
	}
	return words
}

func (s *search) object(a *attribute, at path.Path, v tftypes.Value, around int) {
	m := members(v)
	for _, c := range a.children {
		value, here := m[c.name], at.AtName(c.name)
		if c.secret {
			value = m[c.name+versionSuffix] // the secret itself is not in a plan
		}
		if !present(value) {
			continue
		}
		score := around
		for _, name := range append(c.through, c.node.Name) {
			if s.words[name] && name != "config" {
				score++
			}
		}
		switch c.form {
		case leaf, leafList:
			if s.words[c.node.Name] {
				s.offer(here, score)
			}
		case object:
			s.object(c, here, value, score)
		case entryMap:
			for key, e := range members(value) {
				more := 0
				if s.words[key] || s.words[canonical(c.node.MustFind(c.node.Keys[0]), key)] {
					more = 1
				}
				s.object(c, here.AtMapKey(key), e, score+more)
			}
		case entrySet:
			// An element of a set has no path of its own that a person could read.
			for _, e := range elements(value) {
				inner := search{words: s.words}
				inner.object(c, here, e, score)
				if inner.score > 0 {
					s.offer(here, inner.score)
				}
			}
		}
	}
}

func (s *search) offer(at path.Path, score int) {
	switch {
	case score > s.score:
		s.best, s.score, s.tied = at, score, false
	case score == s.score && !at.Equal(s.best):
		s.tied = true
	}
}
