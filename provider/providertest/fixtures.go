package providertest

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"vibey/dialog"
	"vibey/provider"
)

// Fixtures plays each testdata/*.txtar of a package to the provider that
// makes returns: "stream" is what a server sends, "events" the trace that must
// come of it, however the bytes arrive. Then it cuts each stream at every
// event: nothing may come that the whole did not bring, no cut one may finish,
// and what came stays. update rewrites what is expected.
func Fixtures(t *testing.T, update bool, makes func(*http.Client) provider.Provider) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no testdata/*.txtar: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			stream, want := Part(a, "stream"), Part(a, "events")
			got := play(t, makes, Answer{Body: stream})
			if update && got != want {
				replace(a, "events", got)
				if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
				want = got
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Fatalf("events (-want +got):\n%s", d)
			}
			for _, chunk := range []int{1, 7, 100} {
				if d := cmp.Diff(want, play(t, makes, Answer{Body: stream, Chunk: chunk})); d != "" {
					t.Errorf("in pieces of %d bytes (-want +got):\n%s", chunk, d)
				}
			}
			cutEverywhere(t, makes, stream, want)
		})
	}
}

// Part returns a file of an archive, or "".
func Part(a *txtar.Archive, name string) string {
	for _, f := range a.Files {
		if f.Name == name {
			return string(f.Data)
		}
	}
	return ""
}

func replace(a *txtar.Archive, name, data string) {
	for i := range a.Files {
		if a.Files[i].Name == name {
			a.Files[i].Data = []byte(data)
		}
	}
}

func play(t *testing.T, makes func(*http.Client) provider.Provider, a Answer) (trace string) {
	synctest.Test(t, func(t *testing.T) {
		c := &Canned{Answers: []Answer{a}}
		trace = Trace(makes(c.Client()).Stream(t.Context(), Question()))
	})
	return trace
}

// cutEverywhere ends the stream behind each event and within each.
func cutEverywhere(t *testing.T, makes func(*http.Client) provider.Provider, stream, whole string) {
	for at := 0; at < len(stream); {
		n := strings.Index(stream[at:], "\n\n")
		if n < 0 {
			break
		}
		for _, end := range []int{at + n/2, at + n + 2} {
			for _, then := range []string{"", "cut", "silence"} {
				checkCut(t, play(t, makes, Answer{Body: stream[:end], Then: then}), whole, end)
			}
		}
		at += n + 2
	}
}

// checkCut holds the trace of a cut stream against that of the whole.
func checkCut(t *testing.T, got, whole string, end int) {
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
			if !strings.Contains(whole, strings.TrimSuffix(line, `"`)) {
				t.Errorf("cut at %d: %q is not how the whole begins", end, line)
			}
		case "finish":
			t.Errorf("cut at %d: %q, and an error behind it", end, line)
		}
	}
}

// Question is a request with a system text, two tools and one user text.
func Question() *provider.Request {
	schema := dialog.RawJSON(`{"type":"object","properties":{"command":{"type":"string"}}}`)
	return &provider.Request{
		Provider: "test", Model: "test-1", CacheKey: "20260216-201100-test",
		History: dialog.History{
			System: "You are a test.",
			Tools: []dialog.ToolSpec{
				{Name: "run_command", Description: "Runs a command.", Schema: schema},
				{Name: "write_file", Description: "Writes a file.", Schema: schema},
			},
			Items: []dialog.Item{{Kind: dialog.UserText, Text: "Go."}},
		},
	}
}
