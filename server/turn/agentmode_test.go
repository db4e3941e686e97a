package turn

import (
	"slices"
	"strings"
	"testing"
	"time"

	"vibey/dialog"
	"vibey/server/hub"
)

// agentDecides is a script of an agent that begins in a mode in which it writes unasked.
const agentDecides = `
caps CAPS
modes auto auto default plan
prompt
in auto write $DEED/a.txt unasked
update {"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Done."}}
`

// warnings are the texts of the Notes that warn a human.
func warnings(d *dialog.Dialog) (texts []string) {
	for i := range d.Sections {
		if s := &d.Sections[i]; s.Role == dialog.Note && s.Kind() == "warning" && s.Meta.Get("To") == "human" {
			texts = append(texts, s.Text())
		}
	}
	return texts
}

// An agent that would decide itself is put into the mode that asks before its first
// prompt, in a new session as in one that goes on.
func TestAgentIsPutIntoTheModeThatAsks(t *testing.T) {
	for _, caps := range []string{`{}`, `{"loadSession":true}`, `{"sessionCapabilities":{"resume":{}}}`} {
		a := newAgentWorld(t, strings.Replace(agentDecides, "CAPS", caps, 1))
		id, _ := a.ask("go")
		a.again()
		a.put(Input{DialogID: id, Prompt: &Prompt{Text: "once more"}})
		v, came := a.view(id), a.came()
		if a.deed("a.txt") == "unasked" || strings.Count(came, `"modeId":"default"`) != 2 || len(warnings(v.Dialog)) != 0 {
			t.Errorf("%s: %s, warned %q, the agent got %s", caps, a.deed("a.txt"), warnings(v.Dialog), came)
		}
	}
}

// A mode that asks stays as it is; one that has another name is chosen by its rank; where
// none is known nothing is chosen, and the human is told.
func TestAgentModes(t *testing.T) {
	for modes, c := range map[string]struct {
		set    string
		warned bool
	}{
		"default default auto":                  {"", false},
		"agent read-only agent full":            {"read-only", false},
		"auto read-only manual ask auto":        {"ask", false},
		"build build plan":                      {"", true},
		"read-only default read-only":           {"default", false},
		"bypass bypass default\nfail session/x": {"default", false},
	} {
		a := newAgentWorld(t, "modes "+modes+"\nprompt\n")
		id, _ := a.ask("go")
		got := ""
		if _, rest, ok := strings.Cut(a.came(), `"modeId":"`); ok {
			got, _, _ = strings.Cut(rest, `"`)
		}
		if w := warnings(a.view(id).Dialog); got != c.set || (len(w) > 0) != c.warned || c.warned && !strings.Contains(w[0], "build, plan") {
			t.Errorf("%s: set %q, warned %q", modes, got, w)
		}
	}
}

// An agent that can't be put into it gets no prompt.
func TestAgentRefusesItsMode(t *testing.T) {
	a := newAgentWorld(t, strings.Replace(agentDecides, "CAPS", "{}\nfail session/set_mode", 1))
	id, es := a.ask("go")
	last := es[len(es)-1]
	if last.Type != hub.ErrorEvent || !strings.Contains(last.Message, "could not be put into its mode default") {
		t.Errorf("ends with %+v", last)
	}
	if strings.Contains(a.came(), "session/prompt") || a.agents() != 0 || a.deed("a.txt") == "unasked" {
		t.Errorf("%d agents run, %s; it got %s", a.agents(), a.view(id).Text, a.came())
	}
}

// modeNow is the mode that the dialog's agent said last that it is in.
func (a *agentWorld) modeNow(id string) string {
	for _, s := range a.run.agents.Running() {
		if s.Key.Dialog == id {
			return s.Mode
		}
	}
	return ""
}

// A mode that the agent changes itself is set back once, during a prompt and between two;
// a human is told both times.
func TestAgentLeavesTheModeThatAsks(t *testing.T) {
	ask := `call fs/read_text_file {"path":"$DEED/none"}` + "\n" // so that it takes what was sent before the answer
	for name, c := range map[string]struct {
		script string
		set    int
		warned []string
	}{
		"by a mode":      {"mode auto\n" + ask, 2, []string{"went by itself"}},
		"by an option":   {"setting auto\n" + ask, 2, []string{"went by itself"}},
		"told twice":     {"mode auto\nsetting auto\n" + ask, 2, []string{"went by itself"}},
		"to the same":    {"mode default\n" + ask, 1, nil},
		"at the end":     {"mode auto\n", 2, []string{"went by itself"}},
		"again":          {"mode auto\n" + ask + "mode auto\n" + ask, 2, []string{"went by itself", "again"}},
		"again and on":   {"mode auto\n" + ask + "repeat 9 mode auto\n", 2, []string{"went by itself", "again"}},
		"behind its end": {`send {"jsonrpc":"2.0","id":4,"result":{"stopReason":"end_turn"}}` + "\nmode auto\n", 2, []string{"went by itself"}},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAgentWorld(t, "modes auto auto default\nprompt\n"+c.script+"prompt\nin auto write $DEED/a.txt unasked\n")
			id, _ := a.ask("go")
			for name == "behind its end" && a.modeNow(id) != "auto" {
				time.Sleep(time.Millisecond)
			}
			a.put(Input{DialogID: id, Prompt: &Prompt{Text: "next"}})
			w := warnings(a.view(id).Dialog)
			same := len(w) == len(c.warned)
			for i := range w {
				same = same && strings.Contains(w[i], c.warned[i])
			}
			if n := strings.Count(a.came(), `"modeId":"default"`); n != c.set || !same {
				t.Errorf("set %d times, warned %q", n, w)
			}
			if wrote := a.deed("a.txt") == "unasked"; wrote != slices.Contains(c.warned, "again") {
				t.Errorf("it wrote unasked: %v; it got %s", wrote, a.came())
			}
		})
	}
}
