package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"vibey/dialog"
	"vibey/dialog/change"
	"vibey/dialog/grant"
	"vibey/dialog/picture"
	"vibey/server/project"
	"vibey/tools/disk"
)

const cleanName = "dialog-20260216-201100-clean-waiting.md"

func cleanText(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "check", cleanName))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// findings are what is wrong with a text under that file name, as LINE: rule.
func findings(text, name string, key []byte) []string {
	return findingsIn(text, name, key, time.Time{})
}

// findingsIn is findings in a project that was restored at that time.
func findingsIn(text, name string, key []byte, restored time.Time) []string {
	id, st, _ := dialog.ParseName(name)
	k := &checker{key: key}
	c := checkedDialog{checker: k, file: name, project: "p", id: id, status: st, text: text, restored: restored}
	c.check(true)
	out := []string{}
	for _, f := range k.sorted() {
		if line := fmt.Sprintf("%d: %s", f.line, f.rule); !slices.Contains(out, line) {
			out = append(out, line)
		}
	}
	return out
}

// cleanHash is that of the input of call_a.
const cleanHash = "88cb37c4a294f366d9b3adf61d518aad39706da249a1118f72519e34175e9714"

// summaryOf is a Summary section that covers what is named.
func summaryOf(covers string) string {
	return "## Summary\n> Id: sum_20260216_201200_1\n> Time: 2026-02-16T20:12:00Z - 2026-02-16T20:12:00Z\n> Resources: in=0 out=0 total=0 tools=0 ms=0\n> Covers: " + covers + "\n\nəəəsummary/markdown\nAll of it.\nəəə\n\n"
}

