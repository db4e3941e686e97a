package grant

import (
	"crypto/hmac"
	"regexp"
	"slices"
	"strings"

	"vibey/dialog"
)

// wishDomain is the first part of a wish's Mac, so that no Authorization's serves.
const wishDomain = "vibey/wish/1"

// confirmedMark begins the last line of a wish that a human has confirmed.
const confirmedMark = "# confirmed "

// Wish is the control text that a doc wants to hold in each new dialog of its
// project. It holds only once a human has confirmed it, to the letter.
type Wish struct {
	Text string // without the line that confirms it
	Mac  string // of that line, "" for none

	line       int // of the text in the doc, from 1 on
	start, end int // of the payload in the doc
}

// FindWish reads the first control/v1 block of a doc, the only one that counts;
// ok is false where there is none.
func FindWish(doc string) (w Wish, ok bool) {
	all := wishes(doc)
	if len(all) == 0 {
		return w, false
	}
	return all[0], true
}

// wishes reads all control/v1 blocks of a doc.
func wishes(doc string) (all []Wish) {
	dialog.EachBlock(doc, func(b dialog.Block) {
		if b.Type == dialog.ControlV1 {
			w := Wish{Text: b.Text, line: b.Line, start: b.From, end: strings.LastIndex(doc[:b.Next], dialog.Fence)}
			w.split()
			all = append(all, w)
		}
	})
	return all
}

// wishProblems returns the lines of a doc's wish that do nothing in a new dialog, and
// of the blocks behind the one that counts.
func wishProblems(doc string, known Known) (problems []dialog.SyntaxError) {
	for i, w := range wishes(doc) {
		if i > 0 {
			problems = append(problems, dialog.SyntaxError{Line: w.line - 1, Rule: "control", Text: "only the first control block of a doc counts, so nothing of this one holds; put its lines there"})
			continue
		}
		all, _ := ParseControl(w.Text)
		for n, line := range strings.Split(w.Text, "\n") {
			lines, ignored := ParseControl(line)
			switch {
			case len(ignored) > 0:
				problems = append(problems, dialog.SyntaxError{Line: w.line + n, Rule: "control", Text: unknownLine(ignored[0])})
			case len(lines) > 0 && lines[0].ID != "":
				problems = append(problems, dialog.SyntaxError{Line: w.line + n, Rule: "control", Text: `this is about a single call, which no new dialog has; write "allow", "ask" or "deny", and behind it one tool's name or "network"`})
			case len(lines) > 0 && Idle(all, lines[0]):
				problems = append(problems, dialog.SyntaxError{Line: w.line + n, Rule: "control", Text: `this does nothing, since no command is tried there; write "try run_command" in a line above it`})
			case len(lines) > 0 && known.Misses(lines[0]) != "":
				problems = append(problems, dialog.SyntaxError{Line: w.line + n, Rule: "control", Text: known.Misses(lines[0])})
			}
		}
	}
	return problems
}

// unknownLine says what to write instead of a line of a wish that is not understood.
func unknownLine(line string) string {
	if w := strings.Fields(line); len(w) > 2 && (dialog.WritesFile(w[1]) || w[1] == runCommand && w[0] != string(Try)) {
		return "this permits and denies nothing; behind " + w[1] + ` there may be one folder, by its path in the project and with one slash at its end, such as "deed/game/"`
	}
	return `this permits and denies nothing; write "allow", "ask" or "deny" in small letters, and behind it one tool's name or "network", or "try run_command"`
}

// split takes the confirming line off the text.
func (w *Wish) split() {
	body := strings.TrimRight(w.Text, "\n")
	i := strings.LastIndexByte(body, '\n') + 1
	if mac, ok := strings.CutPrefix(body[i:], confirmedMark); ok {
		w.Mac = strings.Trim(mac, " \t\r")
		w.Text = strings.TrimSuffix(body[:i], "\n")
	}
}

// wishMac is the lowercase hex Mac of a wish: over "vibey/wish/1", the project's
// name, its id, and the block's text without the line that confirms it. The id is
// made with the project and again whenever a mark must not hold any more, so that
// no mark outlives the project that it was made in, nor what voided it.
func (a Authority) wishMac(text string) string {
	return a.mac(wishDomain, a.Project, a.ProjectID, text)
}

// Confirmed reports whether a human of this installation confirmed the wish as it
// stands, in this project.
func (a Authority) Confirmed(w Wish) bool {
	return len(a.Key) > 0 && a.ProjectID != "" && hmac.Equal([]byte(w.Mac), []byte(a.wishMac(w.Text)))
}

// Brings reports whether a change of a doc from old to new adds a confirmation: a
// block that counts as confirmed and that old did not have so, or did not have
// first. Only a human may add one; after any other change the caller voids the
// mark.
func (a Authority) Brings(old, new string) bool {
	before := wishes(old)
	for i, w := range wishes(new) {
		if !a.Confirmed(w) {
			continue
		}
		at := slices.IndexFunc(before, func(o Wish) bool { return o.Text == w.Text && o.Mac == w.Mac })
		if at < 0 || i == 0 && at > 0 {
			return true
		}
	}
	return false
}

// Confirm returns the doc with its wish confirmed, or the doc as it is where
// it has none.
func (a Authority) Confirm(doc string) string {
	w, ok := FindWish(doc)
	if !ok {
		return doc
	}
	text := w.Text
	if text != "" {
		text += "\n"
	}
	return doc[:w.start] + dialog.Escape(text+confirmedMark+a.wishMac(w.Text)) + "\n" + doc[w.end:]
}

// mark matches the end of a line that confirms, wherever it stands in a line;
// markLine matches a whole such line.
var (
	mark     = regexp.MustCompile(`#[ \t]*confirmed[ \t]+([0-9a-fA-F]{64})`)
	markLine = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*confirmed[ \t]+[0-9a-fA-F]{64}[ \t]*\r?(?:\n|\z)`)
)

// Marks returns the Macs in a text that stand as in a line that confirms a wish,
// genuine or not.
func Marks(text string) (macs []string) {
	if !strings.Contains(text, "confirmed") {
		return nil
	}
	for _, m := range mark.FindAllStringSubmatch(text, -1) {
		macs = append(macs, m[1])
	}
	return macs
}

// HoldsMark reports whether text[from:to] has a part of such a Mac.
func HoldsMark(text string, from, to int) bool {
	if !strings.Contains(text, "confirmed") {
		return false
	}
	return slices.ContainsFunc(mark.FindAllStringSubmatchIndex(text, -1), func(m []int) bool { return m[2] < to && from < m[3] })
}

// Unmarked returns a doc as a model may read it: without the lines that confirm,
// and without the Macs of those that share their line with other text.
func Unmarked(doc string) string {
	macs := Marks(doc)
	if len(macs) == 0 {
		return doc
	}
	doc = markLine.ReplaceAllString(doc, "")
	for _, mac := range macs {
		doc = strings.ReplaceAll(doc, mac, "…")
	}
	return doc
}
