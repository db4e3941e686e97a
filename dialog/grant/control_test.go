package grant

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vibey/dialog"
)

func TestParseControl(t *testing.T) {
	hash := strings.Repeat("0a", 32)
	for _, c := range []struct{ text, lines, ignored string }{
		{"", "", ""},
		{"\n \n# a comment\n  # another\n", "", ""},
		{"əəəcontrol/v1\nc1 approve\nəəə\n", "c1 approve", ""},
		{"  c1   approve\r\nc2\tdeny", "c1 approve|c2 deny", ""},
		{"c1 approve sha256:" + hash, "c1 approve sha256:" + hash, ""},
		{"c1 approve sha256:" + strings.ToUpper(hash) + " run_command", "c1 approve sha256:" + hash + " run_command", ""},
		{"c1 approve sha256:" + hash + " target:" + strings.ToUpper(hash) + " write_file", "c1 approve sha256:" + hash + " write_file target:" + hash, ""},
		{"c1 approve sha256:" + hash + " write_file target:none", "c1 approve sha256:" + hash + " write_file target:none", ""},
		{"c1 approve target:none", "c1 approve target:none", ""},
		{"c1 approve sha256:" + hash + " target:none target:none\nc1 approve target:none sha256:" + hash + "\nc1 approve target:\nc1 deny target:none\nallow write_file target:none", "",
			"c1 approve sha256:" + hash + " target:none target:none|c1 approve target:none sha256:" + hash + "|c1 approve target:|c1 deny target:none|allow write_file target:none"},
		{"allow run_command\ndeny write_file\nask edit_file\nallow network", "allow run_command|deny write_file|ask edit_file|allow network", ""},
		{"deny network\nask network", "deny network|ask network", ""},
		{"approve network\nallow network now", "", "approve network|allow network now"},
		{"approve c1\nc1 allow\nc1\nallow\nnonsense and more", "", "approve c1|c1 allow|c1|allow|nonsense and more"},
		{"allow run_command now\nc1 deny please\nc1 approve x\nc1 approve sha256:12\nc1 approve sha256:" + hash + " a b", "",
			"allow run_command now|c1 deny please|c1 approve x|c1 approve sha256:12|c1 approve sha256:" + hash + " a b"},
		{"c1 approve run_command sha256:" + hash, "", "c1 approve run_command sha256:" + hash},
		{"c/1 approve\n" + strings.Repeat("x", 65) + " deny", "", "c/1 approve|" + strings.Repeat("x", 65) + " deny"},
		{"Allow run_command\nallow Run", "", "Allow run_command|allow Run"},
		{"allow approve", "allow approve", ""}, // a tool may have any name
		{"allow deny", "allow deny", ""},
		{"ｃ1 approve", "", "ｃ1 approve"},
	} {
		lines, ignored := ParseControl(c.text)
		var got []string
		for _, l := range lines {
			got = append(got, l.String())
		}
		if s := strings.Join(got, "|"); s != c.lines {
			t.Errorf("%q: lines %q, want %q", c.text, s, c.lines)
		}
		if s := strings.Join(ignored, "|"); s != c.ignored {
			t.Errorf("%q: ignored %q, want %q", c.text, s, c.ignored)
		}
		again, none := ParseControl(strings.Join(got, "\n"))
		if diff := cmp.Diff(lines, again); diff != "" || len(none) > 0 {
			t.Errorf("%q: what is stored reads otherwise: %s", c.text, diff)
		}
	}
}

