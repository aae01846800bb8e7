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
	s := search{words: wordsOf(words), pathlike: strings.Contains(words, "/")}
	for _, v := range values {
		s.object(c.root, path.Empty(), v, fit{})
	}
	return s.best, s.score.hits > 0 && !s.tied
}

type search struct {
	words map[string]bool
	// pathlike tells that the words have a path in them: names that it does not
	// have then speak against an attribute.
	pathlike bool
	best     path.Path
	score    fit
	tied     bool
}

// fit counts the names of an attribute and of what is around it that words have,
// and those that they do not have.
type fit struct{ hits, misses int }

// with adds a name that words have, or have not.
func (f fit) with(has bool) fit {
	if has {
		f.hits++
	} else {
		f.misses++
	}
	return f
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

func (s *search) object(a *attribute, at path.Path, v tftypes.Value, around fit) {
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
			if name != "config" {
				score = score.with(s.words[name])
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
				has := s.words[key] || s.words[canonical(c.node.MustFind(c.node.Keys[0]), key)]
				s.object(c, here.AtMapKey(key), e, score.with(has))
			}
		case entrySet:
			// An element of a set has no path of its own that a person could read.
			for _, e := range elements(value) {
				inner := search{words: s.words, pathlike: s.pathlike}
				inner.object(c, here, e, score)
				if inner.score.hits > 0 {
					s.offer(here, inner.score)
				}
			}
		}
	}
}

func (s *search) offer(at path.Path, score fit) {
	if !s.pathlike {
		score.misses = 0
	}
	switch {
	case score.hits > s.score.hits || score.hits == s.score.hits && score.misses < s.score.misses:
		s.best, s.score, s.tied = at, score, false
	case score == s.score && !at.Equal(s.best):
		s.tied = true
	}
}
