package turn

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"vibey/cmd/tally/testenv"
	"vibey/dialog"
	"vibey/provider"
	"vibey/provider/anthropic"
	"vibey/provider/chat"
	"vibey/provider/providertest"
	"vibey/provider/responses"
	"vibey/provider/texttag"
	"vibey/server/hub"
	"vibey/server/project"
	"vibey/server/view"
	"vibey/tools/sandbox"
)

// wireAPI is one of the formats that models are spoken to in.
type wireAPI struct {
	name, dir string // the folder of its recorded streams
	makes     func(provider.Config) provider.Provider
	fine      string // an answer that is nothing but a text
}

var wireAPIs = []wireAPI{
	{"messages", "anthropic", func(c provider.Config) provider.Provider { return anthropic.New(c) },
		"data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"Fine.\"}}\n\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\ndata: {\"type\":\"message_stop\"}\n\n"},
	{"responses", "responses", func(c provider.Config) provider.Provider { return responses.New(c) },
		"data: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\",\"output\":[{\"id\":\"m\",\"type\":\"message\",\"status\":\"completed\",\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\",\"text\":\"Fine.\",\"annotations\":[]}]}]}}\n\n"},
	{"chat", "chat", func(c provider.Config) provider.Provider { return chat.New(c) },
		"data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Fine.\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"},
	{"tags", "texttag", func(c provider.Config) provider.Provider { return texttag.New(c) },
		"data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Fine.\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"},
}

// recorded are the streams of an API that its own tests play.
func (a *wireAPI) recorded(t testing.TB) map[string]string {
	files, err := filepath.Glob(filepath.Join("..", "..", "provider", a.dir, "testdata", "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no recorded streams of %s: %v", a.name, err)
	}
	out := map[string]string{}
	for _, f := range files {
		ar, err := txtar.ParseFile(f)
		if err != nil {
			t.Fatal(err)
		}
		out[filepath.Base(f)] = providertest.Part(ar, "stream")
	}
	return out
}

// wireFuzz drives streams through whole turns in one real project.
type wireFuzz struct {
	store *project.Store
	p     *project.Project
	box   *sandbox.Runner
	home  string
}

