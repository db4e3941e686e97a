package dialog

import "testing"

func TestDocTitle(t *testing.T) {
	for doc, want := range map[string]string{
		"":                                   "",
		"# The lamp\n":                       "The lamp",
		"# The lamp":                         "The lamp",
		"#\tThe lamp \t\r\nx":                "The lamp",
		"\uFEFF# The lamp\n":                 "The lamp",
		"   # The lamp ##\n":                 "The lamp",
		"# C#\n":                             "C#",
		"# C# #\n":                           "C#",
		"# *The* [lamp](x)\n":                "*The* [lamp](x)",
		"words\n\n# 灯台\n# second\n":          "灯台",
		"# \n#\n# ##\n# third\n":             "third",
		"## second level\n#tag\n####### x\n": "",
		"    # code\n\t# code\n# title\n":    "title",
		"```\n# code\n```\n# title\n":        "title",
		"~~~~ md\n# a\n~~~\n# b\n~~~~~\n# title\n":              "title",
		"``` a`b\n# title\n":                                    "title",
		"```\n# code\n~~~\n# code\n":                            "",
		"  ````\n```\n# code\n  ````  \n# title\n":              "title",
		"əəəproject/v1\n# phases on\nəəə\n# title\n":            "title",
		"əəənote/markdown\r\n# a\r\n```\r\nəəə \r\n# title\r\n": "title",
		"əəəə\n# title\n":                                       "title",
		"əəəcontrol/v1\n# no end":                               "",
		"---\n# a comment\ntags: x\n---\n# title\n":             "title",
		"---\r\n# a comment\r\n...\r\n# title\r\n":              "title",
		"---\n# title\n":                                        "title",
		"x\n---\n# title\n---\n":                                "title",
		"<!-- əəə -->\n# title\n":                               "title",
	} {
		if got := DocTitle(doc); got != want {
			t.Errorf("DocTitle(%q) = %q, want %q", doc, got, want)
		}
	}
}

// What is no mark where it stands has no backslash before it.
func TestEscapeTitle(t *testing.T) {
	for title, want := range map[string]string{
		"The lamp": "The lamp", "[Draft] C# & co, snake_case, 2 * 3 > 5 ~/x": "[Draft] C# & co, snake_case, 2 * 3 > 5 ~/x",
		"*a*": `\*a\*`, "_a_": `\_a\_`, "a_b_c": "a_b_c", "[a](b)": `\[a](b)`, "<b>": `\<b>`, "&amp;": `\&amp;`, "C #": `C \#`, "##": `\##`, `a\*`: `a\\*`, `a\`: `a\`, `C:\me`: `C:\me`,
		"`a`": "\\`a\\`", "~~a~~": `\~\~a\~\~`,
	} {
		if got := EscapeTitle(title); got != want {
			t.Errorf("EscapeTitle(%q) = %q, want %q", title, got, want)
		}
	}
}
