package why

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"vibey/dialog"
	"vibey/dialog/grant"
)

// world is a project in which humans, agents and other programs write, and who knows of each
// line who wrote it.
type world struct {
	r       *rand.Rand
	now     time.Time
	files   map[string][]truth
	kept    map[string][]byte
	saves   map[string][]Save
	dialogs []*talk
	ids     int
	twins   bool // some lines are written twice
}

// truth is a line, and who wrote it: "human", "unknown", or the call's dialog and id.
type truth struct{ text, by string }

// talk is a dialog that is being written.
type talk struct {
	id   string
	d    *dialog.Dialog
	auth grant.Authority
	mac  string
	did  []did // what may be undone, the last last
}

// did is what one call did to files, from what to what.
type did struct {
	call          string
	before, after map[string][]truth
}

var worldAuthority = grant.Authority{Key: []byte("key"), Project: "p"}

func newWorld(r *rand.Rand) *world {
	return &world{r: r, now: time.Date(2026, 2, 16, 20, 0, 0, 0, time.UTC), files: map[string][]truth{}, kept: map[string][]byte{}, saves: map[string][]Save{}}
}

func text(all []truth) []byte {
	var b strings.Builder
	for _, l := range all {
		b.WriteString(l.text + "\n")
	}
	return []byte(b.String())
}

func (w *world) hash(path string) string {
	if _, ok := w.files[path]; !ok {
		return ""
	}
	return dialog.SHA256(text(w.files[path]))
}

func (w *world) id(kind string) string { w.ids++; return fmt.Sprintf("%s_%d", kind, w.ids) }

// words are a new line's text.
func (w *world) words(by string) truth {
	if w.twins && w.r.IntN(4) == 0 {
		return truth{[]string{"", "}", "- and"}[w.r.IntN(3)], by}
	}
	w.ids++
	return truth{fmt.Sprintf("line %d of %s", w.ids, by), by}
}

// edited is a file changed at random, by somebody. Where lines are twins it is changed at one
// place, and not to what stood there: from the texts nobody could tell that.
func (w *world) edited(was []truth, by string) []truth {
	now, places := slices.Clone(was), 1+w.r.IntN(4)
	if w.twins {
		places = 1
	}
	for range places {
		at, size := 0, 1+w.r.IntN(3)
		if len(now) > 0 {
			at = w.r.IntN(len(now) + 1)
		}
		to := min(len(now), at+size)
		var in []truth
		if w.r.IntN(4) > 0 {
			for range size {
				in = append(in, w.words(by))
			}
			if w.r.IntN(2) == 0 {
				to = at
			}
		}
		went := now[at:to]
		if slices.ContainsFunc(in, func(l truth) bool {
			return slices.ContainsFunc(went, func(g truth) bool { return g.text == l.text })
		}) {
			in = nil
		}
		now = slices.Concat(now[:at], in, now[to:])
	}
	return now
}

func (w *world) talk() *talk {
	if len(w.dialogs) < 3 && w.r.IntN(5) == 0 || len(w.dialogs) == 0 {
		id := fmt.Sprintf("20260216-20000%d-x", len(w.dialogs))
		t := &talk{id: id, auth: worldAuthority}
		t.auth.DialogID = id
		t.d = dialog.Parse("# Dialog\n> DialogId: " + id + "\n> Provider: a\n> Model: b\n> Status: waiting\n> Started: 2026-02-16T20:00:00Z\n")
		w.append(t, dialog.User, w.id("msg"), nil, dialog.Payload{Type: "input/markdown", Text: "go"})
		w.dialogs = append(w.dialogs, t)
	}
	return w.dialogs[w.r.IntN(len(w.dialogs))]
}

func (w *world) append(t *talk, role dialog.Role, id string, meta dialog.Fields, payloads ...dialog.Payload) {
	s := dialog.Section{Role: role, ID: id, Time: dialog.Span(w.now, w.now), Meta: meta, Payloads: payloads}
	if role == dialog.Authorization {
		t.auth.Seal(&s, t.mac)
		t.mac = s.Meta.Get("Mac")
	}
	t.d.Append(s)
}

