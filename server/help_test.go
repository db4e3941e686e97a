package server

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"vibey/dialog"
	"vibey/provider"
	"vibey/provider/anthropic"
	"vibey/provider/providertest"
	"vibey/server/markdown"
	"vibey/server/project"
	"vibey/server/turn"
	"vibey/server/view"
	"vibey/tools/sandbox"
)

const testToken = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

// shop is a whole server on a port of its own, over real folders, a real
// runner, and a scripted model behind the Messages format.
type shop struct {
	t      *testing.T
	root   string // the projects' folder
	homes  string // of commands
	url    string
	mock   *providertest.Mock
	runner *turn.Runner
	store  *project.Store
	config Config
	keys   map[string]string
}

func newShop(t *testing.T, replies ...providertest.Reply) *shop {
	t.Helper()
	s := &shop{t: t, root: filepath.Join(t.TempDir(), "vibey"), keys: map[string]string{},
		mock: providertest.New(providertest.Script{Models: []string{"m-first", "m-second"}, Replies: replies})}
	model := httptest.NewServer(s.mock)
	t.Cleanup(model.Close)
	claude := anthropic.New(provider.Config{Name: "claude", BaseURL: model.URL, Key: func() string { return "k" }})
	s.open(offered{"claude": claude, "down": anthropic.New(provider.Config{Name: "down", BaseURL: "http://127.0.0.1:1"})})
	s.serve()
	if err := s.store.Create("p", ""); err != nil {
		t.Fatal(err)
	}
	return s
}

// offered are providers by name.
type offered map[string]provider.Provider

func (o offered) Names() []string { return []string{"claude", "down"} }

func (o offered) Provider(name string) (provider.Provider, bool) { p, ok := o[name]; return p, ok }

func (s *shop) open(providers offered) {
	store, err := project.Open(s.root, project.Options{Plain: markdown.Plain, State: s.t.TempDir(), Key: []byte("0123456789abcdef0123456789abcdef"), Summarize: func(p, id string, st dialog.Status, d *dialog.Dialog, g *dialog.Digest) project.Summary {
		return s.runner.Summarize(p, id, st, d, g)
	}})
	if err != nil {
		s.t.Fatal(err)
	}
	s.store = store
	s.homes = s.t.TempDir()
	s.runner = turn.New(&turn.World{World: view.World{
		Store: store, Provider: providers.Provider, Sandbox: sandbox.Probe(sandbox.Config{Limit: 5 * time.Second}),
		Home: func(p string, network bool) (string, error) {
			dir := s.home(p, network)
			return dir, os.MkdirAll(dir, 0o700)
		}, Key: []byte("0123456789abcdef0123456789abcdef"),
		Plain: markdown.Plain, Now: time.Now, Log: slog.New(slog.DiscardHandler),
	}, Secrets: func() []string { return nil }})
	s.config = Config{
		Store: store, Turns: s.runner, Providers: providers, Token: testToken, Version: "v-test",
		Health: func() Health {
			return Health{Sandbox: "none", Why: "Commands could run behind stronger walls.", Remedy: "sudo apt install bubblewrap"}
		}, AllowHosts: []string{"vibey.lan", "box:99"},
		Login: func(code string) (string, bool) { return testToken, code == "right" },
		SetKey: func(p, key string) error {
			if p != "claude" {
				return fs.ErrNotExist
			}
			s.keys[p] = key
			return nil
		},
		Client: fstest.MapFS{
			"index.html":                  {Data: []byte(`<!doctype html><meta name="csp-nonce" content="__NONCE__"><script type="module" src="/vibey-client.js"></script>`)},
			"vibey-client.js.gz":          {Data: zipped(builtScript)},
			"assets/whole-A1B2C3D4.js":    {Data: []byte(builtScript)},
			"assets/whole-A1B2C3D4.js.gz": {Data: zipped(builtScript)},
			"assets/torn-A1B2C3D4.js.gz":  {Data: zipped(builtScript)[:40]},
			"assets/editor-A1B2C3D4.js":   {Data: []byte("export {};\n")},
			"assets/icon.svg":             {Data: []byte("<svg/>")},
			"README":                      {Data: []byte("not for anybody")},
		},
	}
}

// builtScript is the window's script as it was before it was packed.
var builtScript = "export {};\n" + strings.Repeat("// vibey\n", 300)

func zipped(text string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	io.WriteString(z, text)
	z.Close()
	return b.Bytes()
}

// home names the HOME of a project's commands.
func (s *shop) home(project string, network bool) string {
	return filepath.Join(s.homes, fmt.Sprintf("%s-%v", project, network))
}

func (s *shop) serve() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		s.t.Fatal(err)
	}
	srv := HTTP(New(s.config))
	go srv.Serve(l)
	s.url = "http://" + l.Addr().String()
	s.t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		s.runner.Shutdown(ctx)
		srv.Close()
		s.store.Close()
	})
}

