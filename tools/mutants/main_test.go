package main

import "testing"

func TestEachMutantHasOnePlaceInTheCode(t *testing.T) {
	const root = "../.."
	names := map[string]bool{}
	for _, m := range all() {
		if _, _, err := m.change(root); err != nil {
			t.Error(err)
		}
		if names[m.name] {
			t.Errorf("two are called %q", m.name)
		}
		names[m.name] = true
	}
}
