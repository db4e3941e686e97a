package grant

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"vibey/dialog"
)

func TestValidFolder(t *testing.T) {
	for path, want := range map[string]bool{
		"deed/": true, "deed/game/": true, "game/": true, "deed/my game/": true, "deed/game /": true, "deed/ü/日本/": true, "deed/..x/": true, "deed/.../": true, "deed/#a/": true,
		"": false, "/": false, "deed": false, "deed/game": false, "/deed/": false, "deed//": false, "deed//a/": false, "//": false,
		"./": false, "./deed/": false, "deed/./": false, "../": false, "deed/../": false, "deed/../a/": false, "deed/..": false,
		`deed\a/`: false, "deed/\ta/": false, "deed/a\r/": false, "deed/\x00/": false, "deed/\x7f/": false, "deed/\u2028/": false, "deed/\u202ea/": false, "deed/\xff/": false,
		"C:/deed/": false, "c:/": false, strings.Repeat("a", folderMost-1) + "/": true, strings.Repeat("a", folderMost) + "/": false,
	} {
		if validFolder(path) != want {
			t.Errorf("%q is a folder: %v", path, !want)
		}
	}
}

func TestParseFolders(t *testing.T) {
	for _, c := range []struct{ text, lines, ignored string }{
		{"allow write_file deed/\ndeny edit_file deed/a b/\nask write_file  deed/c/ \r\n", "allow write_file deed/|deny edit_file deed/a b/|ask write_file deed/c/", ""},
		{"allow write_file deed/a  b/", "allow write_file deed/a  b/", ""},
		{"allow\twrite_file\tdeed/a\u00a0b/", "allow write_file deed/a\u00a0b/", ""},
		{"allow write_file deed/a/ deed/b/", "allow write_file deed/a/ deed/b/", ""}, // a folder "a ", and in it "deed"
		{"allow run_command deed/\ndeny network deed/\nask launch_agent deed/", "allow run_command deed/", "deny network deed/|ask launch_agent deed/"},
		{"allow write_file deed/a\nallow write_file deed/a/ # why", "", "allow write_file deed/a|allow write_file deed/a/ # why"},
		{"c1 approve deed/\nc1 deny deed/", "", "c1 approve deed/|c1 deny deed/"},
	} {
		lines, ignored := ParseControl(c.text)
		var got []string
		for _, l := range lines {
			got = append(got, l.String())
		}
		if strings.Join(got, "|") != c.lines || strings.Join(ignored, "|") != c.ignored {
			t.Errorf("%q: %q, ignored %q", c.text, got, ignored)
		}
		if again, none := ParseControl(strings.Join(got, "\n")); !slices.Equal(again, lines) || len(none) > 0 {
			t.Errorf("%q: what is stored reads otherwise: %v", c.text, again)
		}
	}
}

// said is one control of a human, as the reference reads it: by the last line about
// each folder, "" for all files.
type said map[string]Verb

// readAs is a second reading of a control, written for its rules one by one.
func (old said) readAs(lines []Line) said {
	now := maps.Clone(old)
	has := func(v Verb, folder string) bool {
		return slices.ContainsFunc(lines, func(l Line) bool { return l.Verb == v && l.Folder == folder })
	}
	for _, l := range lines {
		if l.Folder == "" {
			now = said{}
		}
		now[l.Folder] = l.Verb
	}
	if has(Deny, "") {
		now = said{}
	}
	for _, l := range lines { // once more, behind all else
		if l.Verb == Deny {
			now[l.Folder] = Deny
		}
	}
	return now
}

// of is what was said of a file.
func (now said) of(path string) Verb {
	v, longest := now[""], 0
	for folder, verb := range now {
		if strings.HasPrefix(path, folder) && len(folder) > longest {
			v, longest = verb, len(folder)
		}
	}
	return v
}

