package governor

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strconv"
	"strings"

	"vibey/dialog"
)

const (
	loopWindow = 10  // calls
	loopFailed = 3   // alike among them, with the same failing result
	loopMost   = 6   // alike with the same succeeding one, or of one fingerprint with alike results
	loopNamed  = 160 // bytes of what repeated, in the reason
)

// loop finds calls that are made again and again with the same result.
type loop struct {
	last    []print         // of the last calls, the newest at the end; the zero print is like no other
	round   int             // responses with calls
	held    map[string]bool // the contents that files had, as path and hash
	changed bool            // a file did since the declared check ran last
	found   string          // what repeated, once something did
	call    string          // the call that repeated it last
}

// print tells which calls are alike: what they do, and what came of it.
type print struct {
	round   int
	input   uint64 // the input as it is
	whole   pair   // tool and whole input, and the result with the files that it left
	kind    pair   // the fingerprint, where it succeeded the words too, and the result without files
	failing bool
}

type pair struct{ call, result uint64 }

// result takes in a result. What a human denied had no outcome that could be alike. A
// read, and the check behind a change, take their place among the calls and count for
// nothing.
func (l *loop) result(c *call) {
	if c.denied {
		return
	}
	p := print{}
	news := l.news(c)
	if counts := c.class != dialog.Read && !(c.checks && l.changed); counts {
		p = printOf(c, l.round)
	}
	l.changed = !c.checks && (news || l.changed)
	if news {
		l.forget(p.whole)
	}
	l.last = append(l.last, p)
	l.last = l.last[max(0, len(l.last)-loopWindow):]
	if l.found == "" && p != (print{}) {
		l.find(p, c)
	}
}

// find notes whether p, the last print, repeats the ones before it too often.
func (l *loop) find(p print, c *call) {
	most := loopMost
	if p.failing {
		most = loopFailed
	}
	n := l.count(func(o print) bool { return o.whole == p.whole })
	if n < most {
		if n = l.count(func(o print) bool { return o.kind == p.kind }); n < loopMost {
			return
		}
	}
	l.found = fmt.Sprintf("Repeated %s %d× in last %d calls", clip(fingerprint(c), loopNamed), n, loopWindow)
	l.call = clip(dialog.Clean(inWords(c), 4*loopNamed), loopNamed)
}

// count returns how many of the last prints like accepts. Calls of one response that
// differ are one: it was written before any of their results.
func (l *loop) count(like func(print) bool) (n int) {
	for i, o := range l.last {
		if like(o) && !slices.ContainsFunc(l.last[:i], func(b print) bool { return like(b) && b.round == o.round && b.input != o.input }) {
			n++
		}
	}
	return n
}

// news reports whether a call left a file with a content that it has not had in this
// stretch: one that writes the same again, or goes to and fro, changes nothing. What
// can't be told is news.
func (l *loop) news(c *call) (news bool) {
	if l.held == nil && len(c.files) > 0 {
		l.held = map[string]bool{}
	}
	for _, f := range c.files {
		key := f.Path + "\x00" + f.SHA256 + "\x00" + f.Link + "\x00" + strconv.FormatInt(f.Bytes, 10)
		news = news || !l.held[key] && !f.Same()
		l.held[key] = true
	}
	return news || c.unknown
}

// forget begins the count anew, but for the prints of that call itself.
func (l *loop) forget(but pair) {
	for i := range l.last {
		if l.last[i].whole != but {
			l.last[i] = print{}
		}
	}
}

// fingerprint names what a call does: a command by its first verb that is not cd, a
// file tool by its path, a server's by its port, another by its name and arguments.
func fingerprint(c *call) string {
	var in struct {
		Command, Path *string
		Port          *json.Number
	}
	if json.Unmarshal([]byte(c.input), &in) == nil {
		switch {
		case c.tool == "run_command" && in.Command != nil:
			return c.tool + ":" + verb(*in.Command)
		case in.Port != nil && strings.HasSuffix(c.tool, "_server"), in.Port != nil && c.tool == "server_logs":
			return "server:" + in.Port.String()
		case in.Path != nil && strings.HasSuffix(c.tool, "_file"):
			return c.tool + ":" + *in.Path
		}
	}
	return c.tool + ":" + c.input
}