// TestEffective: what a human sent is stored so that it binds the calls that
// were there, and no other.
func TestEffective(t *testing.T) {
	d := dialog.Parse(testHead)
	for _, c := range []struct{ id, tool, input string }{
		{"c1", "run_command", `{"command":"ls"}`}, {"c2", "run_command", `{"command":"rm"}`},
		{"c3", "write_file", `{"path":"a"}`}, {"c4", "write_file", `{"path":"doc-main.md"}`}, {"c5", "edit_file", ""},
		{"c6", "edit_file", `{"broken":1}`},
	} {
		d.Append(dialog.Section{Role: dialog.ToolRequest, ID: c.id, Meta: dialog.Fields{{Key: "Tool", Value: c.tool}}, Payloads: []dialog.Payload{{Type: dialog.ToolInput, Text: c.input}}})
	}
	h := func(id string) string {
		return " approve sha256:" + InputHash(d.Sections[d.Find(dialog.ToolRequest, id)].Text()) + " " + d.Sections[d.Find(dialog.ToolRequest, id)].Tool()
	}
	now := strings.Repeat("0a", 32)
	policy := testPolicy
	policy.Broken = func(_, input string) bool { return input == `{"broken":1}` }
	policy.Target = func(tool, input string) string {
		return map[string]string{`{"path":"a"}`: now, "{}": NoFile}[input]
	}
	file := func(id string) string {
		return h(id) + " target:" + policy.Target("", d.Sections[d.Find(dialog.ToolRequest, id)].Text())
	}
	for _, c := range []struct{ text, want, ignored, stale string }{
		{"c3 approve", "c3" + file("c3"), "", ""},
		{"c3 approve target:" + now, "c3" + file("c3"), "", ""},
		{"c3 approve" + strings.Replace(h("c3"), " approve", "", 1) + " target:" + now, "c3" + file("c3"), "", ""},
		{"c3 approve target:none", "", "", "c3 moved"},
		{"c3 approve target:" + strings.Repeat("0b", 32), "", "", "c3 moved"},
		{"c1 approve target:none", "", "", "c1 moved"}, // it writes no file
		{"c6 approve", "", "", ""},                     // nobody is asked about it
		{"c6 approve sha256:" + now, "", "", "c6"},
		{"c1 approve", "c1" + h("c1"), "", ""},
		{"c5 approve", "c5" + h("c5") + " target:none", "", ""},
		{"c1 approve sha256:" + InputHash(`{"command":"ls"}`), "c1" + h("c1"), "", ""},
		{"c1 approve sha256:" + InputHash(`{"command":"rm"}`) + "\nc2 deny", "c2 deny", "", "c1"},
		{"c1" + h("c1")[:len(h("c1"))-len("run_command")] + "write_file", "", "", "c1"},
		{"c9 approve\nhello", "", "hello|c9 approve", ""},
		{"allow run_command", "allow run_command|c1" + h("c1") + "|c2" + h("c2"), "", ""},
		{"allow run_command\nc1 deny", "allow run_command|c1 deny|c2" + h("c2"), "", ""},
		{"allow run_command\ndeny run_command", "allow run_command|deny run_command", "", ""},
		{"allow write_file", "allow write_file|c3" + file("c3"), "", ""}, // never doc-main.md
		{"allow network\nask run_command", "allow network|ask run_command", "", ""},
	} {
		calls := Decide(d, Grants{}, policy)
		got, ignored, stale, moved := Effective(d, Grants{}, c.text, calls, policy)
		for _, id := range moved {
			stale = append(stale, id+" moved")
		}
		if got != strings.ReplaceAll(c.want, "|", "\n") || strings.Join(ignored, "|") != c.ignored || strings.Join(stale, "|") != c.stale {
			t.Errorf("%q:\n got %q, ignored %q, stale %q\nwant %q, %q, %q", c.text, got, ignored, stale, c.want, c.ignored, c.stale)
		}
	}
}

