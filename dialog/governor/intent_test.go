package governor

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"vibey/dialog/grant"
)

// TestClassify holds the classifier against prompts that were labelled before it was
// written. Each set but the first was labelled and scored after the one before had been
// looked at: 0.50, 0.81, 0.84 and 0.86 at that first scoring; what they showed was mended.
// Talk of which no sign is known may be of no intent, nothing else may be talk.
func TestClassify(t *testing.T) {
	for _, file := range []string{"intents-dev.txt", "intents-held.txt", "intents-final.txt", "intents-unseen.txt", "intents-fifth.txt"} {
		b, err := os.ReadFile("testdata/" + file)
		if err != nil {
			t.Fatal(err)
		}
		table, right, all := map[string]map[string]int{}, 0, 0
		for line := range strings.Lines(string(b)) {
			want, prompt, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
			if !ok {
				t.Fatalf("%s: not labelled: %q", file, line)
			}
			got := Classify(strings.ReplaceAll(prompt, `\n`, "\n"))
			if table[want] == nil {
				table[want] = map[string]int{}
			}
			table[want][got]++
			all++
			if got == "conversational" && want != got {
				t.Errorf("%s: taken for talk: %s", file, prompt)
			}
			if got == want || want == "conversational" && got == "" {
				right++
			} else {
				t.Logf("%s: %s, not %s: %s", file, or(got, "nothing"), want, prompt)
			}
		}
		head := fmt.Sprintf("%-16s", "label")
		for _, i := range append(grant.Intents, "") {
			head += fmt.Sprintf("%15s", or(i, "nothing"))
		}
		t.Log(head)
		for _, want := range grant.Intents {
			row := fmt.Sprintf("%-16s", want)
			for _, got := range append(grant.Intents, "") {
				row += fmt.Sprintf("%15d", table[want][got])
			}
			t.Log(row)
		}
		accuracy := float64(right) / float64(all)
		t.Logf("%s: %d of %d prompts, accuracy %.3f", file, right, all, accuracy)
		if all < 40 || accuracy < 0.85 {
			t.Errorf("%s: accuracy %.3f over %d prompts, 0.85 wanted", file, accuracy, all)
		}
	}
}

func or(s, empty string) string {
	if s == "" {
		return empty
	}
	return s
}

// An order is neither a look nor talk, whatever it begins with.
func TestClassifyOrders(t *testing.T) {
	b, err := os.ReadFile("testdata/intents-orders.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		prompt := strings.TrimSpace(line)
		if got := Classify(prompt); got == "conversational" || got == "status_check" {
			t.Errorf("%q is %q", prompt, got)
		}
	}
	for prompt, want := range map[string]string{
		"Is the server up?": "status_check", "List all chapters": "status_check", "Count the words in chapter 3": "status_check", "Show me the log": "status_check",
		"Lies die Datei": "status_check", "Thanks a lot!": "conversational", "How are you?": "conversational",
	} {
		if got := Classify(prompt); got != want {
			t.Errorf("%q is %q, not %q", prompt, got, want)
		}
	}
}

// What is praised is agreed to only where an answer proposes something.
func TestProposes(t *testing.T) {
	for _, answer := range []string{
		"I propose to write deed/a with one in it.", "I would write deed/a.", "I’d write it.", "My proposal: write deed/a.", "I can write deed/a for you, if you like.", "We could split the chapter.", "Ich schlage vor, deed/a zu schreiben.", "Mein Vorschlag: eine Datei.", "Ich würde deed/a schreiben.", "Wenn du magst, schreibe ich es.", "Je propose d'écrire deed/a.", "Je peux l'écrire.", "Propongo escribir deed/a.", "Si quieres, lo escribo.", "Posso scrivere deed/a.", "La mia proposta: un file.",
	} {
		if !Proposes(answer) {
			t.Errorf("%q proposes nothing", answer)
		}
	}
	for _, answer := range []string{"deed/a is written (3 bytes).", "The tests pass.", "I can't write there.", "Die Datei ist geschrieben.", "Le fichier est écrit."} {
		if Proposes(answer) {
			t.Errorf("%q proposes", answer)
		}
	}
	for _, praise := range []string{"Sounds good", "Agreed.", "I like it", "Perfect!", "ok thanks", "Great, thanks", "cool", "Prima!", "Nice.", "Very good."} {
		if got := Classify(praise); got != "conversational" && got != "" {
			t.Errorf("%q is %q", praise, got)
		}
	}
}

