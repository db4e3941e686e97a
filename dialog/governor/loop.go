package governor

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
)

const (
	loopWindow = 10  // calls
	loopMost   = 3   // alike among them
	loopNamed  = 160 // bytes of what repeated, in the reason
)

// loop finds calls that are made again and again with the same result.
type loop struct {
	last  []print // of the last calls, the newest at the end
	found string  // what repeated, once something did
}

// print tells which calls are alike: what they do, and what came of it.
type print struct {
	call   string
	result uint64
}

// result takes in a result. What a human denied had no outcome that could be alike.
func (l *loop) result(c *call) {
	if c.denied {
		return
	}
	p := print{fingerprint(c), outcome(c.result)}
	if len(l.last) == loopWindow {
		l.last = append(l.last[:0], l.last[1:]...)
	}
	l.last = append(l.last, p)
	n := 0
	for _, o := range l.last {
		if o == p {
			n++
		}
	}
	if n >= loopMost && l.found == "" {
		l.found = fmt.Sprintf("Repeated %s %d× in last %d calls", clip(p.call, loopNamed), n, loopWindow)
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

// outcome is a hash of what a result says, but for times, process ids and the
// sandbox: digits count by their place alone.
func outcome(result string) uint64 {
	h := fnv.New64a()
	var fields map[string]json.RawMessage
	if json.Unmarshal([]byte(result), &fields) != nil {
		h.Write(masked([]byte(result)))
		return h.Sum64()
	}
	keys := make([]string, 0, len(fields))
	for k := range fields {
		if k != "mtime" && k != "sandbox" && k != "note" {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	for _, k := range keys {
		value := fields[k]
		if k != "exitCode" && k != "sha256" && k != "port" {
			value = masked(value)
		}
		h.Write([]byte(strconv.Quote(k)))
		h.Write(value)
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
