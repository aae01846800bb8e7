// Package schema describes the configuration part of the OpenConfig models as
// plain static data: what containers, lists and leaves there are, and which
// values a leaf takes. The table itself is generated (package oc) and needs no
// parsing at start.
//
// YANG terms are those of RFC 7950.
package schema

import (
	"fmt"
	"strings"
)

// Kind says what a node of the model is.
type Kind uint8

// The data node kinds of RFC 7950 that OpenConfig uses.
const (
	Container Kind = iota
	List
	Leaf
	LeafList
)

// Node is one data node of the model.
type Node struct {
	// Name is the node's YANG identifier, Module the module whose namespace
	// it is in (RFC 7951, section 4).
	Name, Module string
	Kind         Kind
	// Keys names the key leaves of a List, in the model's order.
	Keys []string
	// OrderedByUser tells that the order of a list's entries, or a
	// leaf-list's values, has a meaning (RFC 7950, section 7.7.7).
	OrderedByUser bool
	Mandatory     bool
	// Default holds a Leaf's default value, or is empty.
	Default string
	Units   string
	// Type is set for Leaf and LeafList.
	Type *Type
	// Children are ordered by name.
	Children []*Node
}

// Base is a built-in type of RFC 7950, section 4.2.4.
type Base uint8

// The built-in types, leafref excepted where it could be resolved.
const (
	String Base = iota
	Boolean
	Int8
	Int16
	Int32
	Int64
	Uint8
	Uint16
	Uint32
	Uint64
	Decimal64
	Enumeration
	IdentityRef
	Union
	LeafRef
	Binary
	Bits
	Empty
)

// Type is the type of a leaf.
type Type struct {
	// Name is the typedef's name, or the built-in type's.
	Name string
	Base Base
	// Ranges limit an integer's value, or a string's length in characters.
	// Empty means unlimited.
	Ranges []Range
	// Patterns are anchored regular expressions; a string matches all.
	Patterns []string
	// Values are the names of an Enumeration, or the identities that an
	// IdentityRef may name.
	Values []Value
	// Members are the types of a Union, in the model's order.
	Members []*Type
	// Path is a LeafRef's path expression, Target the type it leads to.
	Path   string
	Target *Type
	// FractionDigits is a Decimal64's precision.
	FractionDigits int
}

// Range is an inclusive range. High bounds above the largest int64 are
// written as that.
type Range struct{ Low, High int64 }

// Value is a name of an enumeration, or an identity with the module that
// defines it.
type Value struct{ Name, Module string }

// Child returns the child named name, or nil.
func (n *Node) Child(name string) *Node {
	for _, c := range n.Children {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// Find follows names down from n, with keys in brackets left out. It reports
// an error that names the first node that the model does not have.
func (n *Node) Find(path string) (*Node, error) {
	at := n
	for name := range strings.SplitSeq(strings.Trim(path, "/"), "/") {
		if name == "" {
			continue
		}
		next := at.Child(name)
		if next == nil {
			return nil, fmt.Errorf("the model has no node %q below %q", name, at.Name)
		}
		at = next
	}
	return at, nil
}

// MustFind is Find for paths that are part of the program.
func (n *Node) MustFind(path string) *Node {
	found, err := n.Find(path)
	if err != nil {
		panic(fmt.Sprintf("schema: %s: %v", path, err))
	}
	return found
}

// IsKey tells whether the child leaf name is a key of the list n.
func (n *Node) IsKey(name string) bool {
	for _, k := range n.Keys {
		if k == name {
			return true
		}
	}
	return false
}

// Resolved returns the type that decides on values: a LeafRef's target.
func (t *Type) Resolved() *Type {
	for t.Base == LeafRef && t.Target != nil {
		t = t.Target
	}
	return t
}
