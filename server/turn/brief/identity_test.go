package brief

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// What doc-main.md says of name, audience, vision and brief, by its title, by headings
// or by lines with a key.
func TestIdentify(t *testing.T) {
	for _, c := range []struct {
		name, doc string
		want      identity
	}{
		{"keys", "# Shop\n> Audience: owners of small firms\n> Vision: fewer brokers\n> Brief: a marketplace\n", identity{"Shop", "owners of small firms", "fewer brokers", "a marketplace"}},
		{"keys without a mark", "# Shop\n\nAudience: owners\n- **Vision:** one\n* __Brief__: two\n", identity{"Shop", "owners", "one", "two"}},
		{"headings", "# Shop\n\n## Audience\n\nOwners of\nsmall firms.\n\nMore of them.\n\n## Vision ##\nOne.\n### About\n> quoted\n", identity{"Shop", "Owners of small firms.", "One.", "quoted"}},
		{"a key before a heading", "# Shop\n## Audience\nby heading\n\n> Audience: by key\n", identity{"Shop", "by key", "", ""}},
		{"the first of each", "# A\n# B\n## Users\none\n\n## Audience\ntwo\n", identity{"A", "one", "", ""}},
		{"a name", "# Notes\n> Name: The Shop\n", identity{"The Shop", "", "", ""}},
		{"other languages", "# Das Buch\n## Zielgruppe\nKinder ab 8\n## Ziel\nLesen\n## Für wen?\nniemand\n", identity{"Das Buch", "Kinder ab 8", "Lesen", ""}},
		{"French, CRLF", "# Le livre\r\n\r\n## Pour qui ?\r\n\r\nLes enfants\r\n", identity{"Le livre", "Les enfants", "", ""}},
		{"a heading with nothing below", "# A\n## Audience\n## Vision\nv\n", identity{"A", "", "v", ""}},
		{"in fences", "# A\n```\nAudience: x\n```\nəəəproject/v1\naudience: y\nəəə\n~~~\n# B\n## Audience\nz\n", identity{"A", "", "", ""}},
		{"a byte order mark before the title", "\uFEFF# Shop\r\n", identity{"Shop", "", "", ""}},
		{"a byte order mark before a key", "\uFEFFName: The Shop\n# Notes\n", identity{"The Shop", "", "", ""}},
		{"nothing", "just text: with a colon\nhttps://example.org\n", identity{}},
		{"the template", "# p\n\n*This page leads: every agent reads it.*\n\n## What should exist\n\nNothing yet.\n", identity{"p", "", "", "Nothing yet."}},
		{"characters that steer", "# A\x1b[2J\n> Audience: a\u2028b\tc\n", identity{"A [2J", "a b c", "", ""}},
	} {
		if got := identify(c.doc); got != c.want {
			t.Errorf("%s: %+v\nwant %+v", c.name, got, c.want)
		}
	}
}

// Where doc-main.md names an audience, it stands within the first 500 characters of the
// system text, however long the names and however far down in the doc.
func TestAudienceFirst(t *testing.T) {
	long := strings.Repeat("ä very long nâme ", 100)
	for _, doc := range []string{
		"# Shop\n> Audience: small firms\n",
		"# " + long + "\n\n> Name: " + long + "\n> Vision: " + long + "\n> Brief: " + long + "\n" + strings.Repeat("text\n\n", 1000) + "## Who it is for\n\nsmall firms, and " + long + "\n",
	} {
		text := systemText(briefing{project: strings.Repeat("p", 100), doc: doc, codebase: "[CODEBASE — deed/]", plan: "[PLAN]"})
		if at := strings.Index(text, "small firms"); at < 0 || utf8.RuneCountInString(text[:at+len("small firms")]) > 500 {
			t.Errorf("the audience stands at %d:\n%.600s", at, text)
		}
		if !strings.Contains(text, strings.TrimRight(doc, "\n")+"\n") {
			t.Error("the doc is not there whole")
		}
	}
}

func TestSystemTextOrder(t *testing.T) {
	text := systemText(briefing{project: "p", doc: "# Shop\n> Audience: x\n", codebase: "[CODEBASE — deed/]\nEmpty.", plan: "[PLAN]\n- one"})
	at := 0
	for _, mark := range []string{"Name: Shop", "Audience: x", "[doc-main.md — ", "> Audience: x", "[end of doc-main.md]", "[CODEBASE — deed/]", "[PLAN]", "# Hard rules", "`success`", "healthCheck.status"} {
		i := strings.Index(text[at:], mark)
		if i < 0 {
			t.Fatalf("%q does not follow at %d in\n%s", mark, at, text)
		}
		at += i
	}
	if text = systemText(briefing{project: "p"}); strings.Contains(text, "\n\n\n") || strings.Contains(text, "Name:") {
		t.Errorf("with nothing known:\n%s", text)
	}
}
