package brief

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"vibey/dialog"
	"vibey/dialog/plan"
	"vibey/server/project"
	"vibey/server/turn/record"
)

// draft is sections that are to stand before a prompt of d, and are not appended yet.
type draft struct {
	d    *dialog.Dialog
	now  func() time.Time
	secs []dialog.Section
}

// instructionsKey is the metadata that holds the hash of what a model has read of the
// deed's own instructions and of skills.
const instructionsKey = "Instructions"

// addInstructions adds a Note if text, the instructions and the skills, is another than the
// model has read last. It is of Kind codebase, like the other Note of what the deed is now.
func (x *draft) addInstructions(text string) {
	words := "[INSTRUCTIONS CHANGED] This is what the deed tells agents now, and the skills; it replaces what you were told of them before.\n\n" + text
	if text == "" {
		words = "[INSTRUCTIONS CHANGED] The deed has no AGENTS.md and no skills any more. What you were told of them no longer holds."
	}
	x.noteNew("codebase", instructionsKey, hashOf(text), words)
}

// noteNew adds a Note to the model with that hash under key, unless the hash is that of what
// the model has read last.
func (x *draft) noteNew(kind, key, hash, words string) {
	if known, _ := x.last(kind, key); known != hash {
		x.note(kind, "model", words, dialog.Field{Key: key, Value: hash})
	}
}

// addCodebase adds a Note if text, the summary of the deed, is another than the model has read
// last.
func (x *draft) addCodebase(text string) {
	x.noteNew("codebase", "Codebase", dialog.SHA256(text), "[CODEBASE CHANGED] This is what deed/ holds now; it replaces what you were told of it before.\n\n"+text)
}

// readPlan returns the plan as the model reads it, "" if there is none.
func readPlan(p *project.Project) string {
	f, err := p.ReadFile(plan.File)
	if err != nil {
		return "" // a plan that can't be read counts as none; plan_get says why
	}
	return plan.ForModel(project.Readable(f.Content))
}

// addPlan adds a Note if text, the plan, is another one than the model has read last.
func (x *draft) addPlan(text string) {
	hash := dialog.SHA256(text)
	if _, ever := x.last("plan", "Plan"); !ever && text == "" {
		return
	}
	x.noteNew("plan", "Plan", hash, "[PLAN CHANGED] It replaces what you were told of the plan before.\n\n"+cmp.Or(text, "The plan is empty now."))
}

// addProblems adds the Note about lines of doc-main.md that do not hold, if there are any.
func (x *draft) addProblems(problems []dialog.SyntaxError) {
	if len(problems) == 0 {
		return
	}
	var text strings.Builder
	text.WriteString("These lines of " + project.MainDoc + " do not hold as they are written:\n")
	const most = 20
	for _, p := range dialog.FirstProblems(problems, most) {
		text.WriteString("\n- line " + strconv.Itoa(p.Line) + ": " + p.Text)
	}
	x.note("project", "human", text.String())
}

// addLeftOut adds a Note about tools of MCP servers that a new dialog lacks.
func (x *draft) addLeftOut(left []string) {
	if len(left) == 0 {
		return
	}
	var lines []string
	for _, why := range left {
		lines = append(lines, strings.ReplaceAll(why, "\n", " "))
	}
	text := "Of the MCP servers that doc-main.md names, this dialog lacks something. A new dialog asks them again.\n\n" + dialog.CodeBlock(dialog.List(lines, 40, "\n", "and %d more"))
	x.note("project", "human", text)
}

// note adds a Note.
func (x *draft) note(kind, to, text string, more ...dialog.Field) {
	notes := 0
	for i := range x.secs {
		if x.secs[i].Role == dialog.Note {
			notes++
		}
	}
	x.secs = append(x.secs, record.Note(x.d, x.now(), notes, kind, to, text, more...))
}

// last is the hash, under that key, of what the model has read last, by x or else by the
// dialog.
func (x *draft) last(kind, key string) (hash string, ever bool) {
	if hash, ever = lastHash(x.secs, kind, key); ever {
		return hash, ever
	}
	return lastHash(x.d.Sections, kind, key)
}

// hashOf is dialog.SHA256, "" for no text.
func hashOf(text string) string {
	if text == "" {
		return ""
	}
	return dialog.SHA256(text)
}

// lastHash is the hash, under that key, of what the model has read last: in a System
// section or a Note of that kind.
func lastHash(secs []dialog.Section, kind, key string) (hash string, ever bool) {
	for i := len(secs) - 1; i >= 0; i-- {
		s := &secs[i]
		if !s.Torn && s.Meta.Has(key) && (s.Role == dialog.System || s.Role == dialog.Note && s.Kind() == kind) {
			return s.Meta.Get(key), true
		}
	}
	return "", false
}

// lastDoc is the hash of the doc-main.md that the model has read last.
func lastDoc(d *dialog.Dialog) (hash string, ok bool) {
	for _, s := range d.Backward() {
		if s.Role == dialog.System || s.Role == dialog.Note && s.Kind() == "doc-change" && s.Meta.Has("Doc") {
			return s.Meta.Get("Doc"), true
		}
	}
	return "", false
}