// request makes a request with the token.
func (s *shop) request(method, path string, body io.Reader, header ...string) *http.Request {
	s.t.Helper()
	r, err := http.NewRequest(method, s.url+path, body)
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+testToken)
	for i := 0; i < len(header); i += 2 {
		if header[i] == "Host" {
			r.Host = header[i+1]
			continue
		}
		if header[i+1] == "" {
			r.Header.Del(header[i])
			continue
		}
		r.Header.Set(header[i], header[i+1])
	}
	return r
}

var plainClient = &http.Client{
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	Transport:     &http.Transport{DisableCompression: true},
}

// do sends a request and reads the whole answer.
func (s *shop) do(r *http.Request) (*http.Response, string) {
	s.t.Helper()
	res, err := plainClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatalf("%s %s: %v", r.Method, r.URL.Path, err)
	}
	return res, string(b)
}

// json sends a JSON body, "" for none, and wants that status.
func (s *shop) json(method, path, body string, status int, header ...string) string {
	s.t.Helper()
	var in io.Reader
	if body != "" {
		in = strings.NewReader(body)
		header = append([]string{"Content-Type", "application/json"}, header...)
	}
	res, got := s.do(s.request(method, path, in, header...))
	if res.StatusCode != status {
		s.t.Fatalf("%s %s %s: %d, want %d: %s", method, path, excerpt(body), res.StatusCode, status, got)
	}
	return got
}

// get decodes a JSON answer.
func get[T any](s *shop, path string) T {
	s.t.Helper()
	return decode[T](s.t, s.json("GET", path, "", 200))
}

func decode[T any](t *testing.T, body string) T {
	t.Helper()
	var v T
	d := json.NewDecoder(strings.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	return v
}

// frame is one frame of a stream.
type frame struct {
	id, event, data string
	Type            string
	DialogID        string
	Filename        string
	Content         string
	Section         section
	ToolCalls       []requestedCall
	Status          any
	Needs           string
	Resources       dialog.Resources
	Message         string
	Kind            string
	Text            string
	Name            string
}

// follow opens a stream and reads its frames one by one.
type following struct {
	t    *testing.T
	res  *http.Response
	scan *bufio.Reader
}

func (s *shop) follow(r *http.Request) *following {
	s.t.Helper()
	res, err := plainClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { res.Body.Close() })
	if res.StatusCode != 200 || res.Header.Get("Content-Type") != eventStream {
		b, _ := io.ReadAll(res.Body)
		s.t.Fatalf("%s %s: no stream but %d %s", r.Method, r.URL.Path, res.StatusCode, b)
	}
	return &following{s.t, res, bufio.NewReader(res.Body)}
}

// next is the next frame; ok is false at the stream's end.
func (f *following) next() (fr frame, ok bool) {
	f.t.Helper()
	for {
		line, err := f.scan.ReadString('\n')
		if err == io.EOF && line == "" && fr.event == "" {
			return fr, false
		}
		if err != nil {
			f.t.Fatalf("the stream broke: %v", err)
		}
		field, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch field {
		case "id":
			fr.id = value
		case "event":
			fr.event = value
		case "data":
			fr.data = value
		case "":
			if fr.data == "" {
				continue // behind a comment
			}
			if err := json.Unmarshal([]byte(fr.data), &fr); err != nil {
				f.t.Fatalf("frame %s: %v", fr.data, err)
			}
			if fr.Type != fr.event {
				f.t.Errorf("event %q holds type %q", fr.event, fr.Type)
			}
			return fr, true
		}
	}
}

// all reads a stream to its end.
func (f *following) all() []frame {
	f.t.Helper()
	var out []frame
	for {
		fr, ok := f.next()
		if !ok {
			return out
		}
		out = append(out, fr)
	}
}

// types are frames in short, pieces of text as one.
func frameTypes(all []frame) string {
	var out []string
	for _, f := range all {
		s := f.Type
		if s == "section" {
			s += ":" + string(f.Section.Role)
		}
		if s != "chunk" || len(out) == 0 || out[len(out)-1] != s {
			out = append(out, s)
		}
	}
	return strings.Join(out, " ")
}

// post and put of a dialog, with a stream as the answer.
func (s *shop) dialog(method, body string) []frame {
	s.t.Helper()
	return s.follow(s.request(method, "/project/p/dialog", strings.NewReader(body), "Content-Type", "application/json")).all()
}

// treeHash is a hash over all names, kinds and bytes under a folder.
func treeHash(t *testing.T, dir string) string {
	t.Helper()
	h := sha256.New()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && d.Name() == ".locks" { // whoever asks for a lock leaves its empty file
			return filepath.SkipDir
		}
		io.WriteString(h, path+"\x00"+d.Type().String()+"\x00")
		if d.Type().IsRegular() {
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			h.Write(b)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return hex.EncodeToString(h.Sum(nil))
}

func (s *shop) write(name, content string) {
	s.t.Helper()
	path := filepath.Join(s.root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		s.t.Fatal(err)
	}
}
