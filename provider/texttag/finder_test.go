package texttag

import (
	"fmt"
	"strings"
	"testing"

	"vibey/provider"
)

// find gives pieces to a finder, one after the other, until there is a call.
func find(pieces ...string) (text string, call *provider.Call) {
	f := newFinder()
	for _, p := range pieces {
		t, c := f.add(p)
		if text += t; c != nil {
			return text, c
		}
	}
	t, c := f.end()
	return text + t, c
}

// told is what find brought, as a line.
func told(text string, c *provider.Call) string {
	if c == nil {
		return fmt.Sprintf("%q", text)
	}
	return fmt.Sprintf("%q %s %s", text, c.Name, c.Args)
}

// numbered is n opening tags of as many names that no tool has.
func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "<mcp:.%d>", i)
	}
	return b.String()
}

func ticks(n int) string { return strings.Repeat("`", n) }

const ls = "<mcp:terminal>ls</mcp:terminal>"

// Each row: what the model writes; the text before the call, and the call.
var found = []struct{ name, whole, text, call string }{
	{"nothing", "", "", ""},
	{"no tag", "Done. 1 < 2, <b>x</b>, <mcp", "Done. 1 < 2, <b>x</b>, <mcp", ""},
	{"a command", "I look. " + ls, "I look. ", `run_command {"command":"ls"}`},
	{"a tag at the beginning", ls, "", `run_command {"command":"ls"}`},
	{"what the model makes up", "I look.\n" + ls + "\n\nResult:\nhtop: not found\n" + ls, "I look.\n", `run_command {"command":"ls"}`},
	{"the second tag counts for nothing", "<mcp:a>{}</mcp:a><mcp:b>{}</mcp:b>", "", "a {}"},
	{"several lines", "<mcp:terminal>\ncd deed\n\nls \"a\"\n</mcp:terminal>", "", `run_command {"command":"cd deed\n\nls \"a\""}`},
	{"any tool", "x <mcp:write_file> {\"path\": \"deed/a\",\n \"content\":\"b\"}\n</mcp:write_file>", "x ", "write_file {\"path\": \"deed/a\",\n \"content\":\"b\"}"},
	{"its name instead of terminal", `<mcp:run_command>{"command": "ls"}</mcp:run_command>`, "", `run_command {"command": "ls"}`},
	{"an unknown name", "<mcp:fetch>{}</mcp:fetch>", "", "fetch {}"},
	{"a name with a dash", "<mcp:Mcp_x-Y9>{}</mcp:Mcp_x-Y9>", "", "Mcp_x-Y9 {}"},
	{"not JSON", "<mcp:write_file>deed/a</mcp:write_file>", "", "write_file deed/a"},
	{"empty", "<mcp:plan_get></mcp:plan_get>", "", "plan_get "},
	{"an empty command", "<mcp:terminal> \n</mcp:terminal>", "", `run_command {"command":""}`},
	{"a tag inside the payload", "<mcp:terminal>echo '<mcp:x>1</mcp:x>'</mcp:terminal>", "", `run_command {"command":"echo '<mcp:x>1</mcp:x>'"}`},
	{"another closing tag inside", "<mcp:a>{} </mcp:b> </mcp:a>", "", "a {} </mcp:b>"},
	{"its own opening tag inside", "<mcp:a><mcp:a></mcp:a></mcp:a>", "", "a <mcp:a>"},
	{"unclosed", "I look. <mcp:terminal>ls", "I look. <mcp:terminal>ls", ""},
	{"unclosed before a whole one", "<mcp:a>{} " + ls, "<mcp:a>{} " + ls, ""},
	{"closed by half", "<mcp:terminal>ls</mcp:terminal", "<mcp:terminal>ls</mcp:terminal", ""},
	{"without a name", "<mcp:>ls</mcp:>", "<mcp:>ls</mcp:>", ""},
	{"a name of two words", "<mcp:term inal>ls</mcp:term inal> " + ls, "", "term inal ls"},
	{"a name with a dot", "x <mcp:foo.bar>{}</mcp:foo.bar>\nResult: fake", "x ", "foo.bar {}"},
	{"a name with a slash", "<mcp:fs/read>{}</mcp:fs/read>", "", "fs/read {}"},
	{"a name in another script", "<mcp:ünder>{}</mcp:ünder>", "", "ünder {}"},
	{"a name with a blank before it", "<mcp: terminal>ls</mcp:terminal>", "", " terminal ls"},
	{"attributes", `<mcp:terminal in="deed">ls</mcp:terminal> <mcp:terminal in="deed">`, "", `terminal in="deed" ls`},
	{"attributes in both its tags", `<mcp:a b>1</mcp:a b></mcp:a>`, "", "a b 1"},
	{"closed by itself", "<mcp:plan_get/>\nResult: fake</mcp:plan_get/>", "", "plan_get/ "},
	{"with attributes and closed by itself", `<mcp:read_file path="a"/> ` + ls, "", `read_file path="a"/ `},
	{"closed by itself in inline code", "So `<mcp:a/>`: " + ls, "So `<mcp:a/>`: ", `run_command {"command":"ls"}`},
	{"a name over lines", "<mcp:a\nb>1</mcp:a\nb> <mcp:a\r\nb>1</mcp:a\r\nb>", "<mcp:a\nb>1</mcp:a\nb> <mcp:a\r\nb>1</mcp:a\r\nb>", ""},
	{"a name of another script that is unclosed", "<mcp:ünder>{}</mcp:under>", "<mcp:ünder>{}</mcp:under>", ""},
	{"a name that is too long", "<mcp:" + strings.Repeat("a", 201) + ">{}</mcp:" + strings.Repeat("a", 201) + ">", "<mcp:" + strings.Repeat("a", 201) + ">{}</mcp:" + strings.Repeat("a", 201) + ">", ""},
	{"a name that is longer than a tool's", "<mcp:" + strings.Repeat("a", 70) + ">{}</mcp:" + strings.Repeat("a", 70) + ">", "", strings.Repeat("a", 70) + " {}"},
	{"the longest name", "<mcp:" + strings.Repeat("a", 200) + ">{}</mcp:" + strings.Repeat("a", 200) + ">", "", strings.Repeat("a", 200) + " {}"},
	{"begun twice", "<mcp:<mcp:a>{}</mcp:a>", "<mcp:", "a {}"},
	{"a tag that prose tells of", "Tags look like <mcp:...>.\n\n" + ls + "\nResult: fake", "Tags look like <mcp:...>.\n\n", `run_command {"command":"ls"}`},
	{"prose of two tags", "<mcp:...>, <mcp:x y> or <mcp:...>: <mcp:foo.bar>{}</mcp:foo.bar></mcp:...>", "<mcp:...>, <mcp:x y> or <mcp:...>: ", "foo.bar {}"},
	{"prose of a tag that closes another", "<mcp:...> <mcp:a>{} </mcp:...> </mcp:a>", "", "... <mcp:a>{}"},
	{"prose of a tag and one that is unclosed", "<mcp:...> <mcp:a>{} " + ls, "<mcp:...> <mcp:a>{} " + ls, ""},
	{"prose of a tag and a fence", "<mcp:...>\n```\n" + ls + "\n```\n" + ls, "<mcp:...>\n```\n" + ls + "\n```\n", `run_command {"command":"ls"}`},
	{"prose of a tag and one in inline code", "<mcp:...> `" + ls + "` " + ls, "<mcp:...> `" + ls + "` ", `run_command {"command":"ls"}`},
	{"prose of a tag and one closed by itself", "<mcp:...> <mcp:a/>", "<mcp:...> ", "a/ "},
	{"prose of a tag with attributes", "Write <mcp:terminal ...> to look. " + ls, "Write <mcp:terminal ...> to look. ", `run_command {"command":"ls"}`},
	{"a tag in the payload of one with an odd name", "x <mcp:foo.bar>" + ls + "</mcp:foo.bar>", "x <mcp:foo.bar>", `run_command {"command":"ls"}`},
	{"a fence in the payload of one with an odd name", "x <mcp:foo.bar>\n```\n{}</mcp:foo.bar>", "x ", "foo.bar ```\n{}"},
	{"a name that is odd, in inline code", "Write `<mcp:foo.bar>{}</mcp:foo.bar>`" + ls, "Write `<mcp:foo.bar>{}</mcp:foo.bar>`", `run_command {"command":"ls"}`},
	{"an odd name in inline code over lines", "`<mcp:foo.bar>\n</mcp:foo.bar>` " + ls + "``", "`<mcp:foo.bar>\n</mcp:foo.bar>` ", `run_command {"command":"ls"}`},
	{"an odd name that is too long for a tool and unclosed", "<mcp:" + strings.Repeat("a", 65) + "> " + ls, "<mcp:" + strings.Repeat("a", 65) + "> ", `run_command {"command":"ls"}`},
	{"the longest name of a tool, unclosed", "<mcp:" + strings.Repeat("a", 64) + "> " + ls, "<mcp:" + strings.Repeat("a", 64) + "> " + ls, ""},
	{"a closing tag alone", "</mcp:terminal> " + ls, "</mcp:terminal> ", `run_command {"command":"ls"}`},

	{"in a fence", "```sh\n" + ls + "\n```\n", "```sh\n" + ls + "\n```\n", ""},
	{"behind a fence", "```sh\nls\n```\n" + ls, "```sh\nls\n```\n", `run_command {"command":"ls"}`},
	{"in a fence of tildes", "~~~\n" + ls + "\n~~~", "~~~\n" + ls + "\n~~~", ""},
	{"a fence of the other kind closes nothing", "~~~\n```\n~~~\n" + ls, "~~~\n```\n~~~\n", `run_command {"command":"ls"}`},
	{"in a longer fence", "````\n```\n" + ls + "\n````\n", "````\n```\n" + ls + "\n````\n", ""},
	{"a longer fence closes", "```\n`````  \n" + ls, "```\n`````  \n", `run_command {"command":"ls"}`},
	{"a fence with words closes nothing", "```\n``` x\n" + ls, "```\n``` x\n" + ls, ""},
	{"an indented fence", "   ```\n" + ls + "\n  ```\n" + ls, "   ```\n" + ls + "\n  ```\n", `run_command {"command":"ls"}`},
	{"a fence in a list", "1. Run\n\n     ```\n     " + ls + "\n\n     x\n     ```\n", "1. Run\n\n     ```\n     " + ls + "\n\n     x\n     ```\n", ""},
	{"a fence behind a list's mark", "- ```\n  " + ls + "\n  ```\n" + ls, "- ```\n  " + ls + "\n  ```\n", `run_command {"command":"ls"}`},
	{"a fence behind a number", " 12. ```\n  " + ls + "\n     ```\n1) " + ls, " 12. ```\n  " + ls + "\n     ```\n1) ", `run_command {"command":"ls"}`},
	{"no list's marks", "-```\n" + ls, "-```\n", `run_command {"command":"ls"}`},
	{"a number that is no list's mark", "1 ```\n" + ls, "1 ```\n", `run_command {"command":"ls"}`},
	{"a fence in a quote", "> > ```sh\n> > " + ls + "\n>>\n>> ```\n> " + ls, "> > ```sh\n> > " + ls + "\n>>\n>> ```\n> ", `run_command {"command":"ls"}`},
	{"a fence in a quote that is over", "> ```\n> x\n" + ls, "> ```\n> x\n", `run_command {"command":"ls"}`},
	{"a fence in a quote that a blank line ends", "> ```\n> x\n\n" + ls, "> ```\n> x\n\n", `run_command {"command":"ls"}`},
	{"a quote in a fence", "```\n> ```\n" + ls + "\n```", "```\n> ```\n" + ls + "\n```", ""},
	{"an indented line closes no fence", "```\n    ```\n" + ls + "\n```\n", "```\n    ```\n" + ls + "\n```\n", ""},
	{"a fence without an end", "```\n\n" + ls, "```\n\n" + ls, ""},
	{"with line feeds of another system", "```\r\n" + ls + "\r\n```\r\n" + ls, "```\r\n" + ls + "\r\n```\r\n", `run_command {"command":"ls"}`},
	{"in a fence's info string", "``` " + ls + "\nx\n```", "``` " + ls + "\nx\n```", ""},
	{"in a fence's info string at the end", "``` " + ls, "``` " + ls, ""},
	{"in the info string of a fence of tildes", "~~~ " + ls + " `\nx", "~~~ " + ls + " `\nx", ""},
	{"in what is no info string", "``` " + ls + " `\n" + ls, "``` ", `run_command {"command":"ls"}`},
	{"right behind three backticks", "```" + ls + " ` and on", "```", `run_command {"command":"ls"}`},
	{"a backtick in the payload, and no info string", "```sh <mcp:terminal>echo `date`</mcp:terminal>", "```sh ", "run_command {\"command\":\"echo `date`\"}"},
	{"other angles in an info string", "``` a<b <mcp: <mcp:>\n" + ls, "``` a<b <mcp: <mcp:>\n" + ls, ""},
	{"two backticks are no fence", "``\n\n" + ls, "``\n\n", `run_command {"command":"ls"}`},
	{"a fence within a line is none", "x ```\n\n" + ls, "x ```\n\n", `run_command {"command":"ls"}`},
	{"a fence ends a paragraph", "a `b\n```\n```\n" + ls, "a `b\n```\n```\n", `run_command {"command":"ls"}`},
	{"a fence in one line", "```ls``` " + ls + "\n" + ls, "```ls``` ", `run_command {"command":"ls"}`},

	{"in inline code", "Write `" + ls + "` to look.", "Write `" + ls + "` to look.", ""},
	{"behind inline code", "Now `ls`: " + ls, "Now `ls`: ", `run_command {"command":"ls"}`},
	{"right behind inline code", "Now `ls`" + ls, "Now `ls`", `run_command {"command":"ls"}`},
	{"in inline code of two backticks", "Write ``" + ls + "`` to look.", "Write ``" + ls + "`` to look.", ""},
	{"in inline code that two backticks begin and one ends", "Write ``" + ls + "` to look.", "Write ``", `run_command {"command":"ls"}`},
	{"in inline code that one backtick begins and two end", "Write `" + ls + "`` to look.", "Write `", `run_command {"command":"ls"}`},
	{"an opening tag that one backtick precedes and two follow", "Write `<mcp:a>``{}</mcp:a>", "Write `", "a ``{}"},
	{"in inline code of as many backticks as there may be", ticks(100) + ls + ticks(100), ticks(100) + ls + ticks(100), ""},
	{"in inline code of too many backticks", "x " + ticks(101) + ls + ticks(101), "x " + ticks(101), `run_command {"command":"ls"}`},
	{"in inline code over lines", "Write `<mcp:terminal>b\nc</mcp:terminal>` then.", "Write `<mcp:terminal>b\nc</mcp:terminal>` then.", ""},
	{"inline code at a line's beginning", "``" + ls + "``", "``" + ls + "``", ""},
	{"inline code of three backticks at a line's beginning", "```" + ls + "```\n" + ls, "```" + ls + "```\n", `run_command {"command":"ls"}`},
	{"inline code with more than a tag", "Write `a " + ls + "` to look.", "Write `a ", `run_command {"command":"ls"}`},
	{"inline code that ends behind more than a tag", "Write `" + ls + " a` to look.", "Write `", `run_command {"command":"ls"}`},
	{"an opening tag in inline code", "Write `<mcp:terminal>` first. " + ls, "Write `<mcp:terminal>` first. ", `run_command {"command":"ls"}`},
	{"both its tags in inline code", "Between `<mcp:a>` and `</mcp:a>`. " + ls, "Between `<mcp:a>` and `</mcp:a>`. ", `run_command {"command":"ls"}`},
	{"a tag in the payload of one in inline code", "Write `<mcp:a>" + ls + "</mcp:a>`.", "Write `<mcp:a>" + ls + "</mcp:a>`.", ""},
	{"a tag between two in inline code", "`" + ls + "`<mcp:a>{}</mcp:a>`" + ls + "`", "`" + ls + "`", "a {}"},
	{"a closed span leaves the next tag", "`" + ls + "` and " + ls, "`" + ls + "` and ", `run_command {"command":"ls"}`},
	{"behind a lone backtick", "Press the ` key. <mcp:terminal>echo hi</mcp:terminal>\nResult:\nfake output of `hi`, all good", "Press the ` key. ", `run_command {"command":"echo hi"}`},
	{"between lone backticks", "The ` is odd. " + ls + " ` is it.", "The ` is odd. ", `run_command {"command":"ls"}`},
	{"right behind a lone backtick", "The `" + ls + "\nResult:\nfake", "The `", `run_command {"command":"ls"}`},
	{"behind old quotation marks", "So ``quoted''. " + ls + " and on.\n\n``", "So ``quoted''. ", `run_command {"command":"ls"}`},
	{"backticks in a payload", "<mcp:terminal>echo `date`</mcp:terminal>", "", "run_command {\"command\":\"echo `date`\"}"},
	{"backticks before a tag and in its payload", "A ` tick. <mcp:terminal>echo `date +%s`</mcp:terminal>", "A ` tick. ", "run_command {\"command\":\"echo `date +%s`\"}"},
	{"a backtick right before a tag, and some in its payload", "A `<mcp:terminal>echo `date`</mcp:terminal>.", "A `", "run_command {\"command\":\"echo `date`\"}"},
	{"a paragraph ends in a payload", "The ` is odd: <mcp:terminal>a\n\nb `c` </mcp:terminal>", "The ` is odd: ", "run_command {\"command\":\"a\\n\\nb `c`\"}"},
	{"unclosed behind an odd backtick", "The ` is odd. <mcp:terminal>ls\n\nx", "The ` is odd. <mcp:terminal>ls\n\nx", ""},
}

