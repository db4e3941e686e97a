package turn

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"iter"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"vibey/cmd/tally/testenv"
	"vibey/dialog"
	"vibey/dialog/history"
	"vibey/provider"
	"vibey/provider/anthropic"
	"vibey/provider/chat"
	"vibey/provider/providertest"
	"vibey/provider/responses"
	"vibey/provider/texttag"
	"vibey/server/hub"
)

var damaged = flag.Int("damaged", 200, "how many damaged files TestNoTextWedgesADialog tries")

// strict is a model that takes a request only where each API would take it.
type strict struct {
	mu      sync.Mutex
	refused error
	reqs    []provider.Request
}

func (s *strict) API() string { return "messages" }

func (s *strict) Models(context.Context) ([]provider.Model, error) {
	return []provider.Model{{ID: "m-first"}}, nil
}

func (s *strict) Stream(ctx context.Context, r *provider.Request) iter.Seq2[provider.Event, error] {
	return func(yield func(provider.Event, error) bool) {
		s.mu.Lock()
		c := *r
		c.History.Items = slices.Clone(r.History.Items)
		s.reqs = append(s.reqs, c)
		n := len(s.reqs)
		c.Memo = nil
		for api, p := range map[string]provider.Writer{
			"messages": anthropic.New(provider.Config{}), "responses": responses.New(provider.Config{}),
			"chat": chat.New(provider.Config{BaseURL: "http://x/v1"}), "tags": texttag.New(provider.Config{}),
		} {
			body := providertest.Request(p, &c)
			if err := providertest.Validate(api, body); err != nil && s.refused == nil {
				s.refused = fmt.Errorf("%w\n%s", err, body)
			}
		}
		s.mu.Unlock()
		events := []provider.Event{provider.Begin{Prefix: strings.Repeat("0", 64)}, provider.Text{Piece: "Yes."}}
		if n%3 == 1 { // a call that waits until the next message, and one that can't run
			events = append(events, write(fmt.Sprint("new", n), "deed/x.txt", "x"), provider.Call{ID: "c 1", Name: "nothing", Args: "{"})
		}
		for _, e := range append(events, provider.Finish{Stop: provider.StopEnd}) {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// wedgeWorld is a world on a fast disk whose provider is strict.
func wedgeWorld(t testing.TB) (*world, *strict) {
	dir, err := os.MkdirTemp("/dev/shm", "vibey-test-")
	if err != nil {
		dir = t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	s := &strict{}
	w := &world{t: t, dir: dir, now: time.Date(2026, 2, 16, 20, 11, 0, 0, time.UTC)}
	w.restart()
	w.run.w.Provider = func(name string) (provider.Provider, bool) {
		return s, name == "claude" || name == "openai" || name == "other"
	}
	if err := w.run.w.Store.Create("p", ""); err != nil {
		t.Fatal(err)
	}
	return w, s
}

const wedgeID = "20260216-201100-x"

// wholeDialogs are texts to be damaged: the corpus of the format, and a dialog
// as the server itself writes one.
func wholeDialogs(t testing.TB) []string {
	paths, err := filepath.Glob("../../dialog/testdata/*.txtar")
	if err != nil || len(paths) < 40 {
		t.Fatalf("%d cases, %v", len(paths), err)
	}
	var texts []string
	for _, path := range paths {
		ar, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range ar.Files {
			if f.Name == "dialog.md" {
				texts = append(texts, string(f.Data))
			}
		}
	}
	for _, api := range []string{"messages", "responses", "chat"} {
		text := written(t, api)
		for range len(paths) / 10 { // as often as it takes to be drawn now and then
			texts = append(texts, text)
		}
	}
	return texts
}

// openResponse is what a kill leaves of a response.
const openResponse = "\n## Reasoning\n> Id: msg_r9\n> Time: 2026-02-16T20:11:00Z -\n\nəəəreasoning/markdown\nHm.\nəəə\n\n## Assistant\n> Id: msg_a9\n> Time: 2026-02-16T20:11:00Z -\n\nəəəoutput/markdown\nI do.\nəəə\n" +
	"\n## Tool Request\n> Id: call_o\n> Time: 2026-02-16T20:11:00Z - 2026-02-16T20:11:00Z\n> Resources: in=0 out=0 total=0 tools=0 ms=0\n> Parent: msg_a9\n> Tool: write_file\n> Status: pending\n\nəəətool/input/json\n{}\nəəə\n"

// written is a dialog as the server writes it with a provider of that API:
// reasoning, calls that ran, were denied, or are waiting, and grants.
func written(t testing.TB, api string) string {
	mock := httptest.NewServer(providertest.New(providertest.Script{Models: []string{"m"}, Replies: []providertest.Reply{
		{Reasoning: "I plan.", Text: "I write.", Calls: []providertest.Call{
			{ID: "call_a", Name: "write_file", Args: `{"path":"deed/a.txt","content":"a"}`}, {ID: "call_b", Name: "run_command", Args: `{"command":"true"}`}}},
		{Reasoning: "I look.", Calls: []providertest.Call{{ID: "call_c", Name: "no_such_tool", Args: `{}`}, {ID: "call_d", Name: "write_file", Args: `{"path":"deed/b.txt","content":"b"}`}}},
		{Text: "Done.", Calls: []providertest.Call{{ID: "call_e", Name: "run_command", Args: `{"command":"ls"}`}}},
	}}))
	defer mock.Close()
	c := provider.Config{Name: "claude", BaseURL: mock.URL + "/v1", Key: func() string { return "" }}
	p := map[string]provider.Provider{"messages": anthropic.New(c), "responses": responses.New(c), "chat": chat.New(c)}[api]
	w, _ := wedgeWorld(t)
	w.run.w.Provider = func(string) (provider.Provider, bool) { return p, true }
	sub, err := w.run.Start(context.Background(), Input{Project: w.p(), Provider: "claude", Model: "m", Slug: "x", Prompt: &Prompt{Text: "go"}})
	if err != nil {
		t.Fatal(err)
	}
	if id := w.drain(sub)[0].DialogID; id != wedgeID {
		t.Fatal(id)
	}
	w.put(Input{DialogID: wedgeID, Control: control("allow write_file\ncall_b deny")})
	v := w.view(wedgeID)
	if v.Needs != dialog.NeedsApproval || len(v.Dialog.Sections) < 12 {
		t.Fatalf("%s %+v", api, v.State)
	}
	return v.Text
}

// human sends a message, and names where it goes where the file does not say.
func (w *world) human(text string) error {
	v, err := w.run.View(w.p(), wedgeID)
	if err != nil {
		return fmt.Errorf("it can't be read: %w", err)
	}
	in := Input{Project: w.p(), DialogID: wedgeID, Prompt: &Prompt{Text: text}}
	if _, ok := w.run.w.Provider(v.Provider); !ok {
		in.Provider = "claude"
	}
	_, sub, err := w.run.Put(context.Background(), in)
	if err != nil {
		return fmt.Errorf("the message is refused: %w", err)
	}
	es := w.drain(sub)
	if last := es[len(es)-1]; last.Type != hub.DoneEvent && last.Type != hub.ToolEvent {
		return fmt.Errorf("the turn ends with %s: %s", last.Type, last.Message)
	}
	return nil
}

// before is what a human may do before the first message: nothing, Continue, or
// deny all that waits.
func (w *world) before(what int) error {
	in := Input{Project: w.p(), DialogID: wedgeID, Continue: what == 1}
	if what == 2 {
		v, err := w.run.View(w.p(), wedgeID)
		if err != nil {
			return err
		}
		in.Control = control("")
		for _, c := range v.Pending {
			*in.Control += c.ID + " deny\n"
		}
	}
	if what == 0 {
		return nil
	}
	_, sub, err := w.run.Put(context.Background(), in)
	if r := (*Refusal)(nil); err != nil && !errors.As(err, &r) {
		return fmt.Errorf("before a message: %w", err)
	}
	if sub != nil {
		w.drain(sub)
	}
	return nil
}

// wedges tells what is wrong with a server that finds that text, and perhaps an
// open response beside it: whether a human's message does not go on, or what
// goes out is nothing that a provider takes.
func wedges(w *world, s *strict, text, open string) error {
	old, _ := filepath.Glob(filepath.Join(w.dir, "root/p/*"+wedgeID+"*"))
	for _, path := range old {
		os.Remove(path)
	}
	status := []dialog.Status{dialog.Waiting, dialog.Waiting, dialog.Active, dialog.Done}[len(text)%4]
	path := filepath.Join(w.dir, "root/p", dialog.Filename(wedgeID, status))
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		return err
	}
	if open != "" {
		if err := os.WriteFile(filepath.Join(w.dir, "root/p", dialog.OpenName(wedgeID)), []byte(open), 0o644); err != nil {
			return err
		}
	}
	s.refused, s.reqs = nil, nil
	if err := w.before(len(text) % 3); err != nil {
		return err
	}
	for _, say := range []string{"first", "second"} {
		n := len(s.reqs)
		if err := w.human(say); err != nil {
			return err
		}
		switch {
		case s.refused != nil:
			return fmt.Errorf("behind %q: %w", say, s.refused)
		case len(s.reqs) == n:
			return fmt.Errorf("nothing went out behind %q", say)
		}
		items := s.reqs[n].History.Items
		if last := items[len(items)-1]; last.Text != say {
			return fmt.Errorf("the model does not see %q last, but %q", say, last.Text)
		}
	}
	if err := sameBeginning(s.reqs[len(s.reqs)-2:]); err != nil {
		return err
	}
	list, err := w.p().Dialogs()
	if err != nil || len(list) != 1 {
		return fmt.Errorf("listed as %+v, %v", list, err)
	}
	switch needs := dialog.Needs(list[0].Needs); { // one that an agent launched is done
	case list[0].Status == dialog.Done, needs == dialog.NeedsReply, needs == dialog.NeedsApproval:
	default:
		return fmt.Errorf("needs %q", needs)
	}
	return canonicalFrom(w, text)
}

// sameBeginning tells whether the second of two requests begins with the first.
func sameBeginning(reqs []provider.Request) error {
	a, b := reqs[0].History, reqs[1].History
	switch {
	case a.System != b.System:
		return errors.New("the second request has another system text")
	case !slices.Equal(a.Tools, b.Tools):
		return fmt.Errorf("the second request has other tools:\n%v\n%v", a.Tools, b.Tools)
	case len(b.Items) < len(a.Items) || !slices.Equal(a.Items, b.Items[:len(a.Items)]):
		return errors.New("the second request does not begin with the first")
	}
	return nil
}

// canonicalFrom tells whether what was appended to a text is as it would be written.
func canonicalFrom(w *world, text string) error {
	v, err := w.run.View(w.p(), wedgeID)
	if err != nil {
		return err
	}
	if len(v.Text) < len(text) || normalStatus(v.Text[:len(text)]) != normalStatus(text) {
		return fmt.Errorf("what stood in the file was changed")
	}
	appended := v.Text[len(text):]
	if v.Dialog.CRLF() {
		appended = strings.ReplaceAll(appended, "\r\n", "\n")
	}
	for i := range v.Dialog.Sections {
		if s := &v.Dialog.Sections[i]; v.Dialog.End(i) > len(text) && v.Dialog.Line(i) > strings.Count(text, "\n")+1 {
			if one := string(dialog.AppendSection(nil, s)); dialog.CheckSection(s) != nil || !strings.Contains(appended, one) {
				return fmt.Errorf("%v: appended, and not canonical: %q", dialog.CheckSection(s), one)
			}
		}
	}
	return nil
}

// normalStatus takes out the one word that may be written over.
func normalStatus(text string) string {
	if off, ok := dialog.StatusOffset(text); ok {
		return text[:off] + text[off+len("waiting"):]
	}
	return text
}

// TestNoToolsAreRefused: one damaged byte in what a dialog's model was told of its
// tools makes no request that an API refuses. The tools are told anew where it would.
func TestNoToolsAreRefused(t *testing.T) {
	text := written(t, "messages")
	const fence = "əəə" + dialog.ToolsJSON + "\n"
	from := strings.Index(text, fence) + len(fence)
	to := from + strings.IndexByte(text[from:], '\n')
	if d := dialog.Parse(text); !strings.Contains(history.Tools(d), text[from:to]) {
		t.Fatalf("the tools are not at %d", from)
	}
	requests, step := 0, testenv.Stride(t, 13)
	for i := from; i < to; i += step {
		for _, c := range []byte{text[i] ^ 1, '('} {
			d := dialog.Parse(text[:i] + string([]byte{c}) + text[i+1:])
			if history.Tools(d) == "" {
				continue // told anew
			}
			requests++
			d.Append(dialog.Section{Role: dialog.User, ID: "human", Payloads: []dialog.Payload{{Type: dialog.InputMarkdown, Text: "Go on."}}})
			r := provider.Request{Provider: "claude", Model: "m", History: history.Build(d)}
			if err := providertest.Validate("messages", providertest.Request(anthropic.New(provider.Config{}), &r)); err != nil {
				t.Fatalf("byte %d is %q: %v\n%s", i-from, c, err, history.Tools(d))
			}
		}
	}
	t.Logf("%d requests", requests)
}

// TestNoTextWedgesADialog: whatever damage a file has, one human message is
// enough to go on, and what goes out is legal on each API.
func TestNoTextWedgesADialog(t *testing.T) {
	w, s := wedgeWorld(t)
	texts := wholeDialogs(t)
	step := testenv.Stride(t, 5)
	for seed := 0; seed < *damaged; seed += step {
		r := rand.New(rand.NewPCG(uint64(seed), 6))
		text, open := damageFile(r, texts[r.IntN(len(texts))]), ""
		if r.IntN(6) == 0 {
			open = damageFile(r, openResponse)
		}
		if err := wedges(w, s, text, open); err != nil {
			t.Fatalf("seed %d: %v\n--- the file:\n%s\n%q\n--- the open response:\n%q", seed, err, text, text, open)
		}
	}
}

// FuzzNoTextWedgesADialog is the same without an end.
func FuzzNoTextWedgesADialog(f *testing.F) {
	texts := wholeDialogs(f)
	f.Add("\x00\x00\x00\x00", uint64(0))
	f.Add("", uint64(0))
	for i := range uint64(20) {
		f.Add("", i)
	}
	w, s := wedgeWorld(f)
	f.Fuzz(func(t *testing.T, text string, seed uint64) {
		if seed > 0 {
			h := fnv.New64()
			h.Write([]byte(text))
			r := rand.New(rand.NewPCG(seed, h.Sum64()))
			text = damageFile(r, texts[r.IntN(len(texts))])
		}
		w.t = t
		if err := wedges(w, s, text, ""); err != nil {
			t.Fatalf("%v\n--- the file:\n%s", err, text)
		}
	})
}
