package e2e

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"vibey/cmd/tally/testenv"
	"vibey/dialog"
	"vibey/provider/providertest"
)

var (
	killMoments = flag.Int("kills", 200, "how many random moments TestKill kills at")
	killSeed    = flag.Uint64("killseed", 0, "the seed of those moments; 0 takes a fresh one")
)

// killScript streams long enough to be hit in the middle of a word, and calls
// tools whose every run leaves a line behind.
func killScript() providertest.Script {
	long := strings.Repeat("a word of the text, ", 6)
	return providertest.Script{Replies: []providertest.Reply{
		{Reasoning: "thinking about it, " + long, Text: "First. " + long, Chunk: 15, DelayMS: 2, Calls: []providertest.Call{
			{ID: "cmd_a", Name: "run_command", Args: `{"command":"echo cmd_a >> deed/log; sleep 0.03; echo end >> deed/ends"}`},
			{ID: "cmd_b", Name: "run_command", Args: `{"command":"echo cmd_b >> deed/log"}`},
		}},
		{Text: "Second. " + long, Chunk: 15, DelayMS: 2, Calls: []providertest.Call{
			{ID: "cmd_c", Name: "run_command", Args: `{"command":"sleep 0.01; echo cmd_c >> deed/log"}`},
			{ID: "file_d", Name: "write_file", Args: `{"path":"deed/d.txt","content":"d"}`},
		}},
		{Text: "Third. " + long, Chunk: 15, DelayMS: 2},
		{Text: "Fourth. All is done."},
	}}
}

// TestKill kills the server at random moments of a dialog, starts another one
// on the same files, and holds what section 2 of the specification promises.
func TestKill(t *testing.T) {
	testenv.Slow(t)
	seed := *killSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("seed %d (go test -run TestKill ./cmd/vibey/e2e -killseed %[1]d repeats it)", seed)
	const lanes = 6
	moments, step := *killMoments, testenv.Stride(t, 10)
	moments /= step
	var mu sync.Mutex
	hit := map[string]int{}
	t.Cleanup(func() {
		t.Logf("where the kills struck: %v", hit)
		all := 0
		for _, n := range hit {
			all += n
		}
		// An approved call starts within milliseconds: of few kills none may strike there.
		for where, few := range map[string]int{"streaming": 100, "tool": 100, "waiting": 100, "approved, not started": 1000} {
			if hit[where] == 0 && all >= few {
				t.Errorf("of %d kills none struck while %s", all, where)
			}
		}
	})
	for lane := range lanes {
		t.Run(fmt.Sprint("lane ", lane), func(t *testing.T) {
			t.Parallel()
			for i := lane; i < moments; i += lanes {
				random := rand.New(rand.NewPCG(seed, uint64(i)))
				t.Run(fmt.Sprint(i), func(t *testing.T) {
					where := killOnce(t, random)
					mu.Lock()
					hit[where]++
					mu.Unlock()
				})
			}
		})
	}
}

// witness is what a client has seen of a dialog before the server died.
type witness struct {
	streams []*stream
	id      string
	puts    int // controls that were answered
	sent    int // controls that were sent
}

// killOnce plays one dialog up to a random moment, and what must hold behind it.
func killOnce(t *testing.T, random *rand.Rand) (where string) {
	p := newPlace(t, killScript())
	h := serve(t, p)
	h.make("p")
	provider := providers[random.IntN(len(providers))]
	w := h.playUntilKilled(random, provider)
	if w.id == "" { // killed before the answer began: the file tells
		w.id = p.onlyDialog()
	}
	if w.id == "" {
		return "creating"
	}
	h = serve(t, p)
	st := h.look("p", w.id)
	where = w.place(st)
	t.Logf("%s, struck while %s: %s", provider, where, st.roles())
	w.holds(t, st)
	p.runsOnce(st)
	h.finish(random, w, st)
	return where
}

