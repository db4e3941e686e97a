package dialog_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"vibey/dialog"
	"vibey/dialog/change"
	"vibey/dialog/effect"
	"vibey/dialog/grant"
	"vibey/dialog/history"
)

var update = flag.Bool("update", false, "rewrite what must follow in testdata/*.txtar")

// corpusCase is one archive of testdata: a comment that says why, dialog.md,
// and what must follow from it. Lines of the comment that begin with % say how
// the bytes differ from what an archive can hold, or where the file stands.
type corpusCase struct {
	name, path string
	archive    *txtar.Archive
	text       string // the dialog
	authority  grant.Authority
	nul        bool // ␀ stands for a NUL, in the dialog and in what follows
}

var corpusNow = time.Date(2026, 2, 16, 21, 0, 0, 0, time.UTC)

func corpus(tb testing.TB) []*corpusCase {
	tb.Helper()
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) < 40 {
		tb.Fatalf("%d cases, %v", len(paths), err)
	}
	cases := make([]*corpusCase, len(paths))
	for i, path := range paths {
		ar, err := txtar.ParseFile(path)
		if err != nil {
			tb.Fatal(err)
		}
		c := &corpusCase{name: strings.TrimSuffix(filepath.Base(path), ".txtar"), path: path, archive: ar}
		c.authority = grant.Authority{Key: []byte("the key of the corpus"), Project: "p"}
		c.load(tb)
		cases[i] = c
	}
	return cases
}

func (c *corpusCase) file(name string) *txtar.File {
	for i := range c.archive.Files {
		if c.archive.Files[i].Name == name {
			return &c.archive.Files[i]
		}
	}
	return nil
}

// load takes the dialog's bytes and the directives.
func (c *corpusCase) load(tb testing.TB) {
	f := c.file("dialog.md")
	if f == nil {
		tb.Fatalf("%s has no dialog.md", c.path)
	}
	c.nul = strings.Contains(string(c.archive.Comment), "\n%nul\n")
	c.text = c.withNUL(string(f.Data))
	c.authority.DialogID = dialog.Parse(c.text).Header.DialogID
	if *update {
		c.text = sealed(c.authority, c.text)
		f.Data = []byte(c.withoutNUL(c.text))
	}
	for line := range strings.SplitSeq(string(c.archive.Comment), "\n") {
		word, value, _ := strings.Cut(line, " ")
		switch word {
		case "%crlf":
			c.text = strings.ReplaceAll(c.text, "\n", "\r\n")
		case "%bom":
			c.text = dialog.BOM + c.text
		case "%chop": // so many bytes off the end
			n, err := strconv.Atoi(value)
			if err != nil {
				tb.Fatal(err)
			}
			c.text = c.text[:len(c.text)-n]
		case "%id":
			c.authority.DialogID = value
		case "%project":
			c.authority.Project = value
		case "%infiles":
			c.authority.InFiles = true
		case "%nul": // see load
		default:
			if strings.HasPrefix(word, "%") {
				tb.Fatalf("%s: unknown directive %s", c.path, word)
			}
		}
	}
}

const shownNUL = "␀"

func (c *corpusCase) withNUL(text string) string {
	if c.nul {
		text = strings.ReplaceAll(text, shownNUL, "\x00")
	}
	return text
}

func (c *corpusCase) withoutNUL(text string) string {
	if c.nul {
		text = strings.ReplaceAll(text, "\x00", shownNUL)
		text = strings.ReplaceAll(text, `\u0000`, shownNUL)
	}
	return text
}

var (
	placeholder = regexp.MustCompile(`(\S+) approve sha256:genuine`)
	ofEffect    = regexp.MustCompile(`(\S+) approve (.*) effect:genuine`)
	effectJSON  = regexp.MustCompile(`"effect":\{"sha256":"genuine","changes":(.*?)\},"exitCode"`)
)

