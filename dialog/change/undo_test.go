package change

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vibey/dialog"
)

// undoable is what can be taken back of an id: "can"; "undone", by the undo By; or "no".
type undoable struct {
	State string   `json:"state"`
	Paths []string `json:"paths"`
	By    string   `json:"by"`
}

// undoableOf is what the window tells of an id, by the same fold as an undo itself. ok is
// false for an id that changed no file.
func undoableOf(c *Log, id string, turn bool) (u undoable, ok bool) {
	files, _ := c.Undo(id, turn)
	paths := map[string][]string{}
	for _, f := range files {
		state := "can"
		switch {
		case len(f.Steps) == 0:
			state = "undone"
		case f.Steps[0].Unknown != "":
			state = "no"
		}
		paths[state] = append(paths[state], f.Path)
	}
	for _, state := range []string{"can", "no", "undone"} {
		if paths[state] != nil {
			u = undoable{State: state, Paths: paths[state]}
			break
		}
	}
	if u.State == "undone" {
		u.By = strings.TrimPrefix(files[0].Why, TakenBack)
	}
	return u, len(files) > 0
}

// The window tells what can be taken back by a fold of its own, of the same cases.
func TestUndoCorpus(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("..", "..", "client", "test", "undo.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Why      string
		From     string // of a fork, the section up to which it is another dialog's
		Sections []struct {
			Role     dialog.Role
			ID       string
			Meta     map[string]string
			Payloads []dialog.Payload
		}
		Want map[string]undoable
	}
	if err := json.Unmarshal(b, &cases); err != nil || len(cases) == 0 {
		t.Fatalf("%d cases, %v", len(cases), err)
	}
	for _, c := range cases {
		text := []byte("# Dialog\n> DialogId: x\n")
		if c.From != "" {
			text = append(text, "> From: 20260216-201100-x at "+c.From+"\n"...)
		}
		var ids []string
		for _, s := range c.Sections {
			next := dialog.Section{Role: s.Role, ID: s.ID, Payloads: s.Payloads}
			for _, key := range []string{"Tool", "Status", "Kind", "Parent", "Hunk"} {
				if v := s.Meta[key]; v != "" {
					next.Meta = append(next.Meta, dialog.Field{Key: key, Value: v})
				}
			}
			text = dialog.AppendSection(text, &next)
			if !slices.Contains(ids, s.ID) {
				ids = append(ids, s.ID)
			}
		}
		d := dialog.Parse(string(text))
		changes, got := Of(d), map[string]undoable{}
		for _, id := range ids {
			if u, ok := undoableOf(changes, id, d.Find(dialog.User, id) >= 0); ok {
				got[id] = u
			}
		}
		if len(got)+len(c.Want) > 0 {
			if diff := cmp.Diff(c.Want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.Why, diff)
			}
		}
	}
}
