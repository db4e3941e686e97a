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
		it := Item{Choice: words} // they are about it
		if got, lacks := Said(d, it, words, true); got != want || (lacks == "") != want || !want && lacks != notThere {
			t.Errorf("%q: %v, %s", words, got, lacks)
		}
	}
}

// Words of a human confirm what they can be about, and not what they deny: what
// doc-main.md and the text of plan_decision_log say of it.
func TestSaid(t *testing.T) {
	const alone, blanket = "by hand", "blanket"
	for _, c := range []struct {
		prompt, words, choice string
		want                  string // how the call must be let to run so that the item is confirmed: "", alone, or blanket for both
		lacks                 string
	}{
		// punctuation
		{"Make it red.", "Make it red.", "red", blanket, ""},
		{"Make it red.", "Make it red", "red", blanket, ""},
		{"- *Make it red*!\n", "“make it red”", "red", "", notThere},
		{"- *Make it red*!\n", "Make it red.", "Red.", blanket, ""},
		{"use C# for it", "use C", "C", "", notThere},
		{"use C# for it", "use C#", "C#", blanket, ""},
		// scripts without blanks
		{"我们用蓝色。", "我们用蓝色", "蓝色", blanket, ""},
		{"我们用蓝色。谢谢", "用蓝色", "蓝色", alone, ""},
		{"青を使ってください。お願いします", "青を使ってください", "青", blanket, ""},
		{"用Postgres吧,别的随便", "用Postgres", "Postgres 16", alone, ""},
		{"ใช้สีน้ำเงิน", "ใช้สีน้ำเงิน", "สีน้ำเงิน", blanket, ""},
		{"好的", "好的", "蓝色", "", tooFew},
		{"我们用蓝色", "用", "用红色", "", tooFew},
		// negations
		{"do not use red at all", "use red at all", "red", "", denied},
		{"do not use red at all", "do not use red at all", "red", "", denied},
		{"do not use red at all", "do not use red at all", "no red", blanket, ""},
		{"do not, under any circumstances, use red", "use red", "red", "", denied},
		{"Please don’t use red", "use red", "red", "", denied},
		{"Please don't use red", "t use red", "red", "", denied},
		{"We never ever use red here", "use red here", "red", "", denied},
		{"Nimm dafür kein Rot bitte", "Rot bitte", "Rot", "", denied},
		{"Wir nehmen Rot nicht.", "Wir nehmen Rot", "Rot", "", denied},
		{"Nous n'utilisons pas de rouge", "utilisons pas de rouge", "rouge", "", denied},
		{"我们不用红色", "用红色", "红色", "", denied},
		{"赤は使わないでください", "赤は使わ", "赤", "", denied},
		{"No, use red", "use red", "red", blanket, ""},
		{"Not blue but red, please", "red, please", "red", blanket, ""},
		{"No frameworks. Use red buttons", "Use red buttons", "red", blanket, ""},
		{"Use red not blue here", "Use red not blue here", "red", blanket, ""},
		{"Use red not blue here", "Use red not blue here", "blue", "", denied},
		{"do not use red. Well, use red", "use red", "red", blanket, ""},
		{"do not\nuse red", "use red", "red", "", denied},
		{"Red is not what I want", "Red is not what I want", "Red", "", denied},
		{"Red is not what I want", "Red is", "Red", "", denied},
		{"Red, I do not want that", "Red, I do not want that", "Red", "", denied},
		{"Red isn't it, and blue is", "Red isn't it", "Red", "", denied},
		{"Weder Rot noch Blau bitte", "Rot noch Blau", "Rot", "", denied},
		{"Use nothing red here", "red here", "red", "", denied},
		{"Nichts in Rot bitte", "in Rot bitte", "Rot", "", denied},
		{"anything but red here", "but red here", "red", "", denied},
		{"nothing but red here", "nothing but red here", "red", blanket, ""},
		{"Use blue instead of red here", "red here", "red", "", denied},
		{"Use blue instead of red here", "Use blue instead of red here", "blue", blanket, ""},
		{"Nimm Blau statt Rot dafür", "Rot dafür", "Rot", "", denied},
		{"Prends du bleu plutôt que du rouge ici", "du rouge ici", "rouge", "", denied},
		{"Prends du bleu au lieu d'orange ici", "orange ici", "orange", "", denied},
		{"Usa azul en lugar del rojo aquí", "rojo aquí", "rojo", "", denied},
		{"No, use red rather than blue", "use red rather than blue", "red", blanket, ""},
		{"Use red, not blue", "Use red, not blue", "red", blanket, ""},
		{"Use red and do not use blue", "Use red and do not use blue", "red", blanket, ""},
		{"Use red and do not use blue", "Use red and do not use blue", "blue", "", denied},
		{"Use SQLite because it does not need a server", "Use SQLite", "SQLite", blanket, ""},
		{"Use SQLite in one file without a server", "Use SQLite in one file without a server", "SQLite", blanket, ""},
		{"Use SQLite in a file with no index", "Use SQLite in a file", "SQLite", blanket, ""},
		{"Use Postgres for it, and make sure that nothing is lost", "Use Postgres for it", "Postgres", blanket, ""},
		{"Use sans-serif Inter everywhere", "Use sans-serif Inter everywhere", "Inter", blanket, ""},
		{"Use non-red buttons", "red buttons", "red", "", denied},
		{"Use red for all of it", "Use red for all of it", "no red", "", denied},
		{"never push to red", "never push to red", "never use blue", alone, ""},
		// questions
		{"Use Postgres? No.", "Use Postgres", "Postgres", "", denied},
		{"Use Postgres? No.", "Use Postgres? No.", "Postgres", "", denied},
		{"Is Redis a good idea?", "Is Redis a good idea?", "Redis", alone, ""},
		{"Is Redis a good idea?", "Redis a good idea", "Redis", "", denied},
		{"Use Redis. Is that a good idea?", "Use Redis", "Redis", blanket, ""},
		{"Redis ist gut, oder？ Ja", "Redis ist gut", "Redis", "", denied},
		// how much must be said
		{"Read the docs", "Read the docs", "drop the tests", alone, ""},
		{"Use Postgres for it, please", "Use Postgres", "Postgres", blanket, ""},
		{"Use Postgres for it, please", "Use Postgres", "PostgreSQL", blanket, ""},
		{"Use Postgres for it, please", "Use Postgres", "MySQL", "", tooFew},
		{"Use Postgres for it, please", "Use Postgres for", "Postgres on a box", blanket, ""},
		{"Use Postgres for it, please", "Use Postgres", "Postgres on a box", alone, ""},
		{"Use Postgres for it, please", "Postgres", "Postgres", alone, ""},
		{"Use Postgres for it, please", "Postgres", "Postgres on a box", "", tooFew},
		{"Use Postgres for it, please", "Postgres for it, please", "Use a box", "", tooFew},
		{"Use Postgres for it, please", "Postgres for it, please", "nightly backups", "", tooFew},
		{"Use Postgres for all of it, please", "Postgres for all of it", "nightly backups", alone, ""},
		{"keep it all in one place", "keep it all in one place", "SQLite", alone, ""},
		{"whatever works", "whatever works", "SQLite", alone, ""},
		{"Put the page online", "the page", "the cloud", "", tooFew},
		{"Put the page online", "the", "the", "", tooFew},
		{"yes", "yes", "SQLite", "", tooFew},
		{"yes", "yes", "yes", "", tooFew},
		{"Yes, please do that.", "Yes, please do that", "SQLite", "", tooFew},
		{"SQLite", "SQLite", "SQLite", alone, ""},
	} {
		it := Item{Kind: Decision, Title: "T", Choice: c.choice}
		for _, seen := range []bool{true, false} {
			want := c.want == blanket || seen && c.want == alone
			got, lacks := Said(prompted(c.prompt), it, c.words, seen)
			if got != want || c.lacks != "" && lacks != c.lacks {
				t.Errorf("%q cited as %q for %q, seen %v: %v, %s", c.prompt, c.words, c.choice, seen, got, lacks)
			}
		}
	}
}

