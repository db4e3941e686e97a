package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"vibey/cmd/tally/testenv"
	"vibey/provider/providertest"
)

// The disks that a human may keep a folder on. Each row makes one, and what is done with
// a project is done there: see diskActs.
var disks = []struct {
	name  string
	mount func(t *testing.T, at string) // makes the disk at a folder; nil for that of the tests
	under func(p *place) []string       // the command line before the program's; nil for none
	frail bool                          // it is said that a power cut may take what was acknowledged
}{
	{name: "tmpfs", mount: tmpfs("size=64m")},
	{name: "ext4", mount: image(16, "mkfs.ext4 -q -F $0", "mount -o loop $0 $1; rmdir $1/lost+found")},
	{name: "exfat", mount: image(16, "mkfs.exfat $0", "mount.exfat-fuse $(losetup -f --show $0) $1; losetup -d $(losetup -n -O NAME -j $0)")},
	{name: "ntfs, names in small letters", mount: image(16, "mkntfs -q -F -Q $0", "lowntfs-3g -o ignore_case $0 $1")},
	{name: "overlay", mount: overlay},
	{name: "folders that can't be synced", under: inject("fsync:error=EINVAL", func(p *place) []string {
		return []string{p.dir, p.state, p.dir + "/p", p.dir + "/.making-p", p.dir + "/.making-p/deed", p.dir + "/p/.kept", p.dir + "/p/deed", p.dir + "/copy", p.dir + "/.making-copy", p.state + "/git"}
	}), frail: true},
	{name: "no permissions", under: inject("chmod,fchmod,fchmodat:error=EPERM", nil)},
	{name: "folders that can't be renamed", under: inject("renameat:error=EXDEV", func(p *place) []string { return []string{p.dir} })},
	{name: "no second names", under: inject("link,linkat:error=EPERM", nil)},
	{name: "no times of birth", under: inject("statx:error=ENOSYS", nil)},
}

// mountBy runs a line of a shell in which $0, $1, … are args, and leaves the test out where it
// can't be run: it may not mount.
func mountBy(t *testing.T, line string, args ...string) {
	t.Helper()
	if out, err := exec.Command("sh", append([]string{"-euc", line}, args...)...).CombinedOutput(); err != nil {
		t.Logf("%s %q: %v %s", line, args, err, out)
		testenv.Lacks(t, testenv.Disk)
	}
}

// unmounted takes a disk away when all that runs on it has ended.
func unmounted(t *testing.T, at string) {
	t.Cleanup(func() {
		if out, err := exec.Command("umount", "-l", at).CombinedOutput(); err != nil {
			t.Errorf("unmount: %v %s", err, out)
		}
	})
}

func tmpfs(options string) func(t *testing.T, at string) {
	return func(t *testing.T, at string) {
		mountBy(t, "mount -t tmpfs -o $0 tmpfs $1", options, at)
		unmounted(t, at)
	}
}

// image is a disk in a file of some MB, which one command formats and another mounts.
func image(mb int, format, mount string) func(t *testing.T, at string) {
	return func(t *testing.T, at string) {
		for _, line := range []string{format, mount} {
			if program, _, _ := strings.Cut(line, " "); !found(program) {
				testenv.Lacks(t, need[program])
			}
		}
		file := filepath.Join(t.TempDir(), "image")
		mountBy(t, fmt.Sprintf("truncate -s %dM $0; %s >/dev/null; %s", mb, format, mount), file, at)
		unmounted(t, at)
	}
}

var need = map[string]testenv.Need{"mkfs.exfat": testenv.Folding, "mount.exfat-fuse": testenv.Folding, "mkntfs": testenv.Folding, "lowntfs-3g": testenv.Folding, "mkfs.ext4": testenv.Disk, "mount": testenv.Disk}

func found(program string) bool {
	_, err := exec.LookPath(program)
	return err == nil
}

// overlay is a disk whose lower layer has the project "lower", with folders in folders.
func overlay(t *testing.T, at string) {
	layers := t.TempDir()
	tmpfs("size=64m")(t, layers)
	mountBy(t, `mkdir -p $0/lower/lower/deed/one/two $0/lower/lower/deed/bin $0/upper $0/work
		echo '# Lower' >$0/lower/lower/doc-main.md; echo x >$0/lower/lower/deed/one/two/three; ln -s one $0/lower/lower/deed/link
		mount -t overlay -o lowerdir=$0/lower,upperdir=$0/upper,workdir=$0/work overlay $1`, layers, at)
	unmounted(t, at)
}

