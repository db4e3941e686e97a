package why

import (
	"fmt"
	"strings"
	"testing"

	"vibey/dialog"
)

// 200 versions of a doc of 1 MB, 20,000 lines.
func BenchmarkOf(b *testing.B) {
	lines := make([]string, 20_000)
	for i := range lines {
		lines[i] = fmt.Sprintf("line %d of a doc, with some more words behind it", i)
	}
	kept := map[string][]byte{}
	var saves []Save
	var text []byte
	sha := ""
	for i := range 200 {
		lines[i*97] = fmt.Sprintf("another line %d", i)
		text = []byte(strings.Join(lines, "\n") + "\n")
		now := dialog.SHA256(text)
		kept[now] = text
		at := fmt.Sprintf("2026-02-16T%02d:%02d:00Z", i/60, i%60)
		saves, sha = append(saves, Save{at, at, sha, now}), now
	}
	src := Source{Path: "doc-a.md", Present: text, Saves: func(string) []Save { return saves }, Kept: func(sha string) ([]byte, bool) { b, ok := kept[sha]; return b, ok }}
	for b.Loop() {
		if h := Of(src); h.Lines[0] == Unknown {
			b.Fatal("unknown")
		}
	}
}
