package turn

import (
	"fmt"
	"strings"
	"testing"

	"vibey/cmd/tally/testenv"
	"vibey/dialog"
	"vibey/dialog/governor"
	"vibey/dialog/history"
	"vibey/provider"
	"vibey/server/hub"
)

// narrow is a model that reads so many bytes beside the system text, and calls so many
// commands before it answers. The refusal names its window if it tells.
func narrow(t testing.TB, most, calls int, tells bool, command string) *script {
	n := 0
	s := &script{}
	s.next = func(r *provider.Request) ([]provider.Event, error) {
		if err := history.Validate(r.History); err != nil {
			t.Errorf("a provider would refuse it: %v", err)
		}
		size := 0
		for _, it := range r.History.Items {
			size += len(it.Text) + len(it.Args) + len(it.Native)
		}
		if size > most {
			e := &provider.Error{Kind: provider.KindTooLong, Status: 400, Message: "It is too long."}
			if tells {
				e.Window = (most + len(r.History.System) + 8<<10) / 4
			}
			return nil, e
		}
		if n++; n <= calls && !r.NoTools {
			return []provider.Event{provider.Text{Piece: fmt.Sprintf("step %d", n)}, provider.Call{ID: fmt.Sprintf("c%d", n), Name: "run_command", Args: fmt.Sprintf(`{"command":"%s"}`, fmt.Sprintf(command, strings.Repeat(string(rune('a'+n%26)), 1+n/26)))}}, nil
		}
		return text("All is done."), nil
	}
	return s
}

// No dialog is too long to go on: the earlier turns are summed up, then the older rounds
// of the running one, then what its message has in the middle.
func TestNothingIsTooLong(t *testing.T) {
	testenv.Slow(t)
	hundred := strings.Repeat("0123456789", 100)
	for name, c := range map[string]struct {
		most, calls int
		tells       bool
		command     string
		prompts     []string
		presses     int    // of Continue, at most
		reads       string // stands in the last request
	}{
		"a hundred rounds in one turn": {24 << 10, 100, true, "echo %s " + hundred, []string{"work on THIS"}, 0, "work on THIS"},
		"that tells no window":         {24 << 10, 100, false, "echo %s " + hundred, []string{"work on THIS"}, 0, "work on THIS"},
		"a huge message":               {24 << 10, 2, true, "echo %s", []string{"FIRST " + strings.Repeat("words ", 100<<10) + " LAST"}, 0, " LAST"},
		"a huge message, no window":    {24 << 10, 2, false, "echo %s", []string{"FIRST " + strings.Repeat("words ", 100<<10) + " LAST"}, 8, "FIRST "},
		"a huge result":                {24 << 10, 2, true, "echo %s; seq 60000", []string{"look at THAT"}, 0, "look at THAT"},
		"two turns":                    {24 << 10, 1, true, "echo %s", []string{"one " + strings.Repeat("a ", 10<<10), "two " + strings.Repeat("b ", 10<<10)}, 0, "two b b"},
		"six small ones and a large":   {24 << 10, 1, true, "echo %s", []string{"one", "two", "three", "four", "five", "six " + strings.Repeat("b ", 11<<10), "seven " + strings.Repeat("c ", 10<<10)}, 0, "seven c c"},
	} {
		t.Run(name, func(t *testing.T) {
			if c.calls == 100 || !c.tells { // the others have each a part of it
				testenv.Long(t)
			}
			w := newWorld(t, narrow(t, c.most, c.calls, c.tells, c.command))
			w.save("doc-main.md", "# p\n\nəəəproject/v1\nbudget unclassified 200\ncommit off\nəəə\n")
			st, err := w.run.Draft(t.Context(), Input{Project: w.p(), Provider: "claude", Model: "m", Slug: "x"})
			if err != nil {
				t.Fatal(err)
			}
			id := st.DialogID
			w.tell(id, "allow run_command")
			for _, prompt := range c.prompts {
				es := w.put(Input{DialogID: id, Prompt: &Prompt{Text: prompt}, Intent: "autonomous"})
				for n := 0; es[len(es)-1].Type != hub.DoneEvent; n++ {
					last := es[len(es)-1]
					if last.Type == hub.ToolEvent {
						es = w.put(Input{DialogID: id, Control: control(last.Calls[0].ID + " approve")})
						n--
						continue
					}
					if n == c.presses {
						t.Fatalf("ends with %s %q: %s\n%s", last.Type, last.Kind, last.Message, sections(w.view(id).Dialog))
					}
					es = w.put(Input{DialogID: id, Continue: true})
				}
			}
			v := w.view(id)
			if v.Dialog.Count(dialog.Summary) == 0 || v.Needs != dialog.NeedsReply {
				t.Errorf("needs %s: %s", v.Needs, sections(v.Dialog))
			}
			if h := w.script.last(); !strings.Contains(h, c.reads) {
				t.Errorf("%q is not in the last request:\n%.3000s", c.reads, h)
			}
			if n := v.Dialog.Count(dialog.Summary); n > 25 {
				t.Errorf("%d Summaries", n)
			}
		})
	}
}