func TestFind(t *testing.T) {
	for _, tt := range found {
		want := fmt.Sprintf("%q", tt.text)
		if tt.call != "" {
			want += " " + tt.call
		}
		if got := told(find(tt.whole)); got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", tt.name, got, want)
		}
	}
}

// However the text is cut, at one place or into single bytes, the same comes out.
func TestFindInPieces(t *testing.T) {
	for _, tt := range found {
		want := told(find(tt.whole))
		for i := range len(tt.whole) {
			if got := told(find(tt.whole[:i], tt.whole[i:])); got != want {
				t.Fatalf("%s, cut at %d:\ngot  %s\nwant %s", tt.name, i, got, want)
			}
		}
		if got := told(find(strings.Split(tt.whole, "")...)); got != want {
			t.Fatalf("%s, in bytes:\ngot  %s\nwant %s", tt.name, got, want)
		}
	}
}

// A call comes with the last character of its tag, or as many behind it as there are
// backticks right before it, and one more behind backticks; and what follows can't undo it.
func TestFindAtOnce(t *testing.T) {
	for _, tt := range found {
		if tt.call == "" {
			continue
		}
		want := fmt.Sprintf("%q %s", tt.text, tt.call)
		touch := len(tt.text) - len(strings.TrimRight(tt.text, "`"))
		end := len(tt.text)
		for told(find(tt.whole[:end])) != want {
			end++
		}
		for _, behind := range []string{tt.whole[end:], " `", "\n```\n", " " + ls, "\n\n` `` ```"} {
			f := newFinder()
			n := touch
			if touch > 0 && strings.HasPrefix(behind, ticks(touch)) {
				n++
			}
			text, call := f.add(tt.whole[:end] + behind[:min(n, len(behind))])
			if call == nil && len(behind) < n {
				rest, c := f.end()
				text, call = text+rest, c
			}
			if got := told(text, call); got != want {
				t.Errorf("%s, before %q:\ngot  %s\nwant %s", tt.name, behind, got, want)
			}
			if got := told(find(tt.whole[:end], behind)); got != want {
				t.Errorf("%s, with %q behind it:\ngot  %s\nwant %s", tt.name, behind, got, want)
			}
		}
	}
}

