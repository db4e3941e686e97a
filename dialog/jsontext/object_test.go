package jsontext

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestIsObject: what a provider refuses for good is none.
func TestIsObject(t *testing.T) {
	nested := func(n int) string { return strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n) }
	for s, want := range map[string]bool{
		`{"command":"echo \ud83d"}`: false, `{"command":"echo \ud83d\ude00"}`: true, `{"a":"\ude00\ud83d"}`: false, `{"a":"\\ud83d"}`: true,
		"{" + strings.Repeat(`"a":{},`, 200) + `"b":[{}]}`: true, `{"a":"\udbff\udfff\ud800\udc00"}`: true, `{"a":"\udbff\ue000"}`: false, `{"a":"\ud800\udbff"}`: false,
		`{"a":{"\uD83D":1}}`: false, nested(100): true, nested(101): false, nested(20_000): false, `{"a":"` + strings.Repeat("{", 300) + `","b":1}`: true,
	} {
		if got := IsObject(s); got != want {
			t.Errorf("IsObject(%.60q) = %v", s, got)
		}
	}
}

// FuzzIsObject: the short way to tell an object says what encoding/json says.
func FuzzIsObject(f *testing.F) {
	for _, s := range []string{
		"", "{}", " {} ", "{", "{}x", "[]", "null", `{"a":"b"}`, `{"a":"b",}`, `{"a":"b" "c":"d"}`, `{"a":"b","c":{"d":[1,2.50,null]}}`, `{"a":1}{"b":2}`,
		`{"a":"\n\t\"\\\/"}`, `{"a":"\u0041"}`, `{"a":"\x"}`, `{"a":"\`, "{\"a\":\"\n\"}", "{\"a\":\"b\x1f\"}", "{\"a\":\"ə\"}", "{\"a\":\"\xc9\"}", "{\"\xff\":\"b\"}",
		`{"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa":"bbbbbbbbbbbbbbbbbbbb\nccccccccccccccccccc"}`, "{\"a\":\"0123456\x7f89ə\\\"\"}", "\ufeff{}", "{\"a\":\"b\"}\x00", "\v{}",
		`{"a":"\ud83d\ude00"}`, `{"a":"\ud83d"}`, `{"a":"\uDE00"}`, `{"a":"\ud83d\u0041"}`, `{"a":"\\ud83d"}`, `{"a":"\ud83d\ud83d\ude00"}`, `{"\ud83d":1}`,
		`{"a":` + strings.Repeat("[", 98) + strings.Repeat("]", 98) + "}", `{"a":` + strings.Repeat("[", 300) + strings.Repeat("]", 300) + "}",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var m map[string]json.RawMessage
		want := utf8.ValidString(s) && json.Unmarshal([]byte(s), &m) == nil && m != nil && Valid([]byte(s), MaxDepth)
		if got := IsObject(s); got != want {
			t.Errorf("IsObject(%q) = %v", s, got)
		}
	})
}
