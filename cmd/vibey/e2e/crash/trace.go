package main

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// call is one finished call of the system, as strace tells it.
type call struct {
	name string
	args []arg
	ret  int64  // what it returned, -1 where it failed
	path string // of the descriptor that it returned
}

// arg is one argument: a descriptor with the path that it stands for, a text,
// or a word such as O_RDONLY.
type arg struct {
	word string // the number of a descriptor, a constant, a number
	path string // what a descriptor stands for, "" for other arguments
	text string // what a string or the strings of a vector hold
	gone bool   // the descriptor's file has no name any more
}

// recorded are the system calls that change a disk or write to a connection. One that
// the lab does not know is an error.
const recorded = "openat,write,writev,pwrite64,ftruncate,fsync,fdatasync," +
	"renameat,renameat2,unlinkat,mkdirat,linkat,symlinkat"

// readTrace reads what `strace -f -y -xx -e trace=…` wrote, in the order in
// which the calls returned. A call that never returned is left out, since no later
// step can rely on it.
func readTrace(r io.Reader) ([]call, error) {
	in := bufio.NewReaderSize(r, 1<<20)
	begun := map[string]string{} // thread -> the beginning of a call that others came between
	var calls []call
	for n := 1; ; n++ {
		line, err := in.ReadString('\n')
		if err == io.EOF {
			return calls, nil // a line without its end is of a call that did not return
		}
		if err != nil {
			return nil, err
		}
		pid, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		rest = strings.TrimLeft(rest, " ")
		if head, unfinished := strings.CutSuffix(rest, " <unfinished ...>"); unfinished {
			begun[pid] = head
			continue
		}
		if _, tail, resumed := strings.Cut(rest, " resumed>"); resumed && strings.HasPrefix(rest, "<... ") {
			rest = begun[pid] + tail
			delete(begun, pid)
		}
		if strings.HasPrefix(rest, "---") || strings.HasPrefix(rest, "+++") {
			continue // a signal, an exit
		}
		c, ok, err := readCall(rest)
		if err != nil {
			return nil, fmt.Errorf("line %d of the trace: %w: %.200s", n, err, rest)
		}
		if ok {
			calls = append(calls, c)
		}
	}
}

// readCall reads NAME(ARGS) = RESULT. ok is false for a call without a result, in which
// its thread was killed.
func readCall(text string) (c call, ok bool, err error) {
	name, rest, found := strings.Cut(text, "(")
	if !found {
		return c, false, fmt.Errorf("no call")
	}
	end := strings.LastIndex(rest, ") ")
	if end < 0 {
		return c, false, nil
	}
	_, result, found := strings.Cut(rest[end:], "= ")
	if !found || strings.HasPrefix(result, "?") {
		return c, false, nil
	}
	c.name = name
	if c.args, err = readArgs(rest[:end]); err != nil {
		return c, false, err
	}
	number, _, _ := strings.Cut(result, " ")
	number, path, _ := strings.Cut(number, "<")
	if c.path, err = unhex(strings.TrimSuffix(path, ">")); err != nil {
		return c, false, err
	}
	if c.ret, err = strconv.ParseInt(number, 0, 64); err != nil {
		return c, false, err
	}
	return c, true, nil
}

// readArgs splits arguments at their commas. Every text is in hex, so that no
// quote, bracket or comma of it can be mistaken.
func readArgs(s string) ([]arg, error) {
	var args []arg
	for s != "" {
		depth, i := 0, 0
		for ; i < len(s); i++ {
			switch s[i] {
			case '[', '{', '<':
				depth++
			case ']', '}', '>':
				depth--
			}
			if depth == 0 && s[i] == ',' {
				break
			}
		}
		a, err := readArg(s[:i])
		if err != nil {
			return nil, err
		}
		args = append(args, a)
		s = strings.TrimLeft(strings.TrimPrefix(s[i:], ","), " ")
	}
	return args, nil
}

func readArg(s string) (a arg, err error) {
	switch {
	case strings.ContainsAny(s, `"`):
		for i, part := range strings.Split(s, `"`) {
			if i%2 == 0 {
				continue
			}
			text, err := unhex(part)
			if err != nil {
				return a, err
			}
			a.text += text
		}
		if strings.HasSuffix(s, "...") {
			return a, fmt.Errorf("a text is cut off in the trace")
		}
	case strings.Contains(s, "<"):
		var path string
		a.word, path, _ = strings.Cut(s, "<")
		path, behind, _ := strings.Cut(path, ">")
		a.gone = strings.Contains(behind, "deleted")
		a.path, err = unhex(path)
	default:
		a.word = s
	}
	return a, err
}

// unhex reads \x41\x42 as AB; what is not so written stands as it is.
func unhex(s string) (string, error) {
	if !strings.HasPrefix(s, `\x`) {
		return s, nil
	}
	b := make([]byte, 0, len(s)/4)
	for len(s) > 0 {
		if len(s) < 4 || s[:2] != `\x` {
			return "", fmt.Errorf("a text is half in hex")
		}
		v, err := strconv.ParseUint(s[2:4], 16, 8)
		if err != nil {
			return "", err
		}
		b, s = append(b, byte(v)), s[4:]
	}
	return string(b), nil
}
