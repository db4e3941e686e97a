package project

import (
	"fmt"
	"math/rand"
	"os"
	"strings"
	"testing"

	"vibey/dialog"
)

// searchedProject is a project with 100 MB of dialogs, as many as that takes at size
// bytes each.
func searchedProject(b *testing.B, size int) *Project {
	b.Helper()
	p := quickProject(b)
	words := strings.Fields("the agent wrote a file of some lines and then it ran every test once more to see what is not there result success stdout exitCode deed/index.html content path sha256 можно текст über straße 日本語")
	rnd := rand.New(rand.NewSource(1))
	for i := range 100_000_000 / size {
		var text strings.Builder
		for text.Len() < size {
			s := section(dialog.ToolResult, text.Len(), "")
			var line strings.Builder
			for line.Len() < 1500 {
				line.WriteString(words[rnd.Intn(len(words))])
				line.WriteByte(" \n"[min(1, rnd.Intn(16)/15)])
			}
			s.Payloads[0].Text = line.String()
			text.Write(dialog.AppendSection(nil, &s))
		}
		name := fmt.Sprintf("dialog-20260216-%06d-x-done.md", i)
		must(b, os.WriteFile(p.path(name), []byte("# Dialog\n> DialogId: x\n\n"+text.String()), 0o644))
	}
	return p
}

// Goal: the first results over 100 MB in 300 ms, also where there are none.
func BenchmarkSearch(b *testing.B) {
	for _, size := range []int{10_000, 1_000_000, 20_000_000, 100_000_000} {
		b.Run(fmt.Sprintf("%d KB each", size/1000), func(b *testing.B) {
			p := searchedProject(b, size)
			for _, q := range []string{"xylophone", "entree", "eee", "sks", "Текста", "exitcode 9", "straße der", "SUCCESS"} {
				b.Run(q, func(b *testing.B) {
					b.SetBytes(100_000_000)
					defer cpu(b)()
					for b.Loop() {
						_, _, err := p.Search(b.Context(), Query{Text: q, Docs: true, Dialogs: true, Most: 50})
						must(b, err)
					}
				})
			}
		})
	}
}
