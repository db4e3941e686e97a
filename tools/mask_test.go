package tools

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
	"testing"
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
		"run_command": arguments("command", "echo "+secret+"; echo "+secret+" >&2; echo x > deed/"+secret+"; ln -s "+secret+" deed/l; exit 1"),
		"write_file":  arguments("path", "deed/x", "content", "key "+secret),
		"edit_file":   arguments("path", "/"+secret, "old_string", "a", "new_string", "b"),
		"bash":        `{}`,
		secret:        `{}`,
	} {
		r := w.set.Call(t.Context(), w.env, tool, args)
		if strings.Contains(r.JSON, secret) {
			t.Errorf("%s tells it: %s", tool, r.JSON)
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