// TestFolderRules: whatever a human says of folders, a call runs where the longest
// folder's last word allows it, for all dialogs and splits into controls; what is
// stored says the same; and nothing that a link leads elsewhere runs.
func TestFolderRules(t *testing.T) {
	folders := []string{"", "", "deed/", "deed/a/", "deed/a b/", "deed/a/b/", "deed/A/", "deed/a/b/c/", "deed/link/"}
	paths := []string{"doc-a.md", "doc-main.md", "deed/x", "deed/a/x", "deed/ab/x", "deed/a b/x", "deed/a", "deed/a/b/x", "deed/a/b", "deed/a/b/c/x", "deed/A/x", "deed/a/link/x", "deed/link/x", "deed/a/../x"}
	rapid.Check(t, func(t *rapid.T) {
		a, d := testAuthority, dialog.Parse(testHead)
		d.Header.DialogID = a.DialogID
		for i, path := range paths {
			d.Append(dialog.Section{Role: dialog.ToolRequest, ID: fmt.Sprint("c", i), Meta: dialog.Fields{{Key: "Tool", Value: "write_file"}}, Payloads: []dialog.Payload{{Type: dialog.ToolInput, Text: `{"path":"` + path + `"}`}}})
		}
		before := len(d.Sections)
		want, x := said{}, Builder{Authority: a}
		for range rapid.IntRange(1, 4).Draw(t, "controls") {
			var lines []Line
			var text []string
			for range rapid.IntRange(1, 4).Draw(t, "lines") {
				l := Line{Verb: rapid.SampledFrom([]Verb{Allow, Allow, Deny, Ask}).Draw(t, "verb"), Tool: "write_file", Folder: rapid.SampledFrom(folders).Draw(t, "folder")}
				lines, text = append(lines, l), append(text, l.String())
			}
			want = want.readAs(lines)
			s := dialog.Section{Role: dialog.Authorization, ID: d.NextID(dialog.Authorization, testNow, 0), Time: dialog.Span(testNow, testNow), Payloads: []dialog.Payload{{Type: dialog.ControlV1, Text: strings.Join(text, "\n")}}}
			a.Seal(&s, LastMac(d))
			d.Append(s)
			g := x.Extend(d)
			for i, path := range paths {
				c := g.Judge(d, before-len(paths)+i, testPolicy)
				named, real := testPaths(c.Input)
				wish := want.of(named)
				folded := slices.ContainsFunc([]string{"deed/a/", "deed/A/"}, func(f string) bool { return strings.HasPrefix(named, f) })
				switch {
				case c.Verdict == Run && (wish != Allow || path == "doc-main.md" || real != want.straight(named, real)):
					t.Fatalf("%s runs by %q: %v", path, text, want)
				case c.Verdict == Refused && wish != Deny && want.of(real) != Deny:
					t.Fatalf("%s is refused by %q: %v", path, text, want)
				case c.Verdict == Wait && (wish == Deny || wish == Allow && path != "doc-main.md" && named == real && named != "" && !folded):
					t.Fatalf("%s waits by %q: %v", path, text, want)
				}
			}
		}
		if got, stored := testVerdicts(dialog.Parse(dialog.Format(d)), a), testVerdicts(d, a); got != stored {
			t.Fatalf("the file says\n%s, the dialog\n%s", got, stored)
		}
		// One that is cut off ends them all.
		d.Append(dialog.Section{Role: dialog.Authorization, ID: "zz", Payloads: []dialog.Payload{{Type: dialog.ControlV1, Text: "ask x"}}})
		for i, path := range paths {
			if c := Of(d, a).Judge(d, before-len(paths)+i, testPolicy); c.Verdict == Run {
				t.Fatalf("%s runs behind what is not genuine", path)
			}
		}
	})
}

// straight is where a file must lie to be allowed: where its path says, once a folder
// is named.
func (now said) straight(named, real string) string {
	if len(now) == 1 && now[""] != "" {
		return real
	}
	return named
}

// TestFolderReleases: an allow of a folder is stored with an approval of each waiting
// call that it covers, and of no other.
func TestFolderReleases(t *testing.T) {
	d := dialog.Parse(testHead)
	for i, path := range []string{"deed/a/x", "deed/b/x", "deed/a/link/x", "doc-main.md", "deed/a/no/x"} {
		d.Append(dialog.Section{Role: dialog.ToolRequest, ID: fmt.Sprint("c", i), Meta: dialog.Fields{{Key: "Tool", Value: "write_file"}}, Payloads: []dialog.Payload{{Type: dialog.ToolInput, Text: `{"path":"` + path + `"}`}}})
	}
	g := Grants{Rules: map[string]Verb{"write_file deed/a/no/": Ask}}
	for text, want := range map[string]string{
		"allow write_file deed/a/":                             "c0",
		"allow write_file deed/":                               "c0 c1",
		"allow write_file":                                     "c0 c1 c2 c4", // which ends the line about deed/a/no/
		"allow write_file deed/a/\nc0 deny":                    "",
		"allow write_file deed/a/\ndeny write_file deed/a/":    "",
		"deny write_file\nallow write_file deed/a/":            "",
		"allow write_file deed/\ndeny write_file deed/a/":      "c1",
		"allow write_file deed/a/no/":                          "c4",
		"allow edit_file deed/":                                "",
		"allow write_file deed/A/":                             "",
		"ask write_file deed/a/":                               "",
		"allow write_file deed/a/\nask write_file":             "",
		"allow write_file deed/a/no/\nallow write_file deed/b": "c4",
	} {
		control, _, _, _ := Effective(d, g, text, Decide(d, g, testPolicy), testPolicy)
		var ids []string
		lines, _ := ParseControl(control)
		for _, l := range lines {
			if l.Verb == Approve {
				ids = append(ids, l.ID)
			}
		}
		if got := strings.Join(ids, " "); got != want {
			t.Errorf("%q releases %q, want %q", text, got, want)
		}
		if len(g.Rules) != 1 {
			t.Fatal("the grants so far were changed")
		}
	}
}
