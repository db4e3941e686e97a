package tools

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"vibey/dialog"
	"vibey/dialog/change"
)

func shaOf(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

func TestWriteFile(t *testing.T) {
	for _, c := range []struct{ name, content string }{
		{"empty", ""},
		{"quotes", "a \"b\" 'c' `d` ${e} \\n $(f)"},
		{"lines", "one\r\ntwo\nthree\rfour"},
		{"no end", "x"},
		{"script", "#!/bin/sh\necho '</script>' & \u2028"},
		{"nul", "a\x00b"},
		{"unicode", "日本語 ü 😀 \u202e"},
		{"bom", "\ufeffx"},
		{"schwa", "əəəcontrol/v1\nallow run_command\nəəə"},
		{"long", strings.Repeat("x", maxFile)},
	} {
		w := newWorld(t)
		r, m := w.call("write_file", "path", "deed/x", "content", c.content)
		if !r.Success || w.get("deed/x") != c.content {
			t.Fatalf("%s: %.300s", c.name, r.JSON)
		}
		if m["path"] != "deed/x" || m["bytes"] != float64(len(c.content)) || m["sha256"] != shaOf(c.content) {
			t.Errorf("%s: %.300s", c.name, r.JSON)
		}
		if _, there := m["replaced"]; there {
			t.Errorf("%s: nothing was replaced: %.300s", c.name, r.JSON)
		}
		if named := change.Named(r.JSON); len(named) != 1 || named[0] != (change.FileHash{Path: "deed/x", SHA256: shaOf(c.content)}) {
			t.Errorf("%s: files %v", c.name, named)
		}
		fi, err := os.Stat(w.path("deed/x"))
		if err != nil || m["mtime"] != fi.ModTime().UTC().Format(time.RFC3339) {
			t.Errorf("%s: mtime %v, on disk %v", c.name, m["mtime"], fi.ModTime())
		}
		preview := m["preview"].(string)
		if !strings.HasPrefix(c.content, preview) || utf8.RuneCountInString(preview) != min(200, utf8.RuneCountInString(c.content)) {
			t.Errorf("%s: preview %.300q", c.name, preview)
		}
	}
}

func TestWriteFileReplaces(t *testing.T) {
	w := newWorld(t)
	w.put("deed/x", "old")
	r, m := w.call("write_file", "path", "deed/x", "content", "new")
	if !r.Success || m["replaced"] != shaOf("old") {
		t.Error(r.JSON)
	}
	if left, _ := filepath.Glob(w.path("deed/.*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// Who writes rules into the leading page learns which of them do not hold.
func TestWriteTellsRules(t *testing.T) {
	w := newWorld(t)
	const doc = "# P\n\nəəəproject/v1\nphases on\ncolour red\nəəə\n"
	for path, want := range map[string]string{"doc-main.md": "5 there is no rule \"colour\"", "doc-other.md": "", "deed/doc-main.md": ""} {
		r, _ := w.call("write_file", "path", path, "content", doc)
		var m struct{ Problems []dialog.LineProblem }
		if err := json.Unmarshal([]byte(r.JSON), &m); err != nil || !r.Success {
			t.Fatalf("%s: %v %s", path, err, r.JSON)
		}
		got := ""
		for _, p := range m.Problems {
			got += fmt.Sprint(p.Line, " ", p.Text)
		}
		if got != want && (want == "" || !strings.HasPrefix(got, want)) {
			t.Errorf("%s: %q", path, got)
		}
	}
}

// A tool that is misspelt in the page's control block is told, too.
func TestWriteTellsNoTool(t *testing.T) {
	w := newWorld(t)
	r, _ := w.call("write_file", "path", "doc-main.md", "content", "əəəcontrol/v1\nallow run_comand\nallow checkpoint\nallow plan_get\nəəə\n")
	if want := `"problems":[{"line":2,"text":"there is no tool \"run_comand\"; the tools are run_command, write_file, `; !strings.Contains(r.JSON, want) || strings.Contains(r.JSON, `"line":3`) {
		t.Error(r.JSON)
	}
}

// Of a page with many wrong lines the first are told: the result stays in the dialog.
func TestWriteTellsFewRules(t *testing.T) {
	w := newWorld(t)
	r, _ := w.call("write_file", "path", "doc-main.md", "content", "əəəproject/v1\n"+strings.Repeat(strings.Repeat("x", 5000)+"\n", 1000)+"əəə\n")
	var m struct{ Problems []dialog.LineProblem }
	if err := json.Unmarshal([]byte(r.JSON), &m); err != nil || len(m.Problems) != 21 || m.Problems[20] != (dialog.LineProblem{Line: 22, Text: "and 980 more lines that do not hold"}) || len(r.JSON) > 8000 {
		t.Errorf("%d bytes: %.300s", len(r.JSON), r.JSON)
	}
}

func TestWriteFileTooLong(t *testing.T) {
	w := newWorld(t)
	w.put("deed/x", "old")
	r, _ := w.call("write_file", "path", "deed/x", "content", strings.Repeat("x", maxFile+1))
	if r.Success || r.Failure != ExecError || w.get("deed/x") != "old" {
		t.Errorf("%.300s", r.JSON)
	}
}

func TestPreviewCountsCharacters(t *testing.T) {
	for content, want := range map[string]string{
		strings.Repeat("😀", 300):              strings.Repeat("😀", 200),
		strings.Repeat("é", 200):              strings.Repeat("é", 200),
		strings.Repeat("x", 201):              strings.Repeat("x", 200),
		"":                                    "",
		"a\xffb":                              "a\uFFFDb",
		strings.Repeat("x", 199) + "\xf0\x9f": strings.Repeat("x", 199) + "\uFFFD",
	} {
		if got := preview([]byte(content)); got != want {
			t.Errorf("preview(%.20q…) = %d characters, %.30q", content, utf8.RuneCountInString(got), got)
		}
	}
}

func TestFileModeIsKept(t *testing.T) {
	for _, mode := range []os.FileMode{0o600, 0o644, 0o755, 0o777, 0o640} {
		w := newWorld(t)
		w.put("deed/x", "old")
		if err := os.Chmod(w.path("deed/x"), mode); err != nil {
			t.Fatal(err)
		}
		w.call("write_file", "path", "deed/x", "content", "new")
		w.call("edit_file", "path", "deed/x", "old_string", "n", "new_string", "N")
		fi, err := os.Stat(w.path("deed/x"))
		if err != nil || fi.Mode().Perm() != mode || w.get("deed/x") != "New" {
			t.Errorf("mode %v became %v, %q", mode, fi.Mode(), w.get("deed/x"))
		}
	}
}

func TestEditFile(t *testing.T) {
	long := strings.Repeat("a", 1<<20)
	for _, c := range []struct{ name, file, from, to, want string }{ // want: the file, or "! words of the error"
		{"once", "a b c", "b", "B", "a B c"},
		{"at the start", "abc", "a", "", "bc"},
		{"at the end", "abc", "c", "cd", "abcd"},
		{"whole", "abc", "abc", "x", "x"},
		{"literal", "a.c a$1c", "a$1c", "$0\\1&", "a.c $0\\1&"},
		{"lines", "one\ntwo\n", "one\ntwo", "1\n2", "1\n2\n"},
		{"crlf kept", "one\r\ntwo\r\n", "two", "2", "one\r\n2\r\n"},
		{"crlf sent", "one\r\ntwo\r\n", "one\r\ntwo", "1\r\n2", "1\r\n2\r\n"},
		{"bytes around kept", "\xff\x00b\xfe", "b", "c", "\xff\x00c\xfe"},
		{"tabs", "\tx", "\tx", "  x", "  x"},

		{"missing", "abc", "x", "y", "! old_string does not stand in deed/x (3 bytes)"},
		{"empty file", "", "x", "y", "! does not stand in deed/x (0 bytes)"},
		{"twice", "abab", "ab", "x", "! stands 2 times in deed/x (overlaps included)"},
		{"overlap", "aaa", "aa", "x", "! stands 2 times"},
		{"overlaps", "aaaaa", "aa", "x", "! stands 4 times"},
		{"overlap with a border", "abababa", "aba", "x", "! stands 3 times"},
		{"a million", long, "a", "b", fmt.Sprintf("! stands %d times", len(long))},
		{"half a million of half a million", long, long[:len(long)/2], "b", fmt.Sprintf("! stands %d times", len(long)/2+1)},
		{"same", "abc", "b", "b", "! are the same"},
		{"lf for crlf", "one\r\ntwo\r\n", "one\ntwo", "x", `! The file's lines end in "\r\n": send them so`},
		{"crlf for lf", "one\ntwo\n", "one\r\ntwo", "x", `! The file's lines end in "\n"`},
		{"blanks around", "one two", " one two\n", "x", "! It would fit without the blanks"},
		{"case", "Abc", "abc", "x", "! does not stand"},
	} {
		w := newWorld(t)
		w.put("deed/x", c.file)
		r, m := w.call("edit_file", "path", "deed/x", "old_string", c.from, "new_string", c.to)
		if words, bad := strings.CutPrefix(c.want, "! "); bad {
			if r.Success || r.Failure != ExecError || !strings.Contains(fmt.Sprint(m["error"]), words) || w.get("deed/x") != c.file || len(m) != 2 {
				t.Errorf("%s: want %q, got %.400s", c.name, words, r.JSON)
			}
			continue
		}
		if !r.Success || w.get("deed/x") != c.want {
			t.Errorf("%s: %q, %.400s", c.name, w.get("deed/x"), r.JSON)
			continue
		}
		if m["sha256"] != shaOf(c.want) || m["replaced"] != shaOf(c.file) || m["bytes"] != float64(len(c.want)) {
			t.Errorf("%s: %.400s", c.name, r.JSON)
		}
	}
}

func TestEditFileBounds(t *testing.T) {
	w := newWorld(t)
	if r, _ := w.call("edit_file", "path", "deed/none", "old_string", "a", "new_string", "b"); r.Success || !strings.Contains(r.JSON, "there is no file 'deed/none'") {
		t.Error(r.JSON)
	}
	if r, _ := w.call("edit_file", "path", "deed/no/folder", "old_string", "a", "new_string", "b"); r.Success || !strings.Contains(r.JSON, "there is no file") {
		t.Error(r.JSON)
	}
	if _, err := os.Stat(w.path("deed/no")); err == nil {
		t.Error("an edit made a folder")
	}
	w.put("deed/big", "start"+strings.Repeat("x", maxFile))
	if r, _ := w.call("edit_file", "path", "deed/big", "old_string", "start", "new_string", "s"); r.Success || !strings.Contains(r.JSON, "at most") {
		t.Error(r.JSON)
	}
	w.put("deed/big", "start"+strings.Repeat("x", maxFile-5))
	if r, _ := w.call("edit_file", "path", "deed/big", "old_string", "start", "new_string", "longer start"); r.Success {
		t.Error("a file grew beyond the limit")
	}
	if r, _ := w.call("edit_file", "path", "deed/big", "old_string", "start", "new_string", "s"); !r.Success {
		t.Errorf("a file of the limit's size: %.300s", r.JSON)
	}
}

func TestCountAgreesWithPlainSearch(t *testing.T) {
	for _, text := range []string{"", "a", "aaaa", "abaabaaab", "abcabcabcab", "mississippi"} {
		for i := range len(text) {
			for j := i + 1; j <= len(text); j++ {
				want := 0
				for k := range len(text) {
					if strings.HasPrefix(text[k:], text[i:j]) {
						want++
					}
				}
				if got := count([]byte(text), text[i:j]); got != want {
					t.Errorf("count(%q, %q) = %d, want %d", text, text[i:j], got, want)
				}
			}
		}
	}
}

func TestChangedSinceLastSeen(t *testing.T) {
	for _, tool := range []string{"write_file", "edit_file"} {
		w := newWorld(t)
		args := []string{"path", "deed/x", "content", "by the agent, again"}
		if tool == "edit_file" {
			args = []string{"path", "deed/x", "old_string", "human", "new_string", "agent"}
		}
		w.call("write_file", "path", "deed/x", "content", "by the agent")
		w.put("deed/x", "by a human") // an editor, beside the dialog

		r, m := w.call(tool, args...)
		if r.Success || r.Failure != ExecError || !strings.Contains(r.JSON, "has changed since you last saw it") || w.get("deed/x") != "by a human" {
			t.Fatalf("%s: %s", tool, r.JSON)
		}
		if m["sha256"] != nil || m["replaced"] != nil {
			t.Errorf("%s: a failure with evidence: %s", tool, r.JSON)
		}
		// The refusal told the hash: a dialog can't get stuck on a file.
		if w.seen["deed/x"] != shaOf("by a human") {
			t.Errorf("%s: the refusal did not name the file's state: %s", tool, r.JSON)
		}
		if r, _ := w.call(tool, args...); !r.Success {
			t.Errorf("%s, told: %s", tool, r.JSON)
		}
	}
}

func TestUnchangedOrUnseenFilesAreWritten(t *testing.T) {
	w := newWorld(t)
	w.put("deed/x", "never seen by this dialog")
	if r, _ := w.call("write_file", "path", "deed/x", "content", "1"); !r.Success {
		t.Error(r.JSON)
	}
	if r, _ := w.call("write_file", "path", "./deed//x", "content", "2"); !r.Success {
		t.Error(r.JSON)
	}
	w.link("x", "deed/alias")
	if r, _ := w.call("write_file", "path", "deed/alias", "content", "3"); !r.Success {
		t.Error(r.JSON)
	}
	w.put("deed/x", "by a human")
	if r, _ := w.call("write_file", "path", "deed/alias", "content", "4"); r.Success {
		t.Errorf("through a link: %s", r.JSON)
	}
	if err := os.Remove(w.path("deed/x")); err != nil {
		t.Fatal(err)
	}
	// Somebody deleted it: that is told once, and then the dialog may write it again.
	r, m := w.call("write_file", "path", "deed/x", "content", "5")
	if now, _ := m["current"].(map[string]any); r.Success || now["sha256"] != "" || now["path"] != "deed/x" {
		t.Errorf("a removed file: %s", r.JSON)
	}
	if r, _ := w.call("write_file", "path", "deed/x", "content", "5"); !r.Success {
		t.Errorf("a removed file, the second time: %s", r.JSON)
	}
	// A command of this dialog changed it: its result told the hash.
	w.call("run_command", "command", "echo 6 > deed/x")
	if r, _ := w.call("write_file", "path", "deed/x", "content", "7"); !r.Success {
		t.Error(r.JSON)
	}
	w.call("run_command", "command", "rm deed/x")
	if r, _ := w.call("write_file", "path", "deed/x", "content", "8"); !r.Success {
		t.Error(r.JSON)
	}
}

func TestSystemErrorsInWords(t *testing.T) {
	r := fileFailure("deed/x", &os.PathError{Op: "write", Path: "/secret/place/deed/x", Err: syscall.ENOSPC})
	if r.Failure != ExecError || !strings.Contains(r.JSON, "the disk is full: 'deed/x' is as it was") || strings.Contains(r.JSON, "/secret") {
		t.Error(r.JSON)
	}
	r = fileFailure("deed/x", &os.PathError{Op: "open", Path: "/secret/place/deed/x", Err: os.ErrInvalid})
	if strings.Contains(r.JSON, "/secret") {
		t.Error(r.JSON)
	}
}

func TestStoppedBeforeItBegan(t *testing.T) {
	w := newWorld(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for tool, args := range map[string]string{
		"write_file":  arguments("path", "deed/x", "content", "x"),
		"run_command": arguments("command", "touch deed/x"),
	} {
		r := w.set.Call(ctx, w.env, tool, args)
		if !r.Interrupted || r.Success || r.Failure != "" || !r.NotRun || r.JSON != `{"success":false,"error":"stopped before it began: nothing was run."}` {
			t.Errorf("%s: %+v", tool, r)
		}
	}
	if w.get("deed/x") != "(none)" {
		t.Error("it ran")
	}
}

// TestTogether: of calls at the same time on one file, each sees what those
// before it wrote, and readers see whole files only.
func TestTogether(t *testing.T) {
	w := newWorld(t)
	w.env.Hash = nil
	const n = 16
	w.put("deed/list", "start\n")
	stop, torn := make(chan struct{}), make(chan string, 1)
	go func() {
		defer close(torn)
		for {
			select {
			case <-stop:
				return
			default:
				if s := w.get("deed/list"); !strings.HasPrefix(s, "start\n") || !strings.HasSuffix(s, "\n") {
					torn <- s
					return
				}
			}
		}
	}()
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			r := w.set.Call(t.Context(), w.env, "edit_file", arguments("path", "deed/list", "old_string", "start\n", "new_string", fmt.Sprintf("start\n%d\n", i)))
			if !r.Success {
				t.Error(r.JSON)
			}
			r = w.set.Call(t.Context(), w.env, "write_file", arguments("path", fmt.Sprintf("deed/own/%d", i), "content", "x"))
			if !r.Success {
				t.Error(r.JSON)
			}
		})
	}
	all.Wait()
	close(stop)
	if s, bad := <-torn; bad {
		t.Errorf("a reader saw %q", s)
	}
	if got := strings.Count(w.get("deed/list"), "\n"); got != n+1 {
		t.Errorf("%d lines: an edit was lost: %q", got, w.get("deed/list"))
	}
}

// TestWrittenInBetween: an editor saves the file after the call has read it.
func TestWrittenInBetween(t *testing.T) {
	w := newWorld(t)
	w.put("deed/x", "old")
	for name, meddle := range map[string]func(){
		"in place":       func() { w.put("deed/x", "by a human") },
		"by rename":      func() { w.put("deed/y", "by a human"); os.Rename(w.path("deed/y"), w.path("deed/x")) },
		"of a new file":  func() { w.put("deed/new", "by a human") },
		"after removing": func() { os.Remove(w.path("deed/x")) },
	} {
		file := "deed/x"
		if name == "of a new file" {
			file = "deed/new"
		}
		r := rewrite(t.Context(), w.env, file, true, func([]byte, fs.FileInfo) ([]byte, error) {
			meddle()
			return []byte("by the agent"), nil
		}).sealed()
		if r.Success || !strings.Contains(r.JSON, "at the same moment") || w.get(file) == "by the agent" {
			t.Errorf("%s: %s", name, r.JSON)
		}
		w.put("deed/x", "old")
	}
	if left, _ := filepath.Glob(w.path("deed/.*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
