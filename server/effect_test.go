package server

import (
	"encoding/json"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vibey/dialog"
	"vibey/dialog/effect"
	"vibey/server/project"
	"vibey/tools/layer"
)

const triedID = "20260216-201100-x"

// tried writes a dialog in which call c1 waits with an effect, ended by more sections.
func (s *shop) tried(e effect.Effect, held bool, more ...dialog.Section) {
	s.t.Helper()
	note, err := json.Marshal(map[string]any{"effect": e, "exitCode": 0, "stdout": "", "stderr": "", "ms": 1, "held": held})
	if err != nil {
		s.t.Fatal(err)
	}
	text := []byte(waitingDialog)
	for _, sec := range append([]dialog.Section{
		{Role: dialog.User, ID: "u1", Payloads: []dialog.Payload{{Type: dialog.InputMarkdown, Text: "go"}}},
		{Role: dialog.ToolRequest, ID: "c1", Meta: dialog.Fields{{Key: "Tool", Value: "run_command"}, {Key: "Status", Value: "pending"}}, Payloads: []dialog.Payload{{Type: dialog.ToolInput, Text: `{"command":"make"}`}}},
		{Role: dialog.Note, ID: "n0", Meta: dialog.Fields{{Key: "Kind", Value: dialog.StartedNote}, {Key: "Parent", Value: "c1"}, {Key: dialog.TriedKey, Value: "yes"}}, Payloads: []dialog.Payload{{Type: dialog.NoteMarkdown, Text: "started"}}},
		{Role: dialog.Note, ID: "n1", Meta: dialog.Fields{{Key: "Kind", Value: "effect"}, {Key: "Parent", Value: "c1"}}, Payloads: []dialog.Payload{{Type: dialog.NoteJSON, Text: string(note)}}},
	}, more...) {
		text = dialog.AppendSection(append(text, '\n'), &sec)
	}
	s.write("p/dialog-"+triedID+"-waiting.md", string(text))
}

// kept puts bytes into the project's .kept.
func (s *shop) kept(text string) {
	s.t.Helper()
	if err := os.MkdirAll(filepath.Join(s.root, "p/.kept"), 0o755); err != nil {
		s.t.Fatal(err)
	}
	s.write("p/.kept/"+hashOf(text), text)
}

func side(path, side string) string {
	return "/project/p/dialog/" + triedID + "/effect/c1?" + url.Values{"path": {path}, "side": {side}}.Encode()
}

func fileChange(path, before, after string) effect.Change {
	c := effect.Change{Path: path, Kind: effect.Changed, Type: effect.File, Before: hashOf(before), After: hashOf(after), Bytes: int64(len(after))}
	switch {
	case before == "":
		c.Kind, c.Before = effect.Added, ""
	case after == "":
		c.Kind, c.After = effect.Deleted, ""
	}
	return c
}

// Both sides of what a tried call changed are sent, as the effect's hashes name them, until
// it is answered.
func TestEffectsBytesAreSent(t *testing.T) {
	s := newShop(t)
	old, fresh := string(screenshot(t, 1)), string(screenshot(t, 2))
	all := []effect.Change{
		fileChange("deed/a.html", "<b>old</b>", "<b>new</b>"), fileChange("deed/gone", "gone", ""), fileChange("deed/moved", "as it was", "as it is"),
		fileChange("deed/no.png", "", "<script>"), fileChange("deed/ä b.png", old, fresh),
		{Path: "deed/link", Kind: effect.Added, Type: effect.Link, After: hashOf("../x")},
	}
	s.deed(map[string]string{"a.html": "<b>old</b>", "gone": "gone", "moved": "somebody's", "ä b.png": old, "secret": "not in it"})
	for _, text := range []string{"<b>new</b>", "as it was", "as it is", "<script>", fresh, "../x"} {
		s.kept(text)
	}
	s.tried(effect.Of(all), false)
	for _, c := range []struct{ path, side, want, typ string }{
		{"deed/a.html", "before", "<b>old</b>", octets},
		{"deed/a.html", "after", "<b>new</b>", octets},
		{"deed/gone", "before", "gone", octets},
		{"deed/moved", "before", "as it was", octets},
		{"deed/link", "after", "../x", octets},
		{"deed/no.png", "after", "<script>", octets},
		{"deed/ä b.png", "before", old, "image/png"},
		{"deed/ä b.png", "after", fresh, "image/png"},
	} {
		res, body := s.do(s.request("GET", side(c.path, c.side), nil))
		h := res.Header
		if res.StatusCode != 200 || body != c.want || h.Get("Content-Type") != c.typ {
			t.Errorf("%s %s: %d %s %q", c.path, c.side, res.StatusCode, h.Get("Content-Type"), excerpt(body))
		}
		if h.Get("X-Content-Type-Options") != "nosniff" || !strings.HasPrefix(h.Get("Content-Disposition"), "attachment; ") || h.Get("Content-Security-Policy") != dataPolicy[0] || h.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %v", c.path, h)
		}
	}
	for _, path := range []string{
		side("deed/gone", "after"), side("deed/link", "before"), side("deed/secret", "before"), side("deed/../doc-main.md", "before"), side("doc-main.md", "before"), side("", "after"),
		strings.Replace(side("deed/gone", "before"), "c1", "c2", 1), strings.Replace(side("deed/gone", "before"), "-x/", "-y/", 1),
	} {
		s.json("GET", path, "", 404)
	}
	s.json("GET", side("deed/gone", "now"), "", 400)
	if res, _ := s.do(s.request("GET", side("deed/gone", "before"), nil, "Authorization", "")); res.StatusCode != 401 {
		t.Errorf("without the token: %d", res.StatusCode)
	}

	s.deed(map[string]string{"gone": "again"})
	s.json("GET", side("deed/gone", "before"), "", 404)
	forged := effect.Of(all)
	forged.Changes[1].Before = hashOf("again")
	s.tried(forged, false)
	s.json("GET", side("deed/gone", "before"), "", 404)
	s.tried(effect.Of(all), false, dialog.Section{Role: dialog.ToolResult, ID: "c1", Meta: dialog.Fields{{Key: "Tool", Value: "run_command"}, {Key: "Status", Value: "denied"}}, Payloads: []dialog.Payload{{Type: dialog.ToolResultJSON, Text: `{"success":false}`}}})
	s.json("GET", side("deed/a.html", "after"), "", 404)
}

