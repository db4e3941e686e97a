package plan

import (
	"strings"
	"testing"

	"vibey/dialog"
)

func section(role dialog.Role, by, typ, text string) dialog.Section {
	return dialog.Section{Role: role, Meta: dialog.Fields{{Key: "By", Value: by}}, Payloads: []dialog.Payload{{Type: typ, Text: text}}}
}

func prompted(text string) *dialog.Dialog {
	return &dialog.Dialog{Sections: []dialog.Section{section(dialog.User, "human", dialog.InputMarkdown, text)}}
}

// Only what a human wrote in a prompt of this dialog counts as their words.
func TestSaidByAHuman(t *testing.T) {
	torn := section(dialog.User, "human", "input/markdown", "torn words")
	torn.Torn = true
	d := &dialog.Dialog{Sections: []dialog.Section{
		section(dialog.User, "human", "input/markdown", "Yes, use SQLite.\nWir nehmen 数据库 dafür. Беру красный цвет."),
		section(dialog.User, "20260216-201100-other", "input/markdown", "agent words"),
		section(dialog.Assistant, "", "output/markdown", "model words"),
		section(dialog.User, "human", "input/json", `{"text":"as \"JSON\""}`),
		torn,
	}}
	for words, want := range map[string]bool{
		"use SQLite": true, "Yes, use SQLite.": true, " “use SQLite”\n": true, "SQLite.\nWir": true, "数据": true, `as "JSON"`: true, "красный цвет": true,
		"U": false, "QLite": false, "s": false, "расный цвет": false, "ehmen 数据": false,
		"use sqlite": false, "agent words": false, "model words": false, "torn words": false, "": false, " ": false, "…": false, "text": false,
	} {
		it := Item{Choice: words}
		if got, lacks := Cited(d, it, words); got != want || (lacks == "") != want || !want && lacks != notThere {
			t.Errorf("%q: %v, %s", words, got, lacks)
		}
	}
}

// Words are about an item only if they are its choice, or have a word in common with it.
func TestSaidAboutTheItem(t *testing.T) {
	for _, c := range []struct{ prompt, words, choice, lacks string }{
		{"yes", "yes", "SQLite", tooFew},
		{"SQLite", "SQLite", "sqlite.", ""},
		{"Yes, please.", "Yes, please", "SQLite", tooFew},
		{"Please go ahead with whatever.", "go ahead", "Delete the old site", tooFew},
		{"Do not use SQLite.", "Do not", "SQLite", tooFew},
		{"hello to the server", "to the", "drop the database", tooFew},
		{"Then a sqlite file.", "a sqlite file", "Use SQLite for all data", ""},
		{"Take two columns.", "Take two columns", "Two (columns)", ""},
		{"主色采用蓝色吧。", "采用蓝色", "网站采用蓝色为主", ""},
		{"好的", "好的", "蓝色", tooFew},
		{"我们用蓝色。", "用蓝色", "蓝色", ""},
		{"use C# for it", "use C#", "C#", ""},
	} {
		if ok, lacks := Cited(prompted(c.prompt), Item{Choice: c.choice}, c.words); lacks != c.lacks || ok != (c.lacks == "") {
			t.Errorf("%+v: %v, %s", c, ok, lacks)
		}
	}
}

// However a text and a quote of it are, Cited returns, and soon.
func TestSaidAnywhere(t *testing.T) {
	for _, prompt := range []string{strings.Repeat("no ", 1<<20), strings.Repeat("不用", 1<<20), "\xff\xe4" + strings.Repeat("a\xff", 1000)} {
		for _, words := range []string{"no", "用", "a\xff", "\xff"} {
			if ok, _ := Cited(prompted(prompt), Item{Choice: "x"}, words); ok {
				t.Errorf("%.20q confirms", words)
			}
		}
	}
	if long := strings.Repeat("abcde fghij ", 1<<18); about(long, Item{Choice: strings.Repeat("klmno ", 1<<18)}) {
		t.Error("a long quote has nothing in common with a long choice")
	}
	if holds(strings.Repeat("aa ", 1<<20), strings.Repeat("aa ", 1<<19)+"a") {
		t.Error("a quote that ends within a word stands there")
	}
}
