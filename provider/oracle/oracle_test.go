// Package oracle holds our adapters against the providers' own SDKs: both read
// the same streams, and must agree on what was said, called and counted; and
// the SDKs must understand the requests that we write. It is a module of its
// own, so that nobody who builds Vibey downloads the SDKs:
//
//	cd provider/oracle && go test ./...
package oracle

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"vibey/provider"
	"vibey/provider/providertest"
)

// said is what both sides must agree on.
type said struct {
	Text, Thinking string
	Calls          []string
	In, Out        int64
	Cached         int64
	Reasoning      int64
	Stop           string
	Failed         bool
}

func ours(p provider.Provider) (s said) {
	for e, err := range p.Stream(context.Background(), providertest.Question()) {
		if err != nil {
			s.Failed = true
			break
		}
		switch e := e.(type) {
		case provider.Text:
			s.Text += e.Piece
		case provider.Reasoning:
			s.Thinking += e.Text
		case provider.Call:
			s.Calls = append(s.Calls, fmt.Sprintf("%s %s %s", e.ID, e.Name, e.Args))
		case provider.Finish:
			r := e.Resources
			s.In, s.Out, s.Cached, s.Reasoning, s.Stop = r.In, r.Out, r.Cached, r.Reasoning, e.Detail
		}
	}
	return s
}

// fixtures runs check for each stream of an adapter, served over HTTP. Those in
// skip are outside of what its SDK documents; the reason stands with each.
func fixtures(t *testing.T, adapter string, skip map[string]string, check func(t *testing.T, url string) (ours, theirs said)) {
	files, err := filepath.Glob("../" + adapter + "/testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no fixtures of %s: %v", adapter, err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		if skip[name] != "" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/event-stream")
				fmt.Fprint(w, providertest.Part(a, "stream"))
			}))
			defer server.Close()
			us, them := check(t, server.URL)
			if us.Failed != them.Failed {
				t.Fatalf("we failed: %v, the SDK: %v", us.Failed, them.Failed)
			}
			if us.Failed {
				us.Text, them.Text = "", "" // what of a broken stream is told is ours to choose
			}
			if got, want := fmt.Sprintf("%+v", us), fmt.Sprintf("%+v", them); got != want {
				t.Errorf("we read:\n%s\nthe SDK:\n%s", got, want)
			}
		})
	}
}

// golden returns a request of testdata: request.json, or pictures.json.
func golden(t *testing.T, adapter, name string) []byte {
	t.Helper()
	b, err := os.ReadFile("../" + adapter + "/testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
