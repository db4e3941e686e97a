package mcp

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"vibey/dialog"
	"vibey/provider"
	"vibey/provider/anthropic"
	"vibey/provider/providertest"
	"vibey/server"
	"vibey/server/project"
	"vibey/server/turn"
	"vibey/server/view"
	"vibey/tools/sandbox"
)

const (
	testToken = "0123456789abcdef0123456789abcdef"
	testKey   = "a-key-that-nobody-may-read"
)

// shop is a project p, a runner and a scripted model, with a Server over them.
type shop struct {
	*Server
	t    *testing.T
	root string
	p    *project.Project
	mock *providertest.Mock
}

func newShop(t *testing.T, script providertest.Script) *shop {
	t.Helper()
	s := &shop{t: t, root: filepath.Join(t.TempDir(), "vibey"), mock: providertest.New(script)}
	model := httptest.NewServer(s.mock)
	t.Cleanup(model.Close)
	claude := anthropic.New(provider.Config{Name: "claude", BaseURL: model.URL, Key: func() string { return "k" }})
	var runner *turn.Runner
	store, err := project.Open(s.root, project.Options{Summarize: func(p, id string, st dialog.Status, d *dialog.Dialog, g *dialog.Digest) project.Summary {
		return runner.Summarize(p, id, st, d, g)
	}})
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	runner = turn.New(&turn.World{World: view.World{
		Store: store, Sandbox: sandbox.Probe(sandbox.Config{}), Home: func(string, bool) (string, error) { return home, nil },
		Provider: func(name string) (provider.Provider, bool) { return claude, name == "claude" },
		Key:      []byte("0123456789abcdef0123456789abcdef"), Now: time.Now, Log: slog.New(slog.DiscardHandler),
	}, Secrets: func() []string { return nil }})
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		runner.Shutdown(ctx)
		store.Close()
	})
	if err := store.Create("p", ""); err != nil {
		t.Fatal(err)
	}
	if s.p, err = store.Project("p"); err != nil {
		t.Fatal(err)
	}
	s.Server = New(Config{
		Store: store, Turns: runner, First: func() string { return "claude" }, Version: "v-test",
		Clean: strings.NewReplacer(testKey, "[key]").Replace, Log: slog.New(slog.DiscardHandler),
	})
	return s
}

// stdio connects a client of the SDK over pipes, as over stdin and stdout.
func (s *shop) stdio() *sdk.ClientSession {
	s.t.Helper()
	in, theirOut := io.Pipe()
	theirIn, out := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(context.Background(), in, out) }()
	c := s.connect(&sdk.IOTransport{Reader: theirIn, Writer: theirOut})
	s.t.Cleanup(func() {
		c.Close()
		if err := <-ended; err != nil {
			s.t.Errorf("Serve at the end of its input: %v", err)
		}
	})
	return c
}

func (s *shop) connect(over sdk.Transport) *sdk.ClientSession {
	s.t.Helper()
	c, err := sdk.NewClient(&sdk.Implementation{Name: "test"}, nil).Connect(context.Background(), over, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	return c
}

// door serves the whole skin, with the route.
func (s *shop) door() (url string) {
	s.t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		s.t.Fatal(err)
	}
	srv := server.HTTP(server.New(server.Config{
		Store: s.Store, Turns: s.Turns, Token: testToken, MCP: s.Handler(),
		Login: func(string) (string, bool) { return "", false },
	}))
	go srv.Serve(l)
	s.t.Cleanup(func() { srv.Close() })
	return "http://" + l.Addr().String() + "/mcp"
}

// call calls a tool and decodes its structured answer.
func call[T any](t *testing.T, c *sdk.ClientSession, name string, args any) (out T) {
	t.Helper()
	res := called(t, c, name, args)
	if res.IsError {
		t.Fatalf("%s %v: %s", name, args, text(res))
	}
	b, err := json.Marshal(res.StructuredContent)
	if err == nil {
		err = json.Unmarshal(b, &out)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// failed calls a tool that has to fail, and returns its words.
func failed(t *testing.T, c *sdk.ClientSession, name string, args any) string {
	t.Helper()
	res := called(t, c, name, args)
	if !res.IsError {
		t.Fatalf("%s %v did not fail: %s", name, args, text(res))
	}
	return text(res)
}

func called(t *testing.T, c *sdk.ClientSession, name string, args any) *sdk.CallToolResult {
	t.Helper()
	res, err := c.CallTool(context.Background(), &sdk.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		t.Fatalf("%s %v: %v", name, args, err)
	}
	return res
}

func text(res *sdk.CallToolResult) string {
	var b strings.Builder
	for _, c := range res.Content {
		if c, ok := c.(*sdk.TextContent); ok {
			b.WriteString(c.Text)
		}
	}
	return b.String()
}

type m = map[string]any
