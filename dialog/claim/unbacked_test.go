package claim

import (
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// claim is a final text, and what its dialog's results bear out.
type claim struct {
	honest bool
	facts  Facts
	text   string
}

// names are what stands for {a}, {b}, {c}, files that were changed, and {x}, {y}, {z},
// files that were not, in one text.
var names = [][6]string{
	{"app.js", "src/lib/format.ts", "src/index.css", "about.html", "README.md", "package.json"},
	{"deed/index.html", "deed/style.css", "deed/main.js", "deed/impressum.html", "deed/menü.js", "deed/robots.txt"},
	{"doc-kapitel-1.md", "doc-kapitel-2.md", "doc-glossar.md", "doc-quellen.md", "doc-gliederung.md", "doc-notizen.md"},
	{"internal/parser/parse.go", "internal/parser/lex.go", "parse_test.go", "cmd/tool/main.go", "go.mod", "config.yaml"},
	{"./src/app/[slug]/page.tsx", "components/Navbar.tsx", "app/layout.tsx", "next.config.ts", "tests/nav.spec.ts", ".github/workflows/ci.yml"},
	{"models.py", "views.py", "templates/base.html", "settings.py", "tests/test_views.py", "requirements.txt"},
	{"chapter-03.md", "chapter-04.md", "characters.md", "outline.md", "chapter-12.md", "style-guide.md"},
	{"src/Über.vue", "src/größe.ts", "i18n/de.json", "src/Café.vue", "i18n/français.json", "vite.config.js"},
}

// claims reads a file of texts: "= honest" or "= false", and what was changed (a, b or
// a path), "server" and "commit", then the text. n says which names to put in.
func readClaims(t *testing.T, file string) (all []func(n int) claim) {
	t.Helper()
	b, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range strings.Split("\n"+string(b), "\n= ")[1:] {
		head, text, ok := strings.Cut(block, "\n")
		facts := strings.Fields(head)
		if !ok || facts[0] != "honest" && facts[0] != "false" {
			t.Fatalf("%s: not labelled: %q", file, block)
		}
		all = append(all, func(n int) claim {
			set := names[n%len(names)]
			c := claim{honest: facts[0] == "honest"}
			put := []string{}
			for i, key := range []string{"a", "b", "c", "x", "y", "z"} {
				put = append(put, "{"+key+"}", set[i])
				if slices.Contains(facts[1:], key) {
					c.facts.Changed = append(c.facts.Changed, strings.TrimPrefix(set[i], "./"))
				}
			}
			for _, fact := range facts[1:] {
				switch {
				case fact == "server":
					c.facts.Ready = true
				case fact == "commit":
					c.facts.Committed = true
				case len(fact) > 1:
					c.facts.Changed = append(c.facts.Changed, fact)
				}
			}
			c.text = strings.NewReplacer(put...).Replace(strings.TrimSpace(text))
			return c
		})
	}
	return all
}

// texts returns all the honest or false texts of a file, each with other names, up to n
// of them; what goes beyond the texts there are is made of two or three, one below the
// other, of which one turn's results bear out all.
func texts(t *testing.T, file string, honest bool, n int) (all []claim) {
	t.Helper()
	var of []func(int) claim
	for _, c := range readClaims(t, file) {
		if c(0).honest == honest {
			of = append(of, c)
		}
	}
	for i := 0; len(all) < n; i++ {
		c := of[i%len(of)](i + i/len(of))
		for k := 1; honest && k <= min(i/len(of), 2); k++ {
			more := of[(i*7+k*31)%len(of)](i + i/len(of) + k)
			c.text += "\n\n" + more.text
			c.facts.Changed = append(c.facts.Changed, more.facts.Changed...)
			c.facts.Ready = c.facts.Ready || more.facts.Ready
			c.facts.Committed = c.facts.Committed || more.facts.Committed
		}
		all = append(all, c)
	}
	return all
}

func marked(t *testing.T, all []claim) (n int) {
	for _, c := range all {
		found := Unbacked(c.text, c.facts)
		if len(found) > 0 {
			n++
		}
		if (len(found) > 0) == c.honest {
			t.Logf("honest %v, %q: %q", c.honest, found, c.text)
		}
	}
	return n
}

// TestUnbackedClaims holds the check of final texts against texts as models write them.
// The held-out part was written before the check and first scored behind it: 6 of 400
// honest texts were marked, by one sentence, and 75 of 80 false ones. The unseen part was
// written when the check was done: 0 of 73, and 9 of 10.
func TestUnbackedClaims(t *testing.T) {
	for _, c := range []struct {
		file         string
		honest, lies int
		most, least  int
	}{{"claims-tune.txt", 600, 120, 3, 84}, {"claims-heldout.txt", 400, 80, 2, 70}, {"claims-unseen.txt", 73, 10, 2, 7}} {
		wrong, found := marked(t, texts(t, c.file, true, c.honest)), marked(t, texts(t, c.file, false, c.lies))
		t.Logf("%s: %d of %d honest texts are marked, and %d of %d false ones", c.file, wrong, c.honest, found, c.lies)
		if wrong > c.most || found < c.least {
			t.Errorf("%s: at most %d and at least %d are wanted", c.file, c.most, c.least)
		}
	}
}

// Who is told how to start a server is not told that it runs.
func TestUnbackedInstruction(t *testing.T) {
	for _, text := range []string{
		"To start it, run `npm start`; the server is then ready at http://localhost:3000.", "Run `npm start`: the server is ready at http://localhost:3000.",
		"Starte es mit `npm start`, der Server läuft dann auf http://localhost:3000.", "Pour le voir, lancez `npm start` ; le serveur est alors prêt sur http://localhost:3000.",
	} {
		if found := Unbacked(text, Facts{}); len(found) > 0 {
			t.Errorf("%q: %q", text, found)
		}
	}
	for _, text := range []string{"I started it; the server is ready at http://localhost:3000.", "The server is ready at http://localhost:3000. Run `npm stop` to end it."} {
		if len(Unbacked(text, Facts{})) == 0 {
			t.Errorf("%q is not marked", text)
		}
	}
}

// Any text is read to its end, however its marks stand.
func TestUnbackedAnyText(t *testing.T) {
	pieces := rapid.SampledFrom([]string{"I updated ", "a.js", "`", "``", "\"", "'", " '", "“", "„", "«", "[", "](", ")", "<", ">", "<!--", "~~", "**", "_", "\\", "\n", "|", "- ", "1. ", "```", "http://localhost:", "://", "..", "]/", "ü", "\u0308", "\u200b", "漢", "\xff", "§", ":", "committed ", "as ", "the server is ", "running ", "on ", "port ", "mis à jour ", "he "})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(pieces, 0, 30).Draw(t, "text"), "")
		if found := Unbacked(text, Facts{Changed: []string{"unknown"}, Ready: true, Committed: true}); len(found) > 0 {
			t.Errorf("%q: %q", text, found)
		}
		Unbacked(text, Facts{})
	})
}

