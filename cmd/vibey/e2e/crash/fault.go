package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

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

// fail injects each fault once into a program at work: an error must be sent to the
// client, nothing that was sent before may be lost, and once calls succeed again the
// work goes on.
func (o *options) fail(base string) (ok bool, err error) {
	if err := os.MkdirAll(base, 0o755); err != nil {
		return false, err
	}
	p, err := newPlace(o.vibey, base, providertest.New(faultReplies()))
	if err != nil {
		return false, err
	}
	p.env = []string{"GOMAXPROCS=1"} // strace counts the calls of each thread by themselves
	h, err := p.serve()
	if err != nil {
		return false, err
	}
	good := 0
	for i, f := range faults {
		err := errUntouched
		for try := 0; try < faultTries && errors.Is(err, errUntouched); try++ {
			v := &trial{h: h, f: f, project: fmt.Sprintf("f%d-%d", i, try)}
			err = v.run()
		}
		if err != nil {
			fmt.Printf("  fault %s: %v\n", &f, err)
			continue
		}
		good++
	}
	if err := h.stop(); err != nil {
		return false, err
	}
	fmt.Printf("faults: of %d calls that failed, %d were told, lost nothing, and went on after\n", len(faults), good)
	return good == len(faults), nil
}

// faultTries is how often a fault is tried if no call failed, because strace counts
// the calls of each thread separately.
const faultTries = 50

var errUntouched = errors.New("no such call came")

// trial is one fault while it happens.
type trial struct {
	h       *host
	f       fault
	project string
	told    told // what the streams told
}

func (v *trial) run() error {
	s := &session{h: v.h}
	s.ask("POST", "/projects", body{"name": v.project})
	at := "/project/" + v.project
	s.ask("POST", at+"/file/doc-a.md", body{"content": "before"})
	s.id = s.ask("POST", at+"/dialog/new", body{"provider": "openai", "model": "m", "slug": "fault"})
	if v.f.act == "approve" {
		v.put(s, body{"prompt": "go"})
	}
	if s.err != nil {
		return s.err
	}
	end, err := v.inject(s.id)
	if err != nil {
		return err
	}
	status, text, err := v.act(s.id)
	failed := end()
	switch {
	case err != nil:
		return err
	case failed == "" && s.err == nil:
		return errUntouched
	case status < 400 && !strings.Contains(text, "event: error\n"):
		return fmt.Errorf("no error was sent where %s: %d %s", failed, status, text)
	}
	v.hear(text)
	return v.after(s)
}

func (v *trial) put(s *session, b body) {
	b["dialogId"] = s.id
	s.ask("PUT", "/project/"+v.project+"/dialog", b)
	v.hear(s.last)
}

// hear takes in what a stream told.
func (v *trial) hear(text string) {
	if v.told.text == nil {
		v.told = *newTold()
	}
	for frame := range strings.SplitSeq(text, "\n\n") {
		v.told.frame(frame)
	}
}

func (v *trial) act(id string) (status int, text string, err error) {
	at := "/project/" + v.project
	switch v.f.act {
	case "prompt":
		return v.h.request("PUT", at+"/dialog", body{"dialogId": id, "prompt": "go"})
	case "approve":
		return v.h.request("PUT", at+"/dialog", body{"dialogId": id, "control": "cmd_a approve"})
	case "save":
		return v.h.request("POST", at+"/file/doc-a.md", body{"content": "after"})
	}
	return v.h.request("POST", at+"/dialog", body{"provider": "openai", "model": "m", "slug": "other", "prompt": "go"})
}

// inject attaches strace to the program, so that calls fail which touch certain
// paths. end detaches it and returns the first that did, "" for none.
func (v *trial) inject(id string) (end func() (failed string), err error) {
	dir := filepath.Join(v.h.dir(), v.project)
	var names []string
	for _, st := range []dialog.Status{dialog.Active, dialog.Waiting, dialog.Done} {
		names = append(names, dialog.Filename(id, st))
	}
	switch v.f.on {
	case "open":
		names = []string{dialog.OpenName(id)}
	case "folder":
		names = []string{"."}
	case "doc":
		names = []string{files.TempName("doc-a.md")}
	case "all":
		names = append(names, dialog.OpenName(id), ".")
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
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
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
	}, nil
}

// after goes on once calls succeed again, and looks for what was sent before.
func (v *trial) after(s *session) error {
	if v.f.act == "save" {
		status, text, err := v.h.request("GET", "/project/"+v.project+"/file/doc-a.md", nil)
		if err != nil || status != 200 || !strings.Contains(text, "before") && !strings.Contains(text, "after") {
			return fmt.Errorf("the doc is %d %s %v", status, text, err)
		}
		s.ask("POST", "/project/"+v.project+"/file/doc-a.md", body{"content": "again"})
		return s.err
	}
	if v.f.act == "create" {
		v.put(s, body{"prompt": "go"})
		return s.err
	}
	v.put(s, body{"prompt": "go on"})
	if s.err == nil && strings.Contains(s.last, "event: tool_request\n") {
		v.put(s, body{"control": "cmd_a approve"})
	}
	if s.err != nil {
		return fmt.Errorf("it does not go on: %w", s.err)
	}
	return v.holds(s.id)
}

// holds looks into the dialog's file.
func (v *trial) holds(id string) error {
	dir := filepath.Join(v.h.dir(), v.project)
	b, err := os.ReadFile(filepath.Join(dir, dialog.Filename(id, dialog.Waiting)))
	if err != nil {
		return err
	}
	d := dialog.Parse(string(b))
	for _, p := range d.Problems {
		if p.Rule != "torn" {
			return fmt.Errorf("line %d: %s: %s", p.Line, p.Rule, p.Text)
		}
	}
	for _, t := range v.told.sections {
		i := d.Find(t.Role, t.ID)
		if i < 0 || d.Sections[i].Torn || !slices.Equal(d.Sections[i].Payloads, t.Payloads) {
			return fmt.Errorf("the %s %s that was told of is lost:\n%s", t.Role, t.ID, b)
		}
	}
	log, _ := os.ReadFile(filepath.Join(dir, "deed", "log")) // none: it never ran
	if runs := strings.Count(string(log), "a\n"); runs > 1 {
		return fmt.Errorf("the command ran %d times", runs)
	}
	return nil
}
