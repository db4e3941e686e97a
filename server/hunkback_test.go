package server

import (
	"testing"

	"vibey/provider/providertest"
)

// A hunk that was taken back is brought back by its Note while its lines stand as the undo
// left them, whatever else of the file was changed since: by another hunk, or by hand.
func TestHunkComesBackBesideOthers(t *testing.T) {
	for _, how := range []string{"hunk", "hand"} {
		s := newShop(t, providertest.Reply{Calls: []providertest.Call{{ID: "c1", Name: "write_file", Args: `{"path":"deed/a.txt","content":"ONE\ntwo\nTHREE\nfour\n"}`}}}, providertest.Reply{Text: "Done."})
		s.write("p/deed/a.txt", "one\ntwo\nthree\nfour\n")
		id := s.dialog("POST", `{"provider":"claude","model":"m","prompt":"go"}`)[0].DialogID
		s.dialog("PUT", object("dialogId", id, "control", "allow write_file"))
		undo := func(rest string) undone {
			return decode[undone](t, s.json("POST", "/project/p/undo", `{"dialogId":"`+id+`",`+rest+`}`, 200))
		}
		undo(`"id":"c1","hunk":{"path":"deed/a.txt","from":1,"to":1}`)
		all := get[dialogView](s, "/project/p/dialog/"+id).Sections
		note, want := all[len(all)-1].ID, "ONE\ntwo\nthree\nfour\n"
		if how == "hunk" {
			undo(`"id":"c1","hunk":{"path":"deed/a.txt","from":3,"to":3}`)
		} else {
			s.write("p/deed/a.txt", "one\ntwo\nTHREE\nfour!\n")
			want = "ONE\ntwo\nTHREE\nfour!\n"
		}
		if got := undo(`"id":"` + note + `"`); len(got.Undone) != 1 || s.text("p/deed/a.txt") != want {
			t.Errorf("%s: %+v, %q", how, got, s.text("p/deed/a.txt"))
		}
		if got := undo(`"id":"c1","hunk":{"path":"deed/a.txt","from":1,"to":1}`); len(got.Undone) != 1 || s.text("p/deed/a.txt") != "one"+want[3:] {
			t.Errorf("%s, once more: %+v, %q", how, got, s.text("p/deed/a.txt"))
		}
	}
}