// inject fails system calls of the program and of all that it starts; on is the folders and
// files that they touch, nil for all. The program stays the child of the test.
func inject(what string, on func(p *place) []string) func(p *place) []string {
	calls, _, _ := strings.Cut(what, ":")
	return func(p *place) []string {
		if !found("strace") {
			testenv.Lacks(p.t, testenv.Strace)
		}
		line := []string{"strace", "-D", "-f", "--seccomp-bpf", "-qq", "-o", "/dev/null", "-e", "trace=" + calls, "-e", "inject=" + what}
		if on == nil {
			return line
		}
		for _, path := range on(p) {
			line = append(line, "-P", path)
		}
		return line
	}
}

// TestDisks does all that is done with a project on each disk.
func TestDisks(t *testing.T) {
	testenv.Long(t)
	for _, d := range disks {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, diskScript())
			if err := os.MkdirAll(p.dir, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.MkdirAll(p.state, 0o700); err != nil {
				t.Fatal(err)
			}
			if d.mount != nil {
				d.mount(t, p.dir)
			}
			if d.under != nil {
				p.under = d.under(p)
			}
			w := &onDisk{walk: &walk{host: serve(t, p), provider: "claude"}, frail: d.frail}
			for _, act := range diskActs {
				t.Log(act.name)
				act.do(w)
			}
			if log := w.log.String(); strings.Contains(log, "can't promise to survive a power cut") != d.frail {
				t.Errorf("the log says of the disk:\n%s", log)
			}
		})
	}
}

// onDisk is a life on one disk.
type onDisk struct {
	*walk
	frail bool
}

func (w *onDisk) save(text string) answer {
	return w.ask("POST", "/project/p/file/doc-a.md", body{"content": text})
}

// call has the model make the next call, which a human allows, and returns its result.
func (w *onDisk) call(id string) string {
	w.t.Helper()
	w.run("PUT", body{"dialogId": w.id, "prompt": "go on"}, "tool_request")
	w.run("PUT", body{"dialogId": w.id, "control": approve(w.pending...)}, "done")
	r, ok := w.look("p", w.id).find("Tool Result", id)
	if !ok || !strings.Contains(r.text(), `"success":true`) {
		w.t.Errorf("the result of %s: %s", id, r.text())
	}
	return r.text()
}