// TestEffectiveRuns: once sealed and stored, exactly the calls it names run.
func TestEffectiveRuns(t *testing.T) {
	a := testAuthority
	d := dialog.Parse(testHead)
	call := func(id, tool string) {
		d.Append(dialog.Section{Role: dialog.ToolRequest, ID: id, Meta: dialog.Fields{{Key: "Tool", Value: tool}}, Payloads: []dialog.Payload{{Type: dialog.ToolInput, Text: `{"n":"` + id + `"}`}}})
	}
	say := func(text string) {
		control, _, stale, _ := Effective(d, Of(d, a), text, Decide(d, Of(d, a), Policy{}), Policy{})
		if len(stale) > 0 {
			t.Fatalf("stale: %v", stale)
		}
		s := dialog.Section{Role: dialog.Authorization, ID: d.NextID(dialog.Authorization, testNow, 0), Time: dialog.Span(testNow, testNow), Payloads: []dialog.Payload{{Type: dialog.ControlV1, Text: control}}}
		a.Seal(&s, LastMac(d))
		d.Append(s)
	}
	run := func() string {
		var ids []string
		for _, c := range Decide(d, Of(d, a), Policy{}) {
			if c.Verdict == Run {
				ids = append(ids, c.ID)
			}
		}
		return strings.Join(ids, " ")
	}
	call("c1", "run_command")
	call("c2", "run_command")
	say("c1 approve")
	if got := run(); got != "c1" {
		t.Errorf("after c1 approve: %q", got)
	}
	say("allow run_command\nc2 deny")
	call("c3", "run_command")
	if got := run(); got != "c1 c3" {
		t.Errorf("after allow and c2 deny: %q", got)
	}
	say("ask run_command")
	if got := run(); got != "c1" {
		t.Errorf("after ask: %q", got)
	}
	say("c2 approve") // decided ids stay decided
	if got := run(); got != "c1" {
		t.Errorf("after deciding again: %q", got)
	}
	say("c1 deny") // but what has not started can be taken back
	if got := run(); got != "" {
		t.Errorf("after c1 deny: %q", got)
	}
	call("c4", "run_command")
	call("c5", "run_command")
	say("c4 approve\nc5 approve")
	d.Append(dialog.Section{Role: dialog.Note, ID: "n1", Meta: dialog.Fields{{Key: "Kind", Value: "started"}, {Key: "Parent", Value: "c5"}}})
	say("deny write_file")
	if got := run(); got != "c4 c5" {
		t.Errorf("after a denial of another tool: %q", got)
	}
	say("deny run_command")
	say("ask run_command")
	if got := run(); got != "c5" { // it has started, and is answered as such
		t.Errorf("after deny and ask: %q", got)
	}
}

func TestToolNames(t *testing.T) {
	for name, want := range map[string]bool{
		"a": true, "z": true, "0": true, "9": true, "_": true, strings.Repeat("a", 64): true,
		"`": false, "{": false, "/": false, ":": false, "A": false, "-": false, strings.Repeat("a", 65): false,
		"mcp_Files_get-info": true, "mcp_" + strings.Repeat("A", 60): true, "mcp_" + strings.Repeat("A", 61): false, "mcp_a.b": false, "mcp_ä": false, "acp_A": false,
	} {
		if lines, _ := ParseControl("allow " + name); (len(lines) == 1) != want {
			t.Errorf("allow %s: %v", name, lines)
		}
	}
}

// TestRuleBounds: the largest numbers of a rule are taken, and none beyond.
func TestRuleBounds(t *testing.T) {
	for line, want := range map[string]int{"budget diagnose 10000": 0, "budget diagnose 10001": 1, "window 100000000": 0, "window 100000001": 1, "limit 600": 0, "limit 601": 1, "limit 0": 1} {
		if _, problems := ParseRules(dialog.Fence+projectV1+"\n"+line+"\n"+dialog.Fence+"\n", Known{}); len(problems) != want {
			t.Errorf("%s: %v", line, problems)
		}
	}
}

// The place of a file is the rest of its line, and of nothing but an approval.
func TestControlPath(t *testing.T) {
	hash := strings.Repeat("a", 64)
	for line, want := range map[string]string{
		"c1 approve sha256:" + hash + " write_file target:none path:deed/my game/a b": "deed/my game/a b",
		"c1 approve path:deed/a":  "deed/a",
		"c1 approve path:a path:": "a path:",
		"c1 approve path:":        "-",
		"c1 approve path:  a":     "-",
		"c1 deny path:a":          "-",
		"allow write_file path:a": "-",
		"c1 approve":              "",
	} {
		got := "-"
		if lines, _ := ParseControl(line); len(lines) == 1 {
			got = lines[0].Path
			if again, _ := ParseControl(lines[0].String()); len(again) != 1 || again[0] != lines[0] {
				t.Errorf("%q comes back as %v", line, again)
			}
		}
		if got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}

// A denial beats an allow within one control, wherever it stands.
func TestAllowsNetwork(t *testing.T) {
	for text, want := range map[string]bool{
		"": false, "allow network": true, "ask network\nallow network": true, "allow network\nask network": false,
		"deny network\nallow network": false, "allow network\ndeny network": false, "allow run_command": false,
	} {
		lines, _ := ParseControl(text)
		if got := AllowsNetwork(lines); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