// sealed puts the real hashes and Macs in the place of the word genuine.
func sealed(a grant.Authority, text string) string {
	d := dialog.Parse(text)
	text = placeholder.ReplaceAllStringFunc(text, func(m string) string {
		id := placeholder.FindStringSubmatch(m)[1]
		return id + " approve sha256:" + grant.InputHash(d.Sections[d.Find(dialog.ToolRequest, id)].Text())
	})
	text = effectJSON.ReplaceAllStringFunc(text, func(m string) string {
		var changes []effect.Change
		if err := json.Unmarshal([]byte(effectJSON.FindStringSubmatch(m)[1]), &changes); err != nil {
			panic(err)
		}
		return strings.Replace(m, "genuine", effect.Sum(changes), 1)
	})
	d = dialog.Parse(text)
	text = ofEffect.ReplaceAllStringFunc(text, func(m string) string {
		id := ofEffect.FindStringSubmatch(m)[1]
		for i := range d.Sections {
			if e, ok := grant.TriedBy(&d.Sections[i]); ok && d.Sections[i].Meta.Get("Parent") == id {
				return strings.Replace(m, "genuine", e.Effect.SHA256, 1)
			}
		}
		return m
	})
	for strings.Contains(text, "> Mac: genuine") {
		prev := ""
		for _, s := range dialog.Parse(text).Sections {
			if mac := s.Meta.Get("Mac"); mac == "genuine" {
				text = strings.Replace(text, "> Mac: genuine", "> Mac: "+a.Mac(s.ID, s.Time, s.Text(), prev), 1)
				break
			} else if s.Role == dialog.Authorization {
				prev = mac
			}
		}
	}
	return text
}

// corpusPolicy asks for all but read_ tools, and always for doc-main.md.
var corpusPolicy = grant.Policy{
	Free:         func(tool string) bool { return strings.HasPrefix(tool, "read_") },
	NeverBlanket: func(_, input string) bool { return strings.Contains(input, "doc-main.md") },
	Path:         func(_, input string) string { path, _ := corpusWhere(input); return path },
	Real:         func(_, input string) string { _, real := corpusWhere(input); return real },
	Layers:       func() bool { return true },
}

// corpusWhere is where a call of the corpus writes. A folder "link" is a link to
// "elsewhere" beside it.
func corpusWhere(input string) (named, real string) {
	var in struct{ Path string }
	if json.Unmarshal([]byte(input), &in) != nil || path.Clean(in.Path) != in.Path || strings.HasPrefix(in.Path, "..") {
		return "", ""
	}
	return in.Path, strings.ReplaceAll(in.Path, "/link/", "/elsewhere/")
}

// outcomes are what can be asked to follow from a case.
var outcomes = map[string]func(c *corpusCase) string{
	"history.json":  func(c *corpusCase) string { return showHistory(history.Build(dialog.Parse(c.text))) },
	"decide.txt":    (*corpusCase).decide,
	"problems.txt":  (*corpusCase).problems,
	"formatted.md":  func(c *corpusCase) string { return dialog.Format(dialog.Parse(c.text)) },
	"after.md":      (*corpusCase).after,
	"undo.txt":      (*corpusCase).undo,
	"sections.json": func(c *corpusCase) string { return showSections(dialog.Parse(c.text)) },
	"digest.txt":    (*corpusCase).digest,
}