// diskActs are done one after the other.
var diskActs = []struct {
	name string
	do   func(w *onDisk)
}{
	{"make", func(w *onDisk) {
		w.make("p")
		if health := w.get("/health").is(200).object(); (health["durable"] == false) != w.frail {
			w.t.Errorf("health says %v", health)
		}
		w.id = w.ask("POST", dialogPath+"/new", body{"provider": w.provider, "slug": "life"}).is(200).object()["dialogId"].(string)
	}},
	{"save", func(w *onDisk) {
		for _, text := range []string{"one", "two", "three"} {
			w.save(text).is(200)
			if got := w.read("p", "doc-a.md"); got != text {
				w.t.Errorf("saved %q, the disk has %q", text, got)
			}
		}
		w.ask("POST", "/project/p/file/doc-b.md", body{"content": "b"}).is(200)
		w.ask("DELETE", "/project/p/file/doc-b.md", nil).is(204)
	}},
	{"two spellings", func(w *onDisk) {
		for _, other := range []string{"doc-A.md", "DOC-a.md"} {
			path := "/project/p/file/" + other
			w.ask("POST", path, body{"content": "another's"}).problem(409)
			w.get(path).problem(404)
			w.ask("DELETE", path, nil).problem(404)
		}
		w.get("/project/P/files").problem(404)
		w.ask("DELETE", "/projects/P", nil).problem(404)
		w.ask("POST", "/projects", body{"name": "P"}).problem(409)
		w.get(dialogPath + "/" + strings.ToUpper(w.id)).problem(404)
		w.ask("PUT", dialogPath, body{"dialogId": strings.ToUpper(w.id), "status": "done"}).problem(404)
		if got := w.read("p", "doc-a.md"); got != "three" || w.look("p", w.id).Status != "waiting" {
			w.t.Errorf("by another spelling the page became %q, the dialog %s", got, w.look("p", w.id).Status)
		}
	}},
	{"write", func(w *onDisk) { w.call("w1"); w.call("w2") }},
	{"edit", func(w *onDisk) {
		w.call("e1")
		if got := w.read("p", "deed", "a.txt"); got != "the second text" {
			w.t.Errorf("edited: %q", got)
		}
	}},
	{"undo", func(w *onDisk) {
		for _, id := range []string{"e1", "w2"} {
			a := w.ask("POST", "/project/p/undo", body{"dialogId": w.id, "id": id}).is(200)
			if strings.Contains(a.text, `"why"`) {
				w.t.Errorf("undo of %s: %s", id, a.text)
			}
		}
		if got := w.read("p", "deed", "a.txt"); got != "a first text" {
			w.t.Errorf("undone: %q", got)
		}
	}},
	{"command", func(w *onDisk) {
		w.call("c1")
		if got := w.read("p", "deed", "log"); got != "once\n" {
			w.t.Errorf("the command left %q", got)
		}
	}},
	{"status", func(w *onDisk) {
		w.ask("PUT", dialogPath, body{"dialogId": w.id, "status": "done"}).is(200)
		if st := w.look("p", w.id); st.Status != "done" || !w.there("p", st.Filename) || !strings.Contains(st.Markdown, "\n> Status: done") {
			w.t.Errorf("done is %s in %s:\n%s", st.Status, st.Filename, st.Markdown)
		}
	}},
	{"snapshot and restore", func(w *onDisk) {
		a := w.get("/project/p/snapshot?scope=all").is(200)
		req := w.request("POST", "/projects?name=copy", []byte(a.text))
		req.Header.Set("Content-Type", "application/zip")
		w.send(req).is(200)
		if got := w.read("copy", "deed", "a.txt"); got != "a first text" {
			w.t.Errorf("restored: %q", got)
		}
		w.ask("DELETE", "/projects/copy", nil).is(204) // what it was allowed is another's word here
	}},
	{"kill in a stream", func(w *onDisk) {
		s := w.post(dialogPath, body{"provider": w.provider, "prompt": "slowly"})
		id := s.kind("section").data.DialogID
		s.kind("chunk")
		w.host = w.again(syscall.SIGKILL)
		said := s.text()
		st := w.look("p", id)
		if last := lastAssistant(st); st.Status != "waiting" || !strings.HasPrefix(last.text(), said) || said == "" {
			w.t.Errorf("streamed %q, kept %q (%s)", said, last.text(), st.Status)
		}
	}},
	{"kill in a command", func(w *onDisk) {
		w.run("PUT", body{"dialogId": w.id, "prompt": "go on"}, "tool_request")
		w.host.put(dialogPath, body{"dialogId": w.id, "control": approve(w.pending...)})
		for end := time.Now().Add(patience); w.inHome("p", "began") == ""; time.Sleep(5 * time.Millisecond) {
			if time.Now().After(end) {
				w.t.Fatal("the command did not begin")
			}
		}
		w.host = w.again(syscall.SIGKILL)
		w.run("PUT", body{"dialogId": w.id, "prompt": "and now?"}, "done")
		r, _ := w.look("p", w.id).find("Tool Result", "k1")
		if got := w.inHome("p", "began"); !strings.Contains(r.text(), "outcome unknown") || got != "1\n" {
			w.t.Errorf("%s; it ran %q", r.text(), got)
		}
	}},
	{"check", func(w *onDisk) {
		w.settle("p")
		under := w.under
		w.under = nil
		w.checked("note")
		w.under = under
		text := w.look("p", w.id).Markdown
		for _, path := range []string{w.dir, w.state} {
			if strings.Contains(text, path) {
				w.t.Errorf("the dialog names %s:\n%s", path, text)
			}
		}
	}},
	{"delete", func(w *onDisk) {
		var names []string
		w.get("/projects").is(200).into(&names)
		for _, name := range names {
			w.ask("DELETE", "/projects/"+name, nil).is(204)
		}
		if left := w.names(); len(names) == 0 || slices.ContainsFunc(left, func(name string) bool { return name != ".locks" }) {
			w.t.Errorf("of %q is left %q", names, left)
		}
	}},
}

func diskScript() providertest.Script {
	return providertest.Script{
		Cases: []providertest.Case{{When: "slowly", Replies: []providertest.Reply{{Text: strings.Repeat("a word, ", 400), Chunk: 16, DelayMS: 20}}}},
		Replies: []providertest.Reply{
			does("I write.", saves("w1", "a.txt", "a first text")), {Text: "Written."},
			does("Again.", saves("w2", "a.txt", "another text")), {Text: "Written."},
			does("I edit.", tool("e1", "edit_file", `{"path":"deed/a.txt","old_string":"another","new_string":"the second"}`)), {Text: "Edited."},
			does("I run.", command("c1", "cd deed && echo once >> log")), {Text: "Run."},
			does("I run for long.", command("k1", "echo 1 >> ~/began; sleep 30")), {Text: "It was cut."},
		},
	}
}
