package turn

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vibey/provider"
)

// TestIntentByHand: a yes takes on the intent of the message before; what a hand wrote
// there that is none is not taken on, and keeps no message out of the file. A yes to what
// was proposed behind a mere look is of no known intent.
func TestIntentByHand(t *testing.T) {
	for _, c := range []struct{ was, want string }{{"autonomous", "autonomous"}, {"small_fix", "small_fix"}, {"status_check", ""}, {"diagnose", ""}, {"anything", ""}, {"a\x01b", ""}} {
		w := newWorld(t, &script{answers: [][]provider.Event{text("Shall I write it?"), text("Good."), text("Yes.")}})
		id, _ := w.start("Write a poem about the sea.")
		v := w.view(id)
		i := strings.Index(v.Text, "\n> Intent: ")
		if i < 0 {
			t.Fatal(v.Text)
		}
		rest := v.Text[i+1:]
		edited := v.Text[:i+1] + "> Intent: " + c.was + rest[strings.Index(rest, "\n"):]
		if err := os.WriteFile(filepath.Join(w.dir, "root/p", v.Filename), []byte(edited), 0o644); err != nil {
			t.Fatal(err)
		}
		w.put(Input{DialogID: id, Prompt: &Prompt{Text: "yes"}})
		if d := w.view(id).Dialog; d.Sections[len(d.Sections)-2].Meta.Get("Intent") != c.want {
			t.Errorf("%q: %s, %+v", c.was, sections(d), d.Sections[len(d.Sections)-2].Meta)
		}
	}
}

// A yes to an offer that is no question takes its intent on; a thank you does not.
func TestIntentOfAYes(t *testing.T) {
	for prompt, want := range map[string]string{"yes": "feature_build", "do it": "feature_build", "go ahead!": "feature_build", "Sounds good, do it.": "feature_build", "D'accord, vas-y.": "feature_build", "Thanks! Now the footer.": "", "thanks": "conversational", "ok": "conversational"} {
		w := newWorld(t, &script{answers: [][]provider.Event{text("Say the word and I begin."), text("Good.")}})
		id, _ := w.start("Write a chapter about the sea.")
		w.put(Input{DialogID: id, Prompt: &Prompt{Text: prompt}})
		if d := w.view(id).Dialog; d.Sections[len(d.Sections)-2].Meta.Get("Intent") != want {
			t.Errorf("%q: %s, %+v", prompt, sections(d), d.Sections[len(d.Sections)-2].Meta)
		}
	}
}

// Praise of a proposal is assent, praise of a report is talk.
func TestIntentOfPraise(t *testing.T) {
	for _, c := range []struct{ answer, want string }{
		{"I propose to write deed/a with the word one.", "feature_build"}, {"I would write deed/a.", "feature_build"}, {"My proposal: write deed/a.", "feature_build"}, {"I can write deed/a for you, if you like.", "feature_build"},
		{"deed/a is written (3 bytes).", "conversational"},
	} {
		for _, praise := range []string{"Sounds good", "Perfect!", "ok thanks", "Prima!"} {
			w := newWorld(t, &script{answers: [][]provider.Event{text(c.answer), text("Good.")}})
			id, _ := w.start("Write a chapter about the sea.")
			w.put(Input{DialogID: id, Prompt: &Prompt{Text: praise}})
			if d := w.view(id).Dialog; d.Sections[len(d.Sections)-2].Meta.Get("Intent") != c.want {
				t.Errorf("%q, %q: %+v", c.answer, praise, d.Sections[len(d.Sections)-2].Meta)
			}
		}
	}
}
