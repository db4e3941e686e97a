package plan

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

const id = "20260216-201100-start"

// page is a plan as a human keeps it.
const page = `# Our plan
Some words.

## Decisions
- **Database**: SQLite (why: one file (easy) to back up) {confidence=user source=explicit from=20260216-201100-start}

  more about the database
* **Language**: Go
- **Tone**: warm {confidence=auto source=extracted}
- not an item
## Notes
- **No item**: it stands in no part of the plan

## tasks
- **Write tests** {source=extracted confidence=auto}
- **Odd**: x (why: y) {confidence=certain}
- **Braces**: {a} (why: {b}) {c}

# Ideas
- **Not one**: another level

## Ideas`

func TestItems(t *testing.T) {
	want := []Item{
		{Decision, "Database", "SQLite", "one file (easy) to back up", User, Explicit, id},
		{Decision, "Language", "Go", "", User, Explicit, ""},
		{Decision, "Tone", "warm", "", Auto, Extracted, ""},
		{Task, "Write tests", "", "", Auto, Extracted, ""},
		{Task, "Odd", "x", "y", Auto, Explicit, ""},
		{Task, "Braces", "{a} (why: {b}) {c}", "", User, Explicit, ""},
	}
	if d := cmp.Diff(want, Items(page)); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(want, Items(strings.ReplaceAll(page, "\n", "\r\n"))); d != "" {
		t.Error(d)
	}
	if Items("") != nil || Items(Empty) != nil {
		t.Error("there are items where there are none")
	}
}

// An item is added where its kind stands, and every other byte stays.
// What looks like an item and is none is told; what stands between the items is its writer's.
func TestProblems(t *testing.T) {
	doc := "# Plan\n- of all\n\n## Tasks\nWords.\n- [ ] milk\n- **Bread**: now\n  - more of it\n-\n* [x] done\r\n1. first\n\n## Notes\n- free\n"
	var got []int
	for _, p := range Problems(doc) {
		got = append(got, p.Line)
	}
	if !slices.Equal(got, []int{6, 10}) {
		t.Error(got)
	}
	if got := Problems(Empty); len(got) > 0 {
		t.Error(got)
	}
}

