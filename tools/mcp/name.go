package mcp

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"vibey/dialog/history"
)

// Prefix begins the name of each tool of an MCP server, and of no other.
const Prefix = "mcp_"

// nameMost is how long a tool's name may be for every provider.
const nameMost = 64

// The bounds of a name that is shown as the server has it.
const (
	toolNameMost = 128 // characters, as the protocol asks (2025-11-25, "Tool Names")
	wordsMost    = 48  // of one with a blank, which else could be a sentence to who approves
)

// Shown returns what a server calls a tool, for a human who decides: as it is, or as
// providers get it where it is no plain name.
func Shown(name string) string {
	if legible(name) {
		return name
	}
	return clip(plainWord(name), toolNameMost)
}

// legible reports whether a name has letters and digits of any script, blanks between
// them, and the signs of a keyboard. A name is shown as code: what would end that, begin
// a link, or is not seen, is not legible.
func legible(name string) bool {
	n := utf8.RuneCountInString(name)
	if n == 0 || n > toolNameMost || !utf8.ValidString(name) || strings.TrimSpace(name) != name || strings.Contains(name, " ") && n > wordsMost {
		return false
	}
	return !strings.ContainsFunc(name, func(r rune) bool {
		if r < 0x80 {
			return r < ' ' || r == 0x7f || strings.ContainsRune("`[]<>", r)
		}
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) || slices.Contains(unseenLetters, r)
	})
}

// unseenLetters are drawn as nothing (Hangul fillers), and are letters all the same.
var unseenLetters = []rune{0x115f, 0x1160, 0x3164, 0xffa0}

// plainName is mcp_<server>_<tool>, of whatever length, with _ for each character that
// providers don't take.
func plainName(server, tool string) string {
	return Prefix + plainWord(server+"_"+tool)
}

func plainWord(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r < 0x80 && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			return r
		}
		return '_'
	}, s)
}

// hashedName is plainName, cut where it is too long, with a hash of both names at its end.
func hashedName(server, tool string) string {
	sum := sha256.Sum256([]byte(server + "\x00" + tool))
	end := "_" + hex.EncodeToString(sum[:4])
	plain := plainName(server, tool)
	return plain[:min(len(plain), nameMost-len(end))] + end
}

// Named reports whether s is a tool of an MCP server under a name that is its own. A
// file that was changed by hand may say otherwise: what a human has allowed by one name
// must not reach another tool.
func Named(s history.ToolSpec) bool {
	if s.Server == "" || s.Tool == "" {
		return false
	}
	return len(s.Name) <= nameMost && s.Name == plainName(s.Server, s.Tool) || s.Name == hashedName(s.Server, s.Tool)
}

// isAnother reports whether another server than this one could have a tool of that name.
func isAnother(name, server string, configured []string) bool {
	return slices.ContainsFunc(configured, func(o string) bool { return o != server && strings.HasPrefix(name, plainName(o, "")) })
}

// Specs returns the tools of these servers as a model is told of them, sorted by name,
// and which are left out, in sentences without a full stop. A name ends with a hash where
// it is too long, would be that of two tools, or could be one of another server's, of all
// that are configured: no server says by its list what another one's tool is called.
func Specs(servers []Listing, configured []string) (specs []history.ToolSpec, left []string) {
	count := map[string]int{}
	for _, l := range servers {
		for _, t := range l.Tools {
			count[plainName(l.Server, t.Name)]++
		}
	}
	for _, l := range servers {
		for _, t := range l.Tools {
			s := history.ToolSpec{Description: t.Description, Schema: t.Schema, Server: l.Server, Tool: t.Name, ReadOnly: t.ReadOnly}
			if s.Name = plainName(l.Server, t.Name); len(s.Name) > nameMost || count[s.Name] > 1 || isAnother(s.Name, l.Server, configured) {
				s.Name = hashedName(l.Server, t.Name)
			}
			specs = append(specs, s)
		}
		for _, why := range l.Left {
			left = append(left, fmt.Sprintf("%s: %s", l.Server, why))
		}
	}
	slices.SortFunc(specs, func(a, b history.ToolSpec) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Tool, b.Tool))
	})
	for i := len(specs) - 1; i > 0; i-- {
		if s := specs[i]; s.Name == specs[i-1].Name {
			left = append(left, fmt.Sprintf("%s: the tool %q has the name of another one", s.Server, s.Tool))
			specs = slices.Delete(specs, i, i+1)
		}
	}
	return specs, left
}
