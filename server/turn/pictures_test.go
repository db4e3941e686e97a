package turn

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vibey/dialog"
	"vibey/dialog/history"
	"vibey/dialog/picture"
	"vibey/provider"
)

// drawn is a picture of w by h pixels that no other n gives.
func drawn(w, h, n int) []byte {
	m := image.NewRGBA(image.Rect(0, 0, w, h))
	m.SetRGBA(0, 0, color.RGBA{uint8(n), uint8(n >> 8), 1, 255})
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// attach adds a file, and returns its path and a link to it.
func (w *world) attach(name string, b []byte) (path, link string) {
	w.t.Helper()
	a, _, err := w.p().Attach(name, b)
	if err != nil {
		w.t.Fatal(err)
	}
	return a.Path, "![it](files/" + url.PathEscape(strings.TrimPrefix(a.Path, "files/")) + ")"
}

func (w *world) at(path string) string { return filepath.Join(w.dir, "root", "p", path) }

// uses returns what the last section of that role says of its pictures.
func uses(d *dialog.Dialog, role dialog.Role) []picture.Use {
	for _, s := range d.Backward() {
		if s.Role == role && (role != dialog.Note || s.Kind() == picture.NoteKind) {
			return picture.Parse(s.Meta.Get(picture.Field))
		}
	}
	return nil
}

// sent returns the paths of the pictures in a request, whose bytes must be there.
func sent(t *testing.T, r provider.Request) (paths []string) {
	t.Helper()
	for _, it := range r.History.Items {
		if it.Kind != history.PictureItem {
			continue
		}
		if dialog.SHA256(r.Pictures[it.SHA256]) != it.SHA256 {
			t.Errorf("%s goes out with other bytes", it.Text)
		}
		paths = append(paths, it.Text)
	}
	return paths
}

func (s *script) lastRequest() provider.Request { return s.reqs[len(s.reqs)-1] }

// A message decides about each of its pictures for good; what is sent has the bytes that the
// section names, and a line stands for each other one.
func TestPicturesOfAMessage(t *testing.T) {
	s := &script{answers: [][]provider.Event{text("I see."), text("Still.")}}
	w := newWorld(t, s)
	good, one := w.attach("a b;c%.png", drawn(2, 2, 1))
	drawing, two := w.attach("x.svg", []byte(`<svg xmlns="http://www.w3.org/2000/svg"/>`))
	notes, three := w.attach("notes.txt", []byte("hello"))
	half, four := w.attach("half.png", drawn(64, 64, 2)[:60])
	edited, five := w.attach("edited.png", drawn(2, 2, 3))
	lost, six := w.attach("lost.png", drawn(2, 2, 4))
	if err := os.WriteFile(w.at(edited), drawn(2, 2, 5), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(w.at(lost)); err != nil {
		t.Fatal(err)
	}
	prompt := strings.Join([]string{"See", one, two, three, four, five, six, "![?](files/never.png)", "`" + one + "`", one}, "\n")
	id, _ := w.start(prompt)
	v := w.view(id)
	got := uses(v.Dialog, dialog.User)
	want := []picture.Use{
		{Path: good, SHA256: dialog.SHA256(drawn(2, 2, 1)), State: "sent"},
		{Path: drawing, SHA256: dialog.SHA256(`<svg xmlns="http://www.w3.org/2000/svg"/>`), State: "not"},
		{Path: notes, SHA256: dialog.SHA256("hello"), State: "not"},
		{Path: half, SHA256: dialog.SHA256(drawn(64, 64, 2)[:60]), State: "not"},
		{Path: edited, SHA256: dialog.SHA256(drawn(2, 2, 5)), State: "another"},
		{Path: lost, SHA256: dialog.SHA256(drawn(2, 2, 4))[:16], State: "gone"},
		{Path: "files/never.png", SHA256: "-", State: "gone"},
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%v, want\n%v", got, want)
	}
	if got := sent(t, s.lastRequest()); !slices.Equal(got, []string{good}) {
		t.Errorf("sent: %q", got)
	}
	for _, u := range want {
		if !strings.Contains(s.last(), u.Line()) {
			t.Errorf("no line %q in\n%s", u.Line(), s.last())
		}
	}
	// What comes back later is a line for good, and so it is after a restart.
	before := s.last()
	for path, b := range map[string][]byte{lost: drawn(2, 2, 4), edited: drawn(2, 2, 3)} {
		if err := os.WriteFile(w.at(path), b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	w.restart()
	w.put(Input{DialogID: id, Prompt: &Prompt{Text: "And now?"}})
	if !strings.HasPrefix(s.last(), before) {
		t.Errorf("the beginning has changed:\n%s\nit was\n%s", s.last(), before)
	}
	if got := sent(t, s.lastRequest()); !slices.Equal(got, []string{good}) {
		t.Errorf("sent: %q", got)
	}
	if strings.Contains(w.view(id).Text, "> Kind: picture") {
		t.Error("something was withdrawn")
	}
}

// A picture that goes after it was sent is a line from the next request on, and a Note says so
// before; a later message may show the same file again.
func TestPictureGoes(t *testing.T) {
	s := &script{answers: [][]provider.Event{text("1"), text("2"), text("3"), text("4")}}
	w := newWorld(t, s)
	path, link := w.attach("a.png", drawn(2, 2, 1))
	kept, other := w.attach("b.png", drawn(2, 2, 2))
	id, _ := w.start(link + other)
	if err := os.Rename(w.at(path), w.at("away.png")); err != nil {
		t.Fatal(err)
	}
	w.put(Input{DialogID: id, Prompt: &Prompt{Text: "Go on."}})
	v := w.view(id)
	if got := sections(v.Dialog); !strings.HasSuffix(got, "Assistant, Note/picture, User, Assistant") {
		t.Fatal(got)
	}
	want := picture.Use{Path: path, SHA256: dialog.SHA256(drawn(2, 2, 1)), State: "gone"}
	if got := uses(v.Dialog, dialog.Note); !slices.Equal(got, []picture.Use{want}) {
		t.Errorf("the Note names %v", got)
	}
	if got := sent(t, s.lastRequest()); !slices.Equal(got, []string{kept}) || !strings.Contains(s.last(), want.Line()) {
		t.Errorf("sent: %q\n%s", got, s.last())
	}
	if err := os.Rename(w.at("away.png"), w.at(path)); err != nil {
		t.Fatal(err)
	}
	w.restart()
	w.put(Input{DialogID: id, Prompt: &Prompt{Text: "It is back."}})
	if got := sent(t, s.lastRequest()); !slices.Equal(got, []string{kept}) {
		t.Errorf("sent: %q", got)
	}
	w.put(Input{DialogID: id, Prompt: &Prompt{Text: "Again: " + link}})
	if got := sent(t, s.lastRequest()); !slices.Equal(got, []string{kept, path}) {
		t.Errorf("sent: %q", got)
	}
	if n := strings.Count(w.view(id).Text, "> Kind: picture"); n != 1 {
		t.Errorf("%d Notes", n)
	}
}

// Whether a model sees is decided when it is asked; one that comes later and does not is
// shown nothing of what was sent before.
func TestPicturesByModel(t *testing.T) {
	s := &script{answers: [][]provider.Event{text("1"), text("2"), text("3"), text("4")}, blind: map[string]bool{"blind": true}}
	w := newWorld(t, s)
	path, link := w.attach("a.png", drawn(2, 2, 1))
	id, _ := w.start(link)
	w.put(Input{DialogID: id, Prompt: &Prompt{Text: link}, Provider: "claude", Model: "blind"})
	v := w.view(id)
	if got := uses(v.Dialog, dialog.User); len(got) != 1 || got[0].State != "unseen" {
		t.Errorf("the message says %v", got)
	}
	if got := uses(v.Dialog, dialog.Note); len(got) != 1 || got[0].State != "unseen" || got[0].Path != path {
		t.Errorf("the Note says %v", got)
	}
	if got := sent(t, s.lastRequest()); len(got) != 0 {
		t.Errorf("sent: %q", got)
	}
	w.put(Input{DialogID: id, Prompt: &Prompt{Text: "You see."}, Provider: "claude", Model: "m"})
	if got := sent(t, s.lastRequest()); len(got) != 0 {
		t.Errorf("sent: %q", got)
	}
	w.put(Input{DialogID: id, Prompt: &Prompt{Text: link}})
	if got := sent(t, s.lastRequest()); !slices.Equal(got, []string{path}) {
		t.Errorf("sent: %q", got)
	}
}

// A server that does not answer whether a model sees is waited for once, and not for each
// picture.
func TestAskedOnceForAllPictures(t *testing.T) {
	s := &script{answers: [][]provider.Event{text("1"), text("2")}, blind: map[string]bool{"blind": true}}
	w := newWorld(t, s)
	var links []string
	for n := range picture.SentMost {
		_, link := w.attach("a.png", drawn(2, 2, n))
		links = append(links, link)
	}
	id, _ := w.start(strings.Join(links, " "))
	s.asked = 0
	w.put(Input{DialogID: id, Prompt: &Prompt{Text: "And now?"}, Provider: "claude", Model: "blind"})
	if s.asked != 1 || len(sent(t, s.lastRequest())) != 0 {
		t.Errorf("asked %d times", s.asked)
	}
}

// A server that refuses pictures for a model that was thought to see is asked again without
// them, in the same turn, and every later request goes without.
func TestPicturesRefused(t *testing.T) {
	s := &script{}
	s.next = func(r *provider.Request) ([]provider.Event, error) {
		if len(sent(t, *r)) > 0 {
			return nil, &provider.Error{Kind: provider.KindNoPictures, Message: "No."}
		}
		return text("I see nothing."), nil
	}
	w := newWorld(t, s)
	path, link := w.attach("a.png", drawn(2, 2, 1))
	id, _ := w.start(link)
	v := w.view(id)
	if got := sections(v.Dialog); got != "System, User, Note/picture, Assistant" || len(s.reqs) != 2 {
		t.Fatalf("%d requests: %s", len(s.reqs), got)
	}
	if got := uses(v.Dialog, dialog.Note); len(got) != 1 || got[0].State != "unseen" || got[0].Path != path {
		t.Errorf("the Note says %v", got)
	}
	w.restart()
	w.put(Input{DialogID: id, Prompt: &Prompt{Text: "And now?"}})
	if len(s.reqs) != 3 {
		t.Errorf("%d requests", len(s.reqs))
	}
}

// Of more than 20 pictures the oldest become lines, and stay so.
func TestManyPictures(t *testing.T) {
	s := &script{answers: [][]provider.Event{text("1"), text("2"), text("3")}}
	w := newWorld(t, s)
	var paths, links []string
	for n := range picture.SentMost + 3 {
		path, link := w.attach("a.png", drawn(2, 2, n))
		paths, links = append(paths, path), append(links, link)
	}
	id, _ := w.start(strings.Join(links[:picture.SentMost], " "))
	if got := sent(t, s.lastRequest()); !slices.Equal(got, paths[:picture.SentMost]) {
		t.Errorf("sent: %q", got)
	}
	for n := range 3 {
		w.put(Input{DialogID: id, Prompt: &Prompt{Text: links[picture.SentMost+n]}})
		if got := sent(t, s.lastRequest()); !slices.Equal(got, paths[n+1:picture.SentMost+n+1]) {
			t.Errorf("%d: sent: %q", n, got)
		}
	}
	if n := strings.Count(w.view(id).Text, "> Kind: picture"); n != 3 {
		t.Errorf("%d Notes", n)
	}
	id, _ = w.start(strings.Join(links, " "))
	if got := sent(t, s.lastRequest()); !slices.Equal(got, paths[3:]) {
		t.Errorf("at once: sent: %q", got)
	}
	if got := sections(w.view(id).Dialog); strings.Count(got, "Note/picture") != 1 {
		t.Error(got)
	}
	many := strings.Builder{}
	for n := range picturesMost + 1 {
		fmt.Fprintf(&many, "![a](files/%d.png)", n)
	}
	if _, err := w.run.Start(context.Background(), Input{Project: w.p(), Provider: "claude", Model: "m", Slug: "x", Prompt: &Prompt{Text: many.String()}}); err == nil || !strings.Contains(err.Error(), "100") {
		t.Errorf("%v", err)
	}
}

// What one request has of pictures is bounded by their bytes, too.
func TestLargePictures(t *testing.T) {
	s := &script{answers: [][]provider.Event{text("1")}}
	w := newWorld(t, s)
	var paths, links []string
	for n := range 7 {
		path, link := w.attach("a.png", append(drawn(2, 2, n), make([]byte, 3_500_000)...))
		paths, links = append(paths, path), append(links, link)
	}
	w.start(strings.Join(links, " "))
	if got := sent(t, s.lastRequest()); !slices.Equal(got, paths[2:]) {
		t.Errorf("sent: %q", got)
	}
}

// A picture that is too large is scaled once, and what was sent lies in the project.
func TestScaledPicture(t *testing.T) {
	s := &script{answers: [][]provider.Event{text("1"), text("2"), text("3")}}
	w := newWorld(t, s)
	large := image.NewRGBA(image.Rect(0, 0, 1600, 20))
	var b bytes.Buffer
	if err := jpeg.Encode(&b, large, nil); err != nil {
		t.Fatal(err)
	}
	photo, link := w.attach("Küche.jpeg", b.Bytes())
	wide, other := w.attach("wide.picture", drawn(1600, 4, 1))
	id, _ := w.start(link + other)
	got := uses(w.view(id).Dialog, dialog.User)
	if len(got) != 2 || got[0].State != "sent" || got[1].State != "sent" || got[0].Path == photo || got[1].Path == wide || !strings.HasSuffix(got[0].Path, "-Küche.jpeg") || !strings.HasSuffix(got[1].Path, "-wide.png") {
		t.Fatalf("%v", got)
	}
	for _, u := range got {
		b, err := os.ReadFile(w.at(u.Path))
		c, _, derr := image.DecodeConfig(bytes.NewReader(b))
		if err != nil || derr != nil || c.Width != picture.SideMost || dialog.SHA256(b) != u.SHA256 {
			t.Errorf("%s: %v %v, %d pixels", u.Path, err, derr, c.Width)
		}
	}
	if paths := sent(t, s.lastRequest()); !slices.Equal(paths, []string{got[0].Path, got[1].Path}) {
		t.Errorf("sent: %q", paths)
	}
	w.put(Input{DialogID: id, Prompt: &Prompt{Text: link}})
	if again := uses(w.view(id).Dialog, dialog.User); again[0] != got[0] {
		t.Errorf("the second time it is %v", again)
	}
	if all, err := os.ReadDir(w.at("files")); err != nil || len(all) != 4 {
		t.Errorf("%d files: %v", len(all), err)
	}
	// Another file of the same pixels is scaled to the same bytes, under its own name.
	_, same := w.attach("same.png", append(drawn(1600, 4, 1), "more"...))
	w.put(Input{DialogID: id, Prompt: &Prompt{Text: same}})
	last := uses(w.view(id).Dialog, dialog.User)
	if paths := sent(t, s.lastRequest()); last[0].SHA256 != got[1].SHA256 || paths[len(paths)-1] != last[0].Path || last[0].Path == got[1].Path {
		t.Errorf("it is %v, sent: %q", last, paths)
	}
}

// A line that a human wrote into the file by hand sends no picture that the words do not show.
func TestPictureWithoutALink(t *testing.T) {
	s := &script{answers: [][]provider.Event{text("1"), text("2")}}
	w := newWorld(t, s)
	path, link := w.attach("a.png", drawn(2, 2, 1))
	id, _ := w.start("See `" + link + "`")
	v := w.view(id)
	line := "\n> Pictures: " + picture.Format([]picture.Use{{Path: path, SHA256: dialog.SHA256(drawn(2, 2, 1)), State: picture.Sent}}) + "\n\nəəəinput"
	byHand := strings.Replace(v.Text, "\n\nəəəinput", line, 1)
	if byHand == v.Text {
		t.Fatal(v.Text)
	}
	if _, err := w.p().WriteFile(v.Filename, byHand, ""); err != nil {
		t.Fatal(err)
	}
	w.put(Input{DialogID: id, Prompt: &Prompt{Text: "Go on."}})
	if got := sent(t, s.lastRequest()); len(got) != 0 {
		t.Errorf("sent: %q", got)
	}
	if got := uses(w.view(id).Dialog, dialog.User); len(got) != 0 {
		t.Errorf("the last message says %v", got)
	}
}

// Only a human's message shows pictures: not a program's, not one that an agent wrote for the
// dialog that it launches, not what a tool or a model says.
func TestOnlyHumansShowPictures(t *testing.T) {
	path, link := "", ""
	s := &script{}
	w := newWorld(t, s)
	path, link = w.attach("a.png", drawn(2, 2, 1))
	s.of = func(h history.History) [][]provider.Event {
		if strings.Contains(h.Items[len(h.Items)-1].Text, "child") || strings.Contains(h.Items[0].Text, "child") {
			return [][]provider.Event{text("I am told of " + link)}
		}
		return [][]provider.Event{{provider.Call{ID: "c1", Name: "launch_agent", Args: `{"provider":"claude","model":"m","prompt":"child: ` + link + `","slug":"child"}`}}, text("See " + link), text("Yes."), text("Yes.")}
	}
	id, _ := w.start("Launch one.")
	w.put(Input{DialogID: id, Control: control("allow launch_agent")})
	if err := w.run.Wait(context.Background(), w.p()); err != nil {
		t.Fatal(err)
	}
	w.put(Input{DialogID: id, Prompt: &Prompt{Text: "A program: " + link}, By: Program})
	w.put(Input{DialogID: id, Prompt: &Prompt{Text: "Go on."}})
	if len(s.reqs) < 4 {
		t.Fatalf("%d requests", len(s.reqs))
	}
	for _, r := range s.reqs {
		if got := sent(t, r); len(got) > 0 {
			t.Errorf("sent: %q", got)
		}
	}
	w.put(Input{DialogID: id, Prompt: &Prompt{Text: `{"text":"I do: ` + link + `"}`, JSON: true}})
	if got := sent(t, s.lastRequest()); !slices.Equal(got, []string{path}) {
		t.Errorf("sent: %q", got)
	}
}

// A command reads what was added and writes nothing beside it; no file tool reaches it.
func TestAddedFilesAndTools(t *testing.T) {
	s := &script{answers: [][]provider.Event{
		{command("c1", "cat files/*-notes.txt; echo x > files/x; rm -f files/*; ls files")},
		{write("c2", "files/a.md", "x")}, {write("c3", "files/../files/a.png", "x")}, {provider.Call{ID: "c4", Name: "edit_file", Args: `{"path":"files/x","old_string":"a","new_string":"b"}`}},
		text("Done."),
	}}
	w := newLayeredWorld(t, s)
	path, _ := w.attach("notes.txt", []byte("what was added"))
	id, _ := w.start("Go.")
	w.put(Input{DialogID: id, Control: control("allow run_command\nallow write_file\nallow edit_file")})
	v := w.view(id)
	results := map[string]string{}
	for i := range v.Dialog.Sections {
		if s := &v.Dialog.Sections[i]; s.Role == dialog.ToolResult {
			results[s.ID] = s.Text()
		}
	}
	if r := results["c1"]; !strings.Contains(r, "what was added") || !strings.Contains(r, strings.TrimPrefix(path, "files/")+`\n"`) {
		t.Errorf("the command: %s", r)
	}
	for _, id := range []string{"c2", "c3", "c4"} {
		if r := results[id]; r == "" || dialog.Succeeded(r) {
			t.Errorf("%s: %s", id, r)
		}
	}
	all, err := os.ReadDir(w.at("files"))
	if b, rerr := os.ReadFile(w.at(path)); err != nil || rerr != nil || len(all) != 1 || string(b) != "what was added" {
		t.Errorf("files/ holds %v: %v %v", all, err, rerr)
	}
}
