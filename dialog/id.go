package dialog

import (
	"strconv"
	"strings"
	"time"
)

// NextID returns an id for the next section of role r that no section has yet, made
// of the time and the number of such sections. skip is how many ids for r were
// given out whose sections are not appended yet.
func (d *Dialog) NextID(r Role, now time.Time, skip int) string {
	stem := r.spec().id
	for n := d.Count(r) + 1 + skip; ; n++ {
		id := stem[0] + now.UTC().Format("20060102_150405") + stem[1] + strconv.Itoa(n)
		if !d.HasID(id) {
			return id
		}
	}
}

// HasID reports whether a whole section has that id, of whatever role.
func (d *Dialog) HasID(id string) bool {
	_, ok := d.index.ids[id]
	return ok
}

// ValidCallID reports whether id may name a call: [A-Za-z0-9_-]{1,64}, and none
// of the words that begin a rule.
func ValidCallID(id string) bool {
	switch id {
	case "", "allow", "deny", "ask", "try", "network":
		return false
	}
	return len(id) <= 64 && IsMadeOf(id, "_-")
}

// ValidToolName reports whether s can be a tool's name. Ours have small letters; that of an
// MCP server's tool may have all that providers take.
func ValidToolName(s string) bool {
	if len(s) > 64 || s == "" {
		return false
	}
	return IsMadeOf(s, "_-") && (strings.HasPrefix(s, "mcp_") || s == strings.ToLower(s) && !strings.Contains(s, "-"))
}

// IsMadeOf reports whether s has only ASCII letters, digits and bytes of others.
func IsMadeOf(s, others string) bool {
	for _, c := range []byte(s) {
		if !isAlphanumeric(c) && strings.IndexByte(others, c) < 0 {
			return false
		}
	}
	return true
}

// isAlphanumeric reports whether c is an ASCII letter or digit.
func isAlphanumeric(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9'
}
