package reading

import (
	"bufio"
	_ "embed"
	"io"
	"strings"
)

//go:embed page.css
var style string

// head is the page down to its title.
const head = `<!doctype html>
<html lang="und">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>`

// escaped writes a text as HTML, in an element or in a quoted attribute, with the
// entities of html/template. That package is not used: a program with templates, which
// call any method by its name, keeps every method of every type it has.
var escaped = strings.NewReplacer("\x00", "\uFFFD", "&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;", "+", "&#43;").Replace

// body is what the page of a doc or a dialog holds: texts, but for the HTML of its parts.
type body struct {
	Title   string // of the file
	Heading string // "" where the text has its own
	Sub     string
	Parts   []part
	Foot    string
}

// part is one text of a page.
type part struct {
	Class  string   // one of ours, or ""
	Who    string   // who wrote it; "" is not told
	At     string   // when it began, as the file has it; not shown of a folded one
	Fold   string   // the line of a part that is folded; "" for an open one
	Quotes []quote  // stand above the rest
	HTML   string   // stands in the page as it is
	Texts  []string // shown as they are
	List   []string // stands at its end, numbered
}

// quote is a text that the part is about, and where it stands.
type quote struct{ Place, Text string }

// pen writes pieces of a page. Its first error is Flush's.
type pen struct{ *bufio.Writer }

func (p pen) put(pieces ...string) {
	for _, s := range pieces {
		p.WriteString(s)
	}
}

// write writes the page.
func (b *body) write(to io.Writer) error {
	p := pen{bufio.NewWriter(to)}
	p.put(head, escaped(b.Title), "</title>\n<style>\n", style, "</style>\n</head>\n<body>\n<header>")
	if b.Heading != "" {
		p.put(`<h1 dir="auto">`, escaped(b.Heading), "</h1>")
	}
	p.put("\n")
	if b.Sub != "" {
		p.put(`<p class="sub">`, escaped(b.Sub), "</p>")
	}
	p.put("</header>\n<main>\n")
	for i := range b.Parts {
		b.Parts[i].write(p)
	}
	p.put("</main>\n<footer>", escaped(b.Foot), "</footer>\n</body>\n</html>\n")
	return p.Flush()
}

func (b *part) write(p pen) {
	p.put(`<section class="part`)
	if b.Class != "" {
		p.put(" ", b.Class)
	}
	p.put("\">\n")
	if b.Who != "" {
		p.put(`<p class="who">`, escaped(b.Who))
		if b.At != "" {
			p.put(` <time datetime="`, escaped(b.At), `">`, escaped(minute(b.At)), "</time>")
		}
		p.put("</p>")
	}
	p.put("\n")
	if b.Fold != "" {
		p.put(`<details><summary dir="auto">`, escaped(b.Fold), "</summary>\n")
	}
	for _, q := range b.Quotes {
		p.put(`<p class="place">`, escaped(q.Place), "</p>\n", `<blockquote><pre dir="auto">`, escaped(q.Text), "</pre></blockquote>\n")
	}
	if b.HTML != "" {
		p.put(`<div dir="auto">`, b.HTML, "</div>\n")
	}
	for _, text := range b.Texts {
		p.put(`<pre dir="auto">`, escaped(text), "</pre>\n")
	}
	if len(b.List) > 0 {
		p.put("<ol type=\"a\">\n")
		for _, text := range b.List {
			p.put(`<li dir="auto">`, escaped(text), "</li>\n")
		}
		p.put("</ol>\n")
	}
	if b.Fold != "" {
		p.put("</details>\n")
	}
	p.put("</section>\n")
}
