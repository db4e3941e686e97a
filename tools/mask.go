package tools

import (
	"encoding/base64"
	"encoding/hex"
	"regexp"
	"slices"
	"strings"

	"vibey/dialog/grant"
)

// maskText replaces a secret.
const maskText = "[key]"

// minSecret is the shortest secret that is masked: a shorter one would take
// words out of ordinary output.
const minSecret = 8

// mask holds what is searched for, the longest first.
type mask struct{ needles []string }

// Masker returns a func that masks secrets in text: as they are, in hex, and in
// base64 of both alphabets, also within a longer encoded text or wrapped into lines.
// Secrets under 8 bytes stay. Commands do not get secrets anyway, by the cleared
// environment; this is for the case that one finds a secret elsewhere.
func Masker(secrets []string) func(text string) string { return newMask(secrets).clean }

func newMask(secrets []string) (m mask) {
	for _, s := range secrets {
		if len(s) < minSecret {
			continue
		}
		h := hex.EncodeToString([]byte(s))
		m.needles = append(m.needles, s, h, strings.ToUpper(h))
		for shift := range 3 {
			m.needles = append(m.needles, shifted(base64.RawStdEncoding, s, shift), shifted(base64.RawURLEncoding, s, shift))
		}
	}
	// Of a needle within another the ends must not stay.
	slices.SortFunc(m.needles, func(a, b string) int { return len(b) - len(a) })
	m.needles = slices.Compact(m.needles)
	return m
}

// shifted returns the part of an encoding of s that does not depend on the bytes
// around s, if s begins at that byte of a group of three.
func shifted(e *base64.Encoding, s string, shift int) string {
	b := e.EncodeToString([]byte("\x00\x00"[:shift] + s))
	if shift > 0 {
		b = b[shift+1:] // characters that hold bits of what is before
	}
	if (shift+len(s))%3 != 0 {
		b = b[:len(b)-1] // the last one holds bits of what follows
	}
	return b
}

// clean returns text without the secrets, and without what looks like the mark of a
// confirmed wish: a command may have kept one that its doc no longer holds.
func (m mask) clean(text string) string {
	for _, mark := range grant.Marks(text) {
		text = strings.ReplaceAll(text, mark, maskText)
	}
	for _, n := range m.needles {
		text = strings.ReplaceAll(text, n, maskText)
	}
	if !strings.ContainsRune(text, '\n') {
		return text
	}
	text = m.cleanCuts(text)
	flat := strings.NewReplacer("\r", "", "\n", "").Replace(text)
	for _, n := range m.needles {
		if strings.Contains(flat, n) {
			text = replaceWrapped(text, n)
		}
	}
	return text
}

// cutMark is the line that stands where a long output was cut, before it came here.
var cutMark = regexp.MustCompile(`\n?\[… \d+ bytes (dropped here|before this) …\]\n`)

// cleanCuts masks what a cut left of a secret: its beginning before the mark, its end
// behind it. Less than minSecret bytes stay.
func (m mask) cleanCuts(text string) string {
	cuts := cutMark.FindAllStringIndex(text, -1)
	if cuts == nil {
		return text
	}
	var b strings.Builder
	at := 0
	for _, cut := range cuts {
		from, to := cut[0], cut[1]
		before, after := m.cutAt(text[at:from], text[to:])
		b.WriteString(text[at:from-before] + maskText[:min(before, len(maskText))] + text[from:to] + maskText[:min(after, len(maskText))])
		at = to + after
	}
	b.WriteString(text[at:])
	return b.String()
}

// cutAt returns how many bytes at the end of before begin a secret, and how many at the
// beginning of after end one.
func (m mask) cutAt(before, after string) (head, tail int) {
	for _, n := range m.needles {
		for k := len(n) - 1; k >= minSecret; k-- {
			if k > head && strings.HasSuffix(before, n[:k]) {
				head = k
			}
			if k > tail && strings.HasPrefix(after, n[len(n)-k:]) {
				tail = k
			}
		}
	}
	return head, tail
}

// replaceWrapped masks needle where line ends stand within it.
func replaceWrapped(text, needle string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		if n := matchWrapped(text[i:], needle); n > 0 {
			b.WriteString(maskText)
			i += n
			continue
		}
		b.WriteByte(text[i])
		i++
	}
	return b.String()
}

// matchWrapped returns how many bytes at the beginning of text are needle with line
// ends within it, or 0.
func matchWrapped(text, needle string) int {
	at := 0
	for i := range len(text) {
		c := text[i]
		switch {
		case c == needle[at]:
			if at++; at == len(needle) {
				return i + 1
			}
		case at > 0 && (c == '\n' || c == '\r'):
		default:
			return 0
		}
	}
	return 0
}
