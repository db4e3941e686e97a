package crash

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"vibey/dialog"
	"vibey/dialog/grant"
	ondisk "vibey/tools/disk"
)

// outcome is what a result says.
type outcome struct {
	Success   bool
	Error     string
	Changed   []json.RawMessage
	More      int `json:"changedMore"`
	Conflicts []struct{ Path string }
	Tried     bool
	Refused   []struct{ Path string }
}

func (k *killing) dialog() *dialog.Dialog { return dialog.Parse(k.text()) }

// result is a call's, nil where it has none.
func result(d *dialog.Dialog, id string) *outcome {
	at := d.Find(dialog.ToolResult, id)
	if at < 0 || d.Sections[at].Torn {
		return nil
	}
	o := new(outcome)
	if json.Unmarshal([]byte(d.Sections[at].Text()), o) != nil {
		return nil
	}
	return o
}

// waiting is the effect that a call waits with, or was released with; nil for none.
func waiting(d *dialog.Dialog, id string) *grant.Tried {
	at, ok := d.Tried(id)
	if !ok || at < 0 {
		return nil
	}
	if t, ok := grant.TriedBy(&d.Sections[at]); ok {
		return &t
	}
	return nil
}

// where tells in which part of a command's life the kill struck.
func (k *killing) where() string {
	d := k.dialog()
	journals, _ := filepath.Glob(filepath.Join(k.p.state, "applying", "*.json"))
	held, _ := filepath.Glob(filepath.Join(k.dir(), ".kept", "*.held"))
	layers, _ := filepath.Glob(filepath.Join(k.p.state, "tried", "*.json"))
	for _, w := range k.works {
		switch tried := waiting(d, w.id); {
		case d.Find(dialog.ToolRequest, w.id) < 0 || result(d, w.id) != nil:
		case len(journals) > 0:
			return "applying"
		case tried != nil && k.allowed[w.id]:
			return "allowed"
		case tried != nil:
			return "question"
		case len(held)+len(layers) > 0:
			return "holding"
		case strings.Contains(k.text(), "> Kind: started\n> Parent: "+w.id+"\n"):
			return "running"
		default:
			return "asked"
		}
	}
	if len(journals)+len(held)+len(layers) > 0 {
		return "ending"
	}
	return "elsewhere"
}

// stands holds, right behind a start, that what waited for a human still does.
func (k *killing) stands() {
	if k.id == "" {
		k.id = onlyDialog(k.dir())
	}
	if k.id == "" {
		return
	}
	before := k.dialog()
	d, _ := k.look()
	for _, w := range k.works {
		tried, r := waiting(before, w.id), result(before, w.id)
		if tried == nil && k.shown[w.id] != "" {
			k.t.Errorf("%s was shown with its effect, which is gone:\n%s", w.id, k.text())
		}
		if tried == nil || r != nil {
			continue
		}
		at := slices.IndexFunc(d.Pending, func(c asked) bool { return c.ID == w.id })
		switch {
		case at < 0 && d.Needs != "continue":
			k.t.Errorf("%s waits for nobody: it needs %q", w.id, d.Needs)
		case at < 0:
		case d.Pending[at].Effect == nil || d.Pending[at].Effect.SHA256 != tried.Effect.SHA256:
			k.t.Errorf("%s is asked about without its effect", w.id)
		case k.allowed[w.id] || k.denied[w.id]:
			k.t.Errorf("%s was decided, which was acknowledged, and is asked about again", w.id)
		}
	}
}

// holds holds the deed, the HOME and the file against each other when all is answered.
func (k *killing) holds() {
	d := k.dialog()
	var counted []work
	homeToo := true
	for _, w := range k.works {
		if d.Find(dialog.ToolRequest, w.id) < 0 {
			continue
		}
		r := result(d, w.id)
		if n := strings.Count(k.text(), "> Kind: started\n> Parent: "+w.id+"\n"); n > 1 {
			k.t.Errorf("%s was started %d times", w.id, n)
		}
		if r == nil {
			k.t.Errorf("%s has no result", w.id)
			continue
		}
		applied := len(r.Changed) > 0
		if applied {
			counted = append(counted, w)
		}
		// What was not tried wrote to its HOME itself, up to the kill.
		homeToo = homeToo && (applied || !strings.HasPrefix(r.Error, "interrupted: outcome unknown"))
		k.says(w, r, waiting(d, w.id))
	}
	deed, home := wanted(k.t, counted)
	differ(k.t.Errorf, "deed", deed, lies(k.t, filepath.Join(k.dir(), "deed")))
	at := filepath.Join(k.p.state, "home", k.project)
	is := map[string]string{}
	if _, err := os.Stat(at); err == nil {
		is = lies(k.t, at)
	}
	if delete(home, "."); homeToo {
		delete(is, ".")
		differ(k.t.Errorf, "HOME", home, is)
	}
	runs, _ := os.ReadFile(filepath.Join(at, "runs"))
	for _, w := range k.works {
		if n := strings.Count(string(runs), w.id+"\n"); n > 1 {
			k.t.Errorf("%s ran %d times", w.id, n)
		}
	}
}

