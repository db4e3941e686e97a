package markdown

import (
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// critic draws the signs of Suggestions.
type critic struct{}

var (
	kindSign = ast.NewNodeKind("CriticSign")
	kindMark = ast.NewNodeKind("CriticMark")
	kindNote = ast.NewNodeKind("CriticNote")

	kindDelimiter = (&parser.Delimiter{}).Kind()
	tagOf         = [...]string{"ins", "del", "mark"}
)

// signNode is the beginning of a mark that was not ended yet. One that stays draws nothing.
type signNode struct {
	ast.BaseInline
	tag int // of tagOf
}

// markNode is a mark with what it holds.
type markNode struct {
	ast.BaseInline
	tag int
}

// noteNode is the letter of a comment.
type noteNode struct {
	ast.BaseInline
	letter string
}

func (*signNode) Kind() ast.NodeKind { return kindSign }
func (*markNode) Kind() ast.NodeKind { return kindMark }
func (*noteNode) Kind() ast.NodeKind { return kindNote }

func (n *signNode) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }
func (n *markNode) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }
func (n *noteNode) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

// Extend implements goldmark.Extender.
func (c critic) Extend(m goldmark.Markdown) {
	m.Parser().AddOptions(parser.WithInlineParsers(util.Prioritized(c, 50)))
	m.Renderer().AddOptions(renderer.WithNodeRenderers(util.Prioritized(c, 100)))
}

// Trigger implements parser.InlineParser.
func (critic) Trigger() []byte { return []byte{'{'} }

// Parse implements parser.InlineParser.
func (critic) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	line, _ := block.PeekLine()
	l := string(line[:min(len(line), 40)]) // longer than any sign
	if letter, ok := strings.CutPrefix(l, noteAt); ok {
		letter, _, ok = strings.Cut(letter, noteEnd)
		if !ok {
			return nil
		}
		block.Advance(len(noteAt) + len(letter) + len(noteEnd))
		return &noteNode{letter: letter}
	}
	const size = len("\uFDD0")
	if len(l) <= size {
		return nil
	}
	i := strings.Index(signs, l[1:1+size])
	if i < 0 || i%size != 0 {
		return nil
	}
	i /= size
	block.Advance(1 + size)
	if i%2 == 0 {
		return &signNode{tag: i / 2}
	}
	for n := parent.LastChild(); n != nil; n = n.PreviousSibling() {
		if begun, ok := n.(*signNode); ok && begun.tag == i/2 {
			return enclose(parent, begun, pc)
		}
	}
	return &signNode{}
}

// enclose makes a mark of all behind its sign. Emphasis that began before it goes on: what
// goldmark is given as the bottom is itself a delimiter, the last one that stays open.
func enclose(parent ast.Node, begun *signNode, pc parser.Context) ast.Node {
	bottom := begun.PreviousSibling()
	for bottom != nil && bottom.Kind() != kindDelimiter {
		bottom = bottom.PreviousSibling()
	}
	parser.ProcessDelimiters(bottom, pc)
	out := &markNode{tag: begun.tag}
	for c := begun.NextSibling(); c != nil; {
		next := c.NextSibling()
		parent.RemoveChild(parent, c)
		out.AppendChild(out, c)
		c = next
	}
	parent.RemoveChild(parent, begun)
	return out
}

// RegisterFuncs implements renderer.NodeRenderer.
func (critic) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(kindSign, func(util.BufWriter, []byte, ast.Node, bool) (ast.WalkStatus, error) { return ast.WalkContinue, nil })
	r.Register(kindMark, func(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		slash := "/"
		if entering {
			slash = ""
		}
		w.WriteString("<" + slash + tagOf[n.(*markNode).tag] + ">")
		return ast.WalkContinue, nil
	})
	r.Register(kindNote, func(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			w.WriteString(`<sup class="comment">`)
			w.Write(util.EscapeHTML([]byte(n.(*noteNode).letter)))
			w.WriteString("</sup>")
		}
		return ast.WalkContinue, nil
	})
}
