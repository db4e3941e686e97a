package crash

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vibey/dialog"
	"vibey/dialog/grant"
	"vibey/server/project"
)

// holder starts on states and holds the promises against what it finds.
type holder struct {
	key []byte // the install key
	now time.Time
	// dir is where states are laid out; the repaired ones are kept as projects
	// below it for `vibey check`.
	dir  string
	n    int
	seen map[string]int // what was repaired, for the figures
}

// hold lays a state out, starts on it as the program does, and returns every
// promise that is broken.
func (h *holder) hold(s *state) (broken []string) {
	h.n++
	root := filepath.Join(h.dir, "start")
	if err := lay(root, s.tree); err != nil {
		return []string{"the state could not be laid out: " + err.Error()}
	}
	defer os.RemoveAll(root)
	store, err := project.Open(root, project.Options{Now: func() time.Time { return h.now }})
	if err != nil {
		return []string{"the store does not open: " + err.Error()}
	}
	defer store.Close()
	v := &verdict{h: h, s: s, root: root}
	if v.project(store) {
		v.files()
		v.dialogs()
		name := fmt.Sprintf("s%06d", h.n)
		if err := os.Rename(filepath.Join(root, projectName), filepath.Join(h.dir, "checked", name)); err != nil {
			v.say("%v", err)
		}
	}
	return v.broken
}

// lay writes a tree below root.
func lay(root string, t tree) error {
	err := os.MkdirAll(root, 0o755)
	for name, text := range t {
		dir, file := filepath.Split(root + "/" + name)
		if err == nil {
			err = os.MkdirAll(dir, 0o755)
		}
		if err == nil && file != "" {
			err = os.WriteFile(dir+file, []byte(text), 0o644)
		}
	}
	return err
}

var testNow = time.Date(2026, 2, 16, 20, 11, 0, 0, time.UTC)

// The holder must see each broken promise, and none where all is well.
func TestHold(t *testing.T) {
	const id = "20260216-201100-x"
	key := []byte("an install key of thirty-two byt")
	span := dialog.Span(testNow, testNow)
	section := func(r dialog.Role, id, typ, text string, meta ...dialog.Field) dialog.Section {
		return dialog.Section{Role: r, ID: id, Time: span, Meta: meta, Payloads: []dialog.Payload{{Type: typ, Text: text}}}
	}
	user := section(dialog.User, "u", dialog.InputMarkdown, "go")
	request := section(dialog.ToolRequest, "cmd_a", dialog.ToolInput, `{"command":"true"}`, dialog.Field{Key: "Tool", Value: "run_command"}, dialog.Field{Key: "Status", Value: "pending"})
	auth := section(dialog.Authorization, "a", dialog.ControlV1, "cmd_a approve sha256:"+grant.InputHash(request.Text())+" run_command")
	grant.Authority{Key: key, Project: projectName, DialogID: id}.Seal(&auth, "")
	forged := section(dialog.Authorization, "a", dialog.ControlV1, auth.Text())
	started := section(dialog.Note, "n", dialog.NoteMarkdown, "started", dialog.Field{Key: "Kind", Value: "started"}, dialog.Field{Key: "Parent", Value: "cmd_a"})
	file := func(secs ...dialog.Section) *dialog.Dialog {
		return &dialog.Dialog{Header: dialog.Header{DialogID: id, Provider: "openai", Model: "m", Status: dialog.Active, Started: dialog.FormatTime(testNow)}, Sections: secs}
	}
	heard := func(secs ...dialog.Section) (out []toldSection) {
		for _, s := range secs {
			out = append(out, toldSection{dialog: id, Role: s.Role, ID: s.ID, Payloads: s.Payloads})
		}
		return out
	}
	cases := []struct {
		name string
		file *dialog.Dialog
		tail string
		told told
		want string // part of what is said, "" for nothing
	}{
		{"all is well", file(user, request, auth, started), "", told{sections: heard(user, request, auth), ran: map[string]bool{"cmd_a": true}}, ""},
		{"a torn tail", file(user), "\n## Tool Requ", told{sections: heard(user)}, ""},
		{"a section is lost", file(user), "", told{sections: heard(user, request)}, "Tool Request cmd_a that was told of is lost"},
		{"a tool would run twice", file(user, request, auth), "", told{sections: heard(user), ran: map[string]bool{"cmd_a": true}}, "would run again"},
		{"a tool ran that nothing tells of", file(user), "", told{ran: map[string]bool{"cmd_a": true}}, "nothing tells of it"},
		{"a decision does not count any more", file(user, request, forged), "", told{sections: heard(forged)}, "do not count any more"},
		{"text is lost", file(user), "", told{text: map[string]string{"": "Hello"}}, "was seen and is lost"},
		{"a dialog is lost", nil, "", told{sections: heard(user)}, "is gone"},
		{"it was done", file(user), "", told{done: map[string]bool{id: true}}, "was told to be done"},
		{"a file is another one", file(user), "", told{files: map[string]string{"p/doc-main.md": "new"}, versions: map[string][]string{"p/doc-main.md": {dialog.SHA256("# p\n"), "new"}}}, "not what was told"},
		{"a file that was told of and came after", file(user), "", told{files: map[string]string{"p/doc-main.md": "old"}, versions: map[string][]string{"p/doc-main.md": {"old", dialog.SHA256("# p\n")}}}, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			h := &holder{key: key, now: testNow, dir: t.TempDir(), seen: map[string]int{}}
			if err := os.Mkdir(h.dir+"/checked", 0o755); err != nil {
				t.Fatal(err)
			}
			s := &state{tree: tree{"p/": "", "p/deed/": "", "p/doc-main.md": "# p\n"}, told: &c.told}
			if c.file != nil {
				s.tree["p/"+dialog.Filename(id, dialog.Active)] = dialog.Format(c.file) + c.tail
				s.cut, s.safe = c.tail != "", map[string]int{id: len(dialog.Format(c.file))}
			}
			said := strings.Join(h.hold(s), "\n")
			if c.want == "" && said != "" || !strings.Contains(said, c.want) {
				t.Errorf("said %q, want %q", said, c.want)
			}
		})
	}
}
