package e2e

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"vibey/cmd/tally/testenv"
	"vibey/provider/providertest"
)

var (
	cuts    = flag.Int("cuts", 26, "how many times TestDiskCuts cuts a disk")
	cutSeed = flag.Uint64("cutseed", 0, "the seed of the moments of those cuts; 0 takes a fresh one")
)

// cutDisk is a disk under work, in a file, and what belongs to it.
type cutDisk struct {
	t                *testing.T
	file, dir, state string
	mount            string // how the file is mounted; "" where the folder is on the disk of the tests
}

// sh runs a line in which $0 is the file, $1 the folder, $2 the state dir and $3 a folder
// beside them.
func (d *cutDisk) sh(line string) string {
	d.t.Helper()
	out, err := exec.Command("sh", "-euc", line, d.file, d.dir, d.state, filepath.Dir(d.dir)+"/beside").CombinedOutput()
	if err != nil {
		d.t.Fatalf("%s: %v %s", line, err, out)
	}
	return string(out)
}

// A cutKind is a way in which a disk goes.
type cutKind struct {
	name  string
	on    func(d *cutDisk)
	cut   func(d *cutDisk)
	back  string   // brings it back under the server that runs; "" where it must be mounted anew
	part  bool     // some writes succeed behind it
	only  string   // the paths that it concerns; "" for all
	calm  bool     // the server is always stopped: else its kernel may answer a sync with success
	loose bool     // its kernel may do so at any moment: what it lost is counted, and no fault of ours
	says  []string // one of these says why an act was refused
	again string   // a line before it is mounted anew
}

var (
	onExt4 = func(d *cutDisk) {
		d.mount = "mount -o loop $0 $1"
		mountBy(d.t, "fallocate -l 12M $0; truncate -s 32M $0; mkfs.ext4 -q -F -E nodiscard -J location=4M $0; "+d.mount+"; rmdir $1/lost+found", d.file, d.dir)
		unmounted(d.t, d.dir)
	}
	onTwo = func(d *cutDisk) { // one in a file of another, which answers each access with an error once it is shut down
		mountBy(d.t, "truncate -s 64M $0; mkfs.ext4 -q -F $0; mount -o loop $0 $1", filepath.Dir(d.dir)+"/below", filepath.Dir(d.file))
		unmounted(d.t, filepath.Dir(d.file))
		onExt4(d)
	}
	onThin = func(d *cutDisk) { // on a device that has no room for what it promises
		tmpfs("size=24m")(d.t, filepath.Dir(d.file))
		onExt4(d)
	}
	onFuse = func(d *cutDisk) {
		for _, program := range []string{"mkfs.exfat", "mount.exfat-fuse"} {
			if !found(program) {
				testenv.Lacks(d.t, testenv.Folding)
			}
		}
		d.mount = "loop=$(losetup -f --show $0); mount.exfat-fuse $loop $1 >&2; losetup -d $loop"
		mountBy(d.t, "truncate -s 32M $0; mkfs.exfat $0 >&2; "+d.mount, d.file, d.dir)
		unmounted(d.t, d.dir)
	}
	onNone = func(*cutDisk) {}
	by     = func(line string) func(d *cutDisk) { return func(d *cutDisk) { d.sh(line) } }
	shut   = func(how uint32) func(d *cutDisk) { return func(d *cutDisk) { shutDown(d.t, d.dir, how) } }

	broken = []string{"input/output error", "read-only"}
	full   = []string{"disk is full", "no space left"}
	gone   = []string{"not there any more", "not connected", "connection abort"}
	away   = []string{"is not where it was found"}
)

