package main

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

// defined reads what a repeatable flag defines, then what stands in a file of the state
// dir, one definition a line; blank lines and those that begin with # say nothing. A
// name that flags define twice is an error; of one that the file has too, the flag's
// definition counts, and of one that the file has twice the first.
func defined[T any](flag string, flags []string, s *state, file string, parse func(string) (T, error), name func(T) string) ([]T, error) {
	var out []T
	there := func(v T) bool {
		return slices.ContainsFunc(out, func(o T) bool { return name(o) == name(v) })
	}
	for _, def := range flags {
		v, err := parse(def)
		if err == nil && there(v) {
			err = fmt.Errorf("%s is defined twice", name(v))
		}
		if err != nil {
			return nil, unable{fmt.Errorf("%s %s: %w", flag, def, err)}
		}
		out = append(out, v)
	}
	text, err := s.read(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, unable{err}
	}
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		def := strings.TrimSpace(line)
		if def == "" || def[0] == '#' {
			continue
		}
		v, err := parse(def)
		if err != nil {
			return nil, unable{fmt.Errorf("%s:%d: %w", s.path(file), n, err)}
		}
		if !there(v) {
			out = append(out, v)
		}
	}
	return out, nil
}