// inWords is a call in words: the command, or the tool and its arguments.
func inWords(c *call) string {
	if command, ok := c.command(); ok {
		return command
	}
	return c.tool + " " + c.input
}

// verb returns the name of the first command in a shell line that is not cd.
func verb(line string) string {
	parts := strings.FieldsFunc(line, func(r rune) bool { return r == '&' || r == ';' || r == '|' || r == '\n' || r == '(' || r == '{' })
	for _, p := range parts {
		for _, w := range strings.Fields(p) {
			if strings.Contains(w, "=") && !strings.HasPrefix(w, "=") && !strings.ContainsAny(w, "/\"'") {
				continue // VAR=value in front of the command
			}
			if w == "cd" {
				break
			}
			return w
		}
	}
	return "shell"
}

// printOf is the print of a call of that round.
func printOf(c *call, round int) print {
	var in, out map[string]json.RawMessage
	_ = json.Unmarshal([]byte(c.input), &in) // what is no object counts as the text that it is
	_ = json.Unmarshal([]byte(c.result), &out)
	delete(in, "description")
	asked := masked
	if c.tool == "launch_agent" { // each of them starts an agent of its own
		asked = func(b []byte) []byte { return b }
	}
	input := hashOf([]byte(c.tool), in, []byte(c.input), func(_ string, v []byte) []byte { return asked(v) })
	result := hashOf(nil, out, []byte(c.result), compared)
	var files []string
	for _, f := range c.files {
		files = append(files, f.Path, f.SHA256, f.Link)
	}
	kind := fingerprint(c)
	if command, ok := c.command(); ok && !c.failed() { // one step after the other through other files is no circle
		kind += withoutOptions(command)
	}
	return print{round: round, input: sum(c.input), whole: pair{input, result ^ sum(files...)}, kind: pair{sum(kind), result}, failing: c.failed()}
}

// sum is a hash of texts.
func sum(texts ...string) uint64 {
	h := fnv.New64a()
	for _, t := range texts {
		h.Write([]byte(t + "\x00"))
	}
	return h.Sum64()
}

// withoutOptions returns the words of a shell line that begin with no dash.
func withoutOptions(line string) string {
	words := strings.Fields(line)
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w[0] == '-' }), " ")
}

// evidence are the fields of a result that tell what a file is now, or the sandbox, or
// when it was.
var evidence = []string{"bytes", "changed", "changedMore", "mtime", "note", "preview", "replaced", "sandbox", "sha256"}

// compared returns what counts of a result's field when results are compared: digits by
// their place alone, but for those of the exit code.
func compared(name string, value []byte) []byte {
	switch {
	case slices.Contains(evidence, name):
		return nil
	case name == "exitCode":
		return value
	}
	return masked(value)
}

// hashOf is a hash of the fields of an object as counts returns them, sorted by name,
// or of a text that is none.
func hashOf(head []byte, fields map[string]json.RawMessage, text []byte, counts func(name string, value []byte) []byte) uint64 {
	h := fnv.New64a()
	h.Write(head)
	if fields == nil {
		h.Write(masked(text))
		return h.Sum64()
	}
	for _, k := range slices.Sorted(maps.Keys(fields)) {
		if value := counts(k, fields[k]); value != nil {
			h.Write([]byte(strconv.Quote(k)))
			h.Write(value)
		}
	}
	return h.Sum64()
}

// masked returns text with one # for each run of digits.
func masked(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for i, c := range text {
		switch {
		case c < '0' || c > '9':
			out = append(out, c)
		case i == 0 || text[i-1] < '0' || text[i-1] > '9':
			out = append(out, '#')
		}
	}
	return out
}
