package crash

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"vibey/dialog"
)

// playUntilKilled acts as a human does until the program is dead. If the dialog comes to
// its end before, it dies then.
func (k *killing) playUntilKilled() {
	h, over, killer := k.h, make(chan struct{}), make(chan struct{})
	after, wait := k.moment()
	go func() {
		defer close(killer)
		for !after() {
			select {
			case <-over:
				return
			case <-time.After(100 * time.Microsecond):
			}
		}
		time.Sleep(wait)
		syscall.Kill(h.pid, syscall.SIGKILL)
	}()
	for n := 0; n < 40 && k.act(); n++ {
	}
	close(over)
	<-killer
	syscall.Kill(h.pid, syscall.SIGKILL)
	h.cmd.Wait()
	k.noProcesses(0)
}

// moment is when the program is to die: so long after something is on the disk.
func (k *killing) moment() (after func() bool, wait time.Duration) {
	some := func(patterns ...string) func() bool {
		return func() bool {
			return slices.ContainsFunc(patterns, func(p string) bool {
				found, _ := filepath.Glob(p)
				return len(found) > 0
			})
		}
	}
	most := 20 * time.Millisecond
	n := k.random.IntN(10)
	if (n == 3 || n == 4) && !strings.HasPrefix(k.mode, "try") {
		n += 2 // nothing is held
	}
	switch n {
	case 0, 1: // anywhere
		after, most = func() bool { return true }, 600*time.Millisecond
	case 2: // while a command runs, or what it wrote is read
		after, most = some(filepath.Join(k.p.state, "commands", "*", "layer-*")), 120*time.Millisecond
	case 3: // while what it wrote is held
		after = some(filepath.Join(k.dir(), ".kept"), filepath.Join(k.p.state, "tried", "*"))
	case 4:
		after = some(filepath.Join(k.dir(), ".kept", "*.held"), filepath.Join(k.p.state, "tried", "*.json"))
	default: // while it is put into the deed, or right behind that
		after = some(filepath.Join(k.p.state, "applying", "*.json*"))
		most = []time.Duration{2, 5, 10, 20, 40}[n-5] * time.Millisecond
	}
	return after, time.Duration(k.random.Int64N(int64(most)))
}

// seen is what a client sees of a dialog.
type seen struct {
	Needs   string
	Pending []asked
}

// asked is a call that a human is asked about.
type asked struct {
	ID, SHA256 string
	Effect     *struct{ SHA256 string }
}

// act does the next thing that a human would. It returns false when there is nothing left
// to do, or the program is dead.
func (k *killing) act() bool {
	if k.id == "" {
		k.id = onlyDialog(k.dir())
	}
	if k.id == "" {
		text, ok := k.send("POST", body{"provider": "openai", "model": "m", "slug": "killed", "prompt": "go"})
		_, rest, _ := strings.Cut(text, `"dialogId":"`)
		k.id, _, _ = strings.Cut(rest, `"`)
		return ok
	}
	d, ok := k.look()
	if !ok {
		return false
	}
	time.Sleep(time.Duration(k.random.IntN(5)) * time.Millisecond)
	switch {
	case d.Needs == "approval":
		return k.decide(d.Pending)
	case d.Needs == "continue" && k.random.IntN(6) > 0:
		_, ok = k.send("PUT", body{"dialogId": k.id, "continue": true})
	case d.Needs == "reply" && strings.Contains(k.text(), "Done."):
		return false
	default:
		k.skipped = k.skipped || d.Needs == "continue"
		_, ok = k.send("PUT", body{"dialogId": k.id, "prompt": "go on"})
	}
	return ok
}

// look reads the dialog; ok is false when the program is dead.
func (k *killing) look() (d seen, ok bool) {
	status, text, err := k.h.request("GET", "/project/"+k.project+"/dialog/"+k.id+"?markdown=0", nil)
	if err != nil {
		return d, k.dead(err)
	}
	if err := json.Unmarshal([]byte(text), &d); err != nil || status != 200 {
		k.t.Errorf("look: %d %s %v", status, text, err)
		return d, false
	}
	for _, c := range d.Pending {
		k.show(c)
	}
	return d, true
}

// dead tells of an answer that did not come though the program lives.
func (k *killing) dead(err error) bool {
	for range 200 { // it may die in this moment
		if syscall.Kill(k.h.pid, 0) != nil || zombie(k.h.pid) {
			return false
		}
		time.Sleep(5 * time.Millisecond)
	}
	k.t.Errorf("no answer: %v", err)
	return false
}

func (k *killing) show(c asked) {
	if c.Effect == nil {
		return
	}
	if was := k.shown[c.ID]; was != "" && was != c.Effect.SHA256 {
		k.t.Errorf("%s was shown with the effect %.12s, and now has %.12s", c.ID, was, c.Effect.SHA256)
	}
	k.shown[c.ID] = c.Effect.SHA256
}

// decide allows what is asked, by itself or with all that follows, or does not want it. The
// first question tells how commands run from now on.
func (k *killing) decide(pending []asked) bool {
	c, verdict := pending[0], "approve"
	switch n := k.random.IntN(12); {
	case c.Effect == nil && k.mode != "ask":
		verdict = k.mode
	case n < 2:
		verdict = "deny"
	case n < 4 && c.Effect != nil:
		verdict = "allow run_command"
	}
	control := verdict
	if verdict == "approve" || verdict == "deny" {
		control = c.ID + " " + verdict
	}
	if verdict == "approve" && c.Effect != nil {
		control += " sha256:" + c.SHA256 + " effect:" + c.Effect.SHA256
	}
	text, ok := k.send("PUT", body{"dialogId": k.id, "control": control})
	if text != "" {
		k.denied[c.ID] = verdict == "deny"
		k.allowed[c.ID] = verdict != "deny" && c.Effect != nil
	}
	return ok
}

// send sends what a human decided or said. text is what was answered before the program
// died, which is not "" once it was acknowledged; ok is false if it died.
func (k *killing) send(method string, b body) (text string, ok bool) {
	status, text, err := k.h.request(method, "/project/"+k.project+"/dialog", b)
	if status >= 300 || strings.Contains(text, "event: error\n") {
		k.t.Errorf("%s %v: %d %s", method, b, status, text)
		return text, false
	}
	if status == 200 && text == "" {
		text = " "
	}
	for line := range strings.Lines(text) {
		var e struct{ ToolCalls []asked }
		if data, is := strings.CutPrefix(line, "data: "); is && json.Unmarshal([]byte(data), &e) == nil {
			for _, c := range e.ToolCalls {
				k.show(c)
			}
		}
	}
	return text, err == nil || k.dead(err)
}

// onlyDialog is the id of the one dialog in a project, "" for none.
func onlyDialog(dir string) string {
	names, _ := filepath.Glob(filepath.Join(dir, "dialog-*.md"))
	for _, name := range names {
		if id, _, ok := dialog.ParseName(filepath.Base(name)); ok {
			return id
		}
	}
	return ""
}

// text is the dialog's file.
func (k *killing) text() string {
	names, _ := filepath.Glob(filepath.Join(k.dir(), "dialog-*.md"))
	for _, name := range names {
		if b, err := os.ReadFile(name); err == nil {
			return string(b)
		}
	}
	return ""
}
