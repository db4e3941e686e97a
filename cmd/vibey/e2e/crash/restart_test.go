package crash

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"vibey/dialog"
	"vibey/provider/providertest"
)

// restarts starts the program itself on some of the states that a power cut may leave.
func restarts(t *testing.T, r *recording, some []*state, base string) {
	if *restartMax == 0 || len(some) == 0 {
		return
	}
	begin := time.Now()
	p := newPlace(t, base, providertest.Script{})
	if err := os.WriteFile(filepath.Join(p.state, "key"), r.key, 0o600); err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(*seed, 1))
	random.Shuffle(len(some), func(i, k int) { some[i], some[k] = some[k], some[i] })
	some = some[:min(len(some), *restartMax)]
	broken := 0
	for i, s := range some {
		v := &restarted{s: s, notes: map[string]bool{}}
		for id := range s.truth {
			if text, ok := s.text(id); ok && holed(text) {
				v.id = id
			}
		}
		if !t.Run(fmt.Sprintf("restart %d on %s", i, v.id), func(t *testing.T) { v.run(t, p, i%2 == 1) }) {
			broken++
		}
	}
	t.Logf("the program itself started on %d states with lost pages: %d violations; %.1f s", len(some), broken, time.Since(begin).Seconds())
}

// restarted is one state while the program runs on it.
type restarted struct {
	s     *state
	id    string          // the dialog with the hole
	notes map[string]bool // what the program itself told the model meanwhile
	say   func(format string, args ...any)
}

// run does what the human would: it looks at the dialog and sends one message, with
// continueFirst after the approved calls that never began.
func (v *restarted) run(t *testing.T, p *place, continueFirst bool) {
	v.say = t.Errorf
	if err := os.RemoveAll(p.dir); err != nil {
		t.Fatal(err)
	}
	if err := lay(p.dir, v.s.tree); err != nil {
		t.Fatal(err)
	}
	p.mock.Reset()
	h := serve(t, p)
	s := &session{t: t, h: h, id: v.id}
	v.look(s, false)
	if continueFirst {
		s.ask("PUT", dialogs, body{"dialogId": v.id, "control": "no such line"})
		if strings.Contains(s.last, `"needs":"continue"`) {
			s.ask("PUT", dialogs, body{"dialogId": v.id, "continue": true})
		}
	}
	s.ask("PUT", dialogs, body{"dialogId": v.id, "prompt": "go on"})
	v.look(s, true)
	v.said(p.mock.Bodies())
	v.runs(p.dir)
	h.stop(t)
}

// look reads the dialog as a window does: what was told is there, nothing counts
// that was never written, and in the end the message was answered.
func (v *restarted) look(s *session, after bool) {
	s.ask("GET", dialogs+"/"+v.id+"?markdown=0", nil)
	var d struct {
		Status   dialog.Status
		Sections []struct {
			toldSection
			Torn bool
			Meta map[string]string
		}
	}
	if err := json.Unmarshal([]byte(s.last), &d); err != nil {
		v.say("%v", err)
		return
	}
	if d.Status == dialog.Active {
		v.say("it is active, and no turn runs")
	}
	have := func(t toldSection) bool {
		for _, sec := range d.Sections {
			if !sec.Torn && sec.Role == t.Role && sec.ID == t.ID && slices.Equal(sec.Payloads, t.Payloads) {
				return true
			}
		}
		return false
	}
	for _, t := range v.s.told.sections {
		if t.dialog == v.id && !have(t) {
			v.say("the %s %s that was told of is lost or changed", t.Role, t.ID)
		}
	}
	if after {
		for _, sec := range d.Sections {
			if sec.Role == dialog.Note && sec.Meta["To"] == "model" && len(sec.Payloads) > 0 {
				v.notes[sec.Payloads[0].Text] = true
			}
		}
		if n := len(d.Sections); n == 0 || d.Sections[n-1].Role != dialog.Assistant {
			v.say("the message has no answer")
		}
		return
	}
	truth := v.s.truth[v.id]
	for _, sec := range d.Sections {
		if sec.Torn || sec.Role == dialog.Note && sec.Meta["Kind"] == "conflict" {
			continue
		}
		s := dialog.Section{Role: sec.Role, ID: sec.ID, Payloads: sec.Payloads}
		if at := truth.Find(sec.Role, sec.ID); (at < 0 || !slices.Equal(truth.Sections[at].Payloads, sec.Payloads)) && !begins(truth, &s) {
			v.say("the %s %s counts, and was never written so: %.80q", s.Role, s.ID, s.Text())
		}
	}
}

// said holds what the provider was sent: legal requests, in which nothing that a
// model or a tool said stands in the human's name.
func (v *restarted) said(bodies []providertest.Body) {
	if len(bodies) == 0 {
		v.say("nothing was asked of the provider")
	}
	human := map[string]bool{"go on": true}
	truth := v.s.truth[v.id]
	for i := range truth.Sections {
		if s := &truth.Sections[i]; s.Role == dialog.User {
			human[s.Text()] = true
		}
	}
	for _, b := range bodies {
		if b.Fault != "" {
			v.say("a provider would refuse what it was sent: %s", b.Fault)
		}
		for _, text := range userTexts(b.Text) {
			if !human[text] && !v.notes[text] {
				v.say("sent as the human's words: %.120q", text)
			}
		}
	}
}

// userTexts are the texts that a request of the Responses API has in the human's name.
func userTexts(request string) (texts []string) {
	var r struct {
		Input []struct {
			Role    string
			Content json.RawMessage
		}
	}
	if json.Unmarshal([]byte(request), &r) != nil {
		return []string{request}
	}
	for _, item := range r.Input {
		if item.Role != "user" {
			continue
		}
		var parts []struct{ Text string }
		var one string
		if json.Unmarshal(item.Content, &one) == nil {
			texts = append(texts, one)
		} else if json.Unmarshal(item.Content, &parts) == nil {
			for _, p := range parts {
				texts = append(texts, p.Text)
			}
		}
	}
	return texts
}

// runs holds that no command ran that had run before the cut, and none twice.
func (v *restarted) runs(root string) {
	const log = projectName + "/deed/log"
	b, _ := os.ReadFile(filepath.Join(root, log)) // none: nothing ran
	before := v.s.tree[log]
	for call, line := range map[string]string{"cmd_a": "a\n", "cmd_d": "d\n"} {
		was, is := strings.Count(before, line), strings.Count(string(b), line)
		if is > max(was, 1) || is > was && v.s.told.ran[call] || call == "cmd_d" && is > 0 {
			v.say("%s ran %d times, before the cut %d", call, is, was)
		}
	}
}
