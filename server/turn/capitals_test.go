package turn

import (
	"testing"

	"vibey/cmd/tally/testenv"
	"vibey/provider"
)

// A command's renaming of a file to other capitals is taken back on a disk that folds
// names: the file has its first name again, and its bytes.
func TestUndoOfOtherCapitals(t *testing.T) {
	testenv.Slow(t)
	undoes := func(t *testing.T) {
		w := newLayeredWorld(t, &script{answers: [][]provider.Event{{provider.Call{ID: "c1", Name: "run_command", Args: `{"command":"cd deed && mv index.html Index.html; ls"}`}}, text("Done.")}})
		w.save("doc-main.md", "# p\n\nəəəproject/v1\ncommit off\nəəə\n")
		w.gitDeed(map[string]string{"index.html": "old\n"})
		first := w.listed("deed", "index.html")
		id, _ := w.start("go")
		w.put(Input{DialogID: id, Control: control("c1 approve")})
		then := w.listed("deed", "INDEX.HTML")
		if then == first {
			return // this disk lists small letters, whatever it is given
		}
		got := w.undoes(Undoing{DialogID: id, ID: "c1"})
		if now := w.listed("deed", "INDEX.HTML"); now != first || w.read("deed/"+first) != "old\n" {
			t.Errorf("%s\n%s is there, %q", got, now, w.read("deed/"+now))
		}
		got = w.undoes(Undoing{DialogID: id, ID: w.lastNote(id).ID})
		if now := w.listed("deed", "INDEX.HTML"); now != then || w.read("deed/"+then) != "old\n" {
			t.Errorf("%s\n%s is there, %q", got, now, w.read("deed/"+now))
		}
	}
	undoes(t)
	testenv.OnFolding(t, undoes)
}