func TestCorpus(t *testing.T) {
	for _, c := range corpus(t) {
		t.Run(c.name, func(t *testing.T) {
			if len(c.archive.Files) < 2 {
				t.Error("nothing must follow from this dialog")
			}
			for i := range c.archive.Files {
				f := &c.archive.Files[i]
				outcome, ok := outcomes[f.Name]
				if !ok {
					if f.Name != "dialog.md" && f.Name != "open.md" {
						t.Errorf("nobody knows what %s is", f.Name)
					}
					continue
				}
				got := c.withoutNUL(outcome(c))
				if *update {
					f.Data = []byte(got)
				} else if diff := cmp.Diff(string(f.Data), got); diff != "" {
					t.Errorf("%s (-want +got):\n%s", f.Name, diff)
				}
			}
			if *update {
				if err := os.WriteFile(c.path, txtar.Format(c.archive), 0o666); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

func (c *corpusCase) decide() string { return c.verdicts(dialog.Parse(c.text)) }

// verdicts tells what d grants and what may happen to its calls.
func (c *corpusCase) verdicts(d *dialog.Dialog) string {
	g := grant.Of(d, c.authority)
	var b strings.Builder
	for _, tool := range slices.Sorted(maps.Keys(g.Rules)) {
		fmt.Fprintf(&b, "%s %s\n", g.Rules[tool], tool)
	}
	if g.Network {
		b.WriteString("allow network\n")
	}
	calls := grant.Decide(d, g, corpusPolicy)
	for _, call := range calls {
		fmt.Fprintf(&b, "%s %s: %s", call.ID, call.Tool, [...]string{"wait", "run", "refused"}[call.Verdict])
		if call.Blanket {
			b.WriteString(", blanket")
		}
		if call.Unlinked {
			b.WriteString(", unlinked")
		}
		if call.Started {
			b.WriteString(", started")
		}
		if call.Tried {
			b.WriteString(", tried")
		}
		if call.Effect != nil {
			b.WriteString(", effect " + call.Effect.Effect.SHA256[:4])
		}
		if call.Target != "" {
			b.WriteString(", target " + call.Target)
		}
		if call.Path != "" {
			b.WriteString(" at " + call.Path)
		}
		b.WriteString("\n")
	}
	if grant.EffectWaits(calls) {
		b.WriteString("an effect waits\n")
	}
	fmt.Fprintf(&b, "needs %s\n", grant.Needs(d, dialog.Waiting, calls))
	return b.String()
}

// undo tells what each undo of the dialog would be about: of each turn, and of each call
// and each undo.
func (c *corpusCase) undo() string {
	var b strings.Builder
	d := dialog.Parse(c.text)
	changes := change.Of(d)
	short := func(sha string) string {
		if sha == "" {
			return "none"
		}
		return sha[:4]
	}
	for i := range d.Sections {
		s := &d.Sections[i]
		if s.Role != dialog.User && s.Role != dialog.ToolRequest && (s.Role != dialog.Note || s.Torn || s.Kind() != dialog.UndoNote) {
			continue
		}
		files, why := changes.Undo(s.ID, s.Role == dialog.User)
		fmt.Fprintf(&b, "%s %s: %s\n", s.Role, s.ID, why)
		for _, f := range files {
			fmt.Fprintf(&b, "  %s:", f.Path)
			for _, step := range f.Steps {
				if step.Unknown != "" {
					fmt.Fprintf(&b, " (%s %s, %s)", step.ID, short(step.After), step.Unknown)
					continue
				}
				fmt.Fprintf(&b, " (%s %s from %s)", step.ID, short(step.Before), short(step.After))
			}
			fmt.Fprintf(&b, " %s\n", f.Why)
		}
	}
	return strings.ReplaceAll(b.String(), " \n", "\n")
}

func (c *corpusCase) problems() string {
	var b strings.Builder
	for _, p := range dialog.Parse(c.text).Problems {
		fmt.Fprintln(&b, p)
	}
	return b.String()
}

// after is the file once it was repaired, with what the open response left.
func (c *corpusCase) after() string {
	text := c.text + dialog.RepairTail(c.text, corpusNow)
	d := dialog.Parse(text)
	if f := c.file("open.md"); f != nil {
		text += d.Encode(dialog.CloseOpen(strings.TrimSuffix(string(f.Data), "\n"), d, corpusNow)...)
	}
	return text
}

func showHistory(h history.History) string {
	type item struct {
		User, Model, Call, Result, Tool, Reasoning string `json:",omitempty"`
		Picture                                    string `json:",omitempty"`
		ID, From, Prefix                           string `json:",omitempty"`
		Failed                                     bool   `json:",omitempty"`
	}
	var out struct {
		System    string             `json:",omitempty"`
		TellsTags bool               `json:",omitempty"`
		Tools     []history.ToolSpec `json:",omitempty"`
		Stable    int
		Items     []item
	}
	out.System, out.TellsTags, out.Tools, out.Stable = h.System, h.ByTags, h.Tools, h.Stable
	for _, it := range h.Items {
		switch it.Kind {
		case history.UserText:
			out.Items = append(out.Items, item{User: it.Text})
		case history.PictureItem:
			out.Items = append(out.Items, item{Picture: it.Text + " " + it.SHA256, From: it.Provider + " " + it.Model})
		case history.AssistantText:
			out.Items = append(out.Items, item{Model: it.Text})
		case history.ReasoningItem:
			out.Items = append(out.Items, item{Reasoning: it.Native, From: it.API + " " + it.Provider + " " + it.Model, Prefix: it.Prefix})
		case history.CallItem:
			out.Items = append(out.Items, item{Call: it.Args, ID: it.CallID, Tool: it.Tool})
		case history.ResultItem:
			out.Items = append(out.Items, item{Result: it.Text, ID: it.CallID, Tool: it.Tool, Failed: it.Failed})
		}
	}
	return showJSON(out)
}

func showSections(d *dialog.Dialog) string {
	type section struct {
		Role       dialog.Role
		ID, Time   string
		Meta       dialog.Fields    `json:",omitempty"`
		Payloads   []dialog.Payload `json:",omitempty"`
		Loose      string           `json:",omitempty"`
		Torn       bool             `json:",omitempty"`
		Line, Cost int64
	}
	out := []section{}
	for i, s := range d.Sections {
		out = append(out, section{s.Role, s.ID, s.Time, s.Meta, s.Payloads, s.Loose, s.Torn, int64(d.Line(i)), s.Resources.Total})
	}
	return showJSON(out)
}

func showJSON(v any) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(v); err != nil {
		return err.Error()
	}
	return b.String()
}
