package governor

import (
	"slices"
	"strings"
)

// checks reports whether a call ran the command that the project declares, so that the
// exit code of the one is that of the other: alone, behind "cd DIR &&", another command
// with "&&" or variables, with "2>&1". Blanks and tabs may be others, line breaks not.
func checks(c *call, declared string) bool {
	command, ok := c.command()
	if !ok || declared == "" {
		return false
	}
	plain := func(line string) string { return strings.TrimSuffix(blanks(line), " 2>&1") }
	before, ok := strings.CutSuffix(plain(strings.Trim(command, " \t\n")), plain(declared))
	return ok && (before == "" || strings.HasSuffix(before, " ")) && runsThrough(strings.TrimRight(before, " "))
}

// runsThrough reports whether what stands before a command runs it and leaves it the exit code
// of the line: nothing, variables, or commands that end with "&&", none of which ends the
// shell itself.
func runsThrough(before string) bool {
	for before != "" && !strings.HasSuffix(before, "&&") {
		at := strings.LastIndexByte(before, ' ') + 1
		if !isVariable(before[at:]) || steering(before[at:]) {
			return false
		}
		before = strings.TrimRight(before[:at], " ")
	}
	before, ok := bare(strings.TrimSuffix(before, "&&"))
	if !ok {
		return false
	}
	for step := range strings.SplitSeq(before, "&&") {
		for _, to := range []string{">&1", ">&2"} {
			step = strings.ReplaceAll(step, to, "")
		}
		name := verb(strings.ReplaceAll(step, "! ", ""))
		if strings.ContainsAny(step, "|;&`\n\r") || strings.Contains(" "+step, " #") || strings.Contains(strings.ReplaceAll(step, " ", ""), "()") || strings.Contains(name, "$") || slices.Contains(takesOver, name) || steered(name, strings.Fields(step)) {
			return false
		}
	}
	return true
}

// takesOver are the commands of the shell with which the rest of a line may not run, or
// not as it stands there.
var takesOver = []string{"builtin", "command", "eval", "exec", "exit", "function", "return", "trap", "alias", "hash", "enable"}

// steers are the variables that decide which program a name is, or what it runs before
// its own; a * ends the beginning of a name.
var steers = []string{"PATH", "IFS", "ENV", "CDPATH", "SHELL", "BASH*", "SHELLOPTS", "LD_*", "DYLD_*", "GIT_*", "NODE_OPTIONS", "NODE_PATH", "NPM_CONFIG_*", "PYTHON*", "PYTEST_*", "PERL*", "RUBY*", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "MAKEFLAGS", "MAKEFILES", "MFLAGS", "GNUMAKEFLAGS", "MAKE", "GOFLAGS", "GOROOT", "CARGO", "RUSTC*"}

// steering reports whether a word sets one of steers.
func steering(word string) bool {
	name, _, ok := strings.Cut(strings.ToUpper(word), "=")
	return ok && slices.ContainsFunc(steers, func(s string) bool {
		begin, all := strings.CutSuffix(s, "*")
		return strings.TrimSuffix(name, "+") == s || all && strings.HasPrefix(name, begin)
	})
}

// steered reports whether a step before a command may decide what that runs.
func steered(name string, words []string) bool {
	exports := slices.Contains([]string{"export", "declare", "typeset", "readonly"}, name)
	return name == "set" && slices.ContainsFunc(words[1:], func(w string) bool { return strings.Contains(w, "n") }) ||
		slices.ContainsFunc(words, func(w string) bool {
			variable, _, _ := strings.Cut(w, "=")
			return steering(w) || exports && strings.Contains(variable, "$")
		})
}

// isVariable reports whether word is NAME=VALUE.
func isVariable(word string) bool {
	name, value, ok := strings.Cut(word, "=")
	return ok && name != "" && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789") == "" && !strings.ContainsAny(value, "|;&()<>#`\"'\\\n\r")
}

// blanks returns a shell line with one blank for each run of blanks and tabs between its
// words.
func blanks(line string) string {
	var b strings.Builder
	var last byte
	eachByte(strings.Trim(line, " \t"), func(c byte, quoted bool) {
		if c == '\t' && !quoted {
			c = ' '
		}
		if c != ' ' || quoted || last != ' ' {
			b.WriteByte(c)
		}
		if last = c; quoted {
			last = 0
		}
	})
	return b.String()
}

// bare returns a shell line with $ in place of each byte that is quoted. ok is false if a
// quote has no end.
func bare(line string) (text string, ok bool) {
	var b strings.Builder
	ok = eachByte(line, func(c byte, quoted bool) {
		if quoted {
			c = '$'
		}
		b.WriteByte(c)
	})
	return b.String(), ok
}

// eachByte calls f for each byte of a shell line: quoted are those between quotes, these
// themselves, and one behind a backslash, with it. It reports whether each quote has its
// end.
func eachByte(line string, f func(c byte, quoted bool)) bool {
	var quote byte
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case c == '\\' && quote != '\'' && i+1 < len(line):
			f(c, true)
			i++
			f(line[i], true)
		case quote != 0:
			if f(c, true); c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
			f(c, true)
		default:
			f(c, false)
		}
	}
	return quote == 0
}
