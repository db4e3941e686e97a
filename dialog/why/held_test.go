package why

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"vibey/cmd/tally/testenv"
	"vibey/dialog"
)

// Many edits of a large doc take no more memory than few, and each version can still be read.
func TestHeld(t *testing.T) {
	testenv.Long(t)
	w, talk := scene()
	const edits = 400
	texts := []string{string(text(w.files["doc-a.md"])) + strings.Repeat("and more\n", 20_000) + "at 0\n"}
	w.saves["doc-a.md"] = []Save{{"2026-02-16T20:00:00Z", "2026-02-16T20:00:00Z", "", dialog.SHA256(texts[0])}}
	w.kept[dialog.SHA256(texts[0])] = []byte(texts[0])
	for i := range edits {
		w.now = w.now.Add(time.Second)
		in := map[string]string{"path": "doc-a.md", "old_string": fmt.Sprintf("at %d\n", i), "new_string": fmt.Sprintf("at %d\n", i+1)}
		id, was := fmt.Sprintf("c%d", i), dialog.SHA256(texts[i])
		w.call(talk, id, "edit_file", in, []string{"doc-a.md"}, func() map[string]any {
			texts = append(texts, strings.Replace(texts[i], in["old_string"], in["new_string"], 1))
			return map[string]any{"success": true, "path": "doc-a.md", "sha256": dialog.SHA256(texts[i+1]), "replaced": was}
		})
	}
	src := w.source("doc-a.md")
	src.Present = []byte(texts[edits])
	r := newReader(src)
	r.know(src.Present)
	r.history(src.Path, r.steps[src.Path], dialog.SHA256(src.Present), "", movesMost)
	held := 0
	for _, b := range r.bytes {
		held += len(b)
	}
	if most := heldMost + len(src.Present); held > most {
		t.Errorf("%d bytes are held, and %d are the most", held, most)
	}
	h := Of(src)
	for i, text := range texts {
		if b, known := h.Content(dialog.SHA256(text)); !known || string(b) != text || !h.Versions[i].Known {
			t.Fatalf("version %d: known %v, %d bytes of %d", i, known, len(b), len(text))
		}
	}
	if said(h, 0) != Human || said(h, len(h.Lines)-1) != talk.id+" c399" {
		t.Errorf("%s, %s", said(h, 0), said(h, len(h.Lines)-1))
	}
}

// The order of many steps takes no time that grows with their square.
func TestOrderOfMany(t *testing.T) {
	const n = 10_000
	var all []*step
	for i := range n {
		at := dialog.FormatTime(time.Unix(int64(2*i), 0))
		all = append(all, &step{source: "x", section: i, start: at, end: at, before: fmt.Sprint(i), after: fmt.Sprint(i + 1)})
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got := orders(all, fmt.Sprint(n))
	runtime.ReadMemStats(&after)
	if mb := (after.TotalAlloc - before.TotalAlloc) >> 20; len(got) != 1 || len(got[0]) != n || mb > 50 {
		t.Errorf("%d orders of %d steps, %d MB", len(got), len(got[0]), mb)
	}
}
