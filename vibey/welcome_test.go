package vibey

import (
	"encoding/json"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"vibey/dialog"
)

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := fs.ReadFile(Welcome(), name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestWelcomeHoldsThreeFiles(t *testing.T) {
	var names []string
	err := fs.WalkDir(Welcome(), ".", func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			names = append(names, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(names)
	if want := []string{"deed/index.html", Cassette, "doc-main.md"}; !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
}

func TestCassetteIsADialog(t *testing.T) {
	text := read(t, Cassette)
	d := dialog.Parse(text)
	if len(d.Problems) > 0 || dialog.Format(d) != text {
		t.Errorf("the recording is not canonical: %v", d.Problems)
	}
	id, status, ok := dialog.ParseName(Cassette)
	if !ok || id != d.Header.DialogID || status != d.Header.Status || status != dialog.Done {
		t.Errorf("its name says %s, %s; its head %s, %s", id, status, d.Header.DialogID, d.Header.Status)
	}
	path := WelcomeName + "/" + Cassette
	if d.Header.Provider != "replay" || d.Header.Model != path || d.Header.Meta.Get("Pace") != "real" {
		t.Errorf("its head names %s, %s, pace %q", d.Header.Provider, d.Header.Model, d.Header.Meta.Get("Pace"))
	}
	for i := range d.Sections {
		s := &d.Sections[i]
		if err := dialog.CheckSection(s); err != nil {
			t.Error(err)
		}
		if s.Role == dialog.Assistant && s.Resources.In+s.Resources.Out+s.Resources.Total != 0 {
			t.Error("a recording that nobody paid for counts tokens")
		}
	}
}

// The recording must stay true whatever its reader decides, and before that too.
func TestCassetteClaimsNothing(t *testing.T) {
	d := dialog.Parse(read(t, Cassette))
	var roles []string
	for i := range d.Sections {
		s := &d.Sections[i]
		roles = append(roles, string(s.Role))
		if s.Role == dialog.ToolResult && (s.Meta.Get("Status") != dialog.CallError || strings.Contains(s.Text(), "sha256")) {
			t.Errorf("the recording holds a result as if it had run: %s", s.Text())
		}
	}
	if got := strings.Join(roles, ", "); got != "User, Assistant, Tool Request, Tool Result, Assistant" {
		t.Fatalf("the recording is %s", got)
	}
	for i, words := range map[int][]string{
		1: {"no model was called", "recording", WelcomeName + "/" + Cassette, "deed/index.html"},
		4: {"`\"success\": true`", "`Denied by user`", "sha256", "ANTHROPIC_API_KEY", "OPENAI_API_KEY", "Ollama", "--provider NAME=API,BASE_URL"},
	} {
		for _, w := range words {
			if !strings.Contains(d.Sections[i].Text(), w) {
				t.Errorf("section %d does not say %q", i, w)
			}
		}
	}
}

func TestCassetteLightsTheLamp(t *testing.T) {
	d := dialog.Parse(read(t, Cassette))
	page := read(t, "deed/index.html")
	var in struct {
		Description, Path string
		Old               string `json:"old_string"`
		New               string `json:"new_string"`
	}
	dec := json.NewDecoder(strings.NewReader(d.Sections[2].Text()))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&in); err != nil {
		t.Fatal(err)
	}
	if in.Path != "deed/index.html" || d.Sections[2].Tool() != "edit_file" {
		t.Errorf("%s of %s", d.Sections[2].Tool(), in.Path)
	}
	if n := strings.Count(page, in.Old); n != 1 {
		t.Fatalf("what it replaces stands %d times in the page", n)
	}
	lit := strings.Replace(page, in.Old, in.New, 1)
	if !strings.Contains(page, `data-lamp="dark"`) || !strings.Contains(lit, `<main data-lamp="lit">`) || strings.Contains(lit, `data-lamp="dark"`) {
		t.Error("the lamp does not go from dark to lit")
	}
	if !strings.Contains(page, `[data-lamp="lit"] .beam`) {
		t.Error("nothing in the page shines when the lamp is lit")
	}
}

// The page works offline, and a strict content policy has nothing to forbid in it.
func TestPageIsSelfContained(t *testing.T) {
	for _, word := range []string{"<script", "http:", "https:", "@import", "src=", "onclick", "onload"} {
		if strings.Contains(read(t, "deed/index.html"), word) {
			t.Errorf("the page holds %q", word)
		}
	}
}
