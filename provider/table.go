package provider

import "strings"

// asOf is the day on which the table was held against the makers' pages
// (platform.claude.com/docs/en/about-claude/models/overview,
// developers.openai.com/api/docs/pricing, api-docs.deepseek.com).
const asOf = "2026-11-21"

// known is what we know of well-known models without asking: the window in
// tokens, and dollars per million tokens read and written (short context, no
// cache, no batch). A price of 0 is unknown. An id that goes on behind a name
// with a date, such as -20251001, is that model too.
var known = []struct {
	id      string
	window  int
	in, out float64
}{
	{"claude-fable-5-2", 1_000_000, 8, 40},
	{"claude-fable-5-1", 1_000_000, 10, 50},
	{"claude-opus-5-5", 1_000_000, 4, 20},
	{"claude-opus-5", 1_000_000, 5, 25},
	{"claude-opus-4-8", 1_000_000, 5, 25},
	{"claude-sonnet-5-5", 1_000_000, 2, 10},
	{"claude-sonnet-5", 1_000_000, 2, 10},
	{"claude-sonnet-4-6", 0, 3, 15},
	{"claude-sonnet-4-5", 200_000, 3, 15},
	{"claude-opus-4-6", 0, 5, 25},
	{"claude-haiku-4-5", 200_000, 1, 5},
	{"gpt-6-astra", 0, 10, 50},
	{"gpt-6.1-sol", 1_050_000, 2, 10},
	{"gpt-6-sol", 1_050_000, 2, 10},
	{"gpt-6-luna", 1_050_000, 0.10, 0.50},
	{"gpt-5.6-terra", 1_050_000, 2, 12},
	{"gpt-5.6-luna", 0, 0.20, 1.20},
	{"gpt-5.4", 0, 2.50, 15},
	{"gpt-5.1", 400_000, 1.25, 10},
	{"gpt-5", 400_000, 1.25, 10},
}

// Known returns a model with what the tables tell of it; for most, just its id.
func Known(id string) Model {
	for _, k := range known {
		if sameModel(id, k.id) {
			m := Model{ID: id, Window: k.window, In: k.in, Out: k.out, Sees: Sees(id)}
			if k.in > 0 {
				m.AsOf = asOf
			}
			return m
		}
	}
	return Model{ID: id, Sees: Sees(id)}
}

// Rank is the place of a model in the table, or behind it.
func Rank(id string) int {
	for i, k := range known {
		if sameModel(id, k.id) {
			return i
		}
	}
	return len(known)
}

// SameModel reports whether two ids may name one model: they are equal, or one is the
// other with a date, "-latest" or ":latest" behind it.
func SameModel(a, b string) bool {
	return sameModel(a, b) || sameModel(b, a) || a == b+":latest" || b == a+":latest"
}

// sameModel reports whether id is name, or a dated snapshot of it.
func sameModel(id, name string) bool {
	rest, ok := strings.CutPrefix(id, name)
	return ok && (rest == "" || rest == "-latest" || isDate(rest))
}

// isDate knows -20251001 and -2026-09-29.
func isDate(s string) bool {
	digits := strings.ReplaceAll(s, "-", "")
	if len(digits) != 8 || s[0] != '-' {
		return false
	}
	return strings.Trim(digits, "0123456789") == ""
}
