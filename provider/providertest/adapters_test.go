package providertest_test

import (
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"vibey/dialog/history"
	"vibey/dialog/jsontext"
	"vibey/provider"
	"vibey/provider/anthropic"
	"vibey/provider/chat"
	"vibey/provider/providertest"
	"vibey/provider/responses"
	"vibey/provider/texttag"
)

var update = flag.Bool("update", false, "rewrite the events in the adapters' testdata/*.txtar")

// adapter is one of the packages that speak a wire format.
type adapter struct {
	name              string // its folder beside this one; testdata/*.txtar in it are its fixtures
	make              func(provider.Config) provider.Provider
	head, token, tail string // one token of a stream, and what stands around it
}

var adapters = []adapter{
	{
		"anthropic", func(c provider.Config) provider.Provider { return anthropic.New(c) },
		"event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n",
		"event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"word \"}}\n\n",
		"event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n",
	},
	{
		"responses", func(c provider.Config) provider.Provider { return responses.New(c) }, "",
		"event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\"sequence_number\":4,\"item_id\":\"msg_68a5b3cb1cd0819f8a1c1b8ef0a3a1f50\",\"output_index\":0,\"content_index\":0,\"delta\":\"word \",\"logprobs\":[],\"obfuscation\":\"x8Kq\"}\n\n",
		"data: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\"}}\n\n",
	},
	{
		"chat", func(c provider.Config) provider.Provider { return chat.New(c) }, "",
		"data: {\"id\":\"chatcmpl-BzT7sW9\",\"object\":\"chat.completion.chunk\",\"created\":1760000000,\"model\":\"gpt-5.4-2026-03-05\",\"service_tier\":\"default\",\"system_fingerprint\":null,\"choices\":[{\"index\":0,\"delta\":{\"content\":\"word \"},\"logprobs\":null,\"finish_reason\":null}],\"usage\":null}\n\n",
		"data: [DONE]\n\n",
	},
	{
		"texttag", func(c provider.Config) provider.Provider { return texttag.New(c) }, "",
		"data: {\"id\":\"chatcmpl-BzT7sW9\",\"object\":\"chat.completion.chunk\",\"created\":1760000000,\"model\":\"gemma3:4b\",\"system_fingerprint\":\"fp_ollama\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"word \"},\"finish_reason\":null}]}\n\n",
		"data: [DONE]\n\n",
	},
}

// with returns the adapter's provider behind a client.
func (a adapter) with(c *http.Client) provider.Provider {
	return a.make(provider.Config{Name: "test", BaseURL: "http://test.example/v1", Client: c})
}

// play returns the trace of one answer.
func (a adapter) play(t *testing.T, answer providertest.Answer) (trace string) {
	synctest.Test(t, func(t *testing.T) {
		c := &providertest.Canned{Answers: []providertest.Answer{answer}}
		trace = providertest.Trace(a.with(c.Client()).Stream(t.Context(), providertest.Question()))
	})
	return trace
}

// fixtures returns the adapter's fixtures by file.
func (a adapter) fixtures(t testing.TB) map[string]*txtar.Archive {
	files, err := filepath.Glob(filepath.Join("..", a.name, "testdata", "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s has no testdata/*.txtar: %v", a.name, err)
	}
	all := map[string]*txtar.Archive{}
	for _, file := range files {
		if all[file], err = txtar.ParseFile(file); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// TestFixtures plays each adapter's fixtures to it: "stream" is what a server
// sends, "events" the trace that must come of it, however the bytes arrive. Then
// it cuts each stream at every event: nothing may come that the whole did not
// bring, no cut one may finish, and what came stays.
func TestFixtures(t *testing.T) {
	for _, a := range adapters {
		for file, fixture := range a.fixtures(t) {
			t.Run(a.name+"/"+strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
				stream, want := providertest.Part(fixture, "stream"), providertest.Part(fixture, "events")
				got := a.play(t, providertest.Answer{Body: stream})
				if *update && got != want {
					replace(fixture, "events", got)
					if err := os.WriteFile(file, txtar.Format(fixture), 0o644); err != nil {
						t.Fatal(err)
					}
					want = got
				}
				if d := cmp.Diff(want, got); d != "" {
					t.Fatalf("events (-want +got):\n%s", d)
				}
				for _, chunk := range []int{1, 7, 100} {
					if d := cmp.Diff(want, a.play(t, providertest.Answer{Body: stream, Chunk: chunk})); d != "" {
						t.Errorf("in pieces of %d bytes (-want +got):\n%s", chunk, d)
					}
				}
				a.cutEverywhere(t, stream, want)
			})
		}
	}
}

func replace(a *txtar.Archive, name, data string) {
	for i := range a.Files {
		if a.Files[i].Name == name {
			a.Files[i].Data = []byte(data)
		}
	}
}

// cutEverywhere ends the stream behind each event and within each.
func (a adapter) cutEverywhere(t *testing.T, stream, whole string) {
	for at := 0; at < len(stream); {
		n := strings.Index(stream[at:], "\n\n")
		if n < 0 {
			break
		}
		for _, end := range []int{at + n/2, at + n + 2} {
			for _, then := range []string{"", "cut", "silence"} {
				a.checkCut(t, a.play(t, providertest.Answer{Body: stream[:end], Then: then}), whole, end)
			}
		}
		at += n + 2
	}
}

// checkCut holds the trace of a cut stream against that of the whole.
func (a adapter) checkCut(t *testing.T, got, whole string, end int) {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(got, "\n"), "\n")
	last := lines[len(lines)-1]
	if got == whole || strings.HasPrefix(last, "finish ") && strings.Contains(whole, "\n"+strings.SplitN(last, " in=", 2)[0]) {
		return // all that mattered was there
	}
	if !strings.HasPrefix(last, "error ") {
		t.Errorf("cut at %d: ends with %q", end, last)
	}
	for _, line := range lines[:len(lines)-1] {
		verb, _, _ := strings.Cut(line, " ")
		switch verb {
		case "call", "reasoning":
			if !strings.Contains(whole, line+"\n") {
				t.Errorf("cut at %d: %q is not in the whole", end, line)
			}
		case "text", "text+", "thinking":
			if said := strings.TrimSuffix(line, `"`); !strings.Contains(whole, said) && !(a.name == "texttag" && halfTag(said, whole)) {
				t.Errorf("cut at %d: %q is not how the whole begins", end, line)
			}
		case "finish":
			t.Errorf("cut at %d: %q, and an error behind it", end, line)
		}
	}
}

