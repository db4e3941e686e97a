package dialog

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// The window reads the same table.
func TestDocTitle(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("..", "client", "test", "titles.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cases map[string]string
	if err := json.Unmarshal(b, &cases); err != nil {
		t.Fatal(err)
	}
	for doc, want := range cases {
		if got := DocTitle(doc); got != want {
			t.Errorf("DocTitle(%q) = %q, want %q", doc, got, want)
		}
	}
}

// What is no mark where it stands has no backslash before it.
func TestEscapeTitle(t *testing.T) {
	for title, want := range map[string]string{
		"The lamp": "The lamp", "[Draft] C# & co, snake_case, 2 * 3 > 5 ~/x": "[Draft] C# & co, snake_case, 2 * 3 > 5 ~/x",
		"*a*": `\*a\*`, "_a_": `\_a\_`, "a_b_c": "a_b_c", "[a](b)": `\[a](b)`, "<b>": `\<b>`, "&amp;": `\&amp;`, "C #": `C \#`, "##": `\##`, `a\*`: `a\\*`, `a\`: `a\`, `C:\me`: `C:\me`,
		"`a`": "\\`a\\`", "~~a~~": `\~\~a\~\~`,
	} {
		if got := EscapeTitle(title); got != want {
			t.Errorf("EscapeTitle(%q) = %q, want %q", title, got, want)
		}
	}
}