var cutKinds = []cutKind{
	{name: "shut down, flushed", on: onExt4, cut: shut(0), calm: true, says: broken},
	{name: "shut down with its log", on: onExt4, cut: shut(1), calm: true, says: broken},
	{name: "shut down without its log", on: onExt4, cut: shut(2), calm: true, says: broken},
	{name: "each sector fails", on: onTwo, cut: func(d *cutDisk) { shutDown(d.t, filepath.Dir(d.file), 2) }, calm: true, says: broken,
		again: `umount -l ${0%/*}; for n in $(seq 500); do [ -n "$(losetup -j ${1%/*}/below)" ] || break; sleep 0.02; done; mount -o loop ${1%/*}/below ${0%/*}; `},
	{name: "new sectors fail", on: onThin, cut: by("cat /dev/zero >${0%/*}/filler || :"), part: true, loose: true, says: append(full, broken...), again: "rm ${0%/*}/filler; "},
	{name: "made read-only by its own error", on: onExt4, cut: by("mount -o remount,abort $1"), calm: true, says: broken},
	{name: "unmounted lazily", on: onExt4, cut: by("umount -l $1"), back: "mount -o loop $0 $1", says: away},
	{name: "another in its place", on: onExt4, cut: by("umount -l $1; mount -t tmpfs tmpfs $1"), back: "umount $1; mount -o loop $0 $1", says: away},
	{name: "renamed", on: onNone, cut: by("mv $1 $3"), back: "[ ! -e $1 ] && mv $3 $1", says: away},
	{name: "the project renamed", on: onNone, cut: by("mv $1/p $3"), back: "[ ! -e $1/p ] && mv $3 $1/p", only: "/project/p/", says: away},
	{name: "the state dir renamed", on: onNone, cut: by("mv $2 $3"), back: "[ ! -e $2 ] && mv $3 $2", says: away},
	{name: "full", on: onExt4, cut: by("cat /dev/zero >$1/filler || :"), back: "rm $1/filler", part: true, says: full},
	{name: "its driver ended", on: onFuse, cut: by("mkdir $3; mount -t fusectl fusectl $3; echo 1 >$3/$(mountpoint -d $1 | (IFS=: read a b; echo $((a << 20 | b))))/abort; umount $3"), says: append(gone, away...)},
}

// TestDiskCuts cuts disks under work, each in one of many ways and at a moment of its own:
// what was acknowledged stands on the disk afterwards, whole; what was refused says why;
// and nothing is acknowledged or begun that no disk has.
func TestDiskCuts(t *testing.T) {
	testenv.Long(t)
	seed := *cutSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("seed %d (go test -run TestDiskCuts ./cmd/vibey/e2e -cutseed %[1]d repeats it)", seed)
	for k, kind := range cutKinds {
		t.Run(kind.name, func(t *testing.T) {
			t.Parallel()
			acks, refused, lost := 0, 0, 0
			for i := k; i < *cuts; i += len(cutKinds) {
				random := rand.New(rand.NewPCG(seed, uint64(i)))
				t.Run(fmt.Sprint(i), func(t *testing.T) {
					w := cutUnderWork(t, kind, random)
					acks, refused, lost = acks+w.acks, refused+w.refused, lost+w.lost
				})
			}
			t.Logf("%d acts were acknowledged, %d refused, %d sections lost by the kernel", acks, refused, lost)
		})
	}
}

func cutScript() providertest.Script {
	words := strings.Repeat("words, ", 24)
	talk := func(c providertest.Call) []providertest.Reply {
		return []providertest.Reply{{Text: words, Chunk: 14, DelayMS: 2, Calls: []providertest.Call{c}}, {Text: words, Chunk: 40, DelayMS: 1}, {Text: "More."}, {Text: "And more."}}
	}
	return providertest.Script{
		Cases:   []providertest.Case{{When: "write", Replies: talk(saves("w", "w.txt", strings.Repeat("what an agent wrote\n", 500)))}},
		Replies: talk(command("c", "mktemp -p ~ ran.XXXXXX; echo x >> deed/log")),
	}
}

// cutWork is what works on a disk until it is cut, and somewhat longer, and what was told.
type cutWork struct {
	*host
	kind    cutKind
	cutting chan struct{} // closed before the cut
	cut     chan struct{} // closed behind it

	mu            sync.Mutex
	acks, refused int
	lost          int // sections that were told
	wanted        int // acks, after which enough is closed
	enough        chan struct{}
	streams       map[string][]*stream // by dialog
	done          map[string]bool      // dialogs that were acknowledged as done
	pages         map[string][]cutText // by name, in the order in which they were sent
	projects      map[string][]cutText
}

