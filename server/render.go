package server

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

// What is rendered at most. goldmark is quick on text that people and models
// write (2 KB in 0.2 ms), but some text takes it a time that grows with the
// square of its length: 64 KB of "[a](" 1.4 s, of "> " 0.7 s, of "a*b_" 0.3 s.
const (
	renderMax  = 256 << 10 // bytes; more is shown as plain text
	renderTime = 200 * time.Millisecond
	renderers  = 2 // at a time; one that overstays holds a place until it is through
	linksMax   = 3000
	marksMax   = 12000 // * and _ outside of runs
	nestMax    = 24    // quotes and lists in each other
	cacheMax   = 4 << 20
)

// markdown makes HTML of markdown that nobody vouches for: raw HTML comes out
// as text, a link that could run something or a picture from elsewhere as words.
type markdown struct {
	md     goldmark.Markdown
	places chan struct{}
	log    *slog.Logger

	mu    sync.Mutex
	cache map[[sha256.Size]byte]string
	size  int
}

func newRenderer(log *slog.Logger) *markdown {
	md := goldmark.New(
		goldmark.WithExtensions(
			extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)), // the policy forbids styles
			extension.Strikethrough, extension.TaskList,
			extension.NewLinkify(extension.WithLinkifyAllowedProtocols([]string{"http:", "https:"})),
		),
		goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(nodes{}, 100))),
	)
	return &markdown{md: md, log: log, places: make(chan struct{}, renderers), cache: map[[sha256.Size]byte]string{}}
}

// html renders text, or shows it as it is where that would take too long. The
// same text gives the same HTML, from the cache if it was asked for before.
func (m *markdown) html(text string) string {
	if text == "" {
		return ""
	}
	if tooMuch(text) {
		return plain(text)
	}
	key := sha256.Sum256([]byte(text))
	m.mu.Lock()
	out, ok := m.cache[key]
	m.mu.Unlock()
	if ok {
		return out
	}
	out, ok = m.inTime(text)
	if !ok {
		out = plain(text)
	}
	m.keep(key, out)
	return out
}

// inTime renders, or gives up when the time is over.
func (m *markdown) inTime(text string) (string, bool) {
	over := time.NewTimer(renderTime)
	defer over.Stop()
	select {
	case m.places <- struct{}{}:
	case <-over.C:
		return "", false
	}
	done := make(chan string, 1)
	caught.Go(m.log, "rendering markdown", func() {
		defer func() { <-m.places }()
		out := plain(text)
		defer func() { done <- out }() // also where the parser panics
		var b bytes.Buffer
		if err := m.md.Convert([]byte(text), &b); err == nil {
			out = b.String()
		}
	})
	select {
	case out := <-done:
		return out, true
	case <-over.C:
		return "", false
	}
}

func (m *markdown) keep(key [sha256.Size]byte, out string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.size += len(out); m.size > cacheMax {
		clear(m.cache)
		m.size = len(out)
	}
	m.cache[key] = out
}

// plain shows text as it is.
func plain(text string) string {
	return `<pre class="plain">` + html.EscapeString(strings.ToValidUTF8(text, "\ufffd")) + "</pre>\n"
}

// tooMuch tells of text that goldmark would need too long for.
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

// nesting is how many quotes and lists a line opens within each other.
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
