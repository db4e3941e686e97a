package tools

import (
	"encoding/base64"
	"encoding/hex"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"vibey/dialog"
	"vibey/dialog/change"
	"vibey/dialog/plan"
	"vibey/tools/browser"
)

const secret = "sk-ant-api03-Zm9vYmFy_0123456789-abcdefghijklmnop"

func TestMask(t *testing.T) {
	m := newMask([]string{secret, "", "short"})
	b64 := base64.StdEncoding.EncodeToString([]byte(secret))
	for text, want := range map[string]string{
		"":                                 "",
		"nothing here":                     "nothing here",
		"short words stay short":           "short words stay short",
		"key=" + secret + ";":              "key=[key];",
		secret + secret:                    "[key][key]",
		strings.ToUpper(secret):            strings.ToUpper(secret),
		hex.EncodeToString([]byte(secret)): "[key]",
		"x " + secret[:20] + "\n" + secret[20:] + " y": "x [key] y",
		secret[:20] + "\r\n" + secret[20:]:             "[key]",
		secret[:20] + " " + secret[20:]:                secret[:20] + " " + secret[20:],
	} {
		if got := m.clean(text); got != want {
			t.Errorf("clean(%q) = %q", text, got)
		}
	}
	if got := m.clean("a\n" + b64[:40] + "\n" + b64[40:] + "\nb"); strings.Contains(got, b64[8:16]) || !strings.HasPrefix(got, "a\n") || !strings.HasSuffix(got, "\nb") {
		t.Errorf("wrapped base64: %q", got)
	}
}

// TestMaskBase64 puts the secret at every place within a longer text: no run
// of its encoding may be left that would tell six of its bytes.
func TestMaskBase64(t *testing.T) {
	m := newMask([]string{secret})
	for before := range 7 {
		for after := range 4 {
			plain := strings.Repeat("p", before) + secret + strings.Repeat("q", after)
			for _, e := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding, base64.RawStdEncoding, base64.RawURLEncoding} {
				got := m.clean(e.EncodeToString([]byte(plain)))
				rest := strings.ReplaceAll(got, maskText, "")
				if !strings.Contains(got, maskText) || len(rest) > (before+after)*4/3+8 {
					t.Errorf("%d before, %d after: %q", before, after, got)
				}
			}
		}
	}
}

// Whatever a key is like, in whatever encoding it comes, wherever it stands and however
// its lines are wrapped: it is masked, and what stands around it is not.
func TestMaskAnywhere(t *testing.T) {
	const around = "abc def, 123.\n"
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.StringMatching(`[A-Za-z0-9_/+.:=-]{8,120}`).Draw(t, "key")
		more := rapid.SliceOfN(rapid.StringMatching(`[a-z0-9-]{0,60}`), 0, 3).Draw(t, "other keys")
		forms := map[string]func([]byte) string{
			"as it is": func(b []byte) string { return string(b) },
			"hex":      hex.EncodeToString,
			"HEX":      func(b []byte) string { return strings.ToUpper(hex.EncodeToString(b)) },
			"standard": base64.StdEncoding.EncodeToString, "address": base64.URLEncoding.EncodeToString,
			"raw": base64.RawStdEncoding.EncodeToString, "raw address": base64.RawURLEncoding.EncodeToString,
		}
		form := rapid.SampledFrom(slices.Sorted(maps.Keys(forms))).Draw(t, "form")
		coded := forms[form]([]byte(key))
		width := rapid.SampledFrom([]int{0, 1, 7, 16, 57, 64, 76}).Draw(t, "width")
		end := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "line end")
		shown := coded
		if width > 0 {
			var lines []string
			for rest := range slices.Chunk([]byte(coded), width) {
				lines = append(lines, string(rest))
			}
			shown = strings.Join(lines, end)
		}
		got := newMask(append(more, key)).clean(around + shown + around)
		if !strings.HasPrefix(got, around) || !strings.HasSuffix(got, around) {
			t.Skip() // another key stands in these words
		}
		flat := strings.NewReplacer("\r", "", "\n", "").Replace(got[len(around) : len(got)-len(around)])
		rest := strings.ReplaceAll(flat, maskText, "")
		if !strings.Contains(flat, maskText) || len(rest) > 4 {
			t.Fatalf("%s, %d wide: %q is left of %q", form, width, got, shown)
		}
	})
}

// What a cut leaves of a key is masked, too, wherever the cut falls.
func TestMaskAtCuts(t *testing.T) {
	m := newMask([]string{secret})
	for _, coded := range []string{secret, hex.EncodeToString([]byte(secret)), base64.StdEncoding.EncodeToString([]byte("x" + secret))} {
		for _, mark := range []string{"\n[… 12 bytes dropped here …]\n", "[… 12 bytes before this …]\n"} {
			for i := range coded {
				got := m.clean("a " + coded[:i] + mark + coded[i:] + " b")
				for k := 0; k+minSecret+4 <= len(coded); k++ { // base64 begins and ends with bits of others
					if strings.Contains(got, coded[k:k+minSecret+4]) {
						t.Fatalf("cut at %d: %q", i, got)
					}
				}
				if !strings.HasPrefix(got, "a ") || !strings.HasSuffix(got, " b") || !strings.Contains(got, mark) {
					t.Fatalf("cut at %d: %q", i, got)
				}
			}
		}
	}
	if text := "ordinary\n[… 12 bytes dropped here …]\nwords\n"; m.clean(text) != text {
		t.Errorf("%q", m.clean(text))
	}
}