// keep keeps what stands there, as each change of an agent does.
func (w *world) keep(path string) {
	if all, ok := w.files[path]; ok {
		w.kept[dialog.SHA256(text(all))] = text(all)
	}
}

// call is a call from its request to its result, allowed by a human; write does its work.
func (w *world) call(t *talk, id, tool string, in map[string]string, paths []string, write func() map[string]any) {
	b, _ := json.Marshal(in)
	w.append(t, dialog.ToolRequest, id, dialog.Fields{{Key: "Tool", Value: tool}, {Key: "Status", Value: "pending"}}, dialog.Payload{Type: "tool/input/json", Text: string(b)})
	w.append(t, dialog.Authorization, w.id("auth"), dialog.Fields{{Key: "Scope", Value: "dialog"}, {Key: "By", Value: "human"}},
		dialog.Payload{Type: dialog.ControlV1, Text: id + " approve sha256:" + grant.InputHash(string(b)) + " " + tool})
	w.append(t, dialog.Note, w.id("note"), dialog.Fields{{Key: "Kind", Value: "started"}, {Key: "Parent", Value: id}}, dialog.Payload{Type: "note/markdown", Text: "started"})
	done := did{id, map[string][]truth{}, map[string][]truth{}}
	for _, p := range paths {
		w.keep(p)
		if all, ok := w.files[p]; ok {
			done.before[p] = all
		}
	}
	result := write()
	for _, p := range paths {
		if all, ok := w.files[p]; ok {
			done.after[p] = all
		}
	}
	result["success"] = true
	r, _ := json.Marshal(result)
	w.append(t, dialog.ToolResult, id, dialog.Fields{{Key: "Tool", Value: tool}, {Key: "Status", Value: "approved"}}, dialog.Payload{Type: "tool/result/json", Text: string(r)})
	t.did = append(t.did, done)
}

func (w *world) write(path string) {
	t, id := w.talk(), w.id("call")
	was, sha := w.files[path], w.hash(path)
	now := w.edited(was, t.id+" "+id)
	w.call(t, id, "write_file", map[string]string{"path": path, "content": string(text(now))}, []string{path}, func() map[string]any {
		w.files[path] = now
		return w.result(path, sha)
	})
}

func (w *world) result(path, replaced string) map[string]any {
	r := map[string]any{"path": path, "sha256": w.hash(path)}
	if replaced != "" {
		r["replaced"] = replaced
	}
	return r
}

// edit replaces some lines by an edit_file, with the lines around them as context.
func (w *world) edit(path string) {
	was := w.files[path]
	if len(was) < 3 {
		return
	}
	t, id := w.talk(), w.id("call")
	at := w.r.IntN(len(was) - 1)
	to := min(len(was), at+2)
	now := slices.Concat(was[:at+1], []truth{w.words(t.id + " " + id)}, was[to:])
	old, in := string(text(was[at:to])), string(text(now[at:at+2]))
	if strings.Count(string(text(was)), old) != 1 || old == in {
		return
	}
	sha := w.hash(path)
	w.call(t, id, "edit_file", map[string]string{"path": path, "old_string": old, "new_string": in}, []string{path}, func() map[string]any {
		w.files[path] = now
		return w.result(path, sha)
	})
}

// command changes a file of the deed, or moves it.
func (w *world) command(path string) {
	if !strings.HasPrefix(path, "deed/") {
		return
	}
	t, id := w.talk(), w.id("call")
	sha, was := w.hash(path), w.files[path]
	if w.r.IntN(3) > 0 || sha == "" {
		now := w.edited(was, t.id+" "+id)
		w.call(t, id, "run_command", map[string]string{"command": "make"}, []string{path}, func() map[string]any {
			w.files[path] = now
			return map[string]any{"changed": []any{map[string]any{"path": path, "sha256": w.hash(path), "replaced": sha}}}
		})
		return
	}
	to := "deed/" + w.id("moved")
	w.call(t, id, "run_command", map[string]string{"command": "mv"}, []string{path, to}, func() map[string]any {
		w.files[to] = was
		delete(w.files, path)
		gone := map[string]any{"path": path, "sha256": "", "deleted": true}
		if w.r.IntN(4) > 0 { // without a layer it is not certain what stood there
			gone["replaced"] = sha
		}
		return map[string]any{"changed": []any{map[string]any{"path": to, "sha256": sha, "replaced": ""}, gone}}
	})
}

