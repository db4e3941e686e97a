package markdown

import (
	"io"
	"log/slog"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/parser"
)

func TestMarkdownBecomesSafeHTML(t *testing.T) {
	m := New(nil)
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"# A *b* `c`\n\ntext", "<h1>A <em>b</em> <code>c</code></h1>\n<p>text</p>\n"},
		{"- [x] a\n- [ ] b", "<ul>\n<li><input checked=\"\" disabled=\"\" type=\"checkbox\"> a</li>\n<li><input disabled=\"\" type=\"checkbox\"> b</li>\n</ul>\n"},
		{"|a|b|\n|-|:-:|\n|1|2|", "<table>\n<thead>\n<tr>\n<th>a</th>\n<th align=\"center\">b</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>1</td>\n<td align=\"center\">2</td>\n</tr>\n</tbody>\n</table>\n"},
		// raw HTML is shown as what was written
		{"a <b onclick=x>c</b> d", "<p>a &lt;b onclick=x&gt;c&lt;/b&gt; d</p>\n"},
		{"<script>\nalert(1)\n</script>", "<pre class=\"plain\">&lt;script&gt;\nalert(1)\n&lt;/script&gt;</pre>\n"},
		{"<!-- x\n\n-->\n", "<pre class=\"plain\">&lt;!-- x\n\n--&gt;\n</pre>\n"},
		{"<img src=x onerror=alert(1)>", "<pre class=\"plain\">&lt;img src=x onerror=alert(1)&gt;</pre>\n"},
		// links
		{"[a](https://x.example/?q=1&r=\"2)", "<p><a href=\"https://x.example/?q=1&amp;r=%222\" title=\"https://x.example/?q=1&amp;r=%222\" target=\"_blank\" rel=\"noopener noreferrer nofollow\">a</a></p>\n"},
		{"see https://x.example.", "<p>see <a href=\"https://x.example\" title=\"https://x.example\" target=\"_blank\" rel=\"noopener noreferrer nofollow\">https://x.example</a>.</p>\n"},
		{"<me@x.example>", "<p><a href=\"mailto:me@x.example\" title=\"mailto:me@x.example\" target=\"_blank\" rel=\"noopener noreferrer nofollow\">me@x.example</a></p>\n"},
		{"[plan](doc-plan.md#a)", "<p><a href=\"doc-plan.md\">plan</a></p>\n"},
		{"[a](javascript:alert(1))", "<p>a</p>\n"},
		{"[a](JaVaScRiPt:alert(1))", "<p>a</p>\n"},
		{"[a](&#106;avascript:alert(1))", "<p>a</p>\n"},
		{"[a](<java\tscript:alert(1)>)", "<p>a</p>\n"},
		{"[a](data:text/html,<script>)", "<p>a</p>\n"},
		{"[a](data:text/html;base64,PHN)", "<p>a</p>\n"},
		{"[a](vbscript:x) [b](file:///etc/passwd) [c](blob:x) [d](//evil.example/x) [e](/login) [f](\\\\evil)", "<p>a b c d e f</p>\n"},
		{"<javascript:alert(1)>", "<p>javascript:alert(1)</p>\n"},
		{"[*a* b](https://x.example \"a title\")", "<p><a href=\"https://x.example\" title=\"https://x.example\" target=\"_blank\" rel=\"noopener noreferrer nofollow\"><em>a</em> b</a></p>\n"},
		// pictures
		{"![a *cat*](https://pics.example/c.png)", "<p><span class=\"chip\"><a href=\"https://pics.example/c.png\" title=\"https://pics.example/c.png\" target=\"_blank\" rel=\"noopener noreferrer nofollow\">Image at pics.example: a cat</a></span></p>\n"},
		{"![own](deed/a.png)", "<p><img src=\"deed/a.png\" alt=\"own\"></p>\n"},
		{"![x\"><b>](data:image/svg+xml,x)", "<p>x&quot;&gt;</p>\n"},
		// footnotes, where nothing of the text goes by them
		{"a[^x]\n\n[^x]: *b*", "<p>a<sup id=\"n4e982045-fnref:1\"><a href=\"#n4e982045-fn:1\" class=\"footnote-ref\" role=\"doc-noteref\">1</a></sup></p>\n<div class=\"footnotes\" role=\"doc-endnotes\">\n<hr>\n<ol>\n<li id=\"n4e982045-fn:1\">\n<p><em>b</em>&#160;<a href=\"#n4e982045-fnref:1\" class=\"footnote-backref\" role=\"doc-backlink\">↩</a></p>\n</li>\n</ol>\n</div>\n"},
		{"a\n\n[^x]: b c", "<p>a</p>\n<p>[^x]: b c</p>\n"},
		{"a[^x]\n\n[^x]: b c\n\n[^y]: d e", "<p>a[^x]</p>\n<p>[^x]: b c</p>\n<p>[^y]: d e</p>\n"},
		{"a[^x]\n\n[^x]: b c\n\n[^x]: d e", "<p>a[^x]</p>\n<p>[^x]: b c</p>\n<p>[^x]: d e</p>\n"},
		{"a `[^x]`\n\n[^x]: b c", "<p>a <code>[^x]</code></p>\n<p>[^x]: b c</p>\n"},
		{"a[^x]\n\n[^x]: [^y]: c d", "<p>a[^x]</p>\n<p>[^x]: [^y]: c d</p>\n"},
		// code
		{"```go\nfunc f() { return \"<x>\" } // 1\n```", "<pre><code class=\"language-go\">func f() { return &quot;&lt;x&gt;&quot; } // 1\n</code></pre>\n"},
		{"```C++ x\na\n```", "<pre><code class=\"language-C++\">a\n</code></pre>\n"},
		{"```\"><script>\nx & y\n```", "<pre><code class=\"language-&quot;&gt;&lt;script&gt;\">x &amp; y\n</code></pre>\n"},
	} {
		if got := m.HTML(c.text); got != c.want {
			t.Errorf("%q\n got %q\nwant %q", c.text, got, c.want)
		}
	}
}

