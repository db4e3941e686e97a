package main

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

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