// A question about what was spoken of before needs a look, however short it is.
func TestClassifyQuestionsOfIt(t *testing.T) {
	for _, prompt := range []string{"is it green?", "does it work?", "is it up now?", "done?", "is the header blue now?", "läuft es?", "hat das geklappt?"} {
		if got := Classify(prompt); got != "status_check" {
			t.Errorf("%q is %q", prompt, got)
		}
	}
	for _, prompt := range []string{"are you there?", "how are you?", "what do you think of it?"} {
		if got := Classify(prompt); got != "conversational" {
			t.Errorf("%q is %q", prompt, got)
		}
	}
}

// An order to do what was spoken of before is no question, and tells no size.
func TestClassifyDoIt(t *testing.T) {
	for prompt, want := range map[string]string{
		"do it": "", "Do it now please": "", "Do what doc-main.md says": "", "Do the login page": "feature_build", "Do it all": "autonomous",
		"do the tests pass": "status_check", "do you like it?": "conversational",
	} {
		if got := Classify(prompt); got != want {
			t.Errorf("%q is %q, not %q", prompt, got, want)
		}
	}
	for prompt, want := range map[string]bool{"yes": true, "Yes, please!": true, "ok, do it": true, "go ahead": true, "ja": true, "ok": false, "please": false, "thanks": false, "yes, but in blue": false} {
		if Assents(prompt) != want {
			t.Errorf("%q: %v", prompt, !want)
		}
	}
}

// A question that may want a look at the project is not taken for talk.
func TestClassifyIsNoTalk(t *testing.T) {
	for _, prompt := range []string{
		"how does authentication work here?", "can you look at the header?", "could you open the second scene?", "who calls parse?",
		"yes, do it", "go ahead", "and the footer?", "are you there? restart the preview", "hello, restart the server", "run the tests", "thanks! can you also fix the typo?", "kannst du mal nachsehen?",
	} {
		if got := Classify(prompt); got == "conversational" {
			t.Errorf("%q is talk", prompt)
		}
	}
}

// The words that let an agent work alone are an order's; in what a prompt is about, quotes
// or describes they say nothing.
func TestClassifyMatterIsNoOrder(t *testing.T) {
	for _, prompt := range []string{
		"all", "All.", "That is all.", "autonomous", "Fix all typos.", "Please fix all the typos on the page about the lamp.",
		"Write a summary of the whole book.", "Create a table of contents for the entire book.", "Write a page about all my recipes.",
		"Write a page that tells where the whole project stands.", "Write a poem in which everything is blue.",
		`Add a footer that says "all by yourself".`, "Write a caption: “keep going, don't stop”.", "Make a page about autonomous cars.",
		"Add two columns that scroll independently.", "Write a story of a whale all alone.", "Don't stop the music: add a play button.",
		"Add an end to end test for the login.", "Allein der Titel soll größer sein.", "Put the title on all pages.",
	} {
		if got := Classify(prompt); got == "autonomous" {
			t.Errorf("%q is %s", prompt, got)
		}
	}
	for _, prompt := range []string{
		"Build the whole app by yourself.", "Work autonomously until it's done.", "Build the entire site.", "Do everything on the list, don't stop until it works.",
		"Arbeite selbständig weiter.", "Write the whole book, and don't ask me.",
	} {
		if got := Classify(prompt); got != "autonomous" {
			t.Errorf("%q is %q", prompt, got)
		}
	}
}