// broken has a row for each way to break the clean dialog in one place.
var broken = []struct {
	name     string
	old, new string
	want     string // LINE: rule, separated by commas
}{
	{"nothing", "", "", ""},
	{"id of another dialog", "DialogId: 20260216-201100-clean", "DialogId: 20260216-201100-other", "1: header"},
	{"no provider", "> Provider: openai\n", "> Provider:\n", "1: header"},
	{"two models", "> Model: gpt-5\n", "> Model: gpt-4\n> Model: gpt-5\n", "4: form, 5: field"},
	{"a model said twice", "> Model: gpt-5\n", "> Model: gpt-5\n> Model: gpt-5\n", "5: form"},
	{"no model", "> Model: gpt-5\n", "", "1: header, 4: form"},
	{"the header's status", "> Status: waiting\n", "> Status: done   \n", "1: status"},
	{"no status at all", "> Status: waiting\n", "> Status: sleeping\n", "1: status"},
	{"started at no time", "Started: 2026-02-16T20:11:00Z", "Started: yesterday", "1: time"},
	{"started in local time", "Started: 2026-02-16T20:11:00Z", "Started: 2026-02-16T20:11:00+01:00", "1: time"},
	{"hidden character in the header", "gpt-5", "gpt\u2028-5", "1: meta"},
	{"not padded", "> Status: waiting\n", "> Status: waiting \n", "5: form"},
	{"no first line", "# Dialog\n", "# A dialogue\n", "1: header, 1: status, 1: time, 1: form"},
	{"an id of two roles", "> Id: msg_20260216_201102_a1", "> Id: sys_20260216_201100_1", ""},
	{"an id twice in a role", "## Tool Result\n> Id: call_b", "## Note\n> Id: note_20260216_201200_1\n> Time: 2026-02-16T20:12:00Z - 2026-02-16T20:12:00Z\n> Resources: in=0 out=0 total=0 tools=0 ms=0\n> Kind: budget\n\nəəənote/markdown\nOnce more.\nəəə\n\n## Tool Result\n> Id: call_b", "115: id"},
	{"no id", "> Id: msg_20260216_201100_u1\n", "", "21: id, 22: form"},
	{"an id that decides", "> Id: call_a", "> Id: allow", "55: id, 79: control, 103: result, 103: grant"},
	{"no time", "> Time: 2026-02-16T20:11:01Z - 2026-02-16T20:11:02Z\n", "", "31: time, 33: form"},
	{"half a time", "> Time: 2026-02-16T20:11:01Z - 2026-02-16T20:11:02Z\n", "> Time: 2026-02-16T20:11:01Z\n", "31: time"},
	{"backwards", "> Time: 2026-02-16T20:11:01Z - 2026-02-16T20:11:02Z", "> Time: 2026-02-16T20:11:02Z - 2026-02-16T20:11:01Z", "31: time"},
	{"a user who takes his time", "msg_20260216_201100_u1\n> Time: 2026-02-16T20:11:00Z - 2026-02-16T20:11:00Z", "msg_20260216_201100_u1\n> Time: 2026-02-16T20:11:00Z - 2026-02-16T20:11:09Z", "21: time"},
	{"no resources", "> Resources: in=0 out=0 total=0 tools=0 ms=0\n> By: human\n", "> By: human\n", "21: resources, 24: form"},
	{"resources of another kind", "> Resources: in=100 out=20 total=120", "> Resources: in=many out=20 total=120", "44: resources, 47: field, 47: form"},
	{"sums that are none", "> Resources cumulative: in=100", "> Resources cumulative: in=101", "44: resources"},
	{"control character", "> Parent: call_a", "> Parent: call\x07_a", "92: meta"},
	{"a Summary of what stands there", "## Tool Result\n> Id: call_b", summaryOf("msg_20260216_201100_u1 - call_a") + "## Tool Result\n> Id: call_b", ""},
	{"a Summary of what does not", "## Tool Result\n> Id: call_b", summaryOf("msg_20260216_201100_u1 - call_z") + "## Tool Result\n> Id: call_b", "115: meta"},
	{"a Summary of what is behind it", "## Tool Result\n> Id: call_b", summaryOf("msg_20260216_201100_u1 - call_c") + "## Tool Result\n> Id: call_b", "115: meta"},
	{"a Summary of a range backwards", "## Tool Result\n> Id: call_b", summaryOf("call_a - msg_20260216_201100_u1") + "## Tool Result\n> Id: call_b", "115: meta"},
	{"a Summary of one section alone", "## Tool Result\n> Id: call_b", summaryOf("call_a") + "## Tool Result\n> Id: call_b", "115: meta"},
	{"a kind that nobody knows", "> Kind: started", "> Kind: sermon", "92: meta"},
	{"a system text that tells of tags", "> Resources: in=0 out=0 total=0 tools=0 ms=0\n\nəəəsystem", "> Resources: in=0 out=0 total=0 tools=0 ms=0\n> Calls: tags\n\nəəəsystem", ""},
	{"a system text that tells of nothing known", "> Resources: in=0 out=0 total=0 tools=0 ms=0\n\nəəəsystem", "> Resources: in=0 out=0 total=0 tools=0 ms=0\n> Calls: shouts\n\nəəəsystem", "8: meta"},
	{"a note of no way to call", "> Kind: started", "> Calls:\n> Kind: started", "92: meta"},
	{"a fence that is not closed", "I write it.\nəəə\n", "I write it.\n", "51: fence, 53: form"},
	{"a fence too many", "I write it.\nəəə\n", "I write it.\nəəə\nəəə\n", "44: mac, 54: fence"},
	{"a fence in a payload", "I write it.\n", "I write it.\nəəəoutput/markdown\n", "51: fence"},
	{"an escaped fence is none", "I write it.\n", "I write it.\nəəəəoutput/markdown\n", ""},
	{"text outside", "I write it.\nəəə\n", "I write it.\nəəə\n\nHello.\n", "44: outside"},
	{"a role that nobody has", "## Reasoning\n", "## Dreaming\n", "31: section, 36: fence"},
	{"zeros", "I write it.", "I \x00\x00 it.", "52: torn"},
	{"a payload of another role", "əəəinput/markdown", "əəəoutput/markdown", "21: payload"},
	{"a payload that nobody knows", "əəəoutput/markdown", "əəəoutput/latex", "44: payload"},
	{"native payload that is not JSON", `{"type":"reasoning"}`, `{"type":`, "31: payload"},
	{"tools that are not JSON", "\n[]\n", "\n[\n", "8: payload"},
	{"a second system", "## Reasoning\n", "## System\n> Id: sys_2\n> Time: 2026-02-16T20:11:01Z - 2026-02-16T20:11:01Z\n> Resources: in=0 out=0 total=0 tools=0 ms=0\n\nəəəsystem/markdown\nMore.\nəəə\n\n## Reasoning\n", "31: system"},
	{"a request twice", "> Id: call_b\n> Time: 2026-02-16T20:11:03Z", "> Id: call_a\n> Time: 2026-02-16T20:11:03Z", "67: request, 79: control, 115: result"},
	{"a request that is approved", "> Status: pending", "> Status: approved", "55: meta"},
	{"a request of no tool", "> Tool: write_file\n> Status: pending\n", "> Status: pending\n", "55: meta, 55: hash, 102: result, 102: grant"},
	{"a result without a request", "## Tool Result\n> Id: call_b", "## Tool Result\n> Id: call_x", "115: result"},
	{"a result twice", "## Tool Result\n> Id: call_b", "## Tool Result\n> Id: call_a", "115: result"},
	{"a result of another tool", "> Tool: run_command\n> Status: denied", "> Tool: edit_file\n> Status: denied", "115: result"},
	{"a result that pends", "> Status: denied", "> Status: pending", "115: meta"},
	{"a denied call that ran", `{"success":false,"error":"Denied by user"}`, `{"success":true}`, "115: result"},
	{"a result that says nothing", `{"success":false,"error":"no such file"}`, `{"note":"well"}`, "138: result"},
	{"a result that is not JSON", `{"success":false,"error":"no such file"}`, `well`, "138: payload, 138: result"},
	{"an input that was altered", `"content":"a"`, `"content":"b"`, "55: hash, 103: grant"},
	{"an approval without its input", "approve sha256:", "approve ", "79: control, 103: grant"},
	{"an approval of any input", "approve sha256:" + cleanHash + " write_file", "approve", "79: control, 103: grant"},
	{"an approval for another tool", cleanHash + " write_file", cleanHash + " edit_file", "55: hash, 103: grant"},
	{"an approval that comes too late", "call_a approve sha256:" + cleanHash + " write_file\n", "", "102: grant"},
	{"an approval of nothing", "call_a approve", "call_q approve", "79: control, 103: grant"},
	{"a line that says nothing", "allow edit_file", "please allow edit_file", "79: control, 138: grant"},
	{"ran though nobody let it", "allow edit_file\n", "", "137: grant"},
	{"ran though it was denied", "allow edit_file\n", "allow edit_file\ncall_c deny\n", "139: grant"},
	{"a place without its passage", "> By: human\n", "> By: human\n> On: doc-main.md sha256:" + cleanHash + " 3-7\n", "21: meta"},
	{"a passage of another length", "> By: human\n\n", "> By: human\n> On: doc-main.md sha256:" + cleanHash + " 3-7\n\nəəəpassage/text\nfive!\nəəə\n\n", "21: meta"},
	{"a passage in its place", "> By: human\n\n", "> By: human\n> On: doc-main.md sha256:" + cleanHash + " 3-7\n> Lines: 2\n\nəəəpassage/text\nfour\nəəə\n\n", ""},
	{"a mark of order", "# Dialog", "\ufeff# Dialog", "1: form"},
}