// The mark of a confirmed wish is told by no result, also one that no doc holds any more.
func TestResultsTellNoMark(t *testing.T) {
	w := newWorld(t)
	mark := strings.Repeat("0a", 32)
	w.put("doc-main.md", "əəəcontrol/v1\nallow x\n# confirmed "+mark+"\nəəə\n")
	for tool, args := range map[string]string{
		"run_command": arguments("command", "cat doc-main.md; cat doc-main.md >&2"),
		"edit_file":   arguments("path", "doc-main.md", "old_string", "allow x", "new_string", "allow y"),
	} {
		if r := w.set.Call(t.Context(), w.env, tool, args); strings.Contains(r.JSON, mark) || !strings.Contains(r.JSON, maskText) {
			t.Errorf("%s: %s", tool, r.JSON)
		}
	}
}

func TestResultsTellNoSecret(t *testing.T) {
	w := newWorld(t)
	w.env.Mask = func() []string { return []string{secret} }
	for tool, args := range map[string]string{
		"run_command":   arguments("command", "echo "+secret+"; echo "+secret+" >&2; echo x > deed/"+secret+"; ln -s "+secret+" deed/l; exit 1"),
		"write_file":    arguments("path", "deed/x", "content", "key "+secret),
		"edit_file":     arguments("path", "/"+secret, "old_string", "a", "new_string", "b"),
		"bash":          `{}`,
		"run_command ":  arguments("command", "yes "+secret+" | head -n 60000 | tr -d '\\n'; yes "+secret+"x | head -n 60000 >&2"),
		"run_command  ": arguments("command", "yes "+secret+" | head -c 1000 | base64; echo "+secret+" | od -An -tx1 | tr -d ' \\n'; echo "+secret+" | base64 -w 20"),
		secret:          `{}`,
	} {
		r := w.set.Call(t.Context(), w.env, strings.TrimSpace(tool), args)
		if strings.Contains(r.JSON, secret[:minSecret]) || strings.Contains(r.JSON, secret[len(secret)-minSecret:]) || strings.Contains(r.JSON, hex.EncodeToString([]byte(secret))[:16]) || strings.Contains(r.JSON, base64.StdEncoding.EncodeToString([]byte(secret))[:16]) {
			t.Errorf("%s tells it: %s", tool, strings.ReplaceAll(strings.ReplaceAll(r.JSON, "[key]x\\n", ""), "[key]", ""))
		}
		fieldsOfResult(t, r)
	}
	if r := w.set.Call(t.Context(), w.env, "run_command", `{"`+secret+`":1}`); strings.Contains(r.JSON, secret) {
		t.Error(r.JSON)
	}
	if w.get("deed/x") != "key "+secret {
		t.Error("the file itself must hold what was approved")
	}
}

// Each text from outside is masked in each kind of result, and what names a file is not.
func TestMaskedFields(t *testing.T) {
	w := newWorld(t)
	w.env.Mask = func() []string { return []string{secret} }
	file := change.FileHash{Path: secret, Link: secret}
	item := []plan.Item{{Title: secret, Choice: secret, Why: secret, From: secret}}
	for _, body := range []any{
		&failure{Error: secret},
		&ran{Error: secret, Stdout: secret, Stderr: secret, Made: []string{secret}, Changed: changes{files: []change.FileHash{file}}},
		&written{Preview: secret, Problems: []dialog.LineProblem{{Text: secret}}},
		&fileText{Content: secret},
		&fileList{Files: []string{secret, "a", secret}},
		&found{Matches: []string{secret}},
		&planned{Decisions: item, Tasks: item, Ideas: item},
		&agentText{Text: secret},
		&listedAgents{Agents: []Agent{{Title: secret, Words: secret}}},
		&served{Output: secret},
		&started{Error: secret, Output: secret, Health: &health{BodySnippet: secret, cut: secret}},
		&looked{
			Error: secret, URL: secret, Asked: secret, Title: secret, Question: secret,
			Messages: []browser.Message{{Text: secret, At: secret}}, Failed: []browser.Request{{URL: secret, Error: secret}},
		},
	} {
		if r := (Result{body: body}).masked(w.env); strings.Contains(r.JSON, secret) || !strings.Contains(r.JSON, maskText) {
			t.Errorf("%T: %s", body, r.JSON)
		}
	}
	for _, body := range []any{&written{Path: secret}, &fileText{Path: secret}, &failure{Current: &file}} {
		file.Path = secret
		if r := (Result{body: body}).masked(w.env); !strings.Contains(r.JSON, secret) {
			t.Errorf("%T: %s", body, r.JSON)
		}
	}
}