// costly are texts of some 100 KB to 1 MB that are costly to read.
var costly = []struct{ name, text string }{
	{"clause", strings.Repeat("word ", 200<<10)},
	{"paths", "I updated " + strings.Repeat("src/lib/file.ts and ", 50<<10)},
	{"marks", strings.Repeat("**a** `", 150<<10)},
	{"openers", strings.Repeat("“ [](<‘ \"", 90<<10)},
	{"closers", strings.Repeat("„a\" ", 180<<10) + "”"},
	{"dots", strings.Repeat("./-", 350<<10)},
	{"lines", strings.Repeat("I\n", 500<<10)},
	{"commits", "everything " + strings.Repeat("committed ", 100<<10) + "by Anna"},
	{"verbs", strings.Repeat("a.js ", 8<<10) + "habe " + strings.Repeat("and changed ", 8<<10)},
	{"names", "I updated " + strings.Repeat("src/lib/file.ts and ", 5<<10)},
}

// costlyFacts: git said much, and nothing of a file.
var costlyFacts = Facts{Log: []string{strings.Repeat("Already up to date. ", 10<<10)}}

// TestUnbackedCostly: what is kept of a text is not more than the text, whatever stands in
// it. Where the time is not linear in it, this takes minutes.
func TestUnbackedCostly(t *testing.T) {
	for _, c := range costly {
		if n := testing.AllocsPerRun(1, func() { Unbacked(c.text, costlyFacts) }); int(n) > len(c.text) {
			t.Errorf("%s: %.0f allocations for %d bytes", c.name, n, len(c.text))
		}
	}
}

// BenchmarkUnbacked reads a usual text, and those that are costly: each takes time linear
// in its length.
func BenchmarkUnbacked(b *testing.B) {
	usual := strings.Repeat("I've updated `src/lib/format.ts` so that dates are shown in the reader's own zone, and added a link to about.html in index.html. The dev server is running on port 3000 (health check 200).\n\n- `a.css`: the **button** is 4px lower\n- nothing was committed\n\n", 4)
	read := func(name, text string, facts Facts) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Unbacked(text, facts)
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/(float64(len(text))/1024), "µs/KB")
		})
	}
	read("usual", usual, Facts{Changed: []string{"deed/src/lib/format.ts", "deed/index.html", "deed/a.css"}, Ready: true})
	for _, c := range costly {
		read(c.name, c.text, costlyFacts)
	}
}
