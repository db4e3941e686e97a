package turn

import (
	"strings"
	"testing"

	"vibey/dialog"
	"vibey/dialog/change"
	"vibey/dialog/governor"
	"vibey/dialog/history"
	"vibey/provider"

	"vibey/cmd/tally/testenv"
)

// serving is a server that writes deed/out.txt once there is a page doc-go.md.
const serving = `{"command":"(while [ ! -e ../doc-go.md ]; do sleep 0.02; done; echo made >out.tmp; mv out.tmp out.txt) & exec python3 -m http.server 8124 --bind 127.0.0.1","port":8124}`

// servingWorld is a world whose model starts that server, then answers; the server writes
// before the answer that is that number.
func servingWorld(t *testing.T, at int, answers ...[]provider.Event) (*world, string) {
	s := new(script)
	w := newWorld(t, s)
	s.of = func(h history.History) [][]provider.Event {
		if answered(h) == at {
			w.serverWrites()
		}
		return append([][]provider.Event{{provider.Call{ID: "c1", Name: "start_server", Args: serving}}}, answers...)
	}
	w.save("doc-main.md", "# Main\n\nəəəproject/v1\ntools server\nəəə\n")
	w.gitDeed(map[string]string{"a.txt": "a"})
	id, _ := w.start("go")
	t.Cleanup(func() { w.run.w.Sandbox.StopServers("") })
	return w, id
}

func (w *world) serverWrites() {
	w.save("doc-go.md", "go")
	w.until("deed/out.txt")
}

// What a server wrote behind the last call is told: the gate asks for a check of it, the
// ledger has it, and a note says that it is in no commit.
func TestServerWritesBeforeTheEnd(t *testing.T) {
	w, id := servingWorld(t, 1, text("It is ready."), text("Really."), text("Yes."))
	w.put(Input{DialogID: id, Control: control("c1 approve\nallow network")})
	d := w.view(id).Dialog
	var effects, gates int
	var user string
	for i := range d.Sections {
		s := &d.Sections[i]
		if s.Role == dialog.User {
			user = s.ID
		}
		switch s.Kind() {
		case dialog.EffectNote:
			effects++
			if files := change.Left(s); len(files) != 1 || files[0].Path != "deed/out.txt" || files[0].SHA256 != dialog.SHA256("made\n") {
				t.Errorf("it tells %+v", files)
			}
		case "gate":
			gates++
		}
	}
	if effects != 1 || gates == 0 {
		t.Errorf("%d effects and %d gates: %s", effects, gates, sections(d))
	}
	if sha := governor.LedgerOf(d, len(d.Sections)).Modified["deed/out.txt"]; sha != dialog.SHA256("made\n") {
		t.Errorf("the ledger has %q", sha)
	}
	// It is in no commit: a human may have saved it as well.
	if got := committedIn(t, w); strings.Contains(got, "out.txt") || !strings.Contains(w.view(id).Text, "deed/out.txt (it is not known") {
		t.Errorf("committed: %s\n%s", got, w.view(id).Text)
	}
	if files, _ := change.Of(d).Undo(user, true); len(files) != 1 || len(files[0].Steps) != 1 || files[0].Steps[0].Unknown == "" {
		t.Errorf("an undo of the turn is about %+v", files)
	}
}

// What it wrote while a human was asked is told as well, and a write over it is refused as
// any that is not of what the model saw.
func TestServerWritesWhileItWaits(t *testing.T) {
	w, id := servingWorld(t, -1, []provider.Event{write("c2", "deed/b.txt", "b")}, text("It is ready."))
	w.put(Input{DialogID: id, Control: control("c1 approve\nallow network")})
	w.serverWrites()
	w.put(Input{DialogID: id, Control: control("c2 approve")})
	d := w.view(id).Dialog
	var told []string
	for i := range d.Sections {
		if s := &d.Sections[i]; s.Kind() == dialog.EffectNote {
			for _, f := range change.Left(s) {
				told = append(told, f.Path)
			}
		}
	}
	if strings.Join(told, " ") != "deed/out.txt" {
		t.Errorf("it tells %q: %s", told, sections(d))
	}
	if len(w.run.sights) != 0 {
		t.Errorf("%d turns are looked after that are over", len(w.run.sights))
	}
}

// What another dialog's call changed while a server ran is that dialog's, not the server's:
// it is in no Note, gate or commit of this one.
func TestServerRunsBesideAnotherDialog(t *testing.T) {
	testenv.Slow(t)
	s := new(script)
	w := newWorld(t, s)
	s.of = func(h history.History) [][]provider.Event {
		if h.Items[0].Text == "other" {
			return [][]provider.Event{{write("c1", "deed/other.txt", "half")}, text("Written.")}
		}
		return [][]provider.Event{{provider.Call{ID: "c1", Name: "start_server", Args: `{"command":"exec python3 -m http.server 8125 --bind 127.0.0.1","port":8125}`}}, {write("c2", "deed/b.txt", "b")}, text("It is ready."), text("Really."), text("Yes.")}
	}
	w.save("doc-main.md", "# Main\n\nəəəproject/v1\ntools server\nəəə\n")
	w.gitDeed(map[string]string{"a.txt": "a"})
	t.Cleanup(func() { w.run.w.Sandbox.StopServers("") })
	id, _ := w.start("go")
	w.put(Input{DialogID: id, Control: control("c1 approve\nallow network")})
	w.tell(id, "ask network") // the call waits
	other, _ := w.start("other")
	w.put(Input{DialogID: other, Control: control("c1 approve")})
	w.put(Input{DialogID: id, Control: control("c2 approve")})
	d := w.view(id).Dialog
	if !strings.Contains(result(d, "c2"), `"success":true`) {
		t.Fatalf("%s: %s", result(d, "c2"), sections(d))
	}
	for i := range d.Sections {
		if s := &d.Sections[i]; s.Kind() == dialog.EffectNote {
			t.Errorf("it tells %+v", change.Left(s))
		}
	}
}

// A dialog that is marked as done while its turn waits is looked after no more.
func TestServerOfADialogThatIsDone(t *testing.T) {
	w, id := servingWorld(t, -1, []provider.Event{write("c2", "deed/b.txt", "b")})
	w.put(Input{DialogID: id, Control: control("c1 approve\nallow network")})
	if len(w.run.sights) != 1 {
		t.Fatalf("%d turns are looked after, not the one that waits", len(w.run.sights))
	}
	if _, _, err := w.run.Put(t.Context(), Input{Project: w.p(), DialogID: id, Status: dialog.Done}); err != nil {
		t.Fatal(err)
	}
	if len(w.run.sights) != 0 {
		t.Error("one that is done is")
	}
}
