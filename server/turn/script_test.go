package turn

import (
	"context"
	"iter"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"vibey/cmd/tally/testenv"
	"vibey/dialog"
	"vibey/dialog/history"
	"vibey/provider"
	"vibey/server/hub"
	"vibey/server/project"
	"vibey/server/view"
	"vibey/tools/layer"
	"vibey/tools/sandbox"
)

// script is a model that answers its n-th request of a dialog with the n-th
// list of events. It keeps no state: n is read from the request.
type script struct {
	answers [][]provider.Event
	fail    map[int]error                                       // instead of, or after, the answer
	hold    map[int]<-chan struct{}                             // waits behind the first event
	mute    bool                                                // says nothing in a recovery round either
	begun   func()                                              // called as each answer begins
	of      func(h history.History) [][]provider.Event          // the answers of one dialog, instead of answers
	next    func(r *provider.Request) ([]provider.Event, error) // the answer to this request, instead of all of these
	blind   map[string]bool                                     // the models that see no pictures

	mu    sync.Mutex
	reqs  []provider.Request
	asked int // how often it was asked whether a model sees
}

func (s *script) API() string { return "messages" }

// Sees implements provider.Seer.
func (s *script) Sees(_ context.Context, model string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked++
	return !s.blind[model]
}

func (s *script) Models(context.Context) ([]provider.Model, error) {
	return []provider.Model{{ID: "m-first"}}, nil
}

// honestly is what a script says in a recovery round; it is none of its answers.
const honestly = "In short: see what the results say."

// answered counts the model's turns in a history.
func answered(h history.History) int {
	n, in := 0, false
	for _, it := range h.Items {
		if it.Kind == history.AssistantText && it.Text == honestly {
			continue
		}
		model := it.Kind == history.AssistantText || it.Kind == history.CallItem || it.Kind == history.ReasoningItem
		if model && !in {
			n++
		}
		in = model
	}
	return n
}

func (s *script) Stream(ctx context.Context, r *provider.Request) iter.Seq2[provider.Event, error] {
	return func(yield func(provider.Event, error) bool) {
		s.mu.Lock()
		c := *r
		c.History.Items = append([]history.Item(nil), r.History.Items...)
		s.reqs = append(s.reqs, c)
		s.mu.Unlock()
		n := answered(r.History)
		if s.begun != nil {
			s.begun()
		}
		if !yield(provider.Begin{Prefix: strings.Repeat("0", 64)}, nil) {
			return
		}
		var events []provider.Event
		if s.next != nil {
			var err error
			if events, err = s.next(r); err != nil {
				yield(nil, err)
				return
			}
		}
		answers := s.answers
		if s.of != nil {
			answers = s.of(r.History)
		}
		if n < len(answers) && s.next == nil {
			events = answers[n]
		}
		if r.NoTools && !s.mute {
			events = text(honestly)
		}
		stop := provider.StopEnd
		for i, e := range events {
			if _, ok := e.(provider.Call); ok {
				stop = provider.StopCalls
			}
			if !yield(e, nil) {
				return
			}
			if hold := s.hold[n]; hold != nil && i == 0 {
				select {
				case <-hold:
				case <-ctx.Done():
					yield(nil, ctx.Err())
					return
				}
			}
		}
		if err := s.fail[n]; err != nil {
			yield(nil, err)
			return
		}
		yield(provider.Finish{Stop: stop, Resources: dialog.Resources{In: 10, Out: 2, Total: 12}}, nil)
	}
}

// world is a project "p" in a temporary folder, with the script as its model.
type world struct {
	t      testing.TB
	dir    string
	script *script
	run    *Runner
	now    time.Time
	walls  sandbox.Config // of commands
	stands func() error   // see project.Options; nil for what always stands
}

// newWorld is a world whose commands run without walls, and write to the deed itself.
func newWorld(t testing.TB, s *script) *world {
	return newWorldWith(t, s, sandbox.Config{Limit: 5 * time.Second})
}

// newLayeredWorld is a world whose commands run behind walls, and write to a layer. A machine
// that has no such walls leaves the test out.
func newLayeredWorld(t testing.TB, s *script) *world {
	t.Helper()
	return newWorldBy(t, s, 20*time.Second, layer.Overlay, layer.Copy)
}

// newWorldBy is newLayeredWorld with the limit of a command, and with the first of some makers
// of layers that this machine has.
func newWorldBy(t testing.TB, s *script, limit time.Duration, by ...layer.By) *world {
	t.Helper()
	w := newWorldWith(t, s, sandbox.Config{Limit: limit, Path: os.Getenv("PATH"), Levels: []sandbox.Level{sandbox.Bwrap}, Layers: by, Leases: t.TempDir()})
	switch {
	case w.run.w.Sandbox.Level() != sandbox.Bwrap:
		testenv.Lacks(t, testenv.Bubblewrap)
	case w.run.w.Sandbox.LayersBy() == "":
		testenv.Lacks(t, testenv.Overlay)
	}
	return w
}

func newWorldWith(t testing.TB, s *script, walls sandbox.Config) *world {
	w := &world{t: t, dir: t.TempDir(), script: s, now: time.Date(2026, 2, 16, 20, 11, 0, 0, time.UTC), walls: walls}
	w.restart()
	if err := w.run.w.Store.Create("p", ""); err != nil {
		t.Fatal(err)
	}
	return w
}

