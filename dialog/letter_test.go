package dialog_test

import (
	"slices"
	"testing"

	"vibey/dialog"
)

// A text is cut between letters only: not within a character, nor before the mark that is
// drawn on one, nor within the end of a line.
func TestLetterStarts(t *testing.T) {
	for text, want := range map[string][]int{
		"":                   {0},
		"ab":                 {0, 1, 2},
		"aüb":                {0, 1, 3, 4},
		"u\u0308b":           {0, 3, 4},
		"a\r\nb\n\rc":        {0, 1, 2, 3, 4, 5, 6, 7},
		"\u0308a":            {0, 2, 3},
		"\n\u0308a":          {0, 1, 3, 4},
		"👍🏽!":                {0, 8, 9},
		"👩\u200d🚀x":          {0, 11, 12},
		"कि":                 {0, 6},
		"日本":                 {0, 3, 6},
		"\u05e9\u05dc\u05b0": {0, 2, 6},
	} {
		var got []int
		for at := range len(text) + 1 {
			if dialog.LetterStarts(text, at) {
				got = append(got, at)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: letters start at %v, want %v", text, got, want)
		}
	}
}