// undo takes the last call of a dialog back, if its files are still as it left them.
func (w *world) undo() {
	t := w.talk()
	if len(t.did) == 0 {
		return
	}
	last := t.did[len(t.did)-1]
	for p, all := range last.after {
		if w.hash(p) != dialog.SHA256(text(all)) {
			return
		}
	}
	for p := range last.before {
		if _, ok := last.after[p]; !ok && w.hash(p) != "" {
			return
		}
	}
	t.did = t.did[:len(t.did)-1]
	paths := slices.Sorted(maps.Keys(last.after))
	for p := range last.before {
		if !slices.Contains(paths, p) {
			paths = append(paths, p)
		}
	}
	for _, p := range paths {
		w.keep(p)
		delete(w.files, p)
	}
	var undone []any
	for _, p := range paths {
		if all, ok := last.before[p]; ok {
			w.files[p] = all
		}
		undone = append(undone, map[string]any{"path": p, "sha256": w.hash(p)})
	}
	b, _ := json.Marshal(map[string]any{"undone": undone, "refused": []any{}})
	w.append(t, dialog.Note, w.id("note"), dialog.Fields{{Key: "Kind", Value: "undo"}, {Key: "To", Value: "model"}, {Key: "Parent", Value: last.call}, {Key: "By", Value: "human"}},
		dialog.Payload{Type: dialog.NoteMarkdown, Text: "undone"}, dialog.Payload{Type: dialog.NoteJSON, Text: string(b)})
}

func (w *world) save(path string) {
	if strings.HasPrefix(path, "deed/") {
		return
	}
	sha := w.hash(path)
	w.keep(path)
	w.files[path] = w.edited(w.files[path], Human)
	at := dialog.FormatTime(w.now)
	if now := w.hash(path); now != sha {
		w.saves[path] = append(w.saves[path], Save{at, at, sha, now})
	}
}

// outside changes a file without a word, or removes it.
func (w *world) outside(path string) {
	if w.r.IntN(6) == 0 {
		delete(w.files, path)
		return
	}
	w.files[path] = w.edited(w.files[path], Nothing)
}

// go on with n changes.
func (w *world) live(n int) {
	for range n {
		w.now = w.now.Add(time.Duration(w.r.IntN(3)) * 400 * time.Millisecond)
		paths := []string{"doc-main.md", "doc-a.md", "deed/a", "deed/b"}
		for p := range w.files {
			if strings.HasPrefix(p, "deed/moved") {
				paths = append(paths, p)
			}
		}
		slices.Sort(paths)
		path := paths[w.r.IntN(len(paths))]
		switch k := w.r.IntN(20); {
		case k < 6:
			w.save(path)
		case k < 10:
			w.write(path)
		case k < 14:
			w.edit(path)
		case k < 17:
			w.command(path)
		case k < 19:
			w.undo()
		case w.r.IntN(5) == 0 && !w.twins: // two of these may undo each other
			w.outside(path)
		}
	}
}

func (w *world) source(path string) Source {
	src := Source{
		Path: path, Present: text(w.files[path]), Authority: worldAuthority,
		Saves: func(path string) []Save { return w.saves[path] },
		Kept:  func(sha string) ([]byte, bool) { b, ok := w.kept[sha]; return b, ok },
	}
	for _, t := range w.dialogs {
		src.Dialogs = append(src.Dialogs, Dialog{t.id, t.d})
	}
	return src
}

// said is what a history says of a line, as truth has it.
func said(h History, j int) string {
	v := h.Lines[j]
	if v == Unknown {
		return Nothing
	}
	if v := h.Versions[v]; v.Who() == Agent {
		return v.Dialog + " " + v.Call
	}
	return h.Versions[v].Who()
}
