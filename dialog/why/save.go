package why

import (
	"slices"
	"strings"

	"vibey/dialog/grant"
)

// What humans saved of a doc stands in a text, a line for each version:
//
//	2026-02-16T20:11:00Z - 2026-02-16T20:12:04Z <before> <after> mac:<hex>
//
// with the SHA-256 of what it held before and after, "none" for a new doc. The Mac is this
// installation's, so that no other writer of the folder can say that a human wrote something.

// noFile stands in a line for no hash.
const noFile = "none"

// ParseSaves returns those lines of such a text about doc that are genuine for a; all, if
// a has no key.
func ParseSaves(text string, a grant.Authority, doc string) (all []Save) {
	for line := range strings.Lines(text) {
		if s, ok := parseSave(strings.TrimSuffix(line, "\n")); ok && (len(a.Key) == 0 || s.line(a, doc) == line) {
			all = append(all, s)
		}
	}
	return all
}

func parseSave(line string) (s Save, ok bool) {
	w := strings.Split(line, " ")
	if len(w) != 6 || w[1] != "-" || !isTime(w[0]) || !isTime(w[2]) || w[2] < w[0] || !isSHA256(w[4]) {
		return s, false
	}
	if w[3] != noFile && !isSHA256(w[3]) {
		return s, false
	}
	return Save{w[0], w[2], strings.TrimPrefix(w[3], noFile), w[4]}, true
}

func isSHA256(s string) bool { return len(s) == 64 && strings.Trim(s, "0123456789abcdef") == "" }

// line is the save as it stands in the text.
func (s Save) line(a grant.Authority, doc string) string {
	before := s.Before
	if before == "" {
		before = noFile
	}
	return s.Start + " - " + s.End + " " + before + " " + s.After + " mac:" + a.SaveMac(doc, s.Start, s.End, before, s.After) + "\n"
}

// savesMost is how many lines such a text has. Beyond that the oldest that follow on each
// other become one.
const savesMost = 1000

// AddSave returns the text with one more save. It is a version of its own, or goes on with
// the last one; then that has to end with what s began with.
func AddSave(text string, a grant.Authority, doc string, s Save, goesOn bool) string {
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n" // it was cut off; its line says nothing
	}
	if line := text[strings.LastIndexByte(strings.TrimSuffix(text, "\n"), '\n')+1:]; goesOn {
		if last := ParseSaves(line, a, doc); len(last) == 1 && last[0].After == s.Before {
			text = strings.TrimSuffix(text, line)
			s.Start, s.Before = last[0].Start, last[0].Before
		}
	}
	text += s.line(a, doc)
	if strings.Count(text, "\n") <= savesMost {
		return text
	}
	all := ParseSaves(text, a, doc)
	for i := 0; i+1 < len(all) && len(all) > savesMost*3/4; i++ {
		for i+1 < len(all) && all[i].After == all[i+1].Before && len(all) > savesMost*3/4 {
			all[i].End, all[i].After = all[i+1].End, all[i+1].After
			all = slices.Delete(all, i+1, i+2)
		}
	}
	text = ""
	for _, s := range all[max(0, len(all)-savesMost):] {
		text += s.line(a, doc)
	}
	return text
}
