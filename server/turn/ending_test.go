package turn

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vibey/dialog"
	"vibey/provider"
	"vibey/server/turn/family"
	"vibey/server/view"
)

// A dialog starts two agents, ends its turn, is woken by the end of each, and puts their
// work together: nobody polls.
func TestTwoAgentsPutTogether(t *testing.T) {
	w := mailWorld(t, cast{
		"lead":  {{launchCall("c1", "write part one", "one"), launchCall("c2", "write part two", "two")}, text("Both are at work."), text("One came."), text("Both came: one and two.")},
		"one":   {text("Part one.")},
		"two":   {text("Part two.")},
		"three": {text("x")},
	})
	id, _ := w.start("lead them")
	w.put(Input{DialogID: id, Control: control(allowAll)})
	w.quiet()
	got := w.mails(id)
	if len(got) != 2 || strings.Join(got, "|") != "one: Part one.|two: Part two." && strings.Join(got, "|") != "two: Part two.|one: Part one." {
		t.Errorf("mail %q", got)
	}
	v := w.view(id)
	if v.Status != dialog.Waiting || v.Needs != dialog.NeedsReply {
		t.Errorf("%s %s:\n%s", v.Status, v.Needs, sections(v.Dialog))
	}
	// It answers behind the last mail, to each or, where both ended in one answer's time, once.
	secs := v.Dialog.Sections
	if last := secs[len(secs)-1]; last.Role != dialog.Assistant || last.Meta.Get("Stop") != "end" {
		t.Error(sections(v.Dialog))
	}
	for _, child := range []string{"one", "two"} {
		if st := w.view(named(child)).Status; st != dialog.Done {
			t.Errorf("%s is %s", child, st)
		}
	}
	legal(t, v.Dialog)
	before := v.Text
	w.restart()
	w.put(Input{DialogID: id, Prompt: &Prompt{Text: "thanks"}})
	if n := len(w.mails(id)); n != 2 {
		t.Errorf("%d mails after a restart; before\n%s", n, before)
	}
}

// The end of a dialog that was killed before it could tell of it is told with the next
// turn of the one that launched it, once.
func TestEndToldAfterAKill(t *testing.T) {
	w := mailWorld(t, cast{"lead": {{launchCall("c1", "part one", "one")}, text("Begun."), text("Woken."), text("Good."), text("Good.")}, "one": {text("Part one.")}})
	id, _ := w.start("lead it")
	w.put(Input{DialogID: id, Control: control(allowAll)})
	w.quiet()
	v := w.view(id)
	cut := v.Text
	for i := range v.Dialog.Sections { // as the kill left it
		if v.Dialog.Sections[i].IsMail() {
			cut = v.Text[:v.Dialog.End(i-1)]
			break
		}
	}
	if cut == v.Text {
		t.Fatalf("no mail in\n%s", v.Text)
	}
	if err := os.WriteFile(filepath.Join(w.dir, "root/p", v.Filename), []byte(cut), 0o644); err != nil {
		t.Fatal(err)
	}
	w.restart()
	if n := len(w.mails(id)); n != 0 {
		t.Fatal("something runs by itself after a start")
	}
	w.put(Input{DialogID: id, Prompt: &Prompt{Text: "and?"}})
	w.put(Input{DialogID: id, Prompt: &Prompt{Text: "and now?"}})
	v = w.view(id)
	if got := w.mails(id); len(got) != 1 || got[0] != "one: Part one." {
		t.Errorf("mail %q", got)
	}
	legal(t, v.Dialog)
}

