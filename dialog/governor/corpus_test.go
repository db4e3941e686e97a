package governor

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"vibey/dialog"
	"vibey/dialog/grant"
)

var update = flag.Bool("update", false, "rewrite verdict.txt in testdata/*.txtar")

// classes are those of the tools that the cases call.
var classes = map[string]dialog.Class{
	"run_command": dialog.Mutate, "write_file": dialog.Mutate, "edit_file": dialog.Mutate, "launch_agent": dialog.Mutate,
	"read_file": dialog.Read, "list_files": dialog.Read, "search_files": dialog.Read, "checkpoint": dialog.Read, "server_logs": dialog.Read,
	"start_server": dialog.Verify, "browser_console": dialog.Verify, "request_visual_qa": dialog.Verify, "stop_server": dialog.Mutate,
}

func classOf(tool string) dialog.Class { return classes[tool] }

var sets = []string{"read", "server", "browser", "plan"}

// TestRules holds each rule against dialogs: a case is rules.md, the doc with the
// project's block; turn.txt, a dialog in short, see script; and verdict.txt, what
// the judge says behind each step that the model or a human waits for.
func TestRules(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d cases, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			ar, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			parts := map[string]string{}
			for _, f := range ar.Files {
				parts[f.Name] = string(f.Data)
			}
			rules, problems := grant.ParseRules(parts["rules.md"], grant.Known{Sets: sets})
			if len(problems) > 0 || parts["turn.txt"] == "" {
				t.Fatalf("problems %v", problems)
			}
			got := verdicts(t, rules, parts["turn.txt"])
			if *update {
				ar.Files = slices.DeleteFunc(ar.Files, func(f txtar.File) bool { return f.Name == "verdict.txt" })
				ar.Files = append(ar.Files, txtar.File{Name: "verdict.txt", Data: []byte(got)})
				if err := os.WriteFile(file, txtar.Format(ar), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if d := cmp.Diff(parts["verdict.txt"], got); d != "" {
				t.Error(d)
			}
		})
	}
}

// script makes a dialog of lines, and stops at each "?" to ask the judge:
//
//	user [INTENT]: TEXT
//	says: TEXT                    an answer without calls (says nothing: blank)
//	calls[ TEXT]: TOOL JSON       a response with a call; "and:" adds another one
//	result: JSON                  of the first call without one; result STATUS[ FAILURE]: JSON
//	unknown: NAME                 the Note of the last call, whose tool is not there
//	note KIND KEY=VALUE…: TEXT
//	undoes PARENT ID: JSON        the Note of an undo of that call or Note
//	effect JSON                   the Note of what a server changed between two calls
//	?                             what the judge says here, and its Notes are appended
//	stands                        whether only a human lets it go on
//	refuse                        like ?, but for the open calls: those that are refused get that result
type script struct {
	t     *testing.T
	d     *dialog.Dialog
	n     int
	reply string   // of the response under way
	open  []string // ids of calls without a result
}

func (s *script) add(sec dialog.Section) {
	s.n++
	if sec.ID == "" {
		sec.ID = fmt.Sprintf("s%d", s.n)
	}
	sec.Time = "2026-02-16T20:11:00Z - 2026-02-16T20:11:00Z"
	s.d.Append(sec)
}

func payload(typ, text string) []dialog.Payload { return []dialog.Payload{{Type: typ, Text: text}} }

func (s *script) call(text string) {
	tool, input, _ := strings.Cut(text, " ")
	id := fmt.Sprintf("c%d", s.n)
	s.open = append(s.open, id)
	s.add(dialog.Section{Role: dialog.ToolRequest, ID: id, Meta: dialog.Fields{{Key: "Parent", Value: s.reply}, {Key: "Tool", Value: tool}, {Key: "Status", Value: "pending"}}, Payloads: payload(dialog.ToolInput, input)})
}

func (s *script) respond(text, stop string) {
	s.reply = fmt.Sprintf("a%d", s.n)
	s.add(dialog.Section{Role: dialog.Assistant, ID: s.reply, Meta: dialog.Fields{{Key: "Stop", Value: stop}}, Payloads: payload(dialog.OutputMarkdown, text)})
}

func (s *script) result(status string, more dialog.Fields, json string) {
	id := s.open[0]
	s.open = s.open[1:]
	tool := s.d.Sections[s.d.Find(dialog.ToolRequest, id)].Tool()
	s.add(dialog.Section{Role: dialog.ToolResult, ID: id, Meta: append(dialog.Fields{{Key: "Tool", Value: tool}, {Key: "Status", Value: status}}, more...), Payloads: payload(dialog.ToolResultJSON, json)})
}

func (s *script) note(kind string, meta dialog.Fields, text string) {
	s.add(dialog.Section{Role: dialog.Note, Meta: append(dialog.Fields{{Key: "Kind", Value: kind}}, meta...), Payloads: payload(dialog.NoteMarkdown, text)})
}

// notes appends the Notes that the judge wants.
func (s *script) notes(n Next) {
	for _, note := range n.Notes {
		s.note(note.Kind, append(dialog.Fields{{Key: "To", Value: note.To}}, note.Meta...), note.Text)
	}
}