// cutText is a text that was sent, "" for what was deleted.
type cutText struct {
	text        string
	acked, late bool // it was acknowledged; it was sent behind the cut
}

func over(c chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// took counts an act by its answer, and tells whether it was acknowledged.
func (w *cutWork) took(what, path string, late bool, status int, text string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	concerns := strings.HasPrefix(path, w.kind.only)
	switch {
	case status >= 200 && status < 300 || over(w.cutting) && strings.Contains(text, "left-over"):
		if w.acks++; w.acks == w.wanted {
			close(w.enough)
		}
		if late && concerns && !w.kind.part {
			w.t.Errorf("acknowledged behind the cut: %s: %d %s", what, status, text)
		}
		return true
	case status >= 400 && over(w.cutting) && concerns && slices.ContainsFunc(w.kind.says, func(why string) bool { return strings.Contains(text, why) }):
		w.refused++
	default:
		w.t.Errorf("%s (behind the cut: %t): %d %s", what, late, status, text)
	}
	return false
}

// send changes a page or a project, and keeps what became of it.
func (w *cutWork) send(in map[string][]cutText, name, method, path string, send any, text string) (acked bool) {
	late := over(w.cut)
	w.mu.Lock()
	in[name] = append(in[name], cutText{text: text, late: late})
	at := len(in[name]) - 1
	w.mu.Unlock()
	a := w.ask(method, path, send)
	acked = w.took(method+" "+path, path, late, a.status, a.text)
	w.mu.Lock()
	in[name][at].acked = acked
	w.mu.Unlock()
	return acked
}

func (w *cutWork) save(name, text string) (acked bool) {
	return w.send(w.pages, name, "POST", "/project/p/file/"+name, body{"content": text}, text)
}

// talk leads a dialog to its end, with another who watches it.
func (w *cutWork) talk(prompt string) {
	method, send := "POST", body{"provider": "claude", "prompt": prompt}
	id := ""
	for {
		late := over(w.cut)
		s, a := w.try(w.request(method, dialogPath, send))
		if s == nil {
			w.took(method+" dialog", dialogPath, late, a.status, a.text)
			w.reads(id)
			return
		}
		if f, ok := s.next(0); ok && f.data.DialogID != "" && id == "" {
			id = f.data.DialogID
			if other, _ := w.try(w.request("GET", dialogPath+"/"+id+"/stream", nil)); other != nil {
				w.keep(id, other)
			}
		}
		w.keep(id, s)
		last := s.last()
		status := 200
		if last.kind == "error" {
			status = 500
		}
		if !w.took(method+" dialog, a stream", dialogPath, late, status, last.raw) {
			w.reads(id)
			return
		}
		if last.kind == "done" {
			break
		}
		method, send = "PUT", body{"dialogId": id, "control": approve(last.data.ToolCalls...)}
	}
	late := over(w.cut)
	a := w.ask("PUT", dialogPath, body{"dialogId": id, "status": "done"})
	if w.took("PUT done", dialogPath, late, a.status, a.text) {
		w.mu.Lock()
		w.done[id] = true
		w.mu.Unlock()
	}
}

// reads asks for a dialog that was refused something, in both ways: what it is told now
// stands on the disk, too, for all that the system may show of a failed write.
func (w *cutWork) reads(id string) {
	if id == "" {
		return
	}
	path := dialogPath + "/" + id
	if s, _ := w.try(w.request("GET", path+"/stream", nil)); s != nil {
		s.wait()
		w.keep(id, s)
	}
	if a := w.get(path); a.status == 200 {
		var st state
		a.into(&st)
		s := &stream{t: w.t, what: a.what, over: true}
		for _, told := range st.Sections {
			s.frames = append(s.frames, frame{kind: "section", data: frameData{Section: told}})
		}
		w.keep(id, s)
	} else if a.status < 500 && w.kind.only == "" || strings.Contains(a.text, "reason of its own") {
		w.t.Errorf("it reads %d %s", a.status, a.text)
	}
}

func (w *cutWork) keep(id string, s *stream) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.streams[id] = append(w.streams[id], s)
}