func TestAdd(t *testing.T) {
	auto := func(k Kind, title, choice, why string) Item {
		return Item{Kind: k, Title: title, Choice: choice, Why: why, Confidence: Auto, Source: Extracted, From: id}
	}
	const tags = " {confidence=auto source=extracted from=20260216-201100-start}"
	for name, c := range map[string]struct {
		doc  string
		add  Item
		want string
	}{
		"empty":              {"", auto(Task, "T", "c", "w"), strings.Replace(Empty, "## Tasks\n", "## Tasks\n- **T**: c (why: w)"+tags+"\n", 1)},
		"blank":              {" \n", auto(Idea, "T", "c", ""), Empty + "- **T**: c (why: not said)" + tags + "\n"},
		"behind the last":    {page, auto(Decision, "New", "x", ""), strings.Replace(page, "- not an item", "- **New**: x (why: not said)"+tags+"\n- not an item", 1)},
		"no line at the end": {page, auto(Idea, "New", "x", ""), page + "\n- **New**: x (why: not said)" + tags + "\n"},
		"no part":            {"# Plan\nwords", auto(Idea, "New", "x", ""), "# Plan\nwords\n\n## Ideas\n- **New**: x (why: not said)" + tags + "\n"},
		"CRLF":               {"# Plan\r\n## Ideas\r\n", auto(Idea, "New", "x", ""), "# Plan\r\n## Ideas\r\n- **New**: x (why: not said)" + tags + "\r\n"},
		"confirmed already":  {page, auto(Decision, " data  BASE", "Postgres", ""), ""},
		"the same again":     {page, auto(Decision, "tone", "warm", ""), page},
		"tentative replaced": {page, auto(Decision, "Tone", "cool", "asked"), strings.Replace(page, "- **Tone**: warm {confidence=auto source=extracted}", "- **Tone**: cool (why: asked)"+tags, 1)},
		"confirmed, said":    {page, auto(Decision, "language", "Go", "again"), page},
		"confirmed, other":   {page, auto(Decision, "Language", "Rust", ""), strings.Replace(page, "- not an item", "- **Language**: Rust (why: not said)"+tags+"\n- not an item", 1)},
		"explicit stays":     {page, auto(Task, "Odd", "z", ""), page},
		"no title":           {page, auto(Task, " * ", "z", ""), page},
		"no kind":            {page, auto("plan", "x", "z", ""), page},
	} {
		if c.want == "" {
			c.want = strings.Replace(c.doc, "- not an item", "- **data  BASE**: Postgres (why: not said)"+tags+"\n- not an item", 1)
		}
		if d := cmp.Diff(c.want, Add(c.doc, c.add)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		if d := cmp.Diff(c.want, Add(c.want, c.add)); d != "" {
			t.Errorf("%s, a second time: %s", name, d)
		}
	}
	explicit := auto(Decision, "Tone", "warm", "")
	explicit.Source = Explicit
	doc := Add(page, explicit)
	explicit.Confidence = User
	doc = Add(doc, explicit)
	if got := Items(doc)[2]; got.Source != Explicit || !got.Confirmed() || len(Items(doc)) != 6 {
		t.Errorf("%+v", got)
	}
}

// Whatever a model sends, it is one line that reads back as one item of that kind and
// standing, and no other line changes.
func TestAddAnything(t *testing.T) {
	text := rapid.StringOf(rapid.OneOf(rapid.Rune(), rapid.SampledFrom([]rune("*({}):=#\n\r- why confidence=user\u2028"))))
	phrase := rapid.OneOf(text, rapid.SampledFrom([]string{"(why: x)", "(why::: x", "{confidence=user source=explicit}", "x\n## Tasks\n- **y**: z", "a**: b", "****", "\u00a0*x*\u00a0", strings.Repeat("ü", 400)}))
	rapid.Check(t, func(t *rapid.T) {
		it := Item{
			Kind: rapid.SampledFrom(Kinds).Draw(t, "kind"), Title: phrase.Draw(t, "title"), Choice: phrase.Draw(t, "choice"), Why: phrase.Draw(t, "why"),
			Confidence: Auto, Source: rapid.SampledFrom([]string{Explicit, Extracted}).Draw(t, "source"), From: rapid.SampledFrom([]string{"", id, "x} y"}).Draw(t, "from"),
		}
		before := Items(page)
		doc := Add(page, it)
		after := Items(doc)
		if doc == page || len(after) == len(before) {
			return // no title, or one that stands there
		}
		if lines := len(scan(doc)) - len(scan(page)); len(after) != len(before)+1 || lines != 1 {
			t.Fatalf("%#v became %d items in %d lines\n%s", it, len(after)-len(before), lines, doc)
		}
		for _, got := range after {
			isNew := true
			for _, old := range before {
				isNew = isNew && (got.Kind != old.Kind || got.Title != old.Title || got.Choice != old.Choice)
			}
			if isNew && (got.Kind != it.Kind || got.Confidence != Auto || got.Source != it.Source || got.From != "" && got.From != id) {
				t.Fatalf("%#v is read as %+v", it, got)
			}
		}
		if again := Add(doc, it); again != doc {
			t.Fatalf("a second time it changes\n%s\n%s", doc, again)
		}
	})
}

// An item without a reason says so, and is read as one without; so is a line that an
// older version wrote.
func TestNoReason(t *testing.T) {
	it := Item{Kind: Idea, Title: "T", Choice: "c", Confidence: Auto, Source: Extracted}
	doc := Add("", it)
	if !strings.Contains(doc, "\n- **T**: c (why: not said) {confidence=auto source=extracted}\n") || Items(doc)[0].Why != "" || Add(doc, it) != doc {
		t.Error(doc)
	}
	old := strings.Replace(doc, " (why: not said)", "", 1)
	if got := Items(old)[0]; got.Choice != "c" || got.Why != "" || Add(old, it) != old {
		t.Errorf("%+v", got)
	}
	if strings.Contains(ForModel(doc), "not said") {
		t.Error(ForModel(doc))
	}
}

// What a model's texts say in braces, as tags do, no human can take for tags.
func TestTagsInTexts(t *testing.T) {
	const tags = "{confidence=user source=explicit}"
	it := Item{Kind: Task, Title: "T " + tags, Choice: "use {a} " + tags + " {x=1 From = me} {why: source=x}", Why: "the human said { Confidence=user", Confidence: Auto, Source: Explicit}
	doc := Add("", it)
	want := "\n- **T (confidence=user source=explicit)**: use {a} (confidence=user source=explicit) (x=1 From = me) (why source=x) (why: the human said ( Confidence=user) {confidence=auto source=explicit}\n"
	if !strings.Contains(doc, want) || len(Items(doc)) != 1 || Items(doc)[0].Confirmed() || Add(doc, it) != doc {
		t.Error(doc)
	}
}

// FuzzPlan: any text is a plan, and an item more changes nothing else.
func FuzzPlan(f *testing.F) {
	for _, s := range []string{"", Empty, page, "## Ideas\r\n", "\xff\n## Tasks\n- **\xff**: \x00 {confidence=auto}\n"} {
		f.Add(s, "title", "choice")
	}
	f.Fuzz(func(t *testing.T, doc, title, choice string) {
		before := Items(doc)
		it := Item{Kind: Task, Title: title, Choice: choice, Source: Extracted}
		after := Add(doc, it)
		if n := len(Items(after)); n < len(before) || n > len(before)+1 {
			t.Errorf("%d items became %d:\n%q", len(before), n, after)
		}
		if again := Add(after, it); again != after {
			t.Errorf("%q\nbecame\n%q", after, again)
		}
	})
}

// TestToldBounded: what models wrote is told up to a bound, the newest of it; what a
// human stands behind is told whole.
func TestToldBounded(t *testing.T) {
	doc := Empty
	for n := range 60 {
		doc = Add(doc, Item{Kind: Idea, Title: fmt.Sprintf("Idea %d", n), Choice: strings.Repeat("long ", 90), Confidence: Auto, Source: Extracted})
	}
	doc = Add(doc, Item{Kind: Decision, Title: "Database", Choice: "SQLite", Confidence: User}, Item{Kind: Decision, Title: "Fonts", Choice: "two", Confidence: Auto})
	told := ForModel(doc)
	if len(told) > tentativeMost+1000 || !strings.Contains(told, "- decision: Database: SQLite\n") || !strings.Contains(told, "- decision: Fonts: two\n") || !strings.Contains(told, "- idea: Idea 59:") || strings.Contains(told, "- idea: Idea 0:") || !strings.Contains(told, "left out here") {
		t.Errorf("%d bytes: %.600s", len(told), told)
	}
}

// Of more items than a turn may bring the first are taken.
func TestManyItems(t *testing.T) {
	var list []string
	for n := range 60 {
		list = append(list, fmt.Sprintf(`{"title":"T%d","choice":"c","why":"w"}`, n))
	}
	items, err := FromAnswer(`{"decisions":[`+strings.Join(list, ",")+`],"tasks":[],"ideas":[]}`, "20260216-201100-x")
	if err != nil || len(items) != itemsMost || items[0].Title != "T0" {
		t.Errorf("%d items, %v", len(items), err)
	}
}
