package anthropic

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// What is read without the decoder is what the decoder reads.
func TestPlainText(t *testing.T) {
	same := func(t interface{ Errorf(string, ...any) }, data string) (plain bool) {
		index, text, ok := plainText([]byte(data))
		if !ok {
			return false
		}
		var ev, want event
		want.Type, want.Index, want.Delta.Type, want.Delta.Text = "content_block_delta", index, "text_delta", string(text)
		if err := json.Unmarshal([]byte(data), &ev); err != nil || cmp.Diff(ev, want) != "" {
			t.Errorf("%q: %v, %v", data, ev, err)
		}
		return true
	}
	event := func(index, text, end string) string {
		return `{"type":"content_block_delta","index":` + index + `,"delta":{"type":"text_delta","text":"` + text + `"` + end
	}
	for data, plain := range map[string]bool{
		event("0", "Hello", "}}"):                         true,
		event("12", " grüß dich, 灯台 👋", "}}      "):       true,
		event("0", "", "}}"):                              true,
		event("0", `a\nb`, "}}"):                          false,
		event("0", `a\"b`, "}}"):                          false,
		event("0", "a\nb", "}}"):                          false,
		event("0", "a\xffb", "}}"):                        false,
		event("-1", "a", "}}"):                            false,
		event("01", "a", "}}"):                            false,
		event("", "a", "}}"):                              false,
		event("1e1", "a", "}}"):                           false,
		event("9999999", "a", "}}"):                       false,
		event("0", "a", "}"):                              false,
		event("0", "a", `,"text":"b"}}`):                  false,
		event("0", "a", `},"index":1}`):                   false,
		event("0", "a", "}}{}"):                           false,
		`{"index":0,"type":"content_block_delta"}`:        false,
		`{"type":"content_block_delta","index":0}`:        false,
		`{"type":"content_block_delta","index":0,"a":{}}`: false,
	} {
		if same(t, data) != plain {
			t.Errorf("%q is read as %v", data, !plain)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		b := []byte(event(rapid.StringMatching(`[0-9]{1,3}`).Draw(t, "index"), rapid.String().Draw(t, "text"), rapid.SampledFrom([]string{"}}", "}} ", "}"}).Draw(t, "end")))
		if len(b) > 0 && rapid.Bool().Draw(t, "cut") {
			b[rapid.IntRange(0, len(b)-1).Draw(t, "at")] = rapid.Byte().Draw(t, "byte")
		}
		same(t, string(b))
	})
}

func BenchmarkDelta(b *testing.B) {
	for name, data := range map[string]string{
		"plain":   `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hello"}}`,
		"escaped": `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a\nb"}}`,
	} {
		b.Run(name, func(b *testing.B) {
			p := newParser(nil, nil)
			for b.Loop() {
				if _, _, err := p.Next([]byte(data), nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
