package jsontext

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// Whatever the text, the string is JSON and means the text as encoding/json reads it.
func TestStringsMeanTheText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes"))
		if rapid.Bool().Draw(t, "text") {
			s = rapid.String().Draw(t, "string")
		}
		want := validated(s)
		for _, b := range [][]byte{AppendString(nil, s), AppendLine(nil, s)} {
			var got string
			if err := json.Unmarshal(b, &got); err != nil || got != want {
				t.Fatalf("%q became %s, which is %q, %v", want, b, got, err)
			}
		}
	})
}

// validated puts one U+FFFD for each byte that is not UTF-8, as encoding/json does.
func validated(s string) string {
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		b.WriteRune(r)
		s = s[n:]
	}
	return b.String()
}

func TestStringsAreWritten(t *testing.T) {
	for _, c := range []struct{ text, plain, line string }{
		{"", `""`, `""`},
		{"\"\\/\b\f\n\r\t\x00\x1f\x7f", `"\"\\/\u0008\u000c\n\r\t\u0000\u001f` + "\x7f\"", `"\"\\/\u0008\u000c\n\r\t\u0000\u001f` + "\x7f\""},
		{"<ä>&😀\ufffd", "\"<ä>&😀\ufffd\"", "\"<ä>&😀\ufffd\""},
		{"a\u2028b\u2029\u202a", "\"a\u2028b\u2029\u202a\"", `"a\u2028b\u2029` + "\u202a\""},
		{"a\xffb\xed\xa0\x80", `"a\ufffdb\ufffd\ufffd\ufffd"`, `"a\ufffdb\ufffd\ufffd\ufffd"`},
	} {
		if got := AppendString([]byte("x"), c.text); string(got) != "x"+c.plain {
			t.Errorf("AppendString(%q): %s", c.text, got)
		}
		if got := AppendLine([]byte("x"), c.text); string(got) != "x"+c.line {
			t.Errorf("AppendLine(%q): %s", c.text, got)
		}
	}
}

func TestMarshalLeavesHTMLAlone(t *testing.T) {
	if b, err := Marshal(map[string]string{"a": "<&>\n"}); err != nil || string(b) != `{"a":"<&>\n"}` {
		t.Errorf("%s %v", b, err)
	}
	if _, err := Marshal(func() {}); err == nil {
		t.Error("a func became JSON")
	}
}