// Of many ends that were not told, each is told once, in a Note of its own, and their words
// together have a bound.
func TestManyEndsToldAtOnce(t *testing.T) {
	words := strings.Repeat("w", dialog.MailMost)
	w := mailWorld(t, cast{"lead": {{launchCall("c1", "part one", "one")}, text("Begun."), text("Woken."), text("Good."), text("Good.")}, "one": {text(words)}})
	id, _ := w.start("lead it")
	w.put(Input{DialogID: id, Control: control(allowAll)})
	w.quiet()
	v, child := w.view(id), w.view(named("one"))
	for i := range v.Dialog.Sections {
		if v.Dialog.Sections[i].IsMail() {
			cutAt(t, w, v, i)
			break
		}
	}
	const more = 19
	for n := range more {
		twin := named("one") + "-" + string(rune('a'+n))
		text := strings.ReplaceAll(child.Text, named("one"), twin)
		if err := os.WriteFile(filepath.Join(w.dir, "root/p", strings.Replace(child.Filename, named("one"), twin, 1)), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	w.restart()
	w.put(Input{DialogID: id, Prompt: &Prompt{Text: "and?"}})
	w.put(Input{DialogID: id, Prompt: &Prompt{Text: "and now?"}})
	d, told, bytes := w.view(id).Dialog, 0, 0
	for i := range d.Sections {
		if s := &d.Sections[i]; s.IsMail() {
			told++
			bytes += strings.Count(s.Text(), "w")
			if !strings.HasSuffix(s.Text(), "the rest stands in that dialog.)") {
				t.Errorf("it does not say that it is cut: %s", s.Text()[len(s.Text())-100:])
			}
		}
	}
	if told != more+1 || bytes > family.EndsMost+more*100 || bytes < family.EndsMost/2 {
		t.Errorf("%d told, in %d bytes", told, bytes)
	}
	legal(t, d)
}

// A launched dialog that fails, or that a human marks as done, tells of it; one that a
// human stops does not.
func TestEndsThatAreTold(t *testing.T) {
	w, id, child := pair(t, cast{"lead": {text("Heard."), text("Heard.")}, "child": {text("Part"), text("Whole.")}})
	before := len(w.mails(id))
	told := func(want ...string) *dialog.Section {
		t.Helper()
		w.quiet()
		if got := w.mails(id)[before:]; !slices.Equal(got, want) {
			t.Errorf("told %q, want %q", got, want)
		}
		d := w.view(id).Dialog
		return &d.Sections[len(d.Sections)-2]
	}
	w.status(child, dialog.Done)
	told() // it was told behind the same words
	w.script.fail = map[int]error{1: &provider.Error{Kind: provider.KindCut, Message: "cut"}}
	w.put(Input{DialogID: child, Prompt: &Prompt{Text: "more"}})
	if s := told("child: Part"); s.Meta.Get("End") != "waiting" || !strings.Contains(s.Text(), "has stopped before it was done, and waits for a human") {
		t.Errorf("%s", s.Text())
	}
	w.script.fail = nil
	w.put(Input{DialogID: child, Continue: true})
	if s := told("child: Part", "child: Whole."); s.Meta.Get("End") != "done" {
		t.Errorf("%s", s.Text())
	}
	if words, _ := w.view(id).Dialog.LastWords(); words != "Heard." {
		t.Errorf("the lead's last words %q", words)
	}
	legal(t, w.view(id).Dialog)
}

// A launched dialog that a human marks as done, while its call waits, tells that it was
// ended and what was denied: at once, and with the next turn after a kill.
func TestEndByAHumanIsTold(t *testing.T) {
	for _, killed := range []bool{false, true} {
		w, id, child := pair(t, cast{"lead": {text("Heard."), text("Good."), text("Good.")}, "child": {{provider.Text{Piece: "I write it."}, write("w1", "deed/a.txt", "x"), command("r1", "true")}}})
		w.put(Input{DialogID: child, Prompt: &Prompt{Text: "more"}})
		w.quiet()
		before := len(w.mails(id))
		w.status(child, dialog.Done)
		w.quiet()
		if killed {
			v := w.view(id)
			for i := range slices.Backward(v.Dialog.Sections) {
				if v.Dialog.Sections[i].IsMail() {
					cutAt(t, w, v, i)
					break
				}
			}
			w.restart()
			w.put(Input{DialogID: id, Prompt: &Prompt{Text: "and?"}})
		}
		var last *dialog.Section
		d, n := w.view(id).Dialog, 0
		for i := range d.Sections {
			if d.Sections[i].IsMail() {
				last, n = &d.Sections[i], n+1
			}
		}
		const want = ", which this one launched, before it was done. What it last asked for was denied: write_file, run_command."
		if n != before+1 || last.Meta.Get("End") != "done" || !strings.Contains(last.Text(), "A human ended the dialog "+child+want) || !strings.HasSuffix(last.Text(), "I write it.") {
			t.Errorf("killed: %t: %d mails, the last %q", killed, n-before, last.Text())
		}
		legal(t, d)
	}
}

// An error of a launched dialog that was killed before it could tell of it is told with the
// next turn of the one that launched it, once; not where the dialog went on meanwhile.
func TestErrorToldAfterAKill(t *testing.T) {
	for _, goesOn := range []bool{false, true} {
		w, id, child := pair(t, cast{"lead": {text("Heard."), text("Good."), text("Good.")}, "child": {text("Part"), text("Whole."), text("Whole.")}})
		before := len(w.mails(id))
		w.script.fail = map[int]error{1: &provider.Error{Kind: provider.KindCut, Message: "the line was cut"}}
		w.put(Input{DialogID: child, Prompt: &Prompt{Text: "more"}})
		w.quiet()
		w.script.fail = nil
		v := w.view(id)
		for i := range slices.Backward(v.Dialog.Sections) {
			if v.Dialog.Sections[i].IsMail() {
				cutAt(t, w, v, i)
				break
			}
		}
		w.restart()
		if n := len(w.mails(id)); n != before {
			t.Fatalf("%d mails, want %d", n, before)
		}
		want := "It broke off with an error: the line was cut"
		if goesOn { // its end is what is told then
			w.put(Input{DialogID: child, Continue: true})
			w.quiet()
			want = "Whole."
		}
		w.put(Input{DialogID: id, Prompt: &Prompt{Text: "and?"}})
		w.put(Input{DialogID: id, Prompt: &Prompt{Text: "and now?"}})
		w.quiet()
		v = w.view(id)
		var told []string
		for i := range v.Dialog.Sections {
			if s := &v.Dialog.Sections[i]; s.IsMail() {
				told = append(told, s.Text())
			}
		}
		if len(told) != before+1 || !strings.Contains(told[len(told)-1], want) {
			t.Errorf("goes on: %t: told %q", goesOn, told)
		}
		legal(t, v.Dialog)
	}
}

// A dialog that a human stops tells nobody.
func TestStopTellsNobody(t *testing.T) {
	w, id, child := pair(t, cast{"child": {{provider.Text{Piece: "half "}, provider.Text{Piece: "never"}}}})
	before := len(w.mails(id))
	w.script.hold = map[int]<-chan struct{}{1: make(chan struct{})}
	_, sub, err := w.run.Put(context.Background(), Input{Project: w.p(), DialogID: child, Prompt: &Prompt{Text: "more"}})
	if err != nil {
		t.Fatal(err)
	}
	w.status(child, dialog.Waiting)
	w.drain(sub)
	w.quiet()
	if got := w.mails(id)[before:]; len(got) != 0 || w.view(child).Needs != dialog.NeedsContinue {
		t.Errorf("told %q", got)
	}
}

// cutAt cuts a dialog's file before section i, as a kill does.
func cutAt(t *testing.T, w *world, v view.View, i int) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(w.dir, "root/p", v.Filename), []byte(v.Text[:v.Dialog.End(i-1)]), 0o644); err != nil {
		t.Fatal(err)
	}
}