// playUntilKilled drives the dialog until a random frame, plus a moment, or a
// moment behind an approval.
func (h *host) playUntilKilled(random *rand.Rand, provider string) *witness {
	w := &witness{}
	onFrame, behind := random.IntN(60), -1
	if random.IntN(3) == 0 {
		onFrame, behind = 1<<30, random.IntN(3) // behind the POST, or one of two PUTs
	}
	delay := time.Duration(random.IntN(5000)) * time.Microsecond
	var once sync.Once
	strike := func() {
		once.Do(func() {
			time.Sleep(delay)
			h.cmd.Process.Signal(syscall.SIGKILL)
		})
	}
	seen := 0
	watch := func(s *stream) bool { // tells whether the dialog waits
		w.streams = append(w.streams, s)
		waits := false
		for n := 0; ; n++ {
			f, ok := s.next(n)
			if !ok {
				break
			}
			if f.data.DialogID != "" {
				w.id = f.data.DialogID
			}
			waits = f.kind == "tool_request"
			if seen++; seen > onFrame {
				strike()
			}
		}
		return waits
	}
	post := h.request("POST", dialogPath, body{"provider": provider, "prompt": "go", "slug": "killed"})
	if behind == 0 {
		go strike()
	}
	s, _ := h.try(post)
	waits := s != nil && watch(s)
	for _, control := range []string{"cmd_a approve\ncmd_b approve", "cmd_c approve\nallow write_file"} {
		if !waits {
			break
		}
		req := h.request("PUT", dialogPath, body{"dialogId": w.id, "control": control})
		if w.sent++; w.sent == behind {
			go strike()
		}
		s, _ := h.try(req)
		if s == nil {
			break
		}
		w.puts++
		waits = watch(s)
	}
	strike()
	<-h.ended
	return w
}

// next waits for the n-th frame; ok is false where the stream has ended before it.
func (s *stream) next(n int) (f frame, ok bool) {
	for {
		s.mu.Lock()
		fresh, over := s.fresh, s.over
		if n < len(s.frames) {
			f = s.frames[n]
			s.mu.Unlock()
			return f, true
		}
		s.mu.Unlock()
		if over {
			return f, false
		}
		<-fresh
	}
}

// place tells where in the dialog's life the kill struck.
func (w *witness) place(st state) string {
	if len(st.Sections) == 0 {
		return "creating"
	}
	last := st.Sections[len(st.Sections)-1]
	calls, results, started := map[string]bool{}, map[string]bool{}, map[string]bool{}
	broken := false
	for _, s := range st.Sections {
		switch s.Role {
		case "Tool Request":
			calls[s.ID] = true
		case "Tool Result":
			results[s.ID] = true
		case "Note":
			started[s.Meta["Parent"]] = s.Meta["Kind"] == "started"
		case "Assistant":
			broken = s.Meta["Stop"] == "interrupted"
		}
	}
	open, running := 0, 0
	for id := range calls {
		if !results[id] {
			open++
			if started[id] {
				running++
			}
		}
	}
	switch {
	case broken:
		return "streaming"
	case running > 0:
		return "tool"
	case open > 0 && last.Role == "Authorization", open > 0 && st.Needs == "continue":
		return "approved, not started"
	case open > 0:
		return "waiting"
	case last.Role == "Assistant":
		return "done"
	}
	return "asking"
}

// holds checks that nothing is lost that the client has seen.
func (w *witness) holds(t *testing.T, st state) {
	t.Helper()
	d := dialog.Parse(st.Markdown)
	for _, e := range d.Problems {
		if e.Rule != "torn" {
			t.Errorf("the file has a problem: %v\n%s", e, st.Markdown)
		}
	}
	if st.Status != "waiting" {
		t.Errorf("status %s", st.Status)
	}
	for _, s := range w.streams {
		text := ""
		for _, f := range s.wait() {
			switch f.kind {
			case "chunk":
				text += f.data.Content
			case "section":
				kept, ok := st.find(f.data.Section.Role, f.data.Section.ID)
				if !ok || !kept.is(f.data.Section) {
					t.Errorf("the client had\n%+v\nthe file has\n%+v", f.data.Section, kept)
				}
				if kept.Role == "Assistant" {
					if kept.text() != text {
						t.Errorf("streamed %q, kept %q", text, kept.text())
					}
					text = ""
				}
			}
		}
		if last := lastAssistant(st); text != "" && !strings.HasPrefix(last.text(), text) {
			t.Errorf("streamed %q, kept only %q\n%s", text, last.text(), st.Markdown)
		}
	}
	auths := 0
	for _, s := range st.Sections {
		if s.Role == "Authorization" {
			auths++
		}
	}
	if auths < w.puts || auths > w.sent {
		t.Errorf("%d Authorizations; %d controls were sent, %d answered", auths, w.sent, w.puts)
	}
}