// Text goes out as it comes, but for what may be the beginning of a tag.
func TestHeldBack(t *testing.T) {
	f, long := newFinder(), strings.Repeat("a", maxName)
	for _, step := range [][2]string{
		{"I loo", "I loo"}, {"k <", "k "}, {"b> `x", "<b> `x"}, {"` <mc", "` "}, {"p:", ""}, {"!\n", "<mcp:!\n"},
		{"<mcp:" + long, ""}, {"a\n", "<mcp:" + long + "a\n"},
		{"``", "``"}, {"`sh\n<mcp:te", "`sh\n<mcp:te"}, {"rminal>\n``", "rminal>\n``"}, {"`\n", "`\n"}, {"<mcp:a", ""}, {">1</mcp", ""},
	} {
		if text, call := f.add(step[0]); text != step[1] || call != nil {
			t.Errorf("%q brought %q, want %q", step[0], text, step[1])
		}
	}
	if text, call := f.end(); text != "<mcp:a>1</mcp" || call != nil {
		t.Errorf("at the end %q, %v", text, call)
	}
}

// A server can't make the search slow: a megabyte that is all doubt comes through.
func TestFindIsLinear(t *testing.T) {
	const n = 1 << 20
	for _, whole := range []string{
		"<mcp:a>" + strings.Repeat("x", n), strings.Repeat("<mcp:a>", n/7), strings.Repeat("<mcp:", n/5), strings.Repeat("<mcp:a b>", n/9), strings.Repeat("`", n),
		"x " + strings.Repeat("`", n) + ls + strings.Repeat("`", n/2), // took 2.3 s
		"<mcp:...>" + strings.Repeat("</mcp:a", n/7), strings.Repeat("`<mcp:a b>`` </mcp:a>` ", n/21), "``` " + strings.Repeat("<mcp:a>", n/7), numbered(n / 12),
		"` " + strings.Repeat("<mcp:a>", n/7), "`` " + strings.Repeat("<mcp:a> ` ", n/10), strings.Repeat(" ", n), "` " + strings.Repeat("<mcp:a></mcp:a>", n/15),
	} {
		f := newFinder()
		for at := 0; at < len(whole); at += 16 {
			if _, call := f.add(whole[at:min(at+16, len(whole))]); call != nil {
				break
			}
		}
		f.end()
	}
}

// FuzzFind holds what the finder says of a text against any way to cut it, and
// against the text: what it gives out is how the text begins, and behind that
// stands the tag.
func FuzzFind(f *testing.F) {
	for _, tt := range found {
		f.Add(tt.whole, uint8(1), uint8(3))
	}
	f.Fuzz(func(t *testing.T, whole string, a, b uint8) {
		text, call := find(whole)
		var pieces []string
		for rest, n := whole, int(a)+1; rest != ""; n = (n*7+int(b))%13 + 1 {
			k := min(n, len(rest))
			pieces, rest = append(pieces, rest[:k]), rest[k:]
		}
		if got, want := told(find(pieces...)), told(text, call); got != want {
			t.Errorf("in pieces %q:\ngot  %s\nwant %s", pieces, got, want)
		}
		rest, ok := strings.CutPrefix(whole, text)
		if !ok || call == nil && rest != "" || call != nil && !strings.HasPrefix(rest, "<mcp:") {
			t.Errorf("%q brought %s", whole, told(text, call))
		}
	})
}