// p opens the project.
func (w *world) p() *project.Project {
	w.t.Helper()
	p, err := w.run.w.Store.Project("p")
	if err != nil {
		w.t.Fatal(err)
	}
	return p
}

// restart is a new process on the same files.
func (w *world) restart() {
	w.t.Helper()
	if err := os.MkdirAll(filepath.Join(w.dir, "state"), 0o700); err != nil {
		w.t.Fatal(err)
	}
	var run *Runner
	store, err := project.Open(filepath.Join(w.dir, "root"), project.Options{
		Now: func() time.Time { return w.now }, Log: slog.New(slog.DiscardHandler), State: filepath.Join(w.dir, "state"),
		Stands: func() error {
			if w.stands == nil {
				return nil
			}
			return w.stands()
		},
		Template: func(name string) string { return "# " + name + "\n" },
		Summarize: func(p, id string, st dialog.Status, d *dialog.Dialog, g *dialog.Digest) project.Summary {
			return run.Summarize(p, id, st, d, g)
		},
	})
	if err != nil {
		w.t.Fatal(err)
	}
	run = New(&World{
		World: view.World{
			Store: store, Sandbox: sandbox.Probe(w.walls),
			Provider: func(name string) (provider.Provider, bool) { return w.script, name == "claude" || name == "other" },
			Home: func(p string, network bool) (string, error) {
				h := filepath.Join(w.dir, "home", strconv.FormatBool(network), p)
				return h, os.MkdirAll(h, 0o700)
			},
			Key: []byte("0123456789abcdef0123456789abcdef"), Now: func() time.Time { return w.now }, Log: slog.New(slog.DiscardHandler),
			Layers: func(p *project.Project) bool {
				deed, err := p.DeedDir()
				return err == nil && run.w.Sandbox.NoLayer(deed) == ""
			},
		},
		Providers: func() []string { return []string{"claude", "other"} },
		AgentDir: func(p, id string) (string, func(), error) {
			dir := filepath.Join(w.dir, "agent-cwd", p, id)
			return dir, func() { os.RemoveAll(dir) }, os.MkdirAll(dir, 0o700)
		},
		AgentPath: func() string { return os.Getenv("PATH") }, Secrets: func() []string { return nil },
	})
	w.run = run
	w.t.Cleanup(func() { run.Shutdown(context.Background()); store.Close(); run.w.Sandbox.End() })
}

// drain reads a stream to its end.
func (w *world) drain(s *hub.Sub) []hub.Event {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	var all []hub.Event
	for {
		batch, ok := s.Next(ctx)
		if !ok {
			if ctx.Err() != nil {
				w.t.Fatalf("the stream did not end; so far %s", types(all))
			}
			return all
		}
		all = append(all, batch...)
	}
}

// types are the events in short, but for those that tell the budget.
func types(es []hub.Event) string {
	var out []string
	for _, e := range es {
		s := e.Type
		if s == hub.BudgetEvent {
			continue
		}
		if e.Section != nil {
			s += ":" + string(e.Section.Role)
		}
		out = append(out, s)
	}
	return strings.Join(out, " ")
}

// start sends a prompt to a new dialog and returns its id and events.
func (w *world) start(prompt string) (string, []hub.Event) {
	w.t.Helper()
	sub, err := w.run.Start(context.Background(), Input{Project: w.p(), Provider: "claude", Model: "m", Slug: "x", Prompt: &Prompt{Text: prompt}})
	if err != nil {
		w.t.Fatal(err)
	}
	es := w.drain(sub)
	return es[0].DialogID, es
}

// put sends a PUT that is expected to stream.
func (w *world) put(in Input) []hub.Event {
	w.t.Helper()
	in.Project = w.p()
	st, sub, err := w.run.Put(context.Background(), in)
	if err != nil {
		w.t.Fatal(err)
	}
	if sub == nil {
		w.t.Fatalf("no stream, but %+v", st)
	}
	return w.drain(sub)
}

func (w *world) view(id string) view.View {
	w.t.Helper()
	v, err := w.run.View(w.p(), id)
	if err != nil {
		w.t.Fatal(err)
	}
	if got := dialog.Format(v.Dialog); got != v.Text {
		w.t.Errorf("the file is not canonical:\n%s", v.Text)
	}
	return v
}

// sections are a dialog's sections in short: role, status or kind.
func sections(d *dialog.Dialog) string {
	var out []string
	for i := range d.Sections {
		s := &d.Sections[i]
		word := string(s.Role)
		if k := s.Kind(); k != "" {
			word += "/" + k
		}
		if s.Role == dialog.ToolResult {
			word += "/" + s.Meta.Get("Status")
		}
		out = append(out, word)
	}
	return strings.Join(out, ", ")
}

func control(text string) *string { return &text }

func text(s string) []provider.Event { return []provider.Event{provider.Text{Piece: s}} }

func write(id, path, content string) provider.Call {
	return provider.Call{ID: id, Name: "write_file", Args: `{"path":"` + path + `","content":"` + content + `"}`}
}
