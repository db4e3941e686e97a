// Package claim reads what a final text says was done: that a file was changed, a server
// is ready, work was committed. It knows no dialog: what results bear out is given.
//
//	claim.Unbacked("I updated a.js.", claim.Facts{}) // "a.js was changed"
package claim

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Facts are what results bear out.
type Facts struct {
	Changed   []string // paths of the project that were written or removed; "unknown" is any
	Ports     []string // on which a server answered; none where that is not known
	Ready     bool     // a server answered with 2xx when it was started or looked at last
	Committed bool
	Log       []string // what git said of changes, whoever made them
}

// Unbacked returns what a text says was done, a file changed, a server ready, work
// committed, that facts do not bear out; each as the end of "no result says that".
// It reads the text as it is shown, clause by clause, in English, German, French,
// Spanish and Italian, and marks only what it is sure of. It takes time linear in the
// text.
func Unbacked(text string, facts Facts) []string {
	r := reader{facts: facts}
	for line := range strings.Lines(shown(text)) {
		r.line(strings.TrimSpace(line))
	}
	return r.found
}

// reader is where the reading of a text stands.
type reader struct {
	facts   Facts
	changed map[string]bool // the files of facts, see backs
	log     string          // what git said, in small letters
	logged  map[string]bool // names of files, and whether log has them
	found   []string
	tokens  []token

	list bool // the items that follow name what was changed
	plan bool // or what is to be

	// Of the line.
	item    bool
	verb    bool     // it has a verb of change, of mine or of files
	leads   []string // the files that an item begins with
	planned bool     // it has a word of plans

	// Of the sentence.
	claims []string
	off    bool // nothing in it is a claim
	over   bool // nor is what follows
	first  bool // the clause is its first
	mine   bool // the clause before is of what I did

	ordered bool // the reader is told what to run
}

func (r *reader) line(line string) {
	if line == "" {
		return
	}
	text, item := listItem(line)
	r.item, r.verb, r.planned, r.leads = item, false, false, nil
	if r.begin(); item && r.plan {
		return
	}
	r.scan(text)
	if !item {
		r.list = r.verb && strings.HasSuffix(line, ":")
		r.plan = r.planned && (strings.HasSuffix(line, ":") || line[0] == '#')
	}
}

// listItem returns the text of an item of a list or of a row of a table.
func listItem(line string) (string, bool) {
	c, size := utf8.DecodeRuneInString(line)
	switch {
	case strings.ContainsRune("-*+•|✓✔✅☑", c):
		return line[size:], true
	case c >= '0' && c <= '9':
		rest := strings.TrimLeft(line, "0123456789")
		if rest != "" && (rest[0] == '.' || rest[0] == ')') {
			return rest[1:], true
		}
	}
	return line, false
}

func (r *reader) begin() {
	r.claims, r.off, r.over, r.first, r.mine, r.ordered = r.claims[:0], false, false, true, true, false
}

// end is called at the end of a sentence. A question claims nothing.
func (r *reader) end(question bool) {
	for _, c := range r.claims {
		if !question && !r.off && !slices.Contains(r.found, c) && len(r.found) < most {
			r.found = append(r.found, c)
		}
	}
	if question || r.off {
		r.leads = nil
	}
	r.begin()
}

// clause reads the tokens there are, which are of one clause.
func (r *reader) clause() {
	if r.over || len(r.tokens) == 0 {
		r.tokens = r.tokens[:0]
		return
	}
	r.ordered = r.ordered || orderWords.Has(strings.ToLower(r.tokens[0].text))
	c := clause{reader: r, gov: stop}
	c.read()
	r.tokens = r.tokens[:0]
	for _, f := range c.hit {
		r.claims = append(r.claims, f+" was changed")
	}
	r.first = false
	if c.words {
		r.mine = c.self || c.verb != 0 || r.mine && c.tag(c.skip(0, and, filler)) == listed
	}
}

// Bounds of one reading, without which its time would not be linear in the text: most is
// how many files a clause is read for, and how many claims are found, mostLogged how many
// names are looked for in what git said. A name beyond these is taken for one that is there.
const (
	most       = 20
	mostLogged = 100
)

// backs reports whether facts say that a file was changed. One that is named without
// its folder may lie in any.
func (r *reader) backs(name string) bool {
	if r.changed == nil {
		r.changed = map[string]bool{}
		for _, path := range r.facts.Changed {
			path = strings.ToLower(fold(path))
			r.changed[path] = true
			for i := len(path) - 1; i >= 0; i-- {
				switch path[i] {
				case '/':
					r.changed[path[:i]] = true
					r.changed[path[i+1:]] = true
				case ' ': // of a name with blanks the last word is read
					r.changed[path[i+1:]] = true
				}
			}
		}
	}
	name, _, _ = strings.Cut(strings.ToLower(strings.TrimPrefix(name, "./")), ":")
	name = strings.TrimSuffix(name, "/")
	if r.changed["unknown"] || r.changed[name] {
		return true
	}
	base := name[strings.LastIndexByte(name, '/')+1:]
	if r.inLog(base) {
		return true
	}
	whole := strings.HasPrefix(name, "deed/") || strings.HasPrefix(name, "doc-")
	return !whole && r.changed[base]
}

// inLog reports whether git said something of a file of that name.
func (r *reader) inLog(name string) bool {
	if len(r.facts.Log) == 0 {
		return false
	}
	if r.logged == nil {
		r.log, r.logged = strings.ToLower(strings.Join(r.facts.Log, "\n")), map[string]bool{}
	}
	has, known := r.logged[name]
	if !known {
		if has = len(r.logged) >= mostLogged; !has {
			has = strings.Contains(r.log, name)
			r.logged[name] = has
		}
	}
	return has
}
