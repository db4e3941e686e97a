// Package reading makes pages to be read without the window, to print and to give
// away: one file of HTML with its styles and pictures in it, which runs no script and
// fetches nothing.
package reading

import (
	"cmp"
	"context"
	"encoding/base64"
	"html"
	"io"
	"regexp"
	"strings"
	"time"

	"vibey/dialog"
)

// Maker makes pages.
type Maker struct {
	// HTML renders markdown as package markdown does, without anything that runs.
	HTML func(markdown string) string
	// Picture returns a picture by its path in the project and its media type, or false where there is none to show.
	Picture func(path string) (mime string, bytes []byte, ok bool)
}

// Doc writes the page of a doc, whose file is called name; its title is "" where it has none.
// Its comments stand at its end.
func (m *Maker) Doc(w io.Writer, name, title, text string, comments ...string) error {
	b := body{Title: cmp.Or(title, name), Parts: []part{{Class: "doc", HTML: m.html(fenced(text))}}, Foot: name}
	if len(comments) > 0 {
		b.Parts = append(b.Parts, part{Class: "comments", Who: "Comments", List: comments})
	}
	return b.write(w)
}

// Dialog writes the page of a dialog, whose file is called name and whose Authorizations
// were judged. It ends with ctx, for a long one takes long.
func (m *Maker) Dialog(ctx context.Context, w io.Writer, name, title string, d *dialog.Dialog) error {
	b := body{Title: title, Heading: title, Sub: minute(d.Header.Started), Foot: name}
	provider, model := d.Header.Provider, d.Header.Model
	for i := range d.Sections {
		if err := ctx.Err(); err != nil {
			return err
		}
		s := &d.Sections[i]
		if next := s.Meta.Get("Model"); next != "" {
			model = next
		}
		if next := s.Meta.Get("Provider"); next != "" {
			provider = next
		}
		if p, ok := m.part(s, provider, model); ok {
			b.Parts = append(b.Parts, p)
		}
	}
	return b.write(w)
}

// part returns what the page shows of a section; false for one that a reader has no use for.
func (m *Maker) part(s *dialog.Section, provider, model string) (part, bool) {
	p := part{At: s.Start()}
	switch s.Role {
	case dialog.User:
		p.Class, p.Who = "human", "Human"
		if by := s.Meta.Get("By"); by != "" && by != "human" {
			p.Who = by
		}
	case dialog.Assistant:
		p.Who = model
		if provider == "replay" {
			p.Who = "A recording"
		}
	case dialog.System:
		p.Fold = "What the model is told"
	case dialog.Reasoning:
		p.Fold = "Thoughts"
	case dialog.ToolRequest:
		p.Fold = "Wants to use " + s.Tool()
	case dialog.Authorization:
		p.Who = "Human"
		if s.Void || s.Torn {
			p.Who = "Not confirmed: it allows nothing"
		}
	case dialog.ToolResult:
		p.Fold = "Result of " + s.Tool() + ": " + s.Meta.Get("Status")
	case dialog.Note:
		p.Class, p.Who = "note", "Note"
	case dialog.Summary:
		p.Fold = "Summary of earlier turns"
	default:
		p.Fold = string(s.Role)
	}
	for _, on := range dialog.Passages(s) {
		p.Quotes = append(p.Quotes, quote{on.Place(), on.Text})
	}
	for _, l := range s.Payloads {
		switch {
		case l.Type == dialog.PassageText: // a quote
		case strings.HasPrefix(l.Type, "native/"): // the same once more, for its provider
		case strings.HasSuffix(l.Type, "/markdown") && s.Kind() != dialog.TitleNote:
			p.HTML += m.html(l.Text)
		default:
			p.Texts = append(p.Texts, l.Text)
		}
	}
	if s.Loose != "" {
		p.Texts = append(p.Texts, s.Loose)
	}
	if p.Fold != "" {
		p.Class = "folded"
	}
	return p, p.HTML != "" || len(p.Texts)+len(p.Quotes) > 0
}

// minute is a time of a file to the minute, in UTC.
func minute(at string) string {
	t, err := time.Parse(time.RFC3339, at)
	if err != nil {
		return at
	}
	return t.UTC().Format("2006-01-02 15:04 UTC")
}

// image is a picture of the project as package markdown writes it.
var image = regexp.MustCompile(`<img src="([^"]*)" alt="([^"]*)">`)

// html renders a text, with the pictures of the project in it and without links to its
// files, which lead nowhere from a page that was given away.
func (m *Maker) html(text string) string {
	out := image.ReplaceAllStringFunc(m.HTML(text), func(tag string) string {
		parts := image.FindStringSubmatch(tag)
		mime, bytes, ok := m.Picture(html.UnescapeString(parts[1]))
		if !ok {
			return `<em>[` + parts[2] + ` ` + parts[1] + `]</em>`
		}
		return `<img src="data:` + mime + `;base64,` + base64.StdEncoding.EncodeToString(bytes) + `" alt="` + parts[2] + `">`
	})
	return ours.ReplaceAllString(out, "<a>")
}

// fenced returns a doc with its blocks of schwas as blocks of code, and its front matter too.
func fenced(text string) string {
	var b strings.Builder
	for i, line := range strings.SplitAfter(text, "\n") {
		bare := strings.TrimRight(line, "\r\n")
		switch {
		case i == 0 && bare == "---":
			if end := strings.Index(text[len(line):], "\n---\n"); end >= 0 {
				rest := text[len(line)+end+len("\n---"):]
				return fence + "\n" + text[len(line):len(line)+end] + "\n" + fence + fenced(rest)
			}
			b.WriteString(line)
		case strings.HasPrefix(bare, "əəə") && !strings.HasPrefix(bare, "əəəə"):
			b.WriteString(fence + line[len(bare):])
		default:
			b.WriteString(line)
		}
	}
	return b.String()
}

// fence is longer than what a text in a block of schwas has in it, as a rule.
const fence = "~~~~~~~~"

// ours is the beginning of a link to a file of the project; a link elsewhere has a title and more.
var ours = regexp.MustCompile(`<a href="[^"]*">`)
