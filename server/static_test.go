package server

import (
	"encoding/json"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
)

func TestShellHasANonceOfItsOwn(t *testing.T) {
	s := newShop(t)
	nonces := map[string]bool{}
	for range 3 {
		res, body := s.do(s.request("GET", "/", nil, "Authorization", ""))
		policy := res.Header.Get("Content-Security-Policy")
		m := regexp.MustCompile(`content="([A-Za-z0-9+/]{22})"`).FindStringSubmatch(body)
		if res.StatusCode != 200 || m == nil || !strings.Contains(policy, "'nonce-"+m[1]+"'") {
			t.Fatalf("%d %s %s", res.StatusCode, policy, body)
		}
		nonces[m[1]] = true
		for _, want := range []string{"default-src 'none'", "script-src 'self';", "img-src 'self' data: blob:", "connect-src 'self'", "require-trusted-types-for 'script'", "frame-ancestors 'none'", "base-uri 'none'"} {
			if !strings.Contains(policy, want) {
				t.Errorf("the policy lacks %s: %s", want, policy)
			}
		}
		if strings.Contains(policy, "unsafe") || res.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s, %s", policy, res.Header.Get("Cache-Control"))
		}
	}
	if len(nonces) != 3 {
		t.Error("a nonce came twice")
	}
}

func TestAssets(t *testing.T) {
	s := newShop(t)
	for path, want := range map[string]string{
		"/vibey-client.js":           "text/javascript; charset=utf-8|no-cache",
		"/assets/editor-A1B2C3D4.js": "text/javascript; charset=utf-8|public, max-age=31536000, immutable",
		"/assets/icon.svg":           "image/svg+xml|no-cache",
		"/favicon.ico":               "image/svg+xml|no-cache",
	} {
		res, body := s.do(s.request("GET", path, nil, "Authorization", ""))
		if got := res.Header.Get("Content-Type") + "|" + res.Header.Get("Cache-Control"); res.StatusCode != 200 || got != want || body == "" {
			t.Errorf("%s: %d %s", path, res.StatusCode, got)
		}
		if res, _ := s.do(s.request("GET", path, nil, "If-None-Match", res.Header.Get("ETag"))); res.StatusCode != 304 {
			t.Errorf("%s again: %d", path, res.StatusCode)
		}
	}
	for _, path := range []string{"/assets/README", "/README", "/index.html", "/assets/nothing.js", "/vibey-client.js.gz", "/assets/icon.svg.gz"} {
		if res, _ := s.do(s.request("GET", path, nil)); res.StatusCode != 404 {
			t.Errorf("%s: %d", path, res.StatusCode)
		}
	}
}

// A file comes in gzip to a client that takes it, and unpacked to any other, each form
// with its own tag.
func TestAssetEncodings(t *testing.T) {
	s := newShop(t)
	gz := string(zipped(builtScript))
	tags := map[string]string{}
	for _, c := range []struct{ accept, encoding, body string }{
		{"", "", builtScript}, {"identity", "", builtScript}, {"deflate", "", builtScript}, {"br", "", builtScript},
		{"gzip, deflate, br, zstd", "gzip", gz}, {"GZIP", "gzip", gz}, {"*", "gzip", gz},
		{"gzip, deflate", "gzip", gz}, {"br;q=0, gzip;q=1.0", "gzip", gz}, {"br; q=0.000, *", "gzip", gz}, {"gzip;q=0.1", "gzip", gz},
		{"gzip, identity;q=0", "gzip", gz}, {"identity;q=0, *", "gzip", gz},
		{"gzip;q=0", "", builtScript}, {"gzip; q=0.000, *", "", builtScript}, {"identity;q=0", "", builtScript},
		{"br;q=0, gzip;q=0", "", builtScript}, {"*;q=0", "", builtScript}, {"xgzip, gzi, gz", "", builtScript}, {"gzip;q=x", "", builtScript},
	} {
		res, body := s.do(s.request("GET", "/vibey-client.js", nil, "Accept-Encoding", c.accept))
		if got := res.Header.Get("Content-Encoding"); res.StatusCode != 200 || got != c.encoding || body != c.body || res.ContentLength != int64(len(c.body)) {
			t.Errorf("%q: %d %q %d bytes, %.20q", c.accept, res.StatusCode, got, res.ContentLength, body)
		}
		tag := res.Header.Get("ETag")
		if was, ok := tags[c.encoding]; ok && was != tag || tag == "" || res.Header.Get("Vary") != "Accept-Encoding" {
			t.Errorf("%q: tag %s, was %s; varies by %s", c.accept, tag, was, res.Header.Get("Vary"))
		}
		tags[c.encoding] = tag
		head, nothing := s.do(s.request("HEAD", "/vibey-client.js", nil, "Accept-Encoding", c.accept))
		for _, h := range []string{"Content-Encoding", "Content-Length", "Content-Type", "ETag", "Vary", "Cache-Control"} {
			if head.Header.Get(h) != res.Header.Get(h) {
				t.Errorf("%q: HEAD has %s %q, GET %q", c.accept, h, head.Header.Get(h), res.Header.Get(h))
			}
		}
		if head.StatusCode != 200 || nothing != "" {
			t.Errorf("%q: HEAD %d with %d bytes", c.accept, head.StatusCode, len(nothing))
		}
	}
	if tags[""] == tags["gzip"] {
		t.Errorf("two forms have one tag: %v", tags)
	}
	for _, c := range []struct {
		accept, tag string
		status      int
	}{{"gzip", tags["gzip"], 304}, {"gzip", tags[""], 200}, {"", tags[""], 304}, {"", tags["gzip"], 200}, {"gzip;q=0", tags["gzip"], 200}} {
		res, _ := s.do(s.request("GET", "/vibey-client.js", nil, "Accept-Encoding", c.accept, "If-None-Match", c.tag))
		if res.StatusCode != c.status || res.StatusCode == 304 && (res.Header.Get("Vary") == "" || res.Header.Get("ETag") != c.tag) {
			t.Errorf("%s with %s: %d", c.accept, c.tag, res.StatusCode)
		}
	}
}

