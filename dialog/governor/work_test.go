package governor

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"vibey/dialog"
	"vibey/dialog/grant"
)

// work plays a pattern of work and returns the Notes that the judge had at each step in
// which the model is asked, or its word judged. A pattern is lines of a script (see
// there), lines of rules, and in short:
//
//	$ COMMAND                      a call of run_command; several in a row are one response
//	! TOOL JSON                    a call of another tool
//	= CODE[ STDOUT][ | STDERR][ | changed PATH=SHA…]    the first open command's result; "= denied"
//	> [FAILURE ]JSON               another call's
//	stop REASON                    where the judge must stop the turn, and not before
func work(t *testing.T, pattern string) (notes []Note) {
	var rules []string
	s := &script{t: t, d: dialog.Parse("# Dialog\n> DialogId: 20260216-201100-x\n")}
	var j *Judge
	step := func() {
		if j == nil {
			r, problems := grant.ParseRules("əəəproject/v1\n"+strings.Join(rules, "\n")+"\nəəə\n", grant.Known{Sets: sets})
			if len(problems) > 0 {
				t.Fatal(problems)
			}
			j = New(r, classOf)
		}
		j.Extend(s.d)
		if len(s.open) == 0 && len(s.d.Sections) > 0 {
			n := j.Next()
			s.notes(n)
			notes = append(notes, n.Notes...)
		}
		j.Extend(s.d)
	}
	calling := false
	call := func(tool, input string) {
		if calling {
			s.line("and: "+tool+" "+input, nil)
			return
		}
		step()
		s.line("calls Now this.: "+tool+" "+input, nil)
		calling = true
	}
	for line := range strings.Lines(pattern) {
		head, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch head {
		case "":
			continue
		case "verify", "tools":
			rules = append(rules, head+" "+rest)
			continue
		case "$":
			in, err := json.Marshal(map[string]string{"command": rest})
			if err != nil {
				t.Fatal(err)
			}
			call("run_command", string(in))
			continue
		case "!":
			tool, input, _ := strings.Cut(rest, " ")
			call(tool, input)
			continue
		}
		calling = false
		switch head {
		case "=":
			s.line(commandResult(t, rest), nil)
		case ">":
			if failure, text, ok := strings.Cut(rest, " {"); ok {
				s.line("result error "+failure+": {"+text, nil)
			} else {
				s.line("result: "+rest, nil)
			}
		case "stop":
			for _, n := range notes {
				if n.Meta.Has("Stop") {
					t.Errorf("stopped too early: %s", n.Text)
				}
			}
			step()
			if got := j.Stopped(); got != rest {
				t.Errorf("stopped for %q, not %q", got, rest)
			}
		default:
			s.line(strings.TrimSpace(line), nil)
		}
	}
	step()
	return notes
}

// commandResult is the line of a script for the short form of a command's result.
func commandResult(t *testing.T, short string) string {
	if short == "denied" {
		return `result denied permission_denied: {"success":false,"error":"Denied by user"}`
	}
	parts := strings.Split(short, " | ")
	code, stdout, _ := strings.Cut(parts[0], " ")
	n, err := strconv.Atoi(strings.TrimSuffix(code, " |"))
	if err != nil {
		t.Fatalf("no exit code: %q", short)
	}
	r := struct {
		Success  bool   `json:"success"`
		Error    string `json:"error,omitempty"`
		ExitCode int    `json:"exitCode"`
		Stdout   string `json:"stdout"`
		Stderr   string `json:"stderr"`
		Changed  any    `json:"changed"`
		Sandbox  string `json:"sandbox"`
	}{n == 0, "", n, stdout, "", []any{}, "bwrap"}
	if n != 0 {
		r.Error = "exit code " + code
	}
	for _, p := range parts[1:] {
		changed, ok := strings.CutPrefix(p, "changed ")
		if !ok {
			r.Stderr = p
			continue
		}
		var files []any
		for _, f := range strings.Fields(changed) {
			path, sha, _ := strings.Cut(f, "=")
			files = append(files, map[string]string{"path": path, "sha256": sha})
		}
		r.Changed = files
		if changed == "unknown" {
			r.Changed = "unknown"
		}
	}
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return "result: " + string(b)
}

func patterns(t *testing.T, file string, least int) []txtar.File {
	ar, err := txtar.ParseFile("testdata/" + file)
	if err != nil || len(ar.Files) < least {
		t.Fatalf("%d patterns, %v", len(ar.Files), err)
	}
	return ar.Files
}

// TestOrdinaryWork: no rule stops honest work, sends it back, or doubts it.
func TestOrdinaryWork(t *testing.T) {
	for _, f := range patterns(t, "work-ordinary.txt", 40) {
		t.Run(f.Name, func(t *testing.T) {
			for _, n := range work(t, string(f.Data)) {
				if n.Meta.Has("Stop") || n.Kind == "recovery" || n.Kind == "gate" {
					t.Errorf("%s: %s", n.Kind, n.Text)
				}
			}
		})
	}
}

// TestCircles: what goes in circles is stopped, at the call at which it is known.
func TestCircles(t *testing.T) {
	for _, f := range patterns(t, "work-circles.txt", 12) {
		t.Run(f.Name, func(t *testing.T) {
			if !strings.Contains(string(f.Data), "\nstop ") {
				t.Fatal("no stop is expected")
			}
			work(t, string(f.Data))
		})
	}
}
