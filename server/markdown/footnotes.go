package markdown

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"regexp"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
)

// notesMax is how many footnotes a text may have. The parser looks through all of
// them for each number in the text.
const notesMax = 500

var (
	aNote     = regexp.MustCompile(`\[\^[^\]\n]+\]:`)
	noteInOne = regexp.MustCompile(`\]:[ \t]*\[\^`)
)

// footnotes is goldmark's extension. Its ids begin with a key of the text, since a page
// shows many texts.
var footnotes = extension.NewFootnote(
	extension.WithFootnoteIDPrefixFunction(func(n ast.Node) []byte {
		key, _ := n.OwnerDocument().Meta()["notes"].(string)
		return []byte(key)
	}),
	extension.WithFootnoteBacklinkHTML("↩"),
)

// convert renders source, with footnotes where each of them has a number in the text:
// goldmark leaves out the others, and nothing of a text may be hidden.
func (r *Renderer) convert(source []byte, b *bytes.Buffer) error {
	if want := len(aNote.FindAllIndex(source, notesMax+1)); want > 0 && want <= notesMax && !noteInOne.Match(source) {
		doc := r.notes.Parser().Parse(text.NewReader(source))
		got := 0
		ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
			if entering && n.Kind() == extast.KindFootnote {
				got++
			}
			return ast.WalkContinue, nil
		})
		if got == want {
			sum := sha256.Sum256(source)
			doc.OwnerDocument().AddMeta("notes", "n"+hex.EncodeToString(sum[:4])+"-")
			return r.notes.Renderer().Render(b, source, doc)
		}
	}
	return r.md.Convert(source, b)
}
