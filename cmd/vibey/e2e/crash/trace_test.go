package crash

import (
	"bufio"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"
	"testing"
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

// asHex is a text as strace -xx writes it.
func asHex(s string) string {
	var b strings.Builder
	for i := range len(s) {
		fmt.Fprintf(&b, `\x%02x`, s[i])
	}
	return b.String()
}

// Calls that others come between are put together, and stand where they
// returned; what failed, what was cut off and what is elsewhere is left out.
func TestEventsOfATrace(t *testing.T) {
	at := func(fd, path string) string { return fd + "<" + asHex(path) + ">" }
	text := func(s string) string { return `"` + asHex(s) + `"` }
	lines := []string{
		`7  openat(` + at("5", "/b/p") + `, ` + text("a.md") + `, O_RDWR|O_CREAT|O_EXCL, 0644) = ` + at("9", "/b/p/a.md"),
		`7 write(` + at("9", "/b/p/a.md") + `, ` + text("), \"ə") + `, 6 <unfinished ...>`,
		`8 fsync(` + at("4", "/b/p") + `) = 0`,
		`7 <... write resumed>) = 5`,
		`8 write(` + at("3", "/b/p/gone.md") + `(deleted), ` + text("x") + `, 1) = 1`,
		`8 writev(` + at("9", "/b/p/a.md") + `, [{iov_base=` + text("on") + `, iov_len=2}, {iov_base=` + text("e") + `, iov_len=1}], 2) = 3`,
		`8 pwrite64(` + at("9", "/b/p/a.md") + `, ` + text("wait") + `, 4, 12) = 4`,
		`8 renameat2(` + at("5", "/b/p") + `, ` + text("a.md") + `, ` + at("5", "/b/p") + `, ` + text("b.md") + `, RENAME_NOREPLACE) = 0`,
		`8 unlinkat(` + at("5", "/b/p") + `, ` + text("no.md") + `, 0) = -1 ENOENT (No such file or directory)`,
		`8 unlinkat(AT_FDCWD<` + asHex("/x") + `>, ` + text("/b/p/b.md") + `, 0) = 0`,
		`8 mkdirat(AT_FDCWD<` + asHex("/x") + `>, ` + text("/elsewhere") + `, 0755) = 0`,
		`8 write(` + at("6", "socket:[99]") + `, ` + text("HTTP/1.1 200 OK") + `, 15) = 15`,
		`9 write(` + at("1", "pipe:[7]") + `, ` + text("ran:cmd_a\n") + `, 10) = 10`,
		`8 --- SIGTERM {si_signo=SIGTERM} ---`,
		`8 fsync(` + at("4", "/b/p") + `) = ?`,
		`8 +++ exited with 0 +++`,
		`8 fsync(` + at("4", "/b/p"),
	}
	calls, err := readTrace(strings.NewReader(strings.Join(lines, "\n")))
	if err != nil {
		t.Fatal(err)
	}
	got, err := events(calls, "/b")
	if err != nil {
		t.Fatal(err)
	}
	want := []event{
		{kind: create, path: "p/a.md"},
		{kind: sync, path: "p"},
		{kind: grow, path: "p/a.md", text: "), \"ə"[:5]},
		{kind: grow, path: "p/a.md", text: "one"},
		{kind: overwrite, path: "p/a.md", text: "wait", off: 12},
		{kind: rename, path: "p/a.md", to: "p/b.md"},
		{kind: remove, path: "p/b.md"},
		{kind: said, conn: "socket:[99]", text: "HTTP/1.1 200 OK"},
		{kind: ran, text: "cmd_a"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("events\n%+v\nwant\n%+v", got, want)
	}
}

func TestTraceThatKeptTooLittle(t *testing.T) {
	for _, line := range []string{
		`7 write(9</b/a>, "` + asHex("abc") + `"..., 300) = 300`,
		`7 write(9</b/a>, "` + asHex("abc") + `", 300) = 300`,
	} {
		calls, err := readTrace(strings.NewReader(line + "\n"))
		if err == nil {
			_, err = events(calls, "/b")
		}
		if err == nil {
			t.Errorf("taken for whole: %s", line)
		}
	}
}

func TestControlDropsOneSyncAStart(t *testing.T) {
	all := []event{
		{kind: grow, path: "d", text: "\n## Note\n> Id: n\n> Kind: started\n"}, {kind: sync, path: "p"}, {kind: sync, path: "d"},
		{kind: ran, text: "cmd_a"}, {kind: grow, path: "d", text: "\n## Tool Result\n"}, {kind: sync, path: "d"},
	}
	got, first, dropped := withoutStartSync(all)
	if want := append(append([]event{}, all[:2]...), all[3:]...); dropped != 1 || first != 2 || !reflect.DeepEqual(got, want) {
		t.Errorf("%d dropped: %+v", dropped, got)
	}
}
