package server

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"vibey/dialog"
	"vibey/dialog/grant"
)

// rule returns the rule of a name.
func (v rulesView) rule(name string) ruleView {
	for _, r := range v.Rules {
		if r.Name == name {
			return r
		}
	}
	return ruleView{}
}

// Where the doc is silent, the card says what holds then, with no line.
func TestRulesSayWhatHoldsUnsaid(t *testing.T) {
	s := newShop(t)
	s.json("DELETE", "/project/p/file/doc-main.md", "", 204)
	v := get[rulesView](s, "/project/p/rules")
	if v.Wish != nil || v.Problems == nil || len(v.Problems) != 0 {
		t.Errorf("%+v", v)
	}
	for name, want := range map[string]string{
		"tools":                 "They ask before each of these, unless it is allowed above or in a dialog.",
		"phases":                "need not say what they propose",
		"budget conversational": "A message that only talks runs no tool.",
		"budget feature_build":  "may take 40 steps of work.",
		"budget unclassified":   "Any other message may take 15 steps of work.",
		"limit":                 "A command may run for 5 seconds.", // as the shop's sandbox has it
		"agents":                "at most 4 work at a time",
		"window":                "what the model can read",
		"verify":                "No command checks",
		"commit":                "is committed at its end",
	} {
		if r := v.rule(name); !strings.Contains(r.Text, want) || r.Line != 0 || !slices.Contains([]string{aboutMay, aboutSpend, aboutCheck}, r.About) {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

func TestRulesAreSaidInPlainWords(t *testing.T) {
	s := newShop(t)
	s.write("p/doc-main.md", "# p\n\nəəəproject/v1\ntools read plan\ntools server\nphases on\nverify npm test\nbudget small_fix 1\nbudget diagnose 0\nlimit 600\nagents 99\nwindow 9000\ncommit off\ncolour red\nbudget unclassified 30\nəəə\n\n"+
		"əəəcontrol/v1\n# as we agreed\nallow write_file\nallow network\nask network\nask edit_file\ndeny run_command\nallow mcp_tool\nallow odd_tool\ncall_1 approve\nplease do\nallow write_file docs/\nəəə\n")
	v := get[rulesView](s, "/project/p/rules")
	for name, want := range map[string]ruleView{
		"tools":               {Value: "read plan server", Line: 5, Text: "They also read docs"},
		"phases":              {Value: "on", Line: 6, Text: "Agents look first."},
		"verify":              {Value: "npm test", Line: 7, Text: "is checked by this command"},
		"budget small_fix":    {Value: "1", Line: 8, Text: "may take 1 step of work."},
		"budget diagnose":     {Value: "0", Line: 9, Text: "runs no tool."},
		"budget unclassified": {Value: "30", Line: 15, Text: "Any other message may take 30 steps of work."},
		"limit":               {Value: "600", Line: 10, Text: "600 seconds."},
		"agents":              {Value: "32", Line: 11, Text: "at most 32 work"},
		"window":              {Value: "9000", Line: 12, Text: "80 % of 9000 tokens"},
		"commit":              {Value: "off", Line: 13, Text: "is not committed"},
	} {
		if r := v.rule(name); r.Value != want.Value || r.Line != want.Line || !strings.Contains(r.Text, want.Text) {
			t.Errorf("%s: %+v", name, r)
		}
	}
	if p := v.Problems; len(p) != 6 || p[0].Text != "agents is 32 at most, which holds instead" || p[5].Line != 29 || !strings.Contains(p[5].Text, "lies in that folder") {
		t.Errorf("%+v", p)
	} else if p = slices.Delete(slices.Clone(p), 0, 1); p[0].Line != 14 || !strings.Contains(p[0].Text, "colour") || p[1].Line != 26 || !strings.Contains(p[1].Text, "there is no tool \"odd_tool\"; the tools are run_command, ") || p[2].Line != 27 || !strings.Contains(p[2].Text, "a single call") || p[3].Line != 28 || !strings.Contains(p[3].Text, `write "allow", "ask" or "deny"`) {
		t.Errorf("%+v", p)
	}
	// A save tells the same of them.
	saved := decode[savedFile](t, s.json("POST", "/project/p/file/doc-main.md", `{"content":`+strconv.Quote(get[fileText](s, "/project/p/file/doc-main.md").Content)+`}`, 200))
	if !slices.Equal(saved.Problems, v.Problems) {
		t.Errorf("%+v", saved.Problems)
	}
	w := v.Wish
	if w == nil || w.Confirmed || len(w.Lines) != 10 {
		t.Fatalf("%+v", w)
	}
	for i, want := range []string{
		"Agents may write files without asking, in docs and the deed. For doc-main.md they always ask.",
		"Agents may reach the network with their commands without asking.", "Agents may not reach the network with their commands.",
		"Agents ask before they change files.", "Agents may not run commands.", "Agents may use mcp_tool without asking.",
		"Says nothing that is known here, and does not hold.", "Says nothing that is known here, and does not hold.", "Says nothing that is known here, and does not hold.", "Says nothing that is known here, and does not hold.",
	} {
		if l := w.Lines[i]; l.Text != want || l.Known != (i < 6) {
			t.Errorf("%+v", l)
		}
	}
	// The ETag of the card is the one that confirms what it showed.
	s.json("POST", "/project/p/confirm", `{"etag":`+strconv.Quote(w.ETag)+`}`, 200)
	if w = get[rulesView](s, "/project/p/rules").Wish; w == nil || !w.Confirmed || len(w.Lines) != 10 {
		t.Errorf("%+v", w)
	}
	doc := get[fileText](s, "/project/p/file/doc-main.md").Content
	s.write("p/doc-main.md", strings.Replace(doc, "ask edit_file", "allow edit_file", 1))
	if w = get[rulesView](s, "/project/p/rules").Wish; w == nil || w.Confirmed {
		t.Errorf("%+v", w)
	}
}

// At no sandbox an allow of commands is not honoured, and the card says so.
func TestWishTellsOfMissingWalls(t *testing.T) {
	lines := wishLines("allow run_command\nallow start_server", grant.Known{}, false)
	for _, l := range lines {
		if !strings.Contains(l.Text, "each still asks") {
			t.Errorf("%+v", l)
		}
	}
	if l := wishLines("allow run_command", grant.Known{}, true)[0]; l.Text != "Agents may run commands without asking." {
		t.Errorf("%+v", l)
	}
}

// A line about a folder says which.
func TestWishTellsOfFolders(t *testing.T) {
	for line, want := range map[string]string{
		"allow write_file deed/my game/": "Agents may write files in deed/my game and the folders within it without asking.",
		"deny edit_file deed/":           "Agents may not change files in deed and the folders within it.",
		"ask  edit_file deed/a/":         "Agents ask before they change files in deed/a and the folders within it.",
		"allow run_command deed/":        "Says nothing that is known here, and does not hold.",
		"allow write_file deed/a":        "Says nothing that is known here, and does not hold.",
	} {
		if l := wishLines(line, grant.Known{}, true)[0]; l.Text != want || l.Line != line {
			t.Errorf("%+v", l)
		}
	}
}

// Lines about what is tried first say what counts unasked; alone, one about a folder says nothing.
func TestWishTellsOfTry(t *testing.T) {
	for n, want := range []string{
		"Agents try commands first, without asking and without the network, and ask about what they changed.",
		"What a tried command changed counts without asking if all of it lies in deed/a and the folders within it.",
		"Agents ask about what a tried command changed in deed/b and the folders within it.",
		"What a tried command changed is dropped if any of it lies in deed/c and the folders within it.",
	} {
		text := "try run_command\nallow run_command deed/a/\nask run_command deed/b/\ndeny run_command deed/c/"
		if l := wishLines(text, grant.Known{}, true)[n]; l.Text != want || !l.Known {
			t.Errorf("%+v", l)
		}
		if l := wishLines(text, grant.Known{}, false)[0]; !strings.Contains(l.Text, "each still asks") {
			t.Errorf("%+v", l)
		}
	}
}

// However many lines do not hold, a bounded number of them is answered.
func TestManyProblems(t *testing.T) {
	s := newShop(t)
	doc := "əəəproject/v1\n" + strings.Repeat("colour red\n", 1000) + "əəə\n"
	saved := decode[savedFile](t, s.json("POST", "/project/p/file/doc-main.md", `{"content":`+strconv.Quote(doc)+`}`, 200))
	v := get[rulesView](s, "/project/p/rules")
	if n := len(v.Problems); n != 201 || v.Problems[200] != (dialog.LineProblem{Line: 202, Text: "and 800 more lines that do not hold"}) || !slices.Equal(saved.Problems, v.Problems) {
		t.Errorf("%d problems; %d at the save", n, len(saved.Problems))
	}
}