// Whatever the text: no tag that goldmark and we do not make, no handler, no
// style, and no address that a browser would run or fetch by itself.
func FuzzMarkdownIsSafe(f *testing.F) {
	for _, s := range []string{"[a](javascript:x)", "<b onclick=x>", "![a](https://x)", "```go\n\"`", "| a | b |\n|-|-|", "- [x] a", "<a\nhref=x>", "[a]: javascript:x\n\n[a]", "&lt;script&gt;", "\\<b>", "<!-- -->", "a[^1] b[^1]\n\n[^1]: c"} {
		f.Add(s)
	}
	m := New(nil)
	tag := regexp.MustCompile(`<[^>]*>`)
	known := regexp.MustCompile(`^</?(p|em|strong|del|code|pre|ul|ol|li|h[1-6]|blockquote|br|hr|table|thead|tbody|tr|th|td|a|span|input|img|sup|div)[ >]`)
	attribute := regexp.MustCompile(` ([a-zA-Z-]+)(="([^"]*)")?`)
	f.Fuzz(func(t *testing.T, text string) {
		out := m.HTML(text)
		for _, g := range tag.FindAllString(out, -1) {
			if !known.MatchString(g) {
				t.Fatalf("%q makes the tag %s", text, g)
			}
			for _, a := range attribute.FindAllStringSubmatch(g, -1) {
				switch a[1] {
				case "class", "title", "rel", "target", "start", "align", "checked", "disabled", "type", "alt", "id", "role":
				case "href", "src":
					if remote := regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9+.-]*:|^[/\\]`).MatchString(a[3]); !remote && a[3] != "" || a[1] == "src" {
						if remote {
							t.Fatalf("%q fetches %s", text, a[3])
						}
						continue // a path of the project
					}
					if !strings.HasPrefix(a[3], "http://") && !strings.HasPrefix(a[3], "https://") && !strings.HasPrefix(a[3], "mailto:") {
						t.Fatalf("%q links to %s", text, a[3])
					}
				default:
					t.Fatalf("%q makes the attribute %s in %s", text, a[1], g)
				}
			}
		}
	})
}

// Text that would take a parser seconds is shown as it is, soon.
func TestMarkdownIsNeverSlow(t *testing.T) {
	m := New(nil)
	for _, piece := range []string{"[a](", "[", "![", "> ", "1. ", "- ", "a*b_", "[a](<b", "> - ", "`a``b```c", "<a ", "<!--", "[a]: b\n", "|a|b\n|-|-\n", "~a ", "*a **b ", "&", "http://a.b/(", "\t", ">a\n", "[^a]: b c\n", "[^a]", "[^a]: [^b]: "} {
		text := strings.Repeat(piece, (80<<10)/len(piece))
		begin := time.Now()
		out := m.HTML(text)
		// The machine may be busy: ten times what is allowed is still no hang.
		if took := time.Since(begin); took > 10*renderTime {
			t.Errorf("%q took %v", piece, took)
		}
		if out == "" && piece != "\t" && piece != "[a]: b\n" {
			t.Errorf("%q is shown as nothing", piece)
		}
	}
	for _, text := range []string{strings.Repeat("x", renderMax+1), strings.Repeat("[a](", linksMax+1), strings.Repeat("> ", nestMax+1) + "x"} {
		if got := m.HTML(text); !strings.HasPrefix(got, `<pre class="plain">`) {
			t.Errorf("%d bytes were rendered", len(text))
		}
	}
}

func TestMarkdownIsRenderedOnce(t *testing.T) {
	m := New(nil)
	first := m.HTML("*a*")
	for i := range m.cache {
		m.cache[i] = "from the cache"
	}
	if again := m.HTML("*a*"); again != "from the cache" || first == again {
		t.Errorf("rendered again: %q", again)
	}
	m.keep([32]byte{1}, strings.Repeat("x", cacheMax))
	if len(m.cache) != 1 {
		t.Errorf("the cache holds %d", len(m.cache))
	}
}

func BenchmarkMarkdown2KB(b *testing.B) {
	m := New(nil)
	text := strings.Repeat("## A heading\n\nSome *text* with `code` and a [link](https://x.example).\n\n- one\n- two\n\n```go\nfunc f() {}\n```\n\n", 18)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, ok := m.inTime(text, func(string) {}); !ok {
			b.Fatal("too slow")
		}
	}
}

// Text that was not rendered in time is rendered when it is asked for again.
func TestATimeoutIsNotCached(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := New(nil)
		const want = "<p><strong>b</strong></p>\n"
		for range renderers {
			m.slots <- struct{}{}
		}
		if got := m.HTML("**b**"); got != verbatim("**b**") {
			t.Errorf("while others are at work: %q", got)
		}
		for range renderers {
			<-m.slots
		}
		if got := m.HTML("**b**"); got != want {
			t.Errorf("after them: %q", got)
		}

		// One that comes late is kept.
		m = New(nil)
		m.md = late{m.md}
		if got := m.HTML("**b**"); got != verbatim("**b**") {
			t.Errorf("not yet rendered: %q", got)
		}
		time.Sleep(time.Minute)
		m.md = nil
		if got := m.HTML("**b**"); got != want {
			t.Errorf("rendered late: %q", got)
		}
	})
}

// late is a parser that takes a minute, of a bubble's clock.
type late struct{ goldmark.Markdown }

func (l late) Convert(source []byte, w io.Writer, opts ...parser.ParseOption) error {
	time.Sleep(time.Minute)
	return l.Markdown.Convert(source, w, opts...)
}

// A parser that breaks shows the text as it is, and says so in the log.
func TestRenderingOutlivesAPanic(t *testing.T) {
	log := make(awaited, renderers+1)
	m := New(slog.New(slog.NewTextHandler(log, nil)))
	m.md = nil
	for range renderers + 1 { // each gives its slot back
		if got, ok := m.inTime("*a*", func(string) {}); !ok || got != verbatim("*a*") {
			t.Errorf("%q %v", got, ok)
		}
	}
	if line := <-log; !strings.Contains(line, "rendering markdown") {
		t.Errorf("log %s", line)
	}
}

// awaited is a log whose lines somebody awaits.
type awaited chan string

func (l awaited) Write(b []byte) (int, error) { l <- string(b); return len(b), nil }