// What is too much to be shown is refused, and a link in the deed is read and not followed.
func TestEffectsBytesHaveLimits(t *testing.T) {
	s := newShop(t)
	most, more := strings.Repeat("x", sideMax), strings.Repeat("x", sideMax+1)
	png := string(screenshot(t, 1))
	large, tooLarge := png+strings.Repeat("x", pictureMax-len(png)), png+strings.Repeat("x", pictureMax-len(png)+1)
	s.deed(map[string]string{"a": most, "b": more, "c.png": large, "d.png": tooLarge, "e": tooLarge})
	s.write("secret", "secret")
	if err := os.Symlink("../../secret", filepath.Join(s.root, "p/deed/l")); err != nil {
		t.Fatal(err)
	}
	s.tried(effect.Of([]effect.Change{
		fileChange("deed/a", most, ""), fileChange("deed/b", more, ""), fileChange("deed/c.png", large, ""), fileChange("deed/d.png", tooLarge, ""), fileChange("deed/e", tooLarge, ""),
		{Path: "deed/l", Kind: effect.Deleted, Type: effect.Link, Before: hashOf("../../secret")},
	}), false)
	for path, want := range map[string]int{"deed/a": 200, "deed/b": 413, "deed/c.png": 200, "deed/d.png": 413, "deed/e": 413} {
		if res, _ := s.do(s.request("GET", side(path, "before"), nil)); res.StatusCode != want {
			t.Errorf("%s: %d", path, res.StatusCode)
		}
	}
	if _, body := s.do(s.request("GET", side("deed/l", "before"), nil)); body != "../../secret" {
		t.Errorf("a link: %q", body)
	}
}

// Bytes of an effect that is too large for .kept are those of its layer, held against the hash.
func TestEffectsBytesOfALayer(t *testing.T) {
	s := newShop(t)
	p, err := s.store.Project("p")
	if err != nil {
		t.Fatal(err)
	}
	deed, err := p.DeedDir()
	if err != nil {
		t.Fatal(err)
	}
	l, err := layer.Make(filepath.Join(t.TempDir(), "l"), deed, layer.Overlay)
	if err == nil {
		err = errors.Join(os.WriteFile(filepath.Join(l.Up(), "a"), []byte("in the layer"), 0o600), os.WriteFile(filepath.Join(l.Up(), "b"), []byte("in the layer"), 0o600),
			p.HoldLayer(l, project.Call{Dialog: triedID, ID: "c1"}, project.DeedLayer))
	}
	if err != nil {
		t.Fatal(err)
	}
	s.tried(effect.Of([]effect.Change{fileChange("deed/a", "", "in the layer"), fileChange("deed/b", "", "another"), fileChange("deed/none", "", "gone")}), true)
	if _, body := s.do(s.request("GET", side("deed/a", "after"), nil)); body != "in the layer" {
		t.Errorf("%q", body)
	}
	s.json("GET", side("deed/b", "after"), "", 404)
	s.json("GET", side("deed/none", "after"), "", 404)
}
