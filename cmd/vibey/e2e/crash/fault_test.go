package crash

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"vibey/dialog"
	"vibey/provider/providertest"
	files "vibey/tools/disk"
)

// faultReplies ask for one command that leaves a line behind at each run.
func faultReplies() providertest.Script {
	long := strings.Repeat("a word of the text, ", 5)
	return providertest.Script{Replies: []providertest.Reply{
		{Text: "First. " + long, Chunk: 20, Calls: []providertest.Call{{ID: "cmd_a", Name: "run_command", Args: `{"command":"echo a >> deed/log"}`}}},
		{Text: "Second. " + long, Chunk: 20},
		{Text: "Third."},
	}}
}

// failCalls injects each fault once into a program at work: an error must be sent to the
// client, nothing that was sent before may be lost, and once calls succeed again the
// work goes on.
func failCalls(t *testing.T, base string) {
	p := newPlace(t, base, faultReplies())
	p.env = []string{"GOMAXPROCS=1"} // strace counts the calls of each thread by themselves
	h := serve(t, p)
	good := 0
	for i, f := range faults {
		if t.Run(f.String(), func(t *testing.T) {
			for try := range faultTries {
				v := &trial{session: session{t: t, h: h}, f: f, project: fmt.Sprintf("f%d-%d", i, try), told: newTold()}
				if v.run() {
					return
				}
			}
			t.Error("no such call came")
		}) {
			good++
		}
	}
	h.stop(t)
	t.Logf("faults: of %d calls that failed, %d were told, lost nothing, and went on after", len(faults), good)
}

// faultTries is how often a fault is tried if no call failed, because strace counts
// the calls of each thread separately.
const faultTries = 50

// trial is one fault while it happens.
type trial struct {
	session
	f       fault
	project string
	told    *told // what the streams told
}

// run reports whether a call failed.
func (v *trial) run() bool {
	v.ask("POST", "/projects", body{"name": v.project})
	at := "/project/" + v.project
	v.ask("POST", at+"/file/doc-a.md", body{"content": "before"})
	v.id = v.ask("POST", at+"/dialog/new", body{"provider": "openai", "model": "m", "slug": "fault"})
	if v.f.act == "approve" {
		v.put(body{"prompt": "go"})
	}
	end := v.inject()
	status, text, err := v.act()
	failed := end()
	switch {
	case err != nil:
		v.t.Fatal(err)
	case failed == "":
		return false
	case status < 400 && !strings.Contains(text, "event: error\n"):
		v.t.Fatalf("no error was sent where %s: %d %s", failed, status, text)
	}
	v.hear(text)
	v.after()
	return true
}

func (v *trial) put(b body) {
	v.t.Helper()
	b["dialogId"] = v.id
	v.ask("PUT", "/project/"+v.project+"/dialog", b)
	v.hear(v.last)
}

// hear takes in what a stream told.
func (v *trial) hear(text string) {
	for frame := range strings.SplitSeq(text, "\n\n") {
		v.told.frame(frame)
	}
}

func (v *trial) act() (status int, text string, err error) {
	at := "/project/" + v.project
	switch v.f.act {
	case "prompt":
		return v.h.request("PUT", at+"/dialog", body{"dialogId": v.id, "prompt": "go"})
	case "approve":
		return v.h.request("PUT", at+"/dialog", body{"dialogId": v.id, "control": "cmd_a approve"})
	case "save":
		return v.h.request("POST", at+"/file/doc-a.md", body{"content": "after"})
	}
	return v.h.request("POST", at+"/dialog", body{"provider": "openai", "model": "m", "slug": "other", "prompt": "go"})
}

// inject attaches strace to the program, so that calls fail which touch certain
// paths. end detaches it and returns the first that did, "" for none.
func (v *trial) inject() (end func() (failed string)) {
	dir := filepath.Join(v.h.dir, v.project)
	var names []string
	for _, st := range []dialog.Status{dialog.Active, dialog.Waiting, dialog.Done} {
		names = append(names, dialog.Filename(v.id, st))
	}
	switch v.f.on {
	case "open":
		names = []string{dialog.OpenName(v.id)}
	case "folder":
		names = []string{"."}
	case "doc":
		names = []string{files.TempName("doc-a.md")}
	case "all":
		names = append(names, dialog.OpenName(v.id), ".")
	}
	log := filepath.Join(v.h.base, "faults.log")
	args := []string{"-f", "-o", log, "-p", fmt.Sprint(v.h.pid),
		"-e", "trace=" + v.f.calls, "-e", "inject=" + v.f.calls + ":error=" + v.f.errno + ":when=" + v.f.when}
	for _, name := range names {
		args = append(args, "-P", filepath.Join(dir, name))
	}
	cmd := exec.Command("strace", args...)
	out, err := cmd.StderrPipe()
	if err != nil {
		v.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		v.t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() && !strings.Contains(lines.Text(), "attached") {
	}
	return func() string {
		cmd.Process.Signal(syscall.SIGINT)
		for lines.Scan() { // until it has let go
		}
		cmd.Wait()
		b, _ := os.ReadFile(log)
		for line := range strings.SplitSeq(string(b), "\n") {
			if strings.Contains(line, "(INJECTED)") {
				return line
			}
		}
		return ""
	}
}

// after goes on once calls succeed again, and looks for what was sent before.
func (v *trial) after() {
	switch v.f.act {
	case "save":
		v.ask("GET", "/project/"+v.project+"/file/doc-a.md", nil)
		if !strings.Contains(v.last, "before") && !strings.Contains(v.last, "after") {
			v.t.Errorf("the doc is %s", v.last)
		}
		v.ask("POST", "/project/"+v.project+"/file/doc-a.md", body{"content": "again"})
	case "create":
		v.put(body{"prompt": "go"})
	default:
		v.put(body{"prompt": "go on"})
		if strings.Contains(v.last, "event: tool_request\n") {
			v.put(body{"control": "cmd_a approve"})
		}
		v.holds()
	}
}

// holds looks into the dialog's file.
func (v *trial) holds() {
	dir := filepath.Join(v.h.dir, v.project)
	b, err := os.ReadFile(filepath.Join(dir, dialog.Filename(v.id, dialog.Waiting)))
	if err != nil {
		v.t.Fatal(err)
	}
	d := dialog.Parse(string(b))
	for _, p := range d.Problems {
		if p.Rule != "torn" {
			v.t.Errorf("line %d: %s: %s", p.Line, p.Rule, p.Text)
		}
	}
	for _, t := range v.told.sections {
		i := d.Find(t.Role, t.ID)
		if i < 0 || d.Sections[i].Torn || !slices.Equal(d.Sections[i].Payloads, t.Payloads) {
			v.t.Errorf("the %s %s that was told of is lost:\n%s", t.Role, t.ID, b)
		}
	}
	log, _ := os.ReadFile(filepath.Join(dir, "deed", "log")) // none: it never ran
	if runs := strings.Count(string(log), "a\n"); runs > 1 {
		v.t.Errorf("the command ran %d times", runs)
	}
}