func TestCheckTellsEveryRule(t *testing.T) {
	clean := cleanText(t)
	for _, c := range broken {
		if !strings.Contains(clean, c.old) {
			t.Errorf("%s: the clean dialog has no %q", c.name, c.old)
		}
		text := strings.Replace(clean, c.old, c.new, 1)
		if got := strings.Join(findings(text, cleanName, nil), ", "); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

// With the key, an approval counts only where, and as, a human gave it.
func TestCheckMacs(t *testing.T) {
	key := bytes.Repeat([]byte{7}, keySize)
	sealed := func(a grant.Authority) string {
		d := dialog.Parse(cleanText(t))
		for i := range d.Sections {
			if s := &d.Sections[i]; s.Role == dialog.Authorization {
				a.Seal(s, "")
			}
		}
		return dialog.Format(d)
	}
	here := grant.Authority{Key: key, Project: "p", DialogID: "20260216-201100-clean"}
	other := here
	other.Project = "q"
	foreign := here
	foreign.Key = bytes.Repeat([]byte{8}, keySize)
	const void = "79: mac, 104: grant, 139: grant"
	for _, c := range []struct{ name, text, want string }{
		{"given here", sealed(here), ""},
		{"given in another project", sealed(other), void},
		{"given with another key", sealed(foreign), void},
		{"written by hand", cleanText(t), "79: mac, 103: grant, 138: grant"},
		{"altered", strings.Replace(sealed(here), "allow edit_file", "allow run_command", 1), void},
	} {
		if got := strings.Join(findings(c.text, cleanName, key), ", "); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

// What a command removed is gone also where a folder stands in its place, or a file in that of
// its folder.
func TestClaimsOfReplaced(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	p := checkedProject{checker: &checker{}, dir: filepath.Dir(dir)}
	for _, name := range []string{"", "file/in", "none"} {
		p.claimed = append(p.claimed, claim{FileHash: change.FileHash{Path: filepath.Join(filepath.Base(dir), name), Deleted: true}, told: true})
	}
	if p.claims(); len(p.findings) > 0 {
		t.Errorf("%v", p.findings)
	}
}

// Of files/ it tells what was never added, what has other bytes by now, and what is no folder.
func TestCheckFiles(t *testing.T) {
	sha := dialog.SHA256("a picture")
	for what, c := range map[string]struct {
		name, text string
		want, held string
	}{
		"as it was added": {name: sha[:16] + "-ä b.png", text: "a picture"},
		"other bytes":     {name: sha[:16] + "-a.png", text: "another picture", want: "note", held: "file"},
		"foreign":         {name: "cat.png", text: "a picture", want: "note", held: "note"},
		"half of a write": {name: disk.TempName("x"), text: "a pic"},
	} {
		for _, claims := range []bool{false, true} {
			dir := t.TempDir()
			write(t, filepath.Join(dir, project.MainDoc), "# P\n")
			write(t, filepath.Join(dir, "files", c.name), c.text)
			k := &checker{holdClaims: claims}
			if err := k.path(dir); err != nil {
				t.Fatal(err)
			}
			got, want := "", c.want
			if claims {
				want = c.held
			}
			for _, f := range k.sorted() {
				if got += f.rule; f.file != filepath.Join(dir, "files", c.name) {
					t.Errorf("%s: %+v", what, f)
				}
			}
			if got != want {
				t.Errorf("%s, claims %v: %q, want %q", what, claims, got, want)
			}
		}
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, project.MainDoc), "# P\n")
	write(t, filepath.Join(dir, "files"), "no folder")
	k := &checker{}
	if err := k.path(dir); err != nil || len(k.findings) != 1 || k.findings[0].rule != "name" {
		t.Errorf("%v %+v", err, k.findings)
	}
}

// write makes a file and the folder that it is in.
func write(t *testing.T, at, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Each kind of Note that the program writes is one that check knows.
func TestCheckKnowsPictureNotes(t *testing.T) {
	if text := strings.Replace(cleanText(t), "> Kind: started", "> Kind: "+picture.NoteKind, 1); slices.Contains(findings(text, cleanName, nil), "92: meta") {
		t.Error("a Note of Kind picture is a finding")
	}
}