// says holds one result against what is known of the call.
func (k *killing) says(w work, r *outcome, tried *grant.Tried) {
	applied := len(r.Changed) > 0
	known := strings.HasPrefix(r.Error, "interrupted: ") || strings.HasPrefix(r.Error, "Denied by user") || strings.HasPrefix(r.Error, "never started: ")
	switch {
	case !applied && !known:
		k.t.Errorf("%s changed nothing, and says %q", w.id, r.Error)
	case applied && known:
		k.t.Errorf("%s changed something, and says %q", w.id, r.Error)
	case applied && r.Success != !strings.HasPrefix(w.id, "fails"):
		k.t.Errorf("%s says success: %v, %q", w.id, r.Success, r.Error)
	case k.allowed[w.id] && !applied && tried != nil && !k.skipped:
		k.t.Errorf("%s was allowed with its effect, which was acknowledged, and says %q", w.id, r.Error)
	case k.denied[w.id] && applied:
		k.t.Errorf("%s was denied, which was acknowledged, and changed something", w.id)
	}
	if len(r.Conflicts)+len(r.Refused) > 0 {
		k.t.Errorf("%s has conflicts %v, refused %v", w.id, r.Conflicts, r.Refused)
	}
	if tried == nil || !applied {
		return
	}
	listed := 0
	for _, c := range tried.Effect.Changes {
		if c.Type != "folder" {
			listed++
		}
	}
	if n := len(r.Changed) + r.More; n < listed {
		k.t.Errorf("%s changed %d files and links, and its result tells of %d", w.id, listed, n)
	}
}

// differ tells in which names two folders differ.
func differ(say func(string, ...any), what string, want, got map[string]string) {
	var all []string
	for name := range want {
		if got[name] != want[name] {
			all = append(all, fmt.Sprintf("%s is %q, want %q", name, got[name], want[name]))
		}
	}
	for name := range got {
		if want[name] == "" {
			all = append(all, fmt.Sprintf("%s is %q, want nothing", name, got[name]))
		}
	}
	if slices.Sort(all); len(all) > 0 {
		say("%s: %d names differ: %s", what, len(all), strings.Join(all[:min(len(all), 5)], "; "))
	}
}

// nothingLeft holds that nothing waits on the disk when all calls have results, and that
// `vibey check` finds nothing but what a kill tore.
func (k *killing) nothingLeft() {
	var left []string
	for end := time.Now().Add(5 * time.Second); ; time.Sleep(10 * time.Millisecond) { // layers go in the background
		left = nil
		for _, p := range []string{"applying/.locks/*", "applying/*", "tried/*", "commands/*/layer-*/up/*", "commands/*/deed-*"} { // a spare layer is empty
			found, _ := filepath.Glob(filepath.Join(k.p.state, p))
			left = append(left, slices.DeleteFunc(found, func(name string) bool { return filepath.Base(name) == ".locks" })...)
		}
		kept, _ := os.ReadDir(filepath.Join(k.dir(), ".kept"))
		for _, e := range kept {
			if name := e.Name(); len(name) != 64 && name != ondisk.TempName(".kept") { // the next one that is kept takes that name
				left = append(left, name)
			}
		}
		if len(left) == 0 || time.Now().After(end) {
			break
		}
	}
	if len(left) > 0 {
		k.t.Errorf("left over: %q", left)
	}
	k.noProcesses(k.h.pid)
	check := exec.Command(*vibey, "check", "--claims", k.dir())
	check.Env = []string{"HOME=" + k.p.state, "VIBEY_STATE=" + k.p.state, "VIBEY_DIR=" + k.p.dir}
	out, err := check.Output()
	for line := range strings.Lines(string(out)) {
		// A result that has changedMore does not name all that is not as an earlier one left it.
		more := strings.Contains(line, ": claim: ") && strings.Contains(k.text(), `"changedMore"`)
		if !more && !strings.Contains(line, ": torn: ") {
			k.t.Errorf("vibey check: %s", line)
		}
	}
	if len(out) == 0 && err != nil {
		k.t.Errorf("vibey check: %v", err)
	}
}

// noProcesses holds that no process lives that sees this place through walls, so that
// nothing is mounted there either, but for those that a program has started.
func (k *killing) noProcesses(program int) {
	var left map[int]string
	for end := time.Now().Add(5 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if left = k.within(program); len(left) == 0 || time.Now().After(end) {
			break
		}
	}
	if len(left) > 0 {
		k.t.Errorf("processes are left: %v", slices.Collect(maps.Values(left)))
	}
}

func (k *killing) within(program int) map[int]string {
	left := map[int]string{}
	names, _ := filepath.Glob("/proc/[0-9]*/mountinfo")
	for _, name := range names {
		mounts, err := os.ReadFile(name)
		if err != nil || !slices.ContainsFunc([]string{k.p.state, k.p.dir}, func(dir string) bool {
			return strings.Contains(string(mounts), "/"+filepath.Base(filepath.Dir(dir))+"/")
		}) {
			continue
		}
		pid, _ := strconv.Atoi(strings.Split(name, "/")[2])
		if words, _ := os.ReadFile(filepath.Join(filepath.Dir(name), "cmdline")); !zombie(pid) && !(program != 0 && startedBy(pid, program)) {
			left[pid] = fmt.Sprintf("%d %q", pid, words)
		}
	}
	return left
}

// startedBy reports whether a process was started by another one, or by one that it started.
func startedBy(pid, above int) bool {
	for pid > 1 {
		if pid == above {
			return true
		}
		f := fields(pid)
		if len(f) < 2 {
			return true // it has ended
		}
		pid, _ = strconv.Atoi(f[1])
	}
	return false
}

func zombie(pid int) bool {
	f := fields(pid)
	return len(f) == 0 || f[0] == "Z" || f[0] == "X"
}

// fields are those of /proc/PID/stat behind the name.
func fields(pid int) []string {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return strings.Fields(string(b)[strings.LastIndexByte(string(b), ')')+1:])
}
