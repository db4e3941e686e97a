package markdown

import (
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"vibey/dialog/picture"
)

// shown returns the files in files/ that the window shows of a text, each once.
func shown(t *testing.T, markdown string) (paths []string) {
	ast.Walk(plainParser.Parse(text.NewReader([]byte(markdown)), parser.WithContext(parser.NewContext())), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if image, ok := n.(*ast.Image); ok && entering {
			path, err := url.PathUnescape(string(image.Destination))
			if err != nil {
				t.Fatal(err)
			}
			if strings.HasPrefix(path, "files/") && !slices.Contains(paths, path) {
				paths = append(paths, path)
			}
		}
		return ast.WalkContinue, nil
	})
	return paths
}

// What is sent of a message is what the window shows of it as a picture, and no more.
func TestPicturesSentAreShown(t *testing.T) {
	pieces := []string{
		"![a](files/1.png)", "![b](<files/2 b.png>)", "![c](files/3.png 'title')", "words", "[", "](x)", "`", "``", "\\", "<", ">",
		"\n", "\n", "\n", "\n\n", "\n\n", " ", "    ", "\t", "> ", "- ", "1. ", "# ", "\n===\n", "\n---\n", "\n```\n", "\n~~~\n",
		"<pre>", "</pre>", "<div>", "</div>", "<b>", "</b>", "<b title=\"", "\">", "<!--", "-->", "<?", "?>", "<!X", "<![CDATA[", "]]>",
		"<script>", "</script>", "<https://a.b/", "<br/>", "<a-b c=d e='f'>",
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		var b strings.Builder
		for range 1 + random.IntN(12) {
			b.WriteString(pieces[random.IntN(len(pieces))])
		}
		if got, want := picture.Links(b.String()), shown(t, b.String()); !slices.Equal(got, want) {
			t.Errorf("%q: %q are sent, %q shown", b.String(), got, want)
		}
	}
}
