package dialog

import (
	"encoding/json"
	"testing"
	"unicode/utf8"
)

// FuzzIsObject: the short way to tell an object says what encoding/json says.
func FuzzIsObject(f *testing.F) {
	for _, s := range []string{
		"", "{}", " {} ", "{", "{}x", "[]", "null", `{"a":"b"}`, `{"a":"b",}`, `{"a":"b" "c":"d"}`, `{"a":"b","c":{"d":[1,2.50,null]}}`, `{"a":1}{"b":2}`,
		`{"a":"\n\t\"\\\/"}`, `{"a":"\u0041"}`, `{"a":"\x"}`, `{"a":"\`, "{\"a\":\"\n\"}", "{\"a\":\"b\x1f\"}", "{\"a\":\"ə\"}", "{\"a\":\"\xc9\"}", "{\"\xff\":\"b\"}",
		`{"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa":"bbbbbbbbbbbbbbbbbbbb\nccccccccccccccccccc"}`, "{\"a\":\"0123456\x7f89ə\\\"\"}", "\ufeff{}", "{\"a\":\"b\"}\x00", "\v{}",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var m map[string]json.RawMessage
		want := utf8.ValidString(s) && json.Unmarshal([]byte(s), &m) == nil && m != nil
		if got := IsObject(s); got != want {
			t.Errorf("IsObject(%q) = %v", s, got)
		}
	})
}