// Where nothing can be summed up any more the words say what to do, and the request is not
// made again.
func TestTooLongForGood(t *testing.T) {
	w := newWorld(t, narrow(t, 1, 0, true, ""))
	_, es := w.start("hello")
	last := es[len(es)-1]
	if last.Type != hub.ErrorEvent || last.Kind != "too_long" || !strings.Contains(last.Message, "doc-main.md") || !strings.Contains(last.Message, "larger window") || len(w.script.reqs) != 1 {
		t.Errorf("%d requests, %s: %s", len(w.script.reqs), last.Kind, last.Message)
	}
}

// Of what is refused as too long something is summed up, however little it is, once.
func TestTooLongOnce(t *testing.T) {
	refused := 0
	w := newWorld(t, &script{})
	w.script.next = func(r *provider.Request) ([]provider.Event, error) {
		if refused++; refused == 3 || refused == 4 {
			return nil, &provider.Error{Kind: provider.KindTooLong, Message: "It is too long."}
		}
		return text("yes"), nil
	}
	id, _ := w.start("one")
	w.put(Input{DialogID: id, Prompt: &Prompt{Text: "two"}})
	es := w.put(Input{DialogID: id, Prompt: &Prompt{Text: "three"}})
	v := w.view(id)
	if last := es[len(es)-1]; last.Kind != "too_long" || refused != 4 || v.Dialog.Count(dialog.Summary) != 1 || v.Needs != dialog.NeedsContinue || !strings.Contains(last.Message, "Continue") {
		t.Errorf("%d requests, %+v: %s", refused, last, sections(v.Dialog))
	}
	w.put(Input{DialogID: id, Continue: true})
	if v := w.view(id); v.Needs != dialog.NeedsReply {
		t.Errorf("needs %s", v.Needs)
	}
}

// A result that came since the last request counts before the next one is made.
func TestFullByWhatCameSince(t *testing.T) {
	d := dialog.Parse("# Dialog\n> DialogId: 20260216-201100-x\n\n## User\n> Id: u1\n\nəəəinput/markdown\ngo\nəəə\n\n## Assistant\n> Id: a1\n> Resources: in=100 out=10 total=110 tools=0 ms=0\n\nəəəoutput/markdown\nyes\nəəə\n")
	if governor.Full(d, 1000) {
		t.Error("full already")
	}
	d.Append(dialog.Section{Role: dialog.User, ID: "u2", Payloads: []dialog.Payload{{Type: dialog.InputMarkdown, Text: strings.Repeat("word ", 600)}}})
	if !governor.Full(d, 1000) {
		t.Error("a message of 3,000 bytes does not count")
	}
}