// A file may be there as it is, beside its packed form or alone. One that can't be
// unpacked is not there.
func TestAssetForms(t *testing.T) {
	s := newShop(t)
	for _, c := range []struct {
		path, accept, encoding, body string
		status                       int
	}{
		{"/assets/icon.svg", "br, gzip", "", "<svg/>", 200},
		{"/assets/whole-A1B2C3D4.js", "br", "", builtScript, 200},
		{"/assets/whole-A1B2C3D4.js", "gzip", "gzip", string(zipped(builtScript)), 200},
		{"/assets/torn-A1B2C3D4.js", "", "", "", 404},
	} {
		res, body := s.do(s.request("GET", c.path, nil, "Accept-Encoding", c.accept))
		if res.StatusCode != c.status || res.Header.Get("Content-Encoding") != c.encoding || c.status == 200 && body != c.body {
			t.Errorf("%s for %q: %d %q %.40q", c.path, c.accept, res.StatusCode, res.Header.Get("Content-Encoding"), body)
		}
	}
}

func TestUnbuiltWindowSaysHowToBuildIt(t *testing.T) {
	for _, files := range []fstest.MapFS{nil, {"README": {Data: []byte("x")}}} {
		s := &server{static: newStatic(files)}
		w := httptest.NewRecorder()
		if err := s.getShell(w, nil); err != nil || w.Code != 200 || !strings.Contains(w.Body.String(), "npx -y rust-just client") {
			t.Errorf("%v %d %s", err, w.Code, w.Body)
		}
		if err := s.getAsset(w, httptest.NewRequest("GET", "/vibey-client.js", nil)); problemOf(err).status != 404 || !strings.Contains(err.Error(), buildCommand) {
			t.Errorf("%v", err)
		}
		if err := s.getIcon(httptest.NewRecorder(), httptest.NewRequest("GET", "/favicon.ico", nil)); err != nil {
			t.Error(err)
		}
	}
}

func TestOpenAPIDescribesEveryRoute(t *testing.T) {
	s := newShop(t)
	d := decode[struct {
		OpenAPI  string
		Info     map[string]string
		Security []map[string][]string
		Paths    map[string]map[string]struct {
			Summary    string
			Security   *[]any
			Parameters []struct {
				Name, In string
				Required bool
				Schema   map[string]string
			}
			RequestBody *struct {
				Required bool
				Content  map[string]any
			}
			Responses map[string]struct {
				Description string
				Content     map[string]any
			}
		}
		Components struct {
			Schemas         map[string]map[string]any
			SecuritySchemes map[string]any
		}
	}](t, s.json("GET", "/openapi.json", "", 200))
	if d.OpenAPI != "3.1.0" || d.Info["version"] != "v-test" {
		t.Errorf("%+v", d.Info)
	}
	n := 0
	for _, r := range routes() {
		path := strings.ReplaceAll(r.path, ":.+", "")
		op, ok := d.Paths[path][strings.ToLower(r.method)]
		if ok == r.hidden {
			t.Errorf("%s %s: described %v", r.method, r.path, ok)
		}
		if r.hidden {
			continue
		}
		n++
		if op.Summary == "" || op.Responses["default"].Description == "" || len(op.Responses) < 2 || (op.Security != nil) != r.open || (op.RequestBody != nil) != (r.body != nil || r.takes != nil) {
			t.Errorf("%s %s: %+v", r.method, r.path, op)
		}
		if got := strings.Count(path, "{") + len(r.query); got != len(op.Parameters) {
			t.Errorf("%s %s: %d parameters", r.method, r.path, len(op.Parameters))
		}
	}
	all := 0
	for _, item := range d.Paths {
		all += len(item)
	}
	if n != all {
		t.Errorf("%d operations for %d routes", all, n)
	}
	b, err := json.Marshal(d.Components.Schemas)
	if err != nil {
		t.Fatal(err)
	}
	for _, ref := range regexp.MustCompile(`#/components/schemas/(\w+)`).FindAllStringSubmatch(string(b), -1) {
		if d.Components.Schemas[ref[1]] == nil {
			t.Errorf("%s is named but not described", ref[1])
		}
	}
}
