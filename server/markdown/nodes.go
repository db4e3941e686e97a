package markdown

import (
	"bytes"
	"net/url"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
)

// nodes renders the nodes that goldmark's own renderer would pass through
// unchecked, as links, or leave out, as raw HTML.
type nodes struct{}

// RegisterFuncs implements renderer.NodeRenderer.
func (nodes) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindLink, renderLink)
	r.Register(ast.KindAutoLink, renderAutoLink)
	r.Register(ast.KindImage, renderImage)
	r.Register(ast.KindRawHTML, renderRawHTML)
	r.Register(ast.KindHTMLBlock, renderHTMLBlock)
}

// sortAddress returns the address of a link as a remote one or as a path of the
// project. Both are "" for any other address, which is shown as words. entities
// reports whether &…; in it stand for characters.
func sortAddress(address []byte, entities bool) (remote, path string) {
	u, err := url.Parse(strings.TrimSpace(string(util.URLEscape(address, entities))))
	switch {
	case err != nil:
		return "", ""
	case u.Scheme == "http" || u.Scheme == "https":
		if u.Host == "" {
			return "", ""
		}
		return u.String(), ""
	case u.Scheme == "mailto" && u.Opaque != "":
		return u.String(), ""
	case u.Scheme != "" || u.Host != "" || u.Path == "" || strings.HasPrefix(u.Path, "/") || strings.ContainsRune(u.Path, '\\'):
		return "", ""
	}
	return "", u.Path
}

// openLink writes the start tag of a link. A remote one has its address as title,
// since the words of a link may name another. The window opens a path itself.
func openLink(w util.BufWriter, remote, path string) {
	w.WriteString(`<a href="`)
	if remote == "" {
		w.Write(util.EscapeHTML([]byte(path)))
		w.WriteString(`">`)
		return
	}
	address := util.EscapeHTML([]byte(remote))
	w.Write(address)
	w.WriteString(`" title="`)
	w.Write(address)
	w.WriteString(`" target="_blank" rel="noopener noreferrer nofollow">`)
}

func renderLink(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	remote, path := sortAddress(n.(*ast.Link).Destination, true)
	switch {
	case remote == "" && path == "":
	case entering:
		openLink(w, remote, path)
	default:
		w.WriteString("</a>")
	}
	return ast.WalkContinue, nil
}

func renderAutoLink(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	link := n.(*ast.AutoLink)
	address := link.URL(source)
	if link.AutoLinkType == ast.AutoLinkEmail && !bytes.HasPrefix(address, []byte("mailto:")) {
		address = append([]byte("mailto:"), address...)
	}
	remote, _ := sortAddress(address, false)
	if remote != "" {
		openLink(w, remote, "")
	}
	w.Write(util.EscapeHTML(link.Label(source)))
	if remote != "" {
		w.WriteString("</a>")
	}
	return ast.WalkContinue, nil
}

// renderImage makes a browser fetch nothing from another host: a picture there is
// a link to click that names the host. A picture of the project is an image with
// its path, which the window reads with the token.
func renderImage(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	words := util.EscapeHTML(wordsOf(n, source))
	remote, path := sortAddress(n.(*ast.Image).Destination, true)
	switch {
	case strings.HasPrefix(remote, "http"):
		u, _ := url.Parse(remote) // it comes from a url.URL
		w.WriteString(`<span class="chip">`)
		openLink(w, remote, "")
		w.WriteString("Image at ")
		w.Write(util.EscapeHTML([]byte(u.Host)))
		if len(words) > 0 {
			w.WriteString(": ")
		}
		w.Write(words)
		w.WriteString("</a></span>")
	case path != "":
		w.WriteString(`<img src="`)
		w.Write(util.EscapeHTML([]byte(path)))
		w.WriteString(`" alt="`)
		w.Write(words)
		w.WriteString(`">`)
	default:
		w.Write(words)
	}
	return ast.WalkSkipChildren, nil
}

// wordsOf returns the text below a node.
func wordsOf(n ast.Node, source []byte) []byte {
	var b []byte
	ast.Walk(n, func(c ast.Node, entering bool) (ast.WalkStatus, error) {
		if t, ok := c.(*ast.Text); ok && entering {
			b = append(b, t.Value(source)...)
		}
		return ast.WalkContinue, nil
	})
	return b
}

// renderRawHTML shows a tag as it was written.
func renderRawHTML(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		segments := n.(*ast.RawHTML).Segments
		for i := range segments.Len() {
			at := segments.At(i)
			w.Write(util.EscapeHTML(at.Value(source)))
		}
	}
	return ast.WalkSkipChildren, nil
}

func renderHTMLBlock(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	w.WriteString(`<pre class="plain">`)
	for i := range n.Lines().Len() {
		at := n.Lines().At(i)
		w.Write(util.EscapeHTML(at.Value(source)))
	}
	if b := n.(*ast.HTMLBlock); b.HasClosure() {
		w.Write(util.EscapeHTML(b.ClosureLine.Value(source)))
	}
	w.WriteString("</pre>\n")
	return ast.WalkContinue, nil
}