// halfTag reports whether said is a text of the whole, and the beginning of the tag
// that followed it there: cut off, that is text as well.
func halfTag(said, whole string) bool {
	for i, c := range said {
		if c == '<' && strings.HasPrefix("<mcp:", said[i:min(len(said), i+5)]) && (said[:i] == `text "` || strings.Contains(whole, said[:i]+"\"\ncall ")) {
			return true
		}
	}
	return false
}

// FuzzStream plays any bytes to each adapter, the fixtures of all being the
// seeds. Whatever comes: it ends with a Finish or an error, with nothing behind
// either; native blocks are JSON objects; and how the bytes were cut does not
// matter.
func FuzzStream(f *testing.F) {
	for _, a := range adapters {
		for _, fixture := range a.fixtures(f) {
			f.Add(providertest.Part(fixture, "stream"))
		}
	}
	f.Fuzz(func(t *testing.T, stream string) {
		for _, a := range adapters {
			whole := a.play(t, providertest.Answer{Body: stream})
			if pieces := a.play(t, providertest.Answer{Body: stream, Chunk: 3}); pieces != whole {
				t.Errorf("%s, in pieces:\n%s\nwhole:\n%s", a.name, pieces, whole)
			}
			checkWhole(t, a.name, whole)
		}
	})
}

// checkWhole holds the trace of any stream against what each promises.
func checkWhole(t *testing.T, name, whole string) {
	lines := strings.Split(strings.TrimSuffix(whole, "\n"), "\n")
	for i, line := range lines {
		verb, _, _ := strings.Cut(line, " ")
		last := i == len(lines)-1
		if ends := verb == "finish" || verb == "error"; ends != last {
			t.Errorf("%s: line %d of %d is %q", name, i+1, len(lines), line)
		}
		if verb != "reasoning" {
			continue
		}
		if _, native, _ := strings.Cut(line, "native="); native != "" && !strings.Contains(native, `native=`) && !jsontext.IsObject(native) {
			t.Errorf("%s: not a JSON object: %s", name, native)
		}
	}
}

// BenchmarkToken measures what one token of a stream costs, from the transport to
// the caller.
func BenchmarkToken(b *testing.B) {
	const n = 10_000
	for _, a := range adapters {
		b.Run(a.name, func(b *testing.B) {
			c := &providertest.Canned{Answers: []providertest.Answer{{Body: a.head + strings.Repeat(a.token, n) + a.tail}}}
			p := a.with(c.Client())
			b.ReportAllocs()
			for b.Loop() {
				texts := 0
				for e, err := range p.Stream(b.Context(), providertest.Question()) {
					if err != nil {
						b.Fatal(err)
					}
					if _, ok := e.(provider.Text); ok {
						texts++
					}
				}
				if texts != n {
					b.Fatalf("%d texts", texts)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/token")
		})
	}
}

// BenchmarkRound measures what it costs to make the request of round 10 and of
// round 1,000: one more response and its result behind a history with a memo.
func BenchmarkRound(b *testing.B) {
	for _, a := range adapters {
		p := a.with(nil)
		for _, rounds := range []int{10, 1000} {
			b.Run(fmt.Sprintf("%s/%d", a.name, rounds), func(b *testing.B) {
				before, after := histories(rounds)
				ask := func(h history.History, m *provider.Memo) {
					r := providertest.Question()
					r.History, r.Memo = h, m
					p.Stream(b.Context(), r) // the request is made here, and sent where it is ranged over
				}
				b.ReportAllocs()
				for b.Loop() {
					b.StopTimer()
					memo := &provider.Memo{}
					ask(before, memo)
					b.StartTimer()
					ask(after, memo)
				}
			})
		}
	}
}

// histories returns the history of a dialog of so many rounds, and the same with
// one more.
func histories(rounds int) (before, after history.History) {
	h := history.History{System: strings.Repeat("rule ", 800), Tools: providertest.Question().History.Tools}
	h.Items = append(make([]history.Item, 0, 3*rounds+4), history.Item{Kind: history.UserText, Text: "Go."})
	for i := range rounds + 1 {
		before = h
		id := fmt.Sprintf("call_%d", i)
		h.Items = append(h.Items,
			history.Item{Kind: history.AssistantText, Text: "I write the next file now, as planned."},
			history.Item{Kind: history.CallItem, CallID: id, Tool: "write_file", Args: `{"path":"deed/a","content":"` + strings.Repeat("x", 500) + `"}`})
		h.Stable = len(h.Items)
		h.Items = append(h.Items, history.Item{Kind: history.ResultItem, CallID: id, Tool: "write_file", Text: `{"success":true,"sha256":"` + strings.Repeat("0", 64) + `"}`})
	}
	return before, h
}