// line plays one line; ask is called at "?" and "refuse".
func (s *script) line(line string, ask func(what string)) {
	head, text, _ := strings.Cut(line, ":")
	text = strings.TrimSpace(text)
	words := strings.Fields(head)
	if len(words) == 0 || words[0][0] == '#' {
		return
	}
	switch words[0] {
	case "user":
		meta := dialog.Fields{{Key: "By", Value: "human"}}
		if len(words) > 1 {
			meta = meta.With("Intent", words[1])
		}
		s.add(dialog.Section{Role: dialog.User, Meta: meta, Payloads: payload(dialog.InputMarkdown, text)})
	case "says":
		s.respond(text, "end")
	case "refuses":
		s.respond(text, "refusal")
	case "breaks":
		s.respond(text, "interrupted")
	case "calls":
		s.respond(strings.Join(words[1:], " "), "calls")
		s.call(text)
	case "and":
		s.call(text)
	case "result":
		status, more := dialog.CallApproved, dialog.Fields{}
		if len(words) > 1 {
			status = words[1]
		}
		if len(words) > 2 {
			more = more.With("Failure", words[2])
		}
		s.result(status, more, text)
	case "unknown":
		s.add(dialog.Section{Role: dialog.Note, Meta: dialog.Fields{{Key: "Kind", Value: "mistake"}, {Key: "To", Value: "human"}, {Key: "Parent", Value: s.open[len(s.open)-1]}, {Key: "Failure", Value: "tool_not_found"}},
			Payloads: append(payload(dialog.NoteMarkdown, "x"), payload(dialog.NoteJSON, `{"name":"`+text+`"}`)...)})
	case "note":
		var meta dialog.Fields
		for _, w := range words[2:] {
			k, v, _ := strings.Cut(w, "=")
			meta = meta.With(k, v)
		}
		s.note(words[1], meta, text)
	case "undoes":
		s.add(dialog.Section{Role: dialog.Note, ID: words[2], Meta: dialog.Fields{{Key: "Kind", Value: "undo"}, {Key: "To", Value: "model"}, {Key: "Parent", Value: words[1]}},
			Payloads: append(payload(dialog.NoteMarkdown, "x"), payload(dialog.NoteJSON, text)...)})
	case "effect":
		s.add(dialog.Section{Role: dialog.Note, Meta: dialog.Fields{{Key: "Kind", Value: "effect"}, {Key: "To", Value: "human"}},
			Payloads: append(payload(dialog.NoteMarkdown, "x"), payload(dialog.NoteJSON, strings.TrimPrefix(line, "effect "))...)})
	case "?", "refuse", "stands":
		ask(words[0])
	default:
		s.t.Fatalf("no such line: %q", line)
	}
}

// verdicts plays a script and returns what the judge says at each question, in words.
func verdicts(t *testing.T, rules grant.Rules, text string) string {
	s := &script{t: t, d: dialog.Parse("# Dialog\n> DialogId: 20260216-201100-x\n> Provider: p\n> Model: m\n> Status: active \n> Started: 2026-02-16T20:11:00Z\n")}
	j := New(rules, classOf)
	var out strings.Builder
	for i, line := range strings.Split(text, "\n") {
		s.line(line, func(what string) {
			j.Extend(s.d)
			fmt.Fprintf(&out, "%d ", i+1)
			switch what {
			case "refuse":
				s.refuse(j, &out)
				return
			case "stands":
				fmt.Fprintf(&out, "stands: %v\n", j.Stands())
				return
			}
			n := j.Next()
			out.WriteString(describe(j, n))
			s.notes(n)
		})
	}
	return out.String()
}

// refuse answers the open calls that the judge refuses.
func (s *script) refuse(j *Judge, out *strings.Builder) {
	for range s.open {
		req := s.d.Sections[s.d.Find(dialog.ToolRequest, s.open[0])]
		r, refused := j.Refuses(req.Tool(), false)
		if !refused {
			fmt.Fprintf(out, "%s may run\n", req.Tool())
			return
		}
		fmt.Fprintf(out, "%s refused by %s: %s\n", req.Tool(), r.Rule, r.Text)
		s.result(dialog.CallError, dialog.Fields{{Key: "Refused", Value: r.Rule}}.With("Failure", r.Failure), `{"success":false}`)
	}
}

func describe(j *Judge, n Next) string {
	var b strings.Builder
	switch {
	case n.NoTools:
		b.WriteString("ask without tools")
	case n.Ask:
		b.WriteString("ask")
	default:
		b.WriteString("end")
	}
	u := j.Budget()
	fmt.Fprintf(&b, ", %d of %d", u.Used, u.Limit)
	if p := j.Phase(); p != NoPhase {
		fmt.Fprintf(&b, ", %s", p)
	}
	b.WriteString("\n")
	for _, note := range n.Notes {
		fmt.Fprintf(&b, "  %s", note.Kind)
		if note.To != "" {
			b.WriteString(" to " + note.To)
		}
		for _, f := range note.Meta {
			fmt.Fprintf(&b, " %s=%s", f.Key, f.Value)
		}
		fmt.Fprintf(&b, ": %s\n", note.Text)
		if note.JSON != "" {
			fmt.Fprintf(&b, "    %s\n", note.JSON)
		}
	}
	return b.String()
}