// cutWorkers work beside each other. Each does its n-th act.
var cutWorkers = []func(w *cutWork, n int){
	func(w *cutWork, n int) {
		w.save("doc-a.md", fmt.Sprint("# A\n", strings.Repeat(fmt.Sprintln("line", n), n*7919%2000)))
	},
	func(w *cutWork, n int) {
		name := fmt.Sprintf("doc-b%d.md", n)
		if w.save(name, fmt.Sprint("# B", n)) && n%2 == 0 {
			w.send(w.pages, name, "DELETE", "/project/p/file/"+name, nil, "")
		}
	},
	func(w *cutWork, n int) {
		name := fmt.Sprint("q", n)
		if w.send(w.projects, name, "POST", "/projects", body{"name": name}, "made") && n%2 == 0 {
			w.send(w.projects, name, "DELETE", "/projects/"+name, nil, "")
		}
	},
	func(w *cutWork, n int) { w.talk("run") },
	func(w *cutWork, n int) { w.talk("write") },
}

// cutUnderWork cuts one disk under work.
func cutUnderWork(t *testing.T, kind cutKind, random *rand.Rand) *cutWork {
	p := newPlace(t, cutScript())
	if err := os.MkdirAll(p.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	d := &cutDisk{t: t, file: filepath.Join(t.TempDir(), "image"), dir: p.dir, state: p.state}
	kind.on(d)
	w := &cutWork{host: serve(t, p), kind: kind, cutting: make(chan struct{}), cut: make(chan struct{}), enough: make(chan struct{}), wanted: 1 + random.IntN(40),
		streams: map[string][]*stream{}, done: map[string]bool{}, pages: map[string][]cutText{}, projects: map[string][]cutText{}}
	w.make("p")
	var all sync.WaitGroup
	for _, act := range cutWorkers {
		all.Go(func() {
			for n, left := 0, 2; left > 0 && !t.Failed(); n++ {
				if over(w.cut) {
					left--
				}
				act(w, n)
			}
		})
	}
	ended := make(chan struct{})
	go func() { all.Wait(); close(ended) }()
	select {
	case <-w.enough:
	case <-ended: // it failed
		return w
	}
	time.Sleep(time.Duration(random.IntN(60_000)) * time.Microsecond)
	stopped := random.IntN(2) == 0 || kind.calm
	close(w.cutting)
	if stopped {
		w.stop()
	}
	kind.cut(d)
	if stopped {
		w.cmd.Process.Signal(syscall.SIGCONT)
	}
	close(w.cut)
	<-ended
	t.Logf("stopped: %t; %d acts acknowledged, %d refused", stopped, w.acks, w.refused)
	if w.refused == 0 && !kind.part {
		t.Error("nothing was refused")
	}
	if kind.back != "" {
		d.sh(kind.back)
		w.cut = make(chan struct{})
		w.save("doc-back.md", "it is back")
		w.goesOn()
	}
	w.kill(syscall.SIGKILL)
	if d.mount != "" {
		d.sh(`umount -l $1; for n in $(seq 500); do [ -n "$(losetup -j $0)" ] || break; sleep 0.02; done; [ -z "$(losetup -j $0)" ]; ` + kind.again + d.mount)
	}
	w.host = serve(t, p)
	w.stands()
	w.goesOn()
	w.checked("torn", "note")
	return w
}

// stop stops the process, and returns when it is in no system call any more.
func (h *host) stop() {
	h.t.Helper()
	h.cmd.Process.Signal(syscall.SIGSTOP)
	tasks := fmt.Sprintf("/proc/%d/task/", h.cmd.Process.Pid)
	for end := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		list, err := os.ReadDir(tasks)
		if err != nil {
			h.t.Fatal(err)
		}
		if !slices.ContainsFunc(list, func(e os.DirEntry) bool {
			b, err := os.ReadFile(tasks + e.Name() + "/stat")
			return err == nil && !strings.Contains(string(b), ") T ")
		}) {
			return
		}
		if time.Now().After(end) {
			h.t.Fatal("it does not stop")
		}
	}
}

