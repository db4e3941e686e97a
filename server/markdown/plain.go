package markdown

import (
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// plainMax is how many bytes Plain reads of a text. The parser takes 2 KB of what people
// write 0.1 ms, and of the worst kind 5 ms.
const plainMax = 2 << 10

// plainParser knows what New knows, but for addresses in the text, which are words.
var plainParser = goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.TaskList)).Parser()

// Plain returns the words of markdown without its marks, a blank between its blocks:
// "# A *title*\n- one" is "A title one". Raw HTML is text here too. Of a long text it
// reads the beginning.
func Plain(markdown string) string {
	if len(markdown) > plainMax {
		markdown = strings.ToValidUTF8(markdown[:plainMax], "")
	}
	if !marked(markdown) {
		return markdown
	}
	if tooMuch(markdown) {
		return markdown
	}
	source := []byte(markdown)
	p := plain{source: source}
	ast.Walk(plainParser.Parse(text.NewReader(source), parser.WithContext(parser.NewContext())), p.visit)
	return strings.TrimSpace(p.out.String())
}

// marked reports whether anything in a text may be a mark. Most messages have none, and
// a list of ten thousand dialogs is made without a parser for them.
func marked(text string) bool {
	if strings.ContainsAny(text, "\\`*_[]<>~&|") {
		return true
	}
	for line := range strings.Lines(text) {
		words := strings.TrimLeft(line, " ")
		if len(line)-len(words) > 3 || words != "" && strings.IndexByte("#=+-\t0123456789", words[0]) >= 0 {
			return true
		}
	}
	return false
}

// plain collects the words of nodes.
type plain struct {
	source []byte
	out    strings.Builder
}

func (p *plain) visit(n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		if n.Type() == ast.TypeBlock || n.Kind() == extast.KindTableCell {
			p.out.WriteByte(' ')
		}
		return ast.WalkContinue, nil
	}
	switch n := n.(type) {
	case *ast.Text:
		p.words(n.Segment.Value(p.source), n.Parent().Kind() == ast.KindCodeSpan)
		if n.SoftLineBreak() || n.HardLineBreak() {
			p.out.WriteByte(' ')
		}
	case *ast.String:
		p.out.Write(n.Value)
	case *ast.AutoLink:
		p.out.Write(n.Label(p.source))
	case *ast.RawHTML:
		p.lines(n.Segments)
	case *ast.CodeBlock, *ast.FencedCodeBlock, *ast.HTMLBlock:
		p.lines(n.Lines())
	}
	return ast.WalkContinue, nil
}

// words writes a text in which, but for code, a backslash or &…; stands for another
// character.
func (p *plain) words(b []byte, code bool) {
	from := 0
	for i := 0; !code && i+1 < len(b); i++ {
		if b[i] == '\\' && util.IsPunct(b[i+1]) { // what it stands before is no reference
			p.references(b[from:i])
			i++
			p.out.WriteByte(b[i])
			from = i + 1
		}
	}
	if b = b[from:]; code {
		p.out.Write(b)
	} else {
		p.references(b)
	}
}

func (p *plain) references(b []byte) {
	p.out.Write(util.ResolveEntityNames(util.ResolveNumericReferences(b)))
}

func (p *plain) lines(segments *text.Segments) {
	for _, s := range segments.Sliced(0, segments.Len()) {
		p.out.Write(s.Value(p.source))
	}
}
