package main

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

// defined reads what a repeatable flag defines, then what stands in a file of the state
// dir, one definition a line; blank lines and those that begin with # say nothing. A
// name that flags define twice is an error; one that the file has too is in the result
// again, behind the flag's.
func defined[T any](flag string, flags []string, s *state, file string, parse func(string) (T, error), name func(T) string) ([]T, error) {
	var out []T
	for _, def := range flags {
		v, err := parse(def)
		if err != nil {
			return nil, unable{fmt.Errorf("%s %s: %w", flag, def, err)}
		}
		if slices.ContainsFunc(out, func(o T) bool { return name(o) == name(v) }) {
			return nil, unable{fmt.Errorf("%s %s: %s is defined twice", flag, def, name(v))}
		}
		out = append(out, v)
	}
	f, err := s.open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return out, nil
	}
	if err != nil {
		return nil, unable{err}
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		def := strings.TrimSpace(lines.Text())
		if def == "" || def[0] == '#' {
			continue
		}
		v, err := parse(def)
		if err != nil {
			return nil, unable{fmt.Errorf("%s:%d: %w", s.path(file), n, err)}
		}
		out = append(out, v)
	}
	if err := lines.Err(); err != nil {
		return nil, unable{fmt.Errorf("read %s: %w", s.path(file), err)}
	}
	return out, nil
}

// firstNamed returns of all with one name the first.
func firstNamed[T any](all []T, name func(T) string) (out []T) {
	for _, v := range all {
		if !slices.ContainsFunc(out, func(o T) bool { return name(o) == name(v) }) {
			out = append(out, v)
		}
	}
	return out
}