// However a text and a quote of it are, Said returns, and soon.
func TestSaidAnywhere(t *testing.T) {
	for _, prompt := range []string{strings.Repeat("no ", 1<<20), strings.Repeat("不用", 1<<20), "\xff\xe4" + strings.Repeat("a\xff", 1000)} {
		for _, words := range []string{"no", "用", "a\xff", "\xff"} {
			if ok, _ := Said(prompted(prompt), Item{Choice: "x"}, words, true); ok {
				t.Errorf("%.20q confirms", words)
			}
		}
	}
}

// Words that a prompt repeats without end, for a choice that does, are held against it
// in a bounded number of places: with each of a quote's names at each of its places this
// took days.
func TestSaidOverAndOver(t *testing.T) {
	prompt, it := strings.Repeat("No red. ", 20_000), Item{Choice: strings.Repeat("red ", 120)}
	if ok, lacks := Said(prompted(prompt), it, prompt[:len(prompt)/2], true); ok || lacks != denied {
		t.Errorf("%v, %s", ok, lacks)
	}
	if c := it.citedBy(prompt); len(c.names) != namesMost || !c.all {
		t.Errorf("%d names", len(c.names))
	}
	d := &dialog.Dialog{}
	for range 12 {
		d.Sections = append(d.Sections, section(dialog.User, "human", dialog.InputMarkdown, prompt))
	}
	if ok, lacks := Said(d, Item{Choice: "green"}, "No red. No", false); ok || lacks != tooOften {
		t.Errorf("%v, %s", ok, lacks)
	}
	if all := places(strings.Repeat("aa ", 1<<20), strings.Repeat("aa ", 1<<19)+"a"); len(all) > 0 {
		t.Errorf("%d places", len(all))
	}
}
