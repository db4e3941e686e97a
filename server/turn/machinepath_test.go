package turn

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vibey/dialog"
	"vibey/provider"
)

// Whatever goes wrong with a path, no absolute path of this machine stands in the
// dialog for it, but for one that the model sent.
func TestNoMachinePathInADialog(t *testing.T) {
	paths := []string{
		"deed", "deed/", ".", "..", "../x", "deed/folder", "deed/file/below", "deed/out/x", "deed/gone/x", "deed/self", "deed/" + strings.Repeat("n", 300),
		strings.Repeat("deed/", 2000) + "x", "/etc/passwd", "state.md/x", "dialog-20260216-201100-x-waiting.md", "doc-plan.md", "deed/closed/x", "deed/.git/config", "doc-link.md",
	}
	var calls []provider.Event
	for i, p := range paths {
		calls = append(calls, write(fmt.Sprintf("w%d", i), p, "x"), edit(fmt.Sprintf("e%d", i), p, "a", "b"))
	}
	w := newWorld(t, &script{answers: [][]provider.Event{calls, text("ok")}})
	for _, dir := range []string{"folder", "closed"} {
		if err := os.Mkdir(filepath.Join(w.dir, "root/p/deed", dir), 0o555); err != nil {
			t.Fatal(err)
		}
	}
	w.save("deed/file", "b")
	for name, to := range map[string]string{"deed/out": w.dir, "deed/gone": filepath.Join(w.dir, "nowhere"), "deed/self": "self", "doc-link.md": filepath.Join(w.dir, "x.md")} {
		if err := os.Symlink(to, filepath.Join(w.dir, "root/p", name)); err != nil {
			t.Fatal(err)
		}
	}
	id, _ := w.start("go")
	w.put(Input{DialogID: id, Control: control("allow write_file\nallow edit_file")})
	v := w.view(id)
	if n := strings.Count(sections(v.Dialog), "Tool Result"); n != len(calls) {
		t.Fatalf("%d results of %d calls: %s", n, len(calls), sections(v.Dialog))
	}
	for i := range v.Dialog.Sections {
		if s := &v.Dialog.Sections[i]; s.Role != dialog.ToolRequest && strings.Contains(s.Text(), w.dir) {
			t.Errorf("%s %s: %s", s.Role, s.ID, s.Text())
		}
	}
}
