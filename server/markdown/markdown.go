// Package markdown makes HTML of markdown that a model, a tool or a stranger may
// have written. Raw HTML comes out as text, a link that could run something or a
// picture of another host as words, and code as it is, with its language as a class:
// the window colours it.
//
//	r := markdown.New(log)
//	html := r.HTML("# A *title*") // "<h1>A <em>title</em></h1>\n"
//
// The window's policy and its sanitizer hold the same once more.
package markdown

import (
	"bytes"
	"crypto/sha256"
	"html"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"

	"vibey/tools/caught"
)

// The limits of rendering. goldmark is quick on text that people and models
// write (2 KB in 0.2 ms), but some text takes it a time that grows with the
// square of its length: 64 KB of "[a](" 1.4 s, of "> " 0.7 s, of "a*b_" 0.3 s.
// Text beyond a limit is shown verbatim.
const (
	renderMax  = 256 << 10 // bytes of text
	renderTime = 200 * time.Millisecond
	renderers  = 2 // goroutines at a time, those included that are late
	linksMax   = 3000
	marksMax   = 12000 // * and _ outside of runs
	nestMax    = 24    // quotes and lists in each other
	cacheMax   = 4 << 20
)

// Renderer renders markdown and caches the HTML. Goroutines may share it.
type Renderer struct {
	md    goldmark.Markdown
	notes goldmark.Markdown // md with footnotes
	slots chan struct{}     // holds an element for each rendering goroutine
	log   *slog.Logger

	mu    sync.Mutex
	cache map[[sha256.Size]byte]string // by the hash of the text
	size  int                          // bytes of HTML in cache
}

// New returns a Renderer that logs the parser's panics to log; nil logs nothing.
func New(log *slog.Logger) *Renderer {
	with := func(more ...goldmark.Extender) goldmark.Markdown {
		return goldmark.New(
			goldmark.WithExtensions(append(more,
				extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)), // the policy forbids styles
				extension.Strikethrough, extension.TaskList, critic{},
				extension.NewLinkify(extension.WithLinkifyAllowedProtocols([]string{"http:", "https:"})),
			)...),
			goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(nodes{}, 100))),
		)
	}
	return &Renderer{md: with(), notes: with(footnotes), log: log, slots: make(chan struct{}, renderers), cache: map[[sha256.Size]byte]string{}}
}

// HTML returns text rendered, or verbatim in a <pre> where it is beyond a limit
// or is not rendered within renderTime. A late result is cached, so that a later
// call returns it.
func (r *Renderer) HTML(text string) string {
	if text == "" {
		return ""
	}
	if tooMuch(text) {
		return verbatim(text)
	}
	key := sha256.Sum256([]byte(text))
	r.mu.Lock()
	out, ok := r.cache[key]
	r.mu.Unlock()
	if ok {
		return out
	}
	if out, ok = r.inTime(text, func(out string) { r.keep(key, out) }); !ok {
		return verbatim(text)
	}
	return out
}

// Draft is HTML for a text that will soon be another one: it keeps no result.
func (r *Renderer) Draft(text string) string {
	if text == "" {
		return ""
	}
	if !tooMuch(text) {
		if out, ok := r.inTime(text, func(string) {}); ok {
			return out
		}
	}
	return verbatim(text)
}

// inTime renders text in a goroutine of its own. It reports false after
// renderTime; the goroutine goes on then. done gets the result in any case,
// before inTime returns it.
func (r *Renderer) inTime(text string, done func(string)) (string, bool) {
	over := time.NewTimer(renderTime)
	defer over.Stop()
	select {
	case r.slots <- struct{}{}:
	case <-over.C:
		return "", false
	}
	rendered := make(chan string, 1)
	caught.Go(r.log, "rendering markdown", func() {
		defer func() { <-r.slots }()
		out := verbatim(text)
		defer func() { done(out); rendered <- out }() // also where the parser panics
		var b bytes.Buffer
		if err := r.convert([]byte(text), &b); err == nil {
			out = b.String()
		}
	})
	select {
	case out := <-rendered:
		return out, true
	case <-over.C:
		return "", false
	}
}

// keep caches out. A cache that would hold more than cacheMax is emptied before.
func (r *Renderer) keep(key [sha256.Size]byte, out string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.size += len(out); r.size > cacheMax {
		clear(r.cache)
		r.size = len(out)
	}
	r.cache[key] = out
}

// verbatim returns HTML that shows text as it is.
func verbatim(text string) string {
	return `<pre class="plain">` + html.EscapeString(Bare(strings.ToValidUTF8(text, "\ufffd"))) + "</pre>\n"
}

// tooMuch reports whether text is beyond a limit, and goldmark might take too long.
func tooMuch(text string) bool {
	if len(text) > renderMax || strings.Count(text, "](") > linksMax || strings.Count(text, "[") > 4*linksMax {
		return true
	}
	marks := 0
	for i := range len(text) {
		if c := text[i]; (c == '*' || c == '_' || c == '~') && (i == 0 || text[i-1] != c) {
			marks++
		}
	}
	if marks > marksMax {
		return true
	}
	for line := range strings.Lines(text) {
		if nesting(line) > nestMax {
			return true
		}
	}
	return false
}

// nesting returns how many quotes and lists a line opens within each other.
func nesting(line string) int {
	n := 0
	for {
		line = strings.TrimLeft(line, " \t")
		digits := 0
		for digits < len(line) && digits < 10 && line[digits] >= '0' && line[digits] <= '9' {
			digits++
		}
		switch {
		case line != "" && line[0] == '>':
			line = line[1:]
		case len(line) > 1 && strings.IndexByte("-+*", line[0]) >= 0 && (line[1] == ' ' || line[1] == '\t'):
			line = line[2:]
		case digits > 0 && digits+1 < len(line) && strings.IndexByte(".)", line[digits]) >= 0 && (line[digits+1] == ' ' || line[digits+1] == '\t'):
			line = line[digits+2:]
		default:
			return n
		}
		n++
	}
}