// goesOn has each dialog answer a prompt.
func (w *cutWork) goesOn() {
	w.t.Helper()
	w.settle("p")
	var list []state
	w.get("/project/p/dialogs").is(200).into(&list)
	for _, st := range list {
		s := w.put(dialogPath, body{"dialogId": st.DialogID, "prompt": "go on"})
		w.keep(st.DialogID, s)
		for range 3 {
			f := s.last()
			if f.kind != "tool_request" {
				break
			}
			s = w.put(dialogPath, body{"dialogId": st.DialogID, "control": approve(f.data.ToolCalls...)})
			w.keep(st.DialogID, s)
		}
		s.ends("done")
		delete(w.done, st.DialogID)
	}
}

// stands holds what was told against what the disk has.
func (w *cutWork) stands() {
	w.t.Helper()
	for name, sent := range w.pages {
		text := ""
		if w.there("p", name) {
			text = w.read("p", name)
		}
		w.oneOf(name, sent, text)
	}
	var list []string
	w.get("/projects").is(200).into(&list)
	for name, sent := range w.projects {
		text := ""
		if slices.Contains(list, name) {
			w.get("/project/" + name + "/file/doc-main.md").is(200)
			text = "made"
		}
		w.oneOf(name, sent, text)
	}
	started, succeeded := 0, 0
	var dialogs []state
	w.get("/project/p/dialogs").is(200).into(&dialogs)
	for _, at := range dialogs {
		st := w.look("p", at.DialogID)
		w.parse(st.Markdown)
		ran := 0
		for _, s := range st.Sections {
			if s.Role == "Note" && s.Meta["Kind"] == "started" && s.Meta["Parent"] == "c" {
				ran++
			} else if s.Role == "Tool Result" && s.ID == "c" && strings.Contains(s.text(), `"success":true`) {
				succeeded++
			} else if s.Role == "Tool Result" && s.ID == "w" && strings.Contains(s.text(), `"success":true`) {
				if got := w.read("p", "deed", "w.txt"); got != strings.Repeat("what an agent wrote\n", 500) {
					w.t.Errorf("an agent wrote %q", got)
				}
			}
		}
		if started += ran; ran > 1 {
			w.t.Errorf("it ran %d times:\n%s", ran, st.Markdown)
		}
		if w.done[at.DialogID] && st.Status != "done" {
			w.t.Errorf("%s was acknowledged as done and is %s", at.DialogID, st.Status)
		}
	}
	for id, streams := range w.streams {
		var st state
		for _, s := range streams {
			for _, f := range s.wait() {
				if f.kind != "section" {
					continue
				}
				if st.DialogID == "" {
					st = w.look("p", id)
				}
				if kept, ok := st.find(f.data.Section.Role, f.data.Section.ID); !ok && w.kind.loose {
					w.lost++
				} else if !ok || !kept.is(f.data.Section) {
					w.t.Errorf("%s of %s told of %s %s %.200q, and the disk has %q and %s\n%s", s.what, id, f.data.Section.Role, f.data.Section.ID, f.data.Section.text(), kept.text(), st.roles(), s)
				}
			}
		}
	}
	ran, err := filepath.Glob(filepath.Join(w.state, "home", "*", "ran.*"))
	if err != nil || len(ran) > started+w.lost || len(ran) < succeeded {
		w.t.Errorf("%d commands ran; the disk has %d begun, %d that succeeded (%v)", len(ran), started, succeeded, err)
	}
}

// oneOf holds a text against those that were sent: it is the last acknowledged one, or one
// that was sent behind it, and before the cut where nothing may be begun behind it.
func (w *cutWork) oneOf(name string, sent []cutText, text string) {
	w.t.Helper()
	may := []string{""}
	for _, s := range sent {
		if s.acked {
			may = nil
		}
		if s.acked || !s.late || w.kind.part {
			may = append(may, s.text)
		}
	}
	if w.kind.loose && slices.ContainsFunc(sent, func(s cutText) bool { return s.text == text }) {
		may = append(may, text)
	}
	if !slices.Contains(may, text) {
		b, _ := json.Marshal(sent)
		w.t.Errorf("%s is %.200q after %d acts, of which it may be one of %d: %.2000s", name, text, len(sent), len(may), b)
	}
}
