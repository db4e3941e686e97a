package jsontext

import "testing"

func TestLoneSurrogates(t *testing.T) {
	for s, want := range map[string]bool{
		``: false, `\`: false, `\u`: false, `\ud83d\ude00`: false, `\\ud83d`: false, `\\\ud83d`: true, `\ud83d`: true, `\ud83dx`: true,
		`\uD83D\uDE00`: false, `\ud83d\n`: true, `\ude00`: true, `\u00e4\ud83d\ude00\ud83d`: true, `a\u0041b`: false, `\uzzzz`: false, `\ud83d\ud83d\ude00`: true,
	} {
		if got := LoneSurrogate([]byte(s)); got != want {
			t.Errorf("%s: %v", s, got)
		}
	}
}
