package dialog

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// Resources is what one section cost. In, Out and Total are tokens as the
// provider counted them, 0 where it told none; Tools counts the calls that a
// response asks for, or the one call that a result is of and that ran; MS is
// wall-clock milliseconds. Cached, Written and Reasoning are parts of In and
// Out, written to the file only when one of them is not 0.
// Source: vibey/vibey/doc-reference.md, "The dialog file".
type Resources struct {
	In        int64 `json:"in"`
	Out       int64 `json:"out"`
	Total     int64 `json:"total"`
	Tools     int64 `json:"tools"`
	MS        int64 `json:"ms"`
	Cached    int64 `json:"cached,omitempty"`
	Written   int64 `json:"written,omitempty"`
	Reasoning int64 `json:"reasoning,omitempty"`
}

// Spent returns what the section adds to the running sums: its tokens and time, and
// of calls those that ran, so that none counts twice.
func (s *Section) Spent() Resources {
	r := s.Resources
	if s.Role != ToolResult {
		r.Tools = 0
	}
	return r
}

// Plus returns the sum of both. A negative number counts as 0, and a sum beyond an
// int64 is the largest one: numbers come from providers and from edited files.
func (r Resources) Plus(o Resources) Resources {
	more := o.fields()
	for i, n := range r.fields() {
		if *n = max(*n, 0) + max(*more[i], 0); *n < 0 { // beyond an int64
			*n = math.MaxInt64
		}
	}
	return r
}

const noCost = "in=0 out=0 total=0 tools=0 ms=0"

// parseResources reads "in=1 out=2 …"; what is missing is 0. ok is false where a
// part of v is no such pair.
func parseResources(v string) (r Resources, ok bool) {
	if v == noCost {
		return r, true
	}
	ok = true
	for part := range strings.SplitSeq(v, " ") {
		key, number, _ := strings.Cut(part, "=")
		i := slices.Index(resourceKeys[:], key)
		n, err := strconv.ParseUint(number, 10, 63)
		if i < 0 || err != nil {
			ok = false
			continue
		}
		*r.fields()[i] = int64(n)
	}
	return r, ok
}

// resourceKeys are the names of the numbers in the order of a file, which has the first
// keysAlways also if they are 0.
var resourceKeys = [...]string{"in", "out", "total", "tools", "ms", "cached", "written", "reasoning"}

const keysAlways = 5

// fields are the numbers that resourceKeys name.
func (r *Resources) fields() [len(resourceKeys)]*int64 {
	return [...]*int64{&r.In, &r.Out, &r.Total, &r.Tools, &r.MS, &r.Cached, &r.Written, &r.Reasoning}
}

// String returns the resources as they stand in a file.
func (r Resources) String() string { return string(r.append(nil)) }

func (r Resources) append(dst []byte) []byte {
	for i, n := range r.fields() {
		if i >= keysAlways && *n == 0 {
			continue
		}
		if i > 0 {
			dst = append(dst, ' ')
		}
		dst = append(append(dst, resourceKeys[i]...), '=')
		dst = strconv.AppendInt(dst, *n, 10)
	}
	return dst
}