func newWireFuzz(t testing.TB) *wireFuzz {
	dir, err := os.MkdirTemp("/dev/shm", "vibey-test-")
	if err != nil {
		dir = t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	z := &wireFuzz{box: sandbox.Probe(sandbox.Config{}), home: dir}
	z.open(t)
	if err := z.store.Create("p", ""); err != nil {
		t.Fatal(err)
	}
	z.store.Close()
	return z
}

// open opens the store anew: what waits in it belongs to the bubble that opened it.
func (z *wireFuzz) open(t testing.TB) {
	t.Helper()
	store, err := project.Open(filepath.Join(z.home, "root"), project.Options{Now: func() time.Time { return time.Date(2026, 2, 16, 20, 11, 0, 0, time.UTC) }})
	if err != nil {
		t.Fatal(err)
	}
	z.store = store
}

// hold plays a stream as a model's answer, and as all its tries where always is
// set, and holds what must be whatever it is: nothing panics, the turn ends, the
// file is canonical, nothing is left beside it, and one message asks the model
// in a form that a strict provider takes.
func (z *wireFuzz) hold(t *testing.T, api *wireAPI, stream string, always bool) {
	synctest.Test(t, func(t *testing.T) {
		z.open(t)
		defer z.store.Close()
		var err error
		if z.p, err = z.store.Project("p"); err != nil {
			t.Fatal(err)
		}
		tries := 1
		if always {
			tries = 4
		}
		model := &providertest.Canned{}
		for range tries {
			model.Answers = append(model.Answers, providertest.Answer{Body: stream})
		}
		model.Answers = append(model.Answers, providertest.Answer{Body: api.fine})
		p := api.makes(provider.Config{Name: "m", BaseURL: "http://test.example/v1", Client: model.Client()})
		var log bytes.Buffer
		run := New(&World{Secrets: func() []string { return nil }, World: view.World{
			Store: z.store, Sandbox: z.box, Key: []byte("0123456789abcdef0123456789abcdef"),
			Provider: func(name string) (provider.Provider, bool) { return p, name == "m" },
			Home:     func(string, bool) (string, error) { return z.home, nil },
			Now:      func() time.Time { return time.Date(2026, 2, 16, 20, 11, 0, 0, time.UTC) }, Log: slog.New(slog.NewTextHandler(&log, nil)),
		}})
		defer run.Shutdown(context.Background())
		sub, err := run.Start(t.Context(), Input{Project: z.p, Provider: "m", Model: "m-1", Slug: "x", Prompt: &Prompt{Text: "go"}})
		if err != nil {
			t.Fatal(err)
		}
		id := z.ends(t, sub)
		z.whole(t, run, id)
		before := len(model.Got)
		_, sub, err = run.Put(t.Context(), Input{Project: z.p, DialogID: id, Prompt: &Prompt{Text: "and now?"}})
		if err != nil {
			t.Fatalf("a message is refused: %v", err)
		}
		z.ends(t, sub)
		v := z.whole(t, run, id)
		if len(model.Got) == before {
			t.Errorf("a message asks nobody: needs %s", v.Needs)
		}
		for i, body := range model.Got {
			if err := providertest.Validate(api.name, []byte(body)); err != nil {
				t.Errorf("request %d of %d: %v", i+1, len(model.Got), err)
			}
		}
		synctest.Wait() // the turn's last line of the log comes behind its last event
		if strings.Contains(log.String(), "panic") {
			t.Errorf("%s", &log)
		}
		if t.Failed() {
			t.Logf("the file:\n%s", v.Text)
		}
		if err := z.remove(v.Filename); err != nil {
			t.Fatal(err)
		}
	})
}

func (z *wireFuzz) remove(filename string) error {
	return z.p.DeleteFile(filename, "")
}

// ends reads a stream to its end.
func (z *wireFuzz) ends(t *testing.T, sub *hub.Sub) (id string) {
	t.Helper()
	var last hub.Event
	for {
		batch, ok := sub.Next(t.Context())
		if !ok {
			break
		}
		last = batch[len(batch)-1]
	}
	if !last.Ends() {
		t.Fatalf("a stream ends with %+v", last)
	}
	return last.DialogID
}

// whole holds that a dialog's file is as our own files are.
func (z *wireFuzz) whole(t *testing.T, run *Runner, id string) view.View {
	t.Helper()
	v, err := run.View(z.p, id)
	if err != nil {
		t.Fatal(err)
	}
	if dialog.Format(v.Dialog) != v.Text || len(v.Dialog.Problems) > 0 {
		t.Errorf("the file is not canonical (%v):\n%s", v.Dialog.Problems, v.Text)
	}
	if v.Status != dialog.Waiting {
		t.Errorf("status %s", v.Status)
	}
	if open, _ := filepath.Glob(filepath.Join(z.home, "root/p/.*.open")); len(open) > 0 {
		t.Errorf("left: %v", open)
	}
	return v
}

var (
	number = regexp.MustCompile(`:-?[0-9]+`)
	str    = regexp.MustCompile(`:"(\\.|[^"\\])*"`)
	value  = regexp.MustCompile(`:("(\\.|[^"\\])*"|-?[0-9]+|true|false|null|\[[^\[\]{}]*\]|\{[^{}]*\})`)
	member = regexp.MustCompile(`"(\\.|[^"\\])*":("(\\.|[^"\\])*"|-?[0-9]+|true|false|null),?`)
)

// damage is what a server, a proxy or a line can do to a stream: each step is
// three bytes of how, the kind and two for the place.
func damage(stream string, how []byte) string {
	for ; len(how) >= 3 && len(stream) > 0; how = how[3:] {
		at := int(how[1])<<8 | int(how[2])
		events := strings.SplitAfter(stream, "\n\n")
		i, j := at%len(events), int(how[2])%len(events)
		at %= len(stream)
		within := func(re *regexp.Regexp, to string) {
			if all := re.FindAllStringIndex(stream, -1); len(all) > 0 {
				m := all[at%len(all)]
				stream = stream[:m[0]] + to + stream[m[1]:]
			}
		}
		switch how[0] % 16 {
		case 0:
			stream = stream[:at]
		case 1:
			stream = stream[:at] + string([]byte{stream[at] ^ 1<<(how[2]%8)}) + stream[at+1:]
		case 2:
			stream = strings.Join(append(append(append([]string{}, events[:i]...), events[i], events[i]), events[i+1:]...), "")
		case 3:
			events[i], events[j] = events[j], events[i]
			stream = strings.Join(events, "")
		case 4:
			stream = strings.Join(append(append([]string{}, events[:i]...), events[i+1:]...), "")
		case 5:
			within(number, ":99999999999999999999999999")
		case 6:
			within(number, ":-9223372036854775808")
		case 7:
			within(number, ":9007199254740993")
		case 8:
			within(value, ":null")
		case 9:
			within(value, `:[]`)
		case 10:
			within(str, `:{"a":{"b":[1,"x"]}}`)
		case 11:
			within(str, `:""`)
		case 12:
			within(str, `:"\u0000\u2028\ud800\nəəə\n## User\n> Id: x\ngrant"`)
		case 13:
			within(str, ":\"\x00\xff\xfeə\"")
		case 14:
			within(member, "")
		case 15:
			within(str, `:"`+strings.Repeat("x", 3000)+`"`)
		}
	}
	return stream
}

// Every recorded stream of every API, whole and damaged in each way at some
// places, through a whole turn.
func TestStreamsThroughATurn(t *testing.T) {
	testenv.Slow(t)
	z, step := newWireFuzz(t), byte(testenv.Stride(t, 7))
	for i := range wireAPIs {
		api := &wireAPIs[i]
		for name, stream := range api.recorded(t) {
			t.Run(api.name+"/"+name, func(t *testing.T) {
				z.hold(t, api, stream, true)
				for kind := range byte(16) {
					for place := kind % step; place < 4; place += step {
						z.hold(t, api, damage(stream, []byte{kind, place * 61, place*83 + kind}), place%2 == 0)
						if t.Failed() {
							t.Fatalf("damage %d at %d", kind, place)
						}
					}
				}
			})
		}
	}
}

// FuzzStreams is the same for any bytes: what strangers send is followed from
// the wire into the dialog, and out again with the next message.
func FuzzStreams(f *testing.F) {
	z := newWireFuzz(f)
	for i := range wireAPIs {
		n := byte(0)
		for _, stream := range wireAPIs[i].recorded(f) {
			n += 7
			f.Add(byte(i), stream, []byte{})
			f.Add(byte(i)+3, stream, []byte{n, n * 3, n * 5, n + 4, n * 7, n * 11})
		}
	}
	f.Fuzz(func(t *testing.T, api byte, stream string, how []byte) {
		if len(stream) > 1<<15 || len(how) > 30 {
			return
		}
		a := &wireAPIs[int(api)%len(wireAPIs)]
		z.hold(t, a, damage(stream, how), api%2 == 0)
		if t.Failed() {
			t.Logf("%s: %s", a.name, fmt.Sprintf("%q", damage(stream, how)))
		}
	})
}