func lastAssistant(st state) (last section) {
	for _, s := range st.Sections {
		if s.Role == "Assistant" {
			last = s
		}
	}
	return last
}

// runsOnce holds the file's claims and the deed's lines against each other: no
// call ran twice, and none that was not approved.
func (p *place) runsOnce(st state) {
	p.t.Helper()
	started, results := map[string]int{}, map[string]int{}
	for _, s := range st.Sections {
		switch {
		case s.Role == "Note" && s.Meta["Kind"] == "started":
			started[s.Meta["Parent"]]++
		case s.Role == "Tool Result":
			results[s.ID]++
		}
	}
	ran := map[string]int{}
	if p.there("p", "deed", "log") {
		for _, line := range strings.Fields(p.read("p", "deed", "log")) {
			ran[line]++
		}
	}
	for _, id := range []string{"cmd_a", "cmd_b", "cmd_c", "file_d"} {
		if started[id] > 1 || results[id] > 1 || ran[id] > 1 || ran[id] > started[id] {
			p.t.Errorf("%s: started %d times, %d results, ran %d times\n%s", id, started[id], results[id], ran[id], st.Markdown)
		}
	}
}

// finish goes on with one human act, and as far as the script needs decisions,
// decides. The dialog must come to its end, with legal requests alone.
func (h *host) finish(random *rand.Rand, w *witness, st state) {
	h.t.Helper()
	act := body{"dialogId": w.id, "prompt": "go on"}
	switch {
	case st.Needs == "approval" && random.IntN(2) == 0:
		act = body{"dialogId": w.id, "control": approve(st.Pending...)}
	case st.Needs == "continue" && random.IntN(3) > 0:
		act = body{"dialogId": w.id, "continue": true}
	}
	s := h.put(dialogPath, act)
	for range 8 {
		f := s.last()
		if f.kind == "done" {
			break
		}
		if f.kind != "tool_request" {
			h.t.Fatalf("%v did not go on: %s\n%s", act, f.raw, h.look("p", w.id).Markdown)
		}
		s = h.put(dialogPath, body{"dialogId": w.id, "control": approve(f.data.ToolCalls...)})
	}
	s.ends("done")
	end := h.look("p", w.id)
	if end.Status != "waiting" || len(end.Pending) > 0 || !strings.HasPrefix(bodyOf(end.Markdown), bodyOf(st.Markdown)) {
		h.t.Errorf("after the end: %s %v; what stood there before the kill must still:\n%s\nnow:\n%s", end.Status, end.Pending, st.Markdown, end.Markdown)
	}
	h.parse(end.Markdown)
	h.runsOnce(end)
	h.bodies("go")
	// A kill can tear a section, which is marked for good, and lets a command be
	// that changes a file after the last result about it.
	h.checked("torn", "note")
}

// bodyOf is a dialog's text without the header's status, which the name outdoes:
// a kill can come between the writing of the one and of the other.
func bodyOf(text string) string { return headerStatus.ReplaceAllString(text, "") }

var headerStatus = regexp.MustCompile(`(?m)^> Status: (active|waiting|done) *$`)

// onlyDialog is the id of the one dialog of project p, or "".
func (p *place) onlyDialog() string {
	for _, name := range p.names("p") {
		if id, _, ok := dialog.ParseName(name); ok {
			return id
		}
	}
	return ""
}
